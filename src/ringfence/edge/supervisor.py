"""Answers the harness in every case, whatever happens to the code that decides.

The work is done in a child process. This process only waits: for the child's answer,
for its death, or for the deadline, and then says the answer, or what was prepared for
such a case. So a guard that hangs in C code, exits, is killed or crashes the
interpreter can't leave the harness without an answer, and nothing that a guard or a
child of it prints can reach the harness: their stdout and stderr lead nowhere.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from ringfence.edge.frames import ANSWER, LIMIT, PREPARED, Frames, pack, write_all
from ringfence.harnesses.quirks import mitigated

_Said = tuple[int, bytes, bytes]
_NO_DEADLINE = 3600.0
_GRACE = 1.0


class Channel:
    """The worker's way to the harness."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def prepare(self, stdout: str, stderr: str, exit_code: int) -> None:
        """Say what is to be answered if the worker does not come to an answer."""
        write_all(self._descriptor, pack(PREPARED, stdout, stderr, exit_code))

    def answer(self, stdout: str, stderr: str, exit_code: int) -> None:
        """Answer the harness."""
        write_all(self._descriptor, pack(ANSWER, stdout, stderr, exit_code))

    def limit(self, seconds: float) -> None:
        """Say how long all of it may take, as soon as that is known."""
        write_all(self._descriptor, pack(LIMIT, repr(seconds), "", 0))
        _end_in(seconds + _GRACE)


def supervise(
    work: Callable[[Channel], None],
    *,
    timeout: float,
    ceiling: float | None = None,
    refusal: tuple[str, str, int],
    unanswered: Callable[[], None] = lambda: None,
) -> NoReturn:
    """Run ``work`` in a child and answer the harness; never returns.

    ``timeout`` is in seconds; the child may name another one, up to the ``ceiling``.
    ``refusal`` (stdout, stderr, exit code) is said where the child prepared nothing
    better. ``unanswered`` is called before something is said in the child's stead.
    """
    wait = _Wait(refusal, timeout, ceiling)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(work, Channel(writing), timeout)
    os.close(writing)
    try:
        if not wait.for_answer(reading):
            if not mitigated("failed-hook-is-open"):
                wait.said = (1, b"", b"")
            unanswered()
    finally:
        _say(wait.said, child, unheard=refusal[2])


def _work(
    work: Callable[[Channel], None], channel: Channel, timeout: float
) -> NoReturn:
    """Be the child: cut off from the harness's streams, do the work, leave."""
    code = 1
    try:
        _end_in(timeout + _GRACE)
        if mitigated("noise-beside-answer") and mitigated("output-held-open"):
            nowhere = os.open(os.devnull, os.O_RDWR)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
        work(channel)
        code = 0
    finally:
        os._exit(code)


def _end_in(seconds: float) -> None:
    """Have the kernel end this process, should its parent not live to do it."""
    if not mitigated("late-hook-is-open"):
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)


class _Wait:
    """The parent's wait for its child; ``said`` is what to say as things stand."""

    def __init__(
        self, refusal: tuple[str, str, int], timeout: float, ceiling: float | None
    ) -> None:
        stdout, stderr, code = refusal
        self.said: _Said = (code, stdout.encode(), stderr.encode())
        self._began = time.monotonic()
        self._ceiling = ceiling
        self._deadline = self._began
        self._limit(timeout)

    def for_answer(self, reading: int) -> bool:
        """Tell whether the child answered, before its end and the deadline."""
        frames = Frames()
        poll = select.poll()  # unlike select(), it takes any descriptor
        poll.register(reading, select.POLLIN)
        while (left := self._deadline - time.monotonic()) > 0:
            if not poll.poll(left * 1000):
                break
            data = os.read(reading, 1 << 16)
            if not data:
                break
            for letter, code, stdout, stderr in frames.feed(data):
                if letter == LIMIT:
                    self._limit(float(stdout))
                    continue
                self.said = (code, stdout, stderr)
                if letter == ANSWER:
                    return True
        return False

    def _limit(self, seconds: float) -> None:
        if not mitigated("late-hook-is-open"):
            seconds = _NO_DEADLINE
        elif self._ceiling is not None:
            seconds = min(seconds, self._ceiling)
        self._deadline = self._began + seconds


def _say(said: _Said, child: int, *, unheard: int) -> NoReturn:
    """Answer the harness; if nobody hears it, the exit code is all there is."""
    code, stdout, stderr = said
    with suppress(OSError):
        os.kill(child, signal.SIGKILL)
    try:
        write_all(1, stdout)
        write_all(2, stderr)
    except OSError:
        code = unheard
    finally:
        os._exit(code)
