"""Runs the real command line in a process of its own, in a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Ringfence = Callable[..., "Ran"]


class Ran(subprocess.CompletedProcess[str]):
    """A finished call of the command line."""

    @property
    def data(self) -> object:
        """The one JSON document on stdout."""
        return json.loads(self.stdout)

    @property
    def lines(self) -> list[dict[str, object]]:
        """The JSON documents on stdout, one a line."""
        return [json.loads(line) for line in self.stdout.splitlines()]


@pytest.fixture
def ringfence(tmp_path: Path) -> Ringfence:
    """Return a function that runs ``ringfence`` with arguments."""
    home = tmp_path / "home"
    project = tmp_path / "project"
    home.mkdir()
    project.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "COLUMNS": "100"}

    def run(
        *arguments: str,
        stdin: str = "",
        code: int | None = 0,
        env: Mapping[str, str] | None = None,
    ) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "ringfence", *arguments],
            cwd=project,
            env={**environment, **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )
        if code is not None:
            assert done.returncode == code, done.stdout + done.stderr
        return Ran(done.args, done.returncode, done.stdout, done.stderr)

    run.home = home  # type: ignore[attr-defined]
    run.project = project  # type: ignore[attr-defined]
    return run
