"""Real bash as the judge: which programs does a text run, with which arguments?"""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ringfence.calls import Command, ShellProgram

BASH = shutil.which("bash")


def _names(text: str) -> list[str]:
    return text.split()


# Programs that only write down how they were called.
STUBS = _names(
    "rm git curl wget grep sed awk ls touch mkdir tee cp mv find docker ssh sudo"
    " make npm node python deploy alpha beta gamma delta one two three dd chmod kill"
    " tar sort head tail wc diff kubectl su doas npx uv tool watch flock"
)
# Programs that run another one: the real ones, where this machine has them.
REAL = tuple(
    name
    for name in _names("cat env nice timeout nohup setsid stdbuf xargs sh bash ionice")
    if shutil.which(name)
)

_STUB = """#!{bash}
printf '%s\\0' "${{0##*/}}" "$@" >"$ORACLE_LOG/$$"
"""


@dataclass(frozen=True)
class Oracle:
    """A directory with recording programs, and one for scripts to run in."""

    programs: Path
    work: Path

    @classmethod
    def create(cls, root: Path) -> Oracle:
        programs, work = root / "bin", root / "work"
        programs.mkdir()
        work.mkdir()
        assert BASH is not None
        for name in STUBS:
            stub = programs / name
            stub.write_text(_STUB.format(bash=BASH))
            stub.chmod(0o755)
        for name in REAL:
            # ``sh`` is bash here: what another shell makes of a text is not the point.
            real = BASH if name == "sh" else shutil.which(name)
            (programs / name).symlink_to(real or "")
        return cls(programs, work)

    def run(self, script: str) -> list[tuple[str, ...]]:
        """Run a script and return the calls of recorded programs, in any order."""
        log = self.work.parent / "log"
        shutil.rmtree(log, ignore_errors=True)
        log.mkdir()
        shutil.rmtree(self.work)
        self.work.mkdir()
        home = f"{self.work.parent}/home"
        assert BASH is not None
        # Whatever the script leaves behind holds the pipe: its end is the end of all.
        end, held = os.pipe()
        subprocess.run(
            [BASH, "--norc", "--noprofile", "-c", script],
            pass_fds=[held],
            cwd=self.work,
            env={
                "PATH": str(self.programs),
                "HOME": home,
                "ORACLE_LOG": str(log),
                "LC_ALL": "C.UTF-8",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=20,
            check=False,
        )
        os.close(held)
        with os.fdopen(end, "rb") as pipe:
            pipe.read()
        calls: list[tuple[str, ...]] = []
        for entry in log.iterdir():
            text = entry.read_bytes().decode(errors="surrogateescape")
            text = text.replace(home, "~").replace(str(self.work), "/w")
            calls.append(tuple(text.split("\0")[:-1]))
        return calls

    def accepts(self, script: str) -> bool:
        """Tell whether bash finds the script well formed."""
        assert BASH is not None
        done = subprocess.run(
            [BASH, "--norc", "--noprofile", "-n", "-c", script],
            env={"PATH": os.devnull, "LC_ALL": "C.UTF-8"},
            capture_output=True,
            check=False,
        )
        return done.returncode == 0


def unseen(calls: list[tuple[str, ...]], program: ShellProgram) -> list[object]:
    """Return the calls that happened and that no command of the program covers.

    A command whose words are all known covers exactly its own; one with unknown words
    covers any call of its program, one with an unknown program any call at all.
    """
    return [
        call
        for call in calls
        if not any(_covers(command, call) for command in program.commands)
    ]


def imagined(calls: list[tuple[str, ...]], program: ShellProgram) -> list[object]:
    """Return the fully known commands of recorded programs that did not run."""
    ran = list(calls)
    missing: list[object] = []
    for command in program.commands:
        if command.program not in STUBS or command.dynamic:
            continue
        if command.argv in ran:
            ran.remove(command.argv)
        else:
            missing.append(command.argv)
    return missing


def _covers(command: Command, call: tuple[str, ...]) -> bool:
    if not command.program:
        return True
    if command.dynamic:
        return command.program == call[0]
    return command.argv == call
