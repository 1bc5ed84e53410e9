"""Builds answers in the near-Claude JSON that several harnesses read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ringfence.capabilities import degrade
from ringfence.decisions import Decision, Gate, PromptAnswer, StopAnswer
from ringfence.errors import UnsupportedDecisionError
from ringfence.events import Event
from ringfence.failure import Settings, Unsupported
from ringfence.harnesses.base import Encoded, WireAnswer
from ringfence.harnesses.facts import Facts
from ringfence.harnesses.quirks import mitigated
from ringfence.verdicts import Kind

SILENCE = WireAnswer()
MAX_REASON = 8_000
"""Bytes of a reason: enough for a model, and below every harness's own cut."""
MAX_CONTEXT = 9_000
"""Bytes of the context of one answer: harnesses put more than about 10 000 into a
file and show its beginning."""

NO_REASON = "blocked by policy"
WITHHELD = "[withheld by policy: {}]"


def document(answer: Mapping[str, object]) -> WireAnswer:
    """Return the one JSON document of an answer; silence for an empty one.

    Exit 0: the exit code is another channel, and one channel speaks at a time.

    Raises :class:`UnsupportedDecisionError` for what is no JSON: a harness would drop
    the answer, and the call would run.
    """
    if not answer and mitigated("empty-answer"):
        return SILENCE
    try:
        text = _dumped(answer)
    except (TypeError, ValueError, RecursionError) as error:
        raise UnsupportedDecisionError(
            f"the answer holds what JSON can't say ({type(error).__name__}): give "
            "only texts, finite numbers, lists and objects"
        ) from None
    return WireAnswer(stdout=text)


def _dumped(answer: Mapping[str, object]) -> str:
    def dumped(value: object, *, ascii_only: bool = True) -> str:
        return json.dumps(
            value,
            separators=(",", ":"),
            ensure_ascii=ascii_only,
            allow_nan=not mitigated("not-a-number"),
        )

    text = dumped(answer)
    if "\\ud" in text and mitigated("lone-surrogate"):
        # Half a character makes the whole document invalid for a strict parser.
        whole = dumped(answer, ascii_only=False).encode("utf-16", "surrogatepass")
        return dumped(json.loads(whole.decode("utf-16", "replace")))
    return text


def by_exit(reason: str) -> WireAnswer:
    """Stop something by exit 2 where no document can be built for it.

    Both Claude Code and Codex read it so for any event that can be blocked; the
    text on stderr must not be empty.
    """
    said = clip(reason).strip()
    if not said and mitigated("exit-2-needs-stderr"):
        said = NO_REASON
    return WireAnswer(stderr=f"{said}\n" if said else "", exit_code=2)


def clip(text: str, limit: int = MAX_REASON) -> str:
    """Shorten a text in its middle to so many bytes of UTF-8, and say so there."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit or not mitigated("long-text"):
        return text
    note = " […] "
    half = (limit - len(note.encode())) // 2
    first, last = data[:half].decode("utf-8", "ignore"), data[-half:]
    return first + note + last.decode("utf-8", "ignore")


def worded(reason: str) -> str:
    """Return a reason; one that says nothing would void the answer."""
    return clip(reason) if reason.strip() else NO_REASON


def told(decision: Decision) -> str:
    """Return what the model is told of a refusal: the reason and the way out."""
    reason = worded(decision.reason)
    suggest = getattr(decision, "suggest", "")
    if suggest:
        reason = f"{reason.rstrip('.')}. Instead: {suggest}"
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


def verdict(body: Body, word: str, reason: str) -> None:
    """Add the verdict on a call that has not run."""
    # At the top level it is dropped, and the call runs.
    place = body.specific if mitigated("verdict-nested") else body.top
    place["permissionDecision"] = word
    if reason:
        place["permissionDecisionReason"] = reason


def behavior(body: Body, word: str, message: str) -> dict[str, object]:
    """Add the answer to a permission request; return it, to be added to."""
    decided: dict[str, object] = {"behavior": word}
    if message:
        decided["message"] = message
    body.specific["decision"] = decided
    return decided


def permission(body: Body, decision: Decision) -> None:
    """Answer a permission request; an ask is silence, for somebody is being asked."""
    assert isinstance(decision, Gate)
    if not mitigated("permission-request-shape"):
        if decision.kind is not Kind.NO_DECISION:
            verdict(body, decision.kind.value, told(decision))
    elif decision.kind is Kind.DENY:
        behavior(body, "deny", told(decision))
    elif decision.kind is Kind.ALLOW:
        decided = behavior(body, "allow", "")
        if decision.updated_input is not None:
            decided["updatedInput"] = dict(decision.updated_input)


def block(body: Body, reason: str) -> None:
    """Add the verdict that stops a prompt, flags a result or continues an agent."""
    body.top["decision"] = "block"
    body.top["reason"] = worded(reason)


def context(body: Body, texts: tuple[str, ...]) -> None:
    """Add texts for the model to read, as one."""
    if texts:
        body.specific["additionalContext"] = clip("\n".join(texts), MAX_CONTEXT)


def common(body: Body, decision: Decision) -> None:
    """Add what any answer may carry: a note for the person, an end of the turn."""
    if decision.system_messages:
        body.top["systemMessage"] = clip(decision.system_message, MAX_CONTEXT)
    if decision.stop_agent is not None:
        body.top.update({"continue": False, "stopReason": clip(decision.stop_agent)})


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


def nothing(body: Body, decision: Decision) -> None:
    """Add nothing: such an event has no verdict of ours, or it is added elsewhere."""


def unknown(decision: Decision) -> WireAnswer:
    """Answer an event that nobody knows: a gate by exit code, else silence."""
    return by_exit(told(decision)) if decision.blocks else SILENCE


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
