"""Builds answers in the near-Claude JSON that several harnesses read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ringfence.capabilities import degrade
from ringfence.decisions import Decision, PromptAnswer, StopAnswer
from ringfence.errors import UnsupportedDecisionError
from ringfence.events import Event
from ringfence.failure import Settings, Unsupported
from ringfence.harnesses.base import Encoded, WireAnswer
from ringfence.harnesses.facts import Facts
from ringfence.harnesses.quirks import mitigated

SILENCE = WireAnswer()
MAX_REASON = 8_000
"""Characters of a reason; harnesses shorten or spill longer ones to a file."""

NO_REASON = "blocked by policy"


def document(answer: Mapping[str, object]) -> WireAnswer:
    """Return the one JSON document of an answer; silence for an empty one.

    Exit 0: the exit code is another channel, and one channel speaks at a time.
    """
    if not answer:
        return SILENCE
    return WireAnswer(stdout=json.dumps(answer, separators=(",", ":")))


def by_exit(reason: str) -> WireAnswer:
    """Stop something by exit 2 where no document can be built for it.

    Both Claude Code and Codex read it so for any event that can be blocked; the
    text on stderr must not be empty.
    """
    return WireAnswer(stderr=clip(reason or NO_REASON) + "\n", exit_code=2)


def clip(text: str, limit: int = MAX_REASON) -> str:
    """Shorten a text in its middle, and say so there."""
    if len(text) <= limit:
        return text
    note = " […] "
    half = (limit - len(note)) // 2
    return text[:half] + note + text[-half:]


def told(decision: Decision) -> str:
    """Return what the model is told of a refusal: the reason and the way out."""
    reason = decision.reason or NO_REASON
    suggest = getattr(decision, "suggest", "")
    if suggest:
        reason = f"{reason}. Instead: {suggest}" if reason else suggest
    return clip(reason.replace("\x00", "�"))


@dataclass(slots=True)
class Body:
    """An answer under construction: top-level keys and those specific to the event."""

    event_name: str
    top: dict[str, object]
    specific: dict[str, object]

    @classmethod
    def of(cls, event: Event) -> Body:
        """Start an answer to an event."""
        return cls(event.native_name, {}, {})

    def answer(self) -> WireAnswer:
        """Return the document; what is specific to the event carries its name."""
        top = dict(self.top)
        if self.specific:
            # Without the right name the whole answer is void and the call runs.
            named = {"hookEventName": self.event_name}
            with_name = mitigated("hook-event-name")
            top["hookSpecificOutput"] = {
                **(named if with_name else {}),
                **self.specific,
            }
        return document(top)


def block(body: Body, reason: str) -> None:
    """Add the verdict that stops a prompt, flags a result or continues an agent."""
    body.top["decision"] = "block"
    body.top["reason"] = clip(reason) or NO_REASON


def prompt(body: Body, decision: Decision) -> None:
    """Answer a prompt."""
    assert isinstance(decision, PromptAnswer)
    if decision.blocks:
        block(body, told(decision))


def stop(body: Body, decision: Decision) -> None:
    """Answer an agent that wants to finish."""
    assert isinstance(decision, StopAnswer)
    if decision.instructions:
        block(body, decision.instruction)


def prepared(
    event: Event, decision: Decision, facts: Facts, settings: Settings
) -> Encoded:
    """Degrade a decision to what the harness honours, its answer still to be made.

    Raises :class:`UnsupportedDecisionError` under ``strict`` where something is lost.
    """
    honours = event.honours or facts.capabilities(event.native_name)
    left = degrade(decision, honours, ask_fallback=settings.ask_fallback)  # type: ignore[arg-type]
    if left.losses and settings.unsupported is Unsupported.STRICT:
        what = "; ".join(map(str, left.losses))
        raise UnsupportedDecisionError(f"{event.harness} {event.native_name}: {what}")
    return Encoded(SILENCE, left.decision, left.losses)
