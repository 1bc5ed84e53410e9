"""Runs a hook as a harness does: a process, a payload on stdin, an answer."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HEAD = """\
import os, sys, time, signal, subprocess
from ringfence import Ringfence, allow, ask, continue_with, deny, redact, rewrite
"""
PATIENCE = 20.0


@dataclass(frozen=True)
class Said:
    """What came back from a hook process."""

    stdout: str
    stderr: str
    exit_code: int
    seconds: float

    @property
    def document(self) -> Any:
        """The one JSON document it answered with."""
        assert self.exit_code == 0
        assert self.stderr == ""
        return json.loads(self.stdout)

    @property
    def reason(self) -> str:
        """Why it denied a call; fails where it did not deny."""
        specific = self.document["hookSpecificOutput"]
        assert specific["permissionDecision"] == "deny"
        return str(specific["permissionDecisionReason"])

    @property
    def silent(self) -> bool:
        return (self.stdout, self.stderr, self.exit_code) == ("", "", 0)


def say(
    command: Sequence[str], raw: bytes, *, patience: float = PATIENCE, **popen: Any
) -> Said:
    """Run a command with a payload on stdin."""
    began = time.monotonic()
    done = subprocess.run(
        command,
        input=raw,
        capture_output=True,
        timeout=patience,
        check=False,
        **popen,
    )
    return Said(
        done.stdout.decode(),
        done.stderr.decode(),
        done.returncode,
        time.monotonic() - began,
    )


@dataclass(frozen=True)
class Program:
    """An author's program in a folder of its own, where it keeps its state."""

    folder: Path
    body: str

    def command(self, *words: str, state: bool = True) -> list[str]:
        path = self.folder / "fence.py"
        path.write_text(f"{HEAD}{self.body}\nfence.run()\n")
        kept = ["--state", str(self.folder / "state")] if state else []
        return [sys.executable, "-I", str(path), *words, *kept]

    def say(self, raw: bytes, *words: str, **popen: Any) -> Said:
        return say(self.command(*words), raw, **popen)

    @property
    def records(self) -> list[Mapping[str, Any]]:
        return [
            json.loads(line)
            for path in sorted((self.folder / "state" / "decisions").glob("*"))
            for line in path.read_text().splitlines()
        ]


def hook(folder: Path, raw: bytes, *words: str, **popen: Any) -> Said:
    """Run Ringfence's own hook entry, its state in a folder."""
    own = [sys.executable, "-I", "-m", "ringfence", "hook"]
    return say([*own, *words, "--state", str(folder / "state")], raw, **popen)
