"""Blocks where an author's program dies before it comes to answer.

Python ends such a program with exit code 1, which agents take for a pass. This is in
force from the first ``Ringfence()`` on, in a program that was started as a hook: with
a harness's name as its first argument.
"""

from __future__ import annotations

import os
import sys
from types import TracebackType

from ringfence.edge._closed import CLOSED
from ringfence.errors import RingfenceError


def guard_start() -> None:
    """Have an uncaught error end this program in the harness's way, if it is a hook."""
    if sys.argv[1:2] and sys.argv[1] in CLOSED:
        sys.excepthook = _block


def _block(
    kind: type[BaseException], error: BaseException, _trace: TracebackType | None
) -> None:
    """Say what went wrong and block; of errors not ours, the type and place alone."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    place = ""
    if where is not None:
        place = f" at {where.tb_frame.f_code.co_filename}:{where.tb_lineno}"
    harness, events = sys.argv[1], CLOSED[sys.argv[1]]
    named = [word.rpartition("=")[2] for word in sys.argv[2:]]
    code = next((events[word] for word in named if word in events), 2)
    what = str(error) if isinstance(error, RingfenceError) else kind.__name__ + place
    said = f"ringfence: the {harness} hook did not start: {what}\n"
    os.write(2, said.encode("utf-8", "backslashreplace"))
    os._exit(code)
