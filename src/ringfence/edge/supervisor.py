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
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from ringfence.edge.frames import ANSWER, PREPARED, Frames, pack, write_all

_Said = tuple[int, bytes, bytes]


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


def supervise(
    work: Callable[[Channel], None],
    *,
    timeout: float,
    refusal: tuple[str, str, int],
    unanswered: Callable[[], None] = lambda: None,
) -> NoReturn:
    """Run ``work`` in a child and answer the harness; never returns.

    ``timeout`` is in seconds. ``refusal`` (stdout, stderr, exit code) is said where
    the child prepared nothing better. ``unanswered`` is called before something is
    said in the child's stead.
    """
    deadline = time.monotonic() + timeout
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _work(work, Channel(writing))
    os.close(writing)
    stdout, stderr, code = refusal
    said = (code, stdout.encode(), stderr.encode())
    try:
        answered, said = _await_answer(reading, deadline, said)
        if not answered:
            os.kill(child, signal.SIGKILL)
            unanswered()
    finally:
        _say(*said, child)


def _work(work: Callable[[Channel], None], channel: Channel) -> NoReturn:
    """Be the child: cut off from the harness's streams, do the work, leave."""
    code = 1
    try:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        # What a script printed before it came here sits in a buffer: leave it there.
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        work(channel)
        code = 0
    finally:
        os._exit(code)


def _await_answer(reading: int, deadline: float, said: _Said) -> tuple[bool, _Said]:
    """Return the child's answer, or the last prepared one on its end or lateness."""
    frames = Frames()
    while (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([reading], [], [], left)
        if not ready:
            break
        data = os.read(reading, 1 << 16)
        if not data:
            break
        for letter, code, stdout, stderr in frames.feed(data):
            said = (code, stdout, stderr)
            if letter == ANSWER:
                return True, said
    return False, said


def _say(code: int, stdout: bytes, stderr: bytes, child: int) -> NoReturn:
    with suppress(OSError):
        os.kill(child, signal.SIGKILL)
    try:
        write_all(1, stdout)
        write_all(2, stderr)
    except OSError:
        code = 2  # nobody heard the answer: the exit code is all there is
    finally:
        os._exit(code)
