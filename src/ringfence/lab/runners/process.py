"""Run one program in a process group of its own, and leave nothing of it behind."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO


@dataclass(frozen=True, slots=True)
class GroupOptions:
    """Where and how a program is run."""

    cwd: Path
    env: Mapping[str, str]
    timeout: float
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended; ``exit`` is ``None`` where the timeout ended it."""

    exit: int | None
    stdout: str
    stderr: str
    seconds: float


def run_group(
    argv: Sequence[str],
    options: GroupOptions,
    *,
    pass_fds: Sequence[int] = (),
    started: Callable[[], None] | None = None,
) -> Finished:
    """Run to the end or the timeout; then kill whatever is left of the group.

    ``started`` is called once the program runs. An agent's launcher may be gone
    while its native child or a tool's background job lives on, so the group is
    killed after a clean end too. Output goes through files: a leftover that holds
    a pipe open must not hold up the lab.
    """
    began = time.monotonic()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(options.stdin.encode())
        given.seek(0)
        process = subprocess.Popen(
            argv,
            cwd=options.cwd,
            env=dict(options.env),
            stdin=given,
            stdout=out,
            stderr=err,
            start_new_session=True,
            pass_fds=pass_fds,
        )
        code: int | None = None
        try:
            if started is not None:
                started()
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(options.timeout)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - began
        return Finished(code, _text(out), _text(err), seconds)


def _text(stream: IO[bytes]) -> str:
    stream.seek(0)
    return stream.read().decode("utf-8", errors="replace")
