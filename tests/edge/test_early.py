"""A program that dies before it comes to answer blocks, as the agent reads exits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.edge.processes import PATIENCE

DYING = {
    "a policy that is not there": 'Ringfence(policy="none.yaml")',
    "a wrong word": 'Ringfence(fail="opne")',
    "a kind of event that there is not": 'Ringfence().on("no.such")',
    "an error of its own": "fence = Ringfence()\n1 / 0",
}


def run(folder: Path, body: str, *words: str) -> subprocess.CompletedProcess[str]:
    program = folder / "guard.py"
    program.write_text(f"from ringfence import Ringfence, deny\n{body}\n")
    return subprocess.run(
        [sys.executable, "-I", str(program), *words],
        input="{}",
        capture_output=True,
        text=True,
        cwd="/",
        timeout=PATIENCE,
        check=False,
    )


@pytest.mark.parametrize("body", DYING.values(), ids=DYING)
@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_it_blocks_and_says_why(tmp_path: Path, body: str, harness: str) -> None:
    done = run(tmp_path, body, harness, "PreToolUse")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"ringfence: the {harness} hook did not start: ")


def test_at_a_stop_it_lets_the_agent_finish(tmp_path: Path) -> None:
    assert run(tmp_path, "Ringfence()\n1 / 0", "codex", "--event=Stop").returncode == 0


def test_a_program_that_is_no_hook_dies_as_ever(tmp_path: Path) -> None:
    done = run(tmp_path, "Ringfence()\n1 / 0")
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


def test_a_relative_policy_lies_beside_the_program(tmp_path: Path) -> None:
    """Not in the current folder: that is the project, which is not trusted."""
    (tmp_path / "own.yaml").write_text('version: 1\ntool_policy: {deny: ["Bash"]}\n')
    body = 'print(len(Ringfence(policy="own.yaml").pipeline.guards))'
    assert run(tmp_path, body).stdout == "2\n"
