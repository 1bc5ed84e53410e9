"""The arguments of the hook entry, read without a library: each call pays for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

USAGE = (
    "usage: ringfence hook HARNESS [EVENT] [--event E] [--policy FILE] "
    "[--fail open|closed] [--timeout SECONDS] [--session ID] [--state DIR] "
    "[--harness-version V]"
)


class UsageError(Exception):
    """The hook was called with arguments that it does not take."""


@dataclass(slots=True)
class HookOptions:
    """What a hook call was told; empty or ``None`` where it was told nothing."""

    harness: str = ""
    event: str = ""
    policy: str = ""
    fail: str = ""
    timeout: float | None = None
    session: str = ""
    state: str = ""
    harness_version: str = ""


_VALUED = {
    "--event": "event",
    "--policy": "policy",
    "--fail": "fail",
    "--timeout": "timeout",
    "--session": "session",
    "--state": "state",
    "--harness-version": "harness_version",
}


def parse(arguments: Sequence[str]) -> HookOptions:
    """Read the arguments after ``hook``; no harness is an empty one.

    Raises :class:`UsageError` for an unknown option or a value that is none.
    """
    options = HookOptions()
    positional: list[str] = []
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        name, assigned, value = word.partition("=")
        if name not in _VALUED:
            if word.startswith("-"):
                raise UsageError(f"unknown option {word}\n{USAGE}")
            positional.append(word)
            continue
        if not assigned and rest and not rest[0].startswith("-"):
            value = rest.pop(0)
        if not value:
            # An empty one is a variable that was not set: never mean the default.
            raise UsageError(f"{name} needs a value\n{USAGE}")
        setattr(options, _VALUED[name], _checked(name, value))
    if len(positional) > 2:
        raise UsageError(USAGE)
    options.harness = "".join(positional[:1])
    options.event = options.event or "".join(positional[1:])
    return options


def _checked(name: str, value: str) -> str | float:
    if name == "--fail" and value not in ("open", "closed"):
        raise UsageError(f"--fail is open or closed, not {value!r}")
    if name == "--timeout":
        try:
            seconds = float(value)
        except ValueError:
            raise UsageError(f"--timeout takes seconds, not {value!r}") from None
        if not 0 < seconds < 86_400:
            raise UsageError("--timeout lies between 0 and 86400 seconds")
        return seconds
    return value
