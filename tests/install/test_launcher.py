"""The launcher, run by a real shell as a harness runs it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from ringfence.edge._closed import CLOSED
from ringfence.install import launcher, throwaway
from ringfence.testing import payload

PRE = payload("claude-code", "PreToolUse-Bash")
GATES = [("claude-code", "PreToolUse"), ("codex", "PostToolUse"), ("codex", "NextYear")]
PASSING = [
    ("claude-code", "Stop"),
    ("codex", "SubagentStop"),
    ("codex", "SessionStart"),
]


def run(path: Path, *words: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [str(path), *words],
        input=PRE.decode(),
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
        **more,
    )


def written(folder: Path, *program: str, options: Sequence[str] = ()) -> Path:
    return launcher.write(folder, options, program)


SHELLS = [name for name in ("sh", "dash", "bash", "busybox") if shutil.which(name)]


class TestRunning:
    def test_it_answers_as_the_hook_does(self, tmp_path: Path) -> None:
        path = written(tmp_path, options=["--state", str(tmp_path / "a state")])
        raw = PRE.replace(b"echo hello-from-tool", b"git push --force origin main")
        done = subprocess.run(
            [path, "claude-code", "PreToolUse"],
            input=raw,
            capture_output=True,
            timeout=20,
            check=False,
        )
        assert done.returncode == 0
        assert b'"permissionDecision":"deny"' in done.stdout
        assert (tmp_path / "a state" / "decisions").is_dir()

    def test_arguments_reach_the_program_untouched(self, tmp_path: Path) -> None:
        program = tmp_path / "it's a program"
        program.write_text('#!/bin/sh\nfor word; do printf "<%s>" "$word"; done\n')
        program.chmod(0o755)
        path = written(
            tmp_path / "with blanks & $HOME",
            str(program),
            options=["--policy", "a 'b' $c.yaml"],
        )
        done = run(path, "claude-code", "x y*")
        assert done.stdout == "<claude-code><x y*><--policy><a 'b' $c.yaml>"

    def test_the_payload_is_passed_on(self, tmp_path: Path) -> None:
        assert run(written(tmp_path, "cat"), "codex").stdout == ""
        done = run(written(tmp_path, "sh", "-c", "cat"), "codex", "PreToolUse")
        assert done.stdout == PRE.decode()


class TestFailing:
    @pytest.mark.parametrize(("harness", "event"), GATES)
    @pytest.mark.parametrize(
        "program",
        [
            ["/nowhere/python", "-I"],
            [sys.executable, "-I", "/nowhere/fence.py"],
            [sys.executable, "-I", "-c", "raise ValueError"],
            ["sh", "-c", "exit 3"],
            ["sh", "-c", "exit 2"],
            ["sh", "-c", "kill -9 $$"],
            ["sh", "-c", "kill -15 $$"],
            ["/"],
        ],
        ids=lambda program: program[-1][-20:],
    )
    def test_a_program_that_fails_blocks_and_says_so(
        self, harness: str, event: str, program: list[str], tmp_path: Path
    ) -> None:
        done = run(written(tmp_path, *program), harness, event)
        assert done.returncode == 2
        assert "ringfence: this is blocked" in done.stderr

    @pytest.mark.parametrize(("harness", "event"), PASSING)
    @pytest.mark.parametrize(
        "program", [["/nowhere/python"], ["sh", "-c", "exit 2"], ["sh", "-c", "exit 1"]]
    )
    def test_but_never_an_agent_that_wants_to_finish(
        self, harness: str, event: str, program: list[str], tmp_path: Path
    ) -> None:
        assert run(written(tmp_path, *program), harness, event).returncode == 0

    def test_every_event_of_the_table_ends_as_it_says(self, tmp_path: Path) -> None:
        path = written(tmp_path, "sh", "-c", "exit 1")
        for harness, events in CLOSED.items():
            for event, code in events.items():
                assert run(path, harness, event).returncode == code

    @pytest.mark.parametrize("shell", SHELLS)
    def test_any_shell_blocks_where_python_is_missing(
        self, shell: str, tmp_path: Path
    ) -> None:
        path = written(tmp_path, "/nowhere/python")
        command = [shell, *(["sh"] if shell == "busybox" else []), str(path)]
        for words, code in ((["codex", "PreToolUse"], 2), (["codex", "Stop"], 0)):
            done = subprocess.run(
                [*command, *words], input=PRE, capture_output=True, check=False
            )
            assert done.returncode == code

    def test_also_without_arguments_and_from_a_folder_that_is_gone(
        self, tmp_path: Path
    ) -> None:
        path = written(tmp_path, "/nowhere/python")
        assert run(path).returncode == 2
        gone = tmp_path / "gone"
        gone.mkdir()
        words = f"cd {gone} && rmdir {gone} && {path} claude-code PreToolUse"
        done = subprocess.run(["sh", "-c", words], input=PRE, check=False)
        assert done.returncode == 2


class TestEnvironment:
    @pytest.mark.parametrize(
        "name", ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "LD_PRELOAD", "LD_AUDIT"]
    )
    def test_nothing_is_slipped_into_the_interpreter(
        self, name: str, tmp_path: Path
    ) -> None:
        path = written(tmp_path, "sh", "-c", f'printf %s "${name}"')
        environment = {"PATH": os.environ["PATH"], name: "/planted"}
        assert run(path, "codex", env=environment).stdout == ""

    def test_a_module_planted_beside_the_work_is_not_loaded(
        self, tmp_path: Path
    ) -> None:
        planted = tmp_path / "project"
        (planted / "ringfence").mkdir(parents=True)
        (planted / "ringfence" / "__main__.py").write_text("raise SystemExit(0)")
        (planted / "json.py").write_text("raise SystemExit(0)")
        path = written(tmp_path, options=["--state", str(tmp_path / "state")])
        done = run(path, "claude-code", "PreToolUse", cwd=planted)
        assert done.returncode == 0
        assert list((tmp_path / "state" / "decisions").iterdir())


class TestWriting:
    def test_it_is_executable_and_replaced_whole(self, tmp_path: Path) -> None:
        first = written(tmp_path, "one")
        assert first == tmp_path / "bin" / "ringfence-hook"
        assert os.access(first, os.X_OK)
        held = first.open()
        assert written(tmp_path, "two") == first
        assert "two" in first.read_text()
        assert "one" in held.read()
        held.close()
        assert [path.name for path in first.parent.iterdir()] == ["ringfence-hook"]

    def test_the_interpreter_is_isolated(self) -> None:
        assert launcher.own_program("/opt/python")[:2] == ("/opt/python", "-I")


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_a_throwaway_home_has_hooks_that_call_it(harness: str, tmp_path: Path) -> None:
    settings = throwaway.write(tmp_path, harness)
    path = tmp_path / ".local" / "share" / "ringfence" / "bin" / "ringfence-hook"
    assert f"{path} {harness} PreToolUse" in settings.read_text()
    assert run(path, harness, "PreToolUse").returncode == 0
    assert list((tmp_path / ".local" / "state" / "ringfence" / "decisions").iterdir())
