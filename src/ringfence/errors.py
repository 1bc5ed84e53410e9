"""Everything that Ringfence raises on purpose.

Each message says what is wrong, where, and how to mend it, and never carries a
value out of a payload: a payload may hold a secret.
"""

from __future__ import annotations


class RingfenceError(Exception):
    """Base of all errors that Ringfence raises."""


class DecodeError(RingfenceError):
    """A native payload could not be understood."""

    def __init__(self, what: str, *, event_name: str = "") -> None:
        """Say what is wrong; ``event_name`` is the native event, where known."""
        super().__init__(what)
        self.what = what
        self.event_name = event_name


class PolicyError(RingfenceError):
    """A policy could not be loaded: the problems, each with its place."""

    def __init__(self, problems: list[str]) -> None:
        """Take one line per problem, ``FILE:LINE: what is wrong; the mend``."""
        super().__init__("\n".join(problems))
        self.problems = problems


class GuardError(RingfenceError):
    """A guard raised, timed out or answered with something impossible."""

    def __init__(self, guard: str, what: str) -> None:
        """Name the guard and what happened (an exception's type, not its text)."""
        super().__init__(f"guard {guard}: {what}")
        self.guard = guard
        self.what = what


class ConflictError(RingfenceError):
    """Two guards rewrote one call, or replaced one result, differently."""


class UnsupportedDecisionError(RingfenceError):
    """A decision asks for what the harness does not honour at this event."""


class StateError(RingfenceError):
    """Ringfence's own state could not be read or written."""


class HarnessUnknownError(RingfenceError):
    """No harness goes by that name."""
