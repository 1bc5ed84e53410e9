"""One payload in, one answer out: the same on every edge."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from ringfence.api import Ringfence, projected, settled
from ringfence.decisions import Decision, Gate, Observe, StopAnswer, neutral
from ringfence.errors import DecodeError, RingfenceError, StateError
from ringfence.events import AfterTool, BeforeTool, Event, EventKind, Stop, ToolEvent
from ringfence.failure import FailMode, Settings, refusal
from ringfence.harnesses.base import Codec, Context, Encoded, WireAnswer
from ringfence.harnesses.quirks import mitigated
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool
from ringfence.verdicts import Kind

LONGEST_NAME = 256
FAILED = "Ringfence could not check this and fails closed"


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything an edge needs to answer a payload of one harness."""

    fence: Ringfence
    codec: Codec
    spool: Spool
    memory: Memory
    session: str = ""

    def answer(
        self,
        payload: bytes,
        context: Context,
        prepare: Callable[[WireAnswer, float], None] = lambda *_: None,
    ) -> WireAnswer:
        """Answer a payload; raises nothing but what ends the process.

        ``prepare`` is called, before any guard is, with what to answer should this
        call not come to an end, and the seconds it may take.
        """
        began = time.monotonic()
        try:
            event = self.codec.decode(payload, context)
        except DecodeError as error:
            return self._undecodable(payload, context, error, began, prepare)
        settings = self.fence.pipeline.failure.at(event)
        closed = self._closed(event, f"{FAILED}: the guard gave no answer", settings)
        prepare(closed.answer, settings.timeout)
        try:
            return self._decided(event, settings, began)
        except RingfenceError as error:
            what = str(error)
        except Exception as error:  # noqa: BLE001 - whatever it is, it may not pass
            what = f"an unexpected {type(error).__name__}"
        closed = self._closed(event, f"{FAILED}: {what}", settings)
        # Without a record the answer stands: it is a refusal, or all is to fail open.
        with suppress(StateError):
            self._record(event, closed, began, failed=True)
        return closed.answer

    def _decided(self, event: Event, settings: Settings, began: float) -> WireAnswer:
        event = self._remembered(event)
        outcome = self.fence.pipeline.decide(event)
        decision = settled(outcome.decision, event)
        decision = self._capped(event, decision, settings)
        if outcome.failed and isinstance(decision, Observe):
            told = "; ".join(map(str, outcome.errors))
            encoded = self._closed(event, f"{FAILED}: {told}", settings)
        else:
            encoded = self.codec.encode(event, decision, settings)
        self._keep(event, encoded.decision)
        self._record(event, encoded, began, failed=outcome.failed)
        return encoded.answer

    def _remembered(self, event: Event) -> Event:
        """Add what only an earlier event of the session can tell."""
        event = projected(event)
        if isinstance(event, Stop):
            return replace(event, continuations=self.memory.continuations(chain(event)))
        if isinstance(event, AfterTool) and mitigated("rewritten-input-after-call"):
            original = self.memory.original(event.tool.id)
            if original is not None:
                return replace(event, original_input=original)
        return event

    def _capped(self, event: Event, decision: Decision, settings: Settings) -> Decision:
        """Let an agent finish that was made to go on too often, and say so."""
        if not isinstance(decision, StopAnswer) or decision.kind is not Kind.CONTINUE:
            return decision
        if not mitigated("continuations-without-end"):
            return decision
        cap = settings.continuation_cap
        if self.memory.continue_once_more(chain(event), cap):
            return decision
        note = f"Ringfence let the agent finish: it was sent on {cap} times already"
        return replace(decision, instructions=()).with_system_message(note)

    def _keep(self, event: Event, decision: Decision) -> None:
        if (
            isinstance(event, BeforeTool)
            and isinstance(decision, Gate)
            and decision.updated_input is not None
        ):
            self.memory.keep_original(event.tool.id, event.tool.input)

    def _closed(self, event: Event, reason: str, settings: Settings) -> Encoded:
        if settings.fail is FailMode.OPEN:
            return Encoded(self.codec.silence, neutral(event.kind))
        refused = refusal(event, reason)
        known = event.native_name in self.codec.facts.events
        if isinstance(refused, Observe) and known:
            # No verdict of ours, but the harness may have a means of stopping it.
            return Encoded(self.codec.refuse(event.native_name, reason), refused)
        try:
            return self.codec.encode(event, refused)
        except Exception:  # noqa: BLE001 - a payload may be too deep to be rebuilt
            return Encoded(self.codec.refuse(event.native_name, reason), refused)

    def _undecodable(
        self,
        payload: bytes,
        context: Context,
        error: DecodeError,
        began: float,
        prepare: Callable[[WireAnswer, float], None],
    ) -> WireAnswer:
        name = error.event_name or context.event_name
        event = Event(
            harness=self.codec.facts.harness,
            native_name=name,
            kind=EventKind.OTHER,
            raw=payload,
            time=context.received_at,
            confidence=context.confidence,
        )
        settings = self.fence.pipeline.failure.at(event)
        if settings.fail is FailMode.OPEN:
            answer = self.codec.silence
        else:
            answer = self.codec.refuse(name, f"{FAILED}: {error.what}")
        prepare(answer, settings.timeout)
        self.fence.pipeline.observe(event)
        with suppress(StateError):
            encoded = Encoded(answer, neutral(event.kind))
            self._record(event, encoded, began, failed=True, verdict="undecodable")
        return answer

    def _record(
        self,
        event: Event,
        encoded: Encoded,
        began: float,
        *,
        failed: bool,
        verdict: str = "",
    ) -> None:
        """Write down what was decided; under closed no record means no pass."""
        decision = encoded.decision
        tool = event.tool.name if isinstance(event, ToolEvent) else ""
        call = event.tool.id if isinstance(event, ToolEvent) else ""
        self.spool.append(
            {
                "at": round(event.time, 3),
                "harness": event.harness,
                "version": event.version,
                "session": _cut(self.session or event.session.id),
                "turn": _cut(event.session.turn_id),
                "agent": _cut(event.agent.id if event.agent else ""),
                "event": _cut(event.native_name),
                "kind": event.kind.value,
                "tool": _cut(tool),
                "call": _cut(call),
                "verdict": verdict or decision.kind.value,
                "rule": decision.rule,
                "lost": [loss.capability.value for loss in encoded.losses],
                "odd": list(event.oddities),
                "failed": failed,
                "milliseconds": round((time.monotonic() - began) * 1000, 2),
            }
        )


def _cut(name: str) -> str:
    """Cut a name that is longer than any: who sends it may be anybody."""
    return name[:LONGEST_NAME]


def chain(event: Event) -> tuple[str, ...]:
    """Return what a count of continuations belongs to: one turn of one agent."""
    agent = event.agent.id if event.agent else ""
    return (event.harness, event.session.id, event.session.turn_id, agent)
