"""Answers of the codec, played to the simulator of the harness that reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import pytest

from ringfence.decisions import Decision
from ringfence.events import Event
from ringfence.harnesses import registry
from ringfence.harnesses.base import Codec, Context, Encoded, WireAnswer
from ringfence.harnesses.simulation import (
    Call,
    Done,
    Failed,
    HookRun,
    Outcome,
    Ran,
    Simulator,
)
from ringfence.testing import payload

COMMAND_LINE = "/opt/guard/ringfence-hook --policy /home/user/policy.yaml"


@dataclass(frozen=True)
class Agent:
    """One harness in one version: its codec, and what it does with answers."""

    harness: str
    version: str

    @property
    def codec(self) -> Codec:
        return registry.codec(self.harness)

    @property
    def simulator(self) -> Simulator:
        return registry.simulator(self.harness, self.version)

    def payload(self, name: str) -> bytes:
        """A captured payload, of this version where there is one."""
        try:
            return payload(self.harness, name, self.version)
        except LookupError:
            return payload(self.harness, name)

    def decoded(self, raw: bytes, **environment: str) -> Event:
        context = Context(version=self.version, environment=environment)
        return self.codec.decode(raw, context)

    def event(self, name: str, **environment: str) -> Event:
        return self.decoded(self.payload(name), **environment)

    def encode(self, event: Event, decision: Decision) -> Encoded:
        return self.codec.encode(event, decision)

    def play(self, event: Event, decision: Decision, **call: object) -> Outcome:
        """What the agent does after the codec's answer to a decision."""
        return self.after(event, self.encode(event, decision).answer, **call)

    def after(self, event: Event, answer: WireAnswer, **call: object) -> Outcome:
        """What the agent does after an answer."""
        run = HookRun(
            stdout=answer.stdout,
            stderr=answer.stderr,
            exit_code=answer.exit_code,
            command=COMMAND_LINE,
        )
        return self.simulate(event, [run], **call)

    def simulate(
        self, event: Event, runs: Sequence[HookRun], **call: object
    ) -> Outcome:
        native = event.native
        plain = Call(
            event=event.native_name,
            tool=str(native.get("tool_name", "")),
            input=cast("Mapping[str, object]", native.get("tool_input", {})),
            permission_mode=event.session.permission_mode,
            prompt=str(native.get("prompt", "")),
            result=_result(native),
        )
        return self.simulator.simulate(replace(plain, **call), runs)  # type: ignore[arg-type]


def _result(native: Mapping[str, object]) -> Ran | None:
    if "tool_response" in native:
        return Done(native["tool_response"])
    return Failed(str(native["error"])) if "error" in native else None


def read_by_model(outcome: Outcome) -> str:
    """Everything of an outcome that the model reads, as far as the rules tell."""
    texts = [] if outcome.result is None else [outcome.result]
    return "\n".join(str(text) for text in [*texts, *outcome.contexts])


OLD_CLAUDE = Agent("claude-code", "2.1.197")
CLAUDE = Agent("claude-code", "2.1.332")
CODEX = Agent("codex", "0.171.0")
AGENTS = (OLD_CLAUDE, CLAUDE, CODEX)

every_agent = pytest.mark.parametrize(
    "agent", AGENTS, ids=lambda agent: f"{agent.harness}-{agent.version}"
)
every_claude = pytest.mark.parametrize(
    "agent", [OLD_CLAUDE, CLAUDE], ids=lambda agent: agent.version
)
