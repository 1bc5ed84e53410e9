"""Finds a harness by its name; imports no more than that one."""

from __future__ import annotations

from importlib import import_module

from ringfence.errors import HarnessUnknownError
from ringfence.harnesses.base import Codec

_ROOMS = {
    "claude-code": "claude_code",
    "codex": "codex",
}

NAMES = tuple(_ROOMS)


def codec(name: str) -> Codec:
    """Return the codec of a harness.

    Raises :class:`~ringfence.errors.HarnessUnknownError` for a name that is none.
    """
    room = _ROOMS.get(name)
    if room is None:
        known = ", ".join(NAMES)
        raise HarnessUnknownError(f"no harness {name!r}; there are {known}")
    module = import_module(f"ringfence.harnesses.{room}.codec")
    found: Codec = module.CODEC
    return found
