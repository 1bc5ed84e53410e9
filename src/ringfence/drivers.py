"""Runs the I/O that guards want done: here and now, or in an event loop.

Whoever decides is a generator that yields each :class:`Pending` and is sent what came
of it, or thrown what went wrong. Both drivers run the same generator.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")

# What a guard may raise without taking the process with it: to leave the interpreter
# is not a guard's to decide. An interrupt is the person's, and passes.
TROUBLE = (Exception, SystemExit)


@dataclass(frozen=True, slots=True)
class Pending:
    """I/O that a guard wants done: ``call`` is run, ``then`` makes the answer.

    ``call`` may be a coroutine function. In an event loop it is called in a thread.
    ``then`` answers as a guard does, so perhaps with the next ``Pending``.
    """

    call: Callable[[], object]
    then: Callable[[object], object]


def drive(steps: Generator[Pending, object, T], deadline: float) -> T:
    """Run steps to their end, doing each pending I/O in this thread.

    What is awaited is given up at the ``deadline``, in the time of
    :func:`time.monotonic`; what blocks this thread can't be.
    """
    try:
        pending = next(steps)
        while True:
            try:
                value = pending.call()
                if isinstance(value, Awaitable):
                    value = _run_awaitable(value, deadline)
            except TROUBLE as error:
                pending = steps.throw(error)
            else:
                pending = steps.send(value)
    except StopIteration as end:
        decided: T = end.value
        return decided


async def drive_async(steps: Generator[Pending, object, T], deadline: float) -> T:
    """Run steps to their end in an event loop, each I/O until the deadline at most."""
    import asyncio  # noqa: PLC0415 - costs more than a sync decision

    try:
        pending = next(steps)
        while True:
            try:
                value = await _within(asyncio.to_thread(pending.call), deadline)
                if isinstance(value, Awaitable):
                    value = await _within(value, deadline)
            except TROUBLE as error:
                pending = steps.throw(error)
            else:
                pending = steps.send(value)
    except StopIteration as end:
        decided: T = end.value
        return decided


def _run_awaitable(value: Awaitable[object], deadline: float) -> object:
    import asyncio  # noqa: PLC0415 - only async guards pay for it

    return asyncio.run(_within(value, deadline))


async def _within(value: Awaitable[object], deadline: float) -> object:
    import asyncio  # noqa: PLC0415 - only async guards pay for it

    return await asyncio.wait_for(value, max(deadline - time.monotonic(), 0))
