"""A codec for harnesses that send and read near-Claude JSON.

A harness adds its facts, what its environment tells, and how it fills an answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from ringfence.decisions import Decision, Observe
from ringfence.events import Event
from ringfence.failure import Settings
from ringfence.harnesses._dialects import answers, claude_json
from ringfence.harnesses._dialects.answers import Body
from ringfence.harnesses._dialects.claude_json import Surroundings
from ringfence.harnesses.base import Context, Encoded, WireAnswer
from ringfence.harnesses.facts import EventFact, Facts
from ringfence.harnesses.quirks import mitigated


class NearClaudeCodec(ABC):
    """See :class:`ringfence.harnesses.base.Codec`."""

    silence = answers.SILENCE

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def surroundings(self, environment: Mapping[str, str]) -> Surroundings:  # noqa: ARG002
        """Return what the harness's environment tells; most tell nothing."""
        return Surroundings()

    @abstractmethod
    def fill(
        self, body: Body, fact: EventFact, event: Event, decision: Decision
    ) -> None:
        """Add a decision, which is one that the harness honours, to an answer."""

    @abstractmethod
    def keep_back(self, body: Body, reason: str) -> None:
        """Add what keeps a result of unknown shape from the model."""

    def decode(self, payload: bytes, context: Context) -> Event:
        """Read a native payload; raises ``DecodeError`` where it can't be."""
        around = self.surroundings(context.environment)
        return claude_json.decode(payload, context, self.facts, around)

    def encode(
        self, event: Event, decision: Decision, settings: Settings | None = None
    ) -> Encoded:
        """Render a decision, degraded to what the harness honours."""
        left = answers.prepared(event, decision, self.facts, settings or Settings())
        answer = self._answer(event, left.decision)
        return Encoded(answer, left.decision, left.losses)

    def _answer(self, event: Event, decision: Decision) -> WireAnswer:
        if isinstance(decision, Observe) and decision.native is not None:
            return answers.document(decision.native)
        fact = self.facts.events.get(event.native_name)
        if fact is None:
            return answers.unknown(decision)
        if decision.blocks and not mitigated("claude-code-exit-2-shows-command"):
            return answers.by_exit(answers.told(decision))
        body = Body.of(event)
        self.fill(body, fact, event, decision)
        return body.answer()

    def refuse(self, event_name: str, reason: str) -> WireAnswer:
        """Return the strongest stop for an event whose payload can't be read."""
        fact = self.facts.events.get(event_name)
        if fact is None:
            return answers.by_exit(reason)
        body = Body(event_name, {}, {})
        going_on = fact.closed == "finish" and not mitigated("block-goes-on")
        if fact.answer == "gate":
            answers.verdict(body, "deny", answers.worded(reason))
        elif fact.answer == "permission":
            answers.behavior(body, "deny", answers.clip(reason))
        elif fact.closed == "block" or going_on:
            answers.block(body, reason)
        elif fact.closed == "withhold":
            self.keep_back(body, answers.clip(reason))
        return body.answer()
