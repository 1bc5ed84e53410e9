"""One payload in, one answer out: the same on every edge."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from ringfence.api import Ringfence, projected, settled
from ringfence.decisions import Decision, Gate, Kind, StopAnswer
from ringfence.errors import DecodeError, RingfenceError, StateError
from ringfence.events import AfterTool, BeforeTool, Event, EventKind, Stop, ToolEvent
from ringfence.failure import FailMode, Settings, refusal
from ringfence.harnesses.base import Codec, Context, Encoded, WireAnswer
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool

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
        prepare: Callable[[WireAnswer], None] = lambda _: None,
    ) -> WireAnswer:
        """Answer a payload.

        ``prepare`` is called, before any guard is, with what to answer should this
        call not come to an end.
        """
        began = time.monotonic()
        try:
            event = self.codec.decode(payload, context)
        except DecodeError as error:
            return self._undecodable(payload, context, error, began)
        settings = self.fence.pipeline.failure.at(event)
        closed = self._closed(event, f"{FAILED}: no answer in time", settings)
        prepare(closed.answer)
        try:
            return self._decided(event, settings, began)
        except RingfenceError as error:
            return self._closed(event, f"{FAILED}: {error}", settings).answer

    def _decided(self, event: Event, settings: Settings, began: float) -> WireAnswer:
        event = self._remembered(event)
        outcome = self.fence.pipeline.decide(event)
        decision = settled(outcome.decision, event)
        decision = self._capped(event, decision, settings)
        encoded = self.codec.encode(event, decision, settings)
        self._keep(event, encoded.decision)
        self._record(event, encoded, began, failed=outcome.failed)
        return encoded.answer

    def _remembered(self, event: Event) -> Event:
        """Add what only an earlier event of the session can tell."""
        event = projected(event)
        if isinstance(event, Stop):
            return replace(event, continuations=self.memory.continuations(chain(event)))
        if isinstance(event, AfterTool):
            original = self.memory.original(event.tool.id)
            if original is not None:
                return replace(event, original_input=original)
        return event

    def _capped(self, event: Event, decision: Decision, settings: Settings) -> Decision:
        """Let an agent finish that was made to go on too often, and say so."""
        if not isinstance(decision, StopAnswer) or decision.kind is not Kind.CONTINUE:
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
            return Encoded(self.codec.silence, refusal(event, reason))
        return self.codec.encode(
            event, refusal(event, reason), replace(Settings(), timeout=settings.timeout)
        )

    def _undecodable(
        self, payload: bytes, context: Context, error: DecodeError, began: float
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
        self.fence.pipeline.observe(event)
        if self.fence.pipeline.failure.at(event).fail is FailMode.OPEN:
            answer = self.codec.silence
        else:
            answer = self.codec.refuse(name, f"{FAILED}: {error.what}")
        encoded = Encoded(answer, refusal(event, ""))
        # Without a record the answer stands: it is a refusal, or all is to fail open.
        with suppress(StateError):
            self._record(event, encoded, began, failed=True)
        return answer

    def _record(
        self, event: Event, encoded: Encoded, began: float, *, failed: bool
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
                "session": self.session or event.session.id,
                "turn": event.session.turn_id,
                "agent": event.agent.id if event.agent else "",
                "event": event.native_name,
                "kind": event.kind.value,
                "tool": tool,
                "call": call,
                "verdict": "undecodable" if not event.native else decision.kind.value,
                "rule": decision.rule,
                "lost": [loss.capability.value for loss in encoded.losses],
                "odd": list(event.oddities),
                "failed": failed,
                "milliseconds": round((time.monotonic() - began) * 1000, 2),
            }
        )


def chain(event: Event) -> tuple[str, ...]:
    """Return what a count of continuations belongs to: one turn of one agent."""
    agent = event.agent.id if event.agent else ""
    return (event.harness, event.session.id, event.session.turn_id, agent)
