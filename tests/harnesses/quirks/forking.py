"""Runs the supervisor in a fork of the tests, as a harness runs a hook."""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from ringfence.edge.supervisor import Channel, supervise
from ringfence.harnesses.base import WireAnswer
from ringfence.harnesses.simulation import HookRun

PATIENCE = 2.0
"""Seconds that the harness of these tests waits for a hook."""


@dataclass(frozen=True)
class Hook:
    """What a hook process does, and what it says where it does not get there."""

    work: Callable[[], None]
    answer: WireAnswer
    refusal: WireAnswer
    timeout: float = 0.5

    def run(self) -> HookRun:
        """Run it, and return what a harness gets of it."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            self._be_the_hook(reading, writing)
        os.close(writing)
        output, finished = _read(reading, time.monotonic() + PATIENCE)
        os.close(reading)
        ended, status = os.waitpid(child, 0 if finished else os.WNOHANG)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if not ended:
            os.waitpid(child, 0)
        return HookRun(
            stdout=output.decode(),
            exit_code=os.waitstatus_to_exitcode(status),
            timed_out=not ended,
            stdout_held=not finished,
        )

    def _be_the_hook(self, reading: int, writing: int) -> None:
        try:
            os.setpgid(0, 0)
            os.close(reading)
            os.dup2(writing, 1)
            os.close(writing)
            refusal = self.refusal
            supervise(
                self._say,
                timeout=self.timeout,
                refusal=(refusal.stdout, refusal.stderr, refusal.exit_code),
            )
        finally:
            os._exit(70)

    def _say(self, channel: Channel) -> None:
        self.work()
        channel.answer(self.answer.stdout, self.answer.stderr, self.answer.exit_code)


def _read(reading: int, until: float) -> tuple[bytes, bool]:
    """Return the output, and whether it came to its end in time."""
    output = b""
    while (left := until - time.monotonic()) > 0:
        if select.select([reading], [], [], left)[0]:
            data = os.read(reading, 1 << 16)
            if not data:
                return output, True
            output += data
    return output, False
