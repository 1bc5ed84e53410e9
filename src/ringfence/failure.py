"""What happens when something goes wrong, or a harness can't do what is asked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from ringfence.capabilities import AskFallback
from ringfence.decisions import (
    Decision,
    Gate,
    PromptAnswer,
    Result,
    StopAnswer,
    block_prompt,
    deny,
    neutral,
    withhold,
)
from ringfence.events import Event

MAX_PAYLOAD = 32 * 1024 * 1024
"""The largest payload that is read, in bytes."""


_SHORTEST = 0.001
_MOST = 86_400


class FailMode(StrEnum):
    """Whether trouble stops a call or lets it pass."""

    OPEN = "open"
    CLOSED = "closed"


class Unsupported(StrEnum):
    """Whether a decision that a harness can't honour is degraded or an error."""

    DEGRADE = "degrade"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Settings:
    """A failure policy as it stands for one event; ``timeout`` in seconds."""

    fail: FailMode = FailMode.CLOSED
    unsupported: Unsupported = Unsupported.DEGRADE
    ask_fallback: AskFallback = AskFallback.DENY
    timeout: float = 10.0
    continuation_cap: int = 5


Choice: TypeAlias = "str | Callable[[Event], str]"
Number: TypeAlias = "float | Callable[[Event], float]"


@dataclass(frozen=True, slots=True)
class FailurePolicy:
    """What trouble means; each part a value or a function of the event.

    A function that raises, or returns what is no such value, is itself trouble:
    the default of that part, which is the safe one, stands.
    """

    fail: Choice = FailMode.CLOSED
    unsupported: Choice = Unsupported.DEGRADE
    ask_fallback: Choice = AskFallback.DENY
    timeout: Number = 10.0
    continuation_cap: Number = 5

    def __post_init__(self) -> None:
        for value, choices in (
            (self.fail, FailMode),
            (self.unsupported, Unsupported),
            (self.ask_fallback, AskFallback),
        ):
            if not callable(value) and value not in list(choices):
                wanted = " or ".join(choice.value for choice in choices)
                raise ValueError(f"{value!r} is not {wanted}")
        for name, number, least in (
            ("timeout", self.timeout, _SHORTEST),
            ("continuation_cap", self.continuation_cap, 0),
        ):
            if not callable(number) and not least <= number <= _MOST:
                raise ValueError(f"{name} lies between {least} and {_MOST}")

    def at(self, event: Event) -> Settings:
        """Return the policy for one event."""
        default = Settings()
        return Settings(
            fail=FailMode(_chosen(self.fail, event, FailMode, default.fail)),
            unsupported=Unsupported(
                _chosen(self.unsupported, event, Unsupported, default.unsupported)
            ),
            ask_fallback=AskFallback(
                _chosen(self.ask_fallback, event, AskFallback, default.ask_fallback)
            ),
            timeout=_number(self.timeout, event, _SHORTEST, default.timeout),
            continuation_cap=int(
                _number(self.continuation_cap, event, 0, default.continuation_cap)
            ),
        )


def _chosen(value: Choice, event: Event, choices: type[StrEnum], default: str) -> str:
    try:
        return choices(value(event) if callable(value) else value).value
    except Exception:  # noqa: BLE001 - an author's function; the safe default stands
        return default


def _number(value: Number, event: Event, least: float, default: float) -> float:
    try:
        number = float(value(event) if callable(value) else value)
    except Exception:  # noqa: BLE001 - an author's function; the safe default stands
        return default
    return number if least <= number <= _MOST else default


def refusal(event: Event, reason: str) -> Decision:
    """Return the decision that stops what an event is about, as far as one can.

    A stop event is let finish: blocking it would mean going on.
    """
    blank = neutral(event.kind)
    refuse = _FAMILY_REFUSALS.get(type(blank))
    return refuse(reason) if refuse else blank


_FAMILY_REFUSALS: dict[type[Decision], Callable[[str], Decision]] = {
    Gate: deny,
    PromptAnswer: block_prompt,
    Result: withhold,
}


def failed(
    decision: Decision,
    event: Event,
    errors: Iterable[Exception],
    settings: Settings,
) -> Decision:
    """Return what a decision becomes after errors on the way to it.

    Closed: the event is refused, with every verdict that was reached kept where it
    is stricter. Open: what was reached stands.
    """
    if settings.fail is FailMode.OPEN:
        return decision
    if isinstance(decision, StopAnswer):
        return replace(decision, instructions=())
    what = "; ".join(dict.fromkeys(str(error) for error in errors))
    refused = refusal(event, f"Ringfence could not check this and fails closed: {what}")
    if decision.blocks:
        return decision
    return decision.join(refused)
