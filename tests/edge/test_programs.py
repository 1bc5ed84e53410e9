"""What stands around the hook in a program of an author's, or is not there at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from ringfence.testing import payload
from tests.edge.processes import PATIENCE, Program, say

PRE = payload("claude-code", "PreToolUse-Bash")
STOP = payload("claude-code", "Stop")


def test_a_worker_never_comes_back_into_the_program(tmp_path: Path) -> None:
    body = """\
fence = Ringfence()
fence.before_tool(lambda event: sys.exit(3))
run = fence.run

def fence_run():
    try:
        run()
    except BaseException:
        open(__file__ + ".back", "a").write("came back")
    finally:
        open(__file__ + ".back", "a").write("came back")

fence.run = fence_run
"""
    own = Program(tmp_path, body)
    assert "raised SystemExit" in own.say(PRE, "claude-code", "PreToolUse").reason
    assert not (tmp_path / "fence.py.back").exists()


def test_a_program_that_fails_before_it_runs_ends_with_an_error(tmp_path: Path) -> None:
    # The launcher makes a block of it; without one, a harness lets the call pass.
    said = Program(tmp_path, "raise ValueError").say(PRE, "claude-code", "PreToolUse")
    assert said.exit_code == 1
    assert said.stdout == ""


BROKEN = """\
import sys
sys.modules[sys.argv[1]] = None
from ringfence.edge.hook import run
run(sys.argv[2:])
"""


def broken(folder: Path, module: str, raw: bytes, *words: str) -> tuple[int, str]:
    """The hook of an installation in which a module is missing."""
    script = folder / "broken.py"
    script.write_text(BROKEN)
    state = ["--state", str(folder / "state")]
    said = say([sys.executable, "-I", str(script), module, *words, *state], raw)
    return said.exit_code, said.stdout


def test_a_broken_installation_blocks_in_each_events_own_way(tmp_path: Path) -> None:
    for module in ("ringfence.policy.evaluator", "ringfence.content.integrity"):
        code, stdout = broken(tmp_path, module, PRE, "claude-code")
        assert code == 0
        assert "guard policy: could not be loaded: ModuleNotFoundError" in stdout
        assert broken(tmp_path, module, STOP, "claude-code") == (0, "")


def test_one_without_its_codec_blocks_by_exit_code(tmp_path: Path) -> None:
    module = "ringfence.harnesses.claude_code.codec"
    assert broken(tmp_path, module, PRE, "claude-code", "PreToolUse") == (2, "")
    assert broken(tmp_path, module, STOP, "claude-code", "Stop") == (0, "")
    lenient = ["claude-code", "PreToolUse", "--fail", "open"]
    assert broken(tmp_path, module, PRE, *lenient) == (0, "")


def test_one_without_the_hook_entry_blocks_by_exit_code() -> None:
    code = (
        "import sys; sys.modules['ringfence.edge.supervisor'] = None; "
        "sys.argv[1:] = ['hook', 'claude-code', 'PreToolUse']; "
        "from ringfence.__main__ import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=PRE,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"can't be loaded" in done.stderr
