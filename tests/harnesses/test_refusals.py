"""Closed means what the facts say, by the means of each harness, at every event."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ringfence.api import Ringfence
from ringfence.decisions import answer_natively
from ringfence.edge.handling import Desk
from ringfence.events import Event
from ringfence.harnesses import versions
from ringfence.harnesses._dialects.answers import SILENCE
from ringfence.harnesses.base import Context, WireAnswer
from ringfence.harnesses.simulation import Approver, Ending, Outcome
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool
from ringfence.testing import captured
from tests.harnesses.quirks.playing import (
    AGENTS,
    CLAUDE,
    OLD_CLAUDE,
    Agent,
    read_by_model,
)


def events() -> Iterator[tuple[Agent, Event]]:
    """One captured event of every kind that each agent has."""
    for agent in AGENTS:
        found: dict[str, Event] = {}
        for one in captured(agent.harness):
            event = agent.decoded(one.raw)
            found.setdefault(event.native_name, event)
        for name, fact in agent.codec.facts.events.items():
            since = f">={fact.since}" if fact.since else ""
            if name in found and versions.within(agent.version, since):
                yield agent, found[name]


EVENTS = list(events())
IDS = [f"{agent.version}-{event.native_name}" for agent, event in EVENTS]


def closed(agent: Agent, event: Event) -> str:
    return agent.codec.facts.events[event.native_name].closed


def check(agent: Agent, event: Event, answer: WireAnswer) -> None:
    """Hold what the agent does after a refusal against what closed means there."""
    slower = Approver(allows=True, answers_at=1.0)
    outcome = agent.after(event, answer, approver=slower)
    assert stopped(agent, event, outcome)
    assert not any(outcome.dropped)


def stopped(agent: Agent, event: Event, outcome: Outcome) -> bool:
    match closed(agent, event):
        case "deny":
            return outcome.ran is False
        case "block":
            return outcome.blocked or outcome.ended is Ending.TURN
        case "withhold":
            replaced = "broken" in read_by_model(outcome)
            return outcome.ended is Ending.TURN or replaced
        case _:
            return not outcome.continued


@pytest.mark.parametrize(("agent", "event"), EVENTS, ids=IDS)
def test_what_can_not_be_read_is_refused_as_the_facts_say(
    agent: Agent, event: Event
) -> None:
    answer = agent.codec.refuse(event.native_name, "broken")
    check(agent, event, answer)
    if closed(agent, event) in ("none", "finish"):
        assert answer == SILENCE


@pytest.mark.parametrize(("agent", "event"), EVENTS, ids=IDS)
def test_a_guard_that_fails_refuses_as_the_facts_say(
    agent: Agent, event: Event, tmp_path: Path
) -> None:
    def broken(_event: Event) -> None:
        raise RuntimeError("broken")

    fence = Ringfence(guards=[broken])
    desk = Desk(fence, agent.codec, Spool(tmp_path / "decisions"), Memory(tmp_path))
    answer = desk.answer(event.raw, Context(version=agent.version))
    if closed(agent, event) != "withhold":
        check(agent, event, answer)
    else:
        seen = read_by_model(agent.after(event, answer))
        assert "withheld by policy" in seen


@pytest.mark.parametrize(("agent", "event"), EVENTS, ids=IDS)
def test_a_guard_that_fails_under_open_says_nothing(
    agent: Agent, event: Event, tmp_path: Path
) -> None:
    def broken(_event: Event) -> None:
        raise RuntimeError("broken")

    fence = Ringfence(guards=[broken], fail="open")
    desk = Desk(fence, agent.codec, Spool(tmp_path / "decisions"), Memory(tmp_path))
    assert desk.answer(event.raw, Context(version=agent.version)) == SILENCE


@pytest.mark.parametrize("agent", [OLD_CLAUDE, CLAUDE], ids=lambda agent: agent.version)
@pytest.mark.parametrize(
    "name",
    [
        "ConfigChange-user_settings",
        "PostToolBatch",
        "PreModelSwitch-command",
        "UserPromptExpansion",
    ],
)
def test_an_event_without_a_verdict_of_ours_is_blocked_natively(
    agent: Agent, name: str
) -> None:
    event = agent.event(name)
    block = answer_natively({"decision": "block", "reason": "not that"})
    outcome = agent.play(event, block)
    assert outcome.blocked or outcome.ended is Ending.TURN


def test_a_native_answer_is_handed_on_word_by_word() -> None:
    event = CLAUDE.event("Elicitation")
    answer = {
        "hookSpecificOutput": {
            "hookEventName": "Elicitation",
            "action": "accept",
            "content": {"token": "none"},
        }
    }
    encoded = CLAUDE.encode(event, answer_natively(answer))
    assert encoded.answer.stdout == (
        '{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept",'
        '"content":{"token":"none"}}}'
    )
