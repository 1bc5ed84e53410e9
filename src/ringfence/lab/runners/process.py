"""Run one program in a process group of its own, and leave nothing of it behind."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Finished:
    """How a program ended; ``exit`` is ``None`` where the timeout ended it."""

    exit: int | None
    stdout: str
    stderr: str
    seconds: float


def run_group(
    argv: Sequence[str | Path],
    *,
    cwd: Path,
    env: Mapping[str, str],
    timeout: float,
    stdin: str = "",
    pass_fds: Sequence[int] = (),
) -> Finished:
    """Run to the end or the timeout; then kill whatever is left of the group.

    An agent's launcher may be gone while its native child or a tool's background
    job lives on, so the group is killed after a clean end too. Output goes through
    files: such a leftover holding a pipe open must not hold up the lab.
    """
    began = time.monotonic()
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin.encode())
        given.seek(0)
        process = subprocess.Popen(
            argv,
            cwd=cwd,
            env=dict(env),
            stdin=given,
            stdout=out,
            stderr=err,
            start_new_session=True,
            pass_fds=pass_fds,
        )
        code: int | None = None
        try:
            with suppress(subprocess.TimeoutExpired):
                code = process.wait(timeout)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        seconds = time.monotonic() - began
        texts = []
        for stream in (out, err):
            stream.seek(0)
            texts.append(stream.read().decode("utf-8", errors="replace"))
    return Finished(code, texts[0], texts[1], seconds)
