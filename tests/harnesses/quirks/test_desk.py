"""Quirks that only memory helps against: what one event tells about another."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ringfence.api import Ringfence
from ringfence.decisions import Decision, continue_with, rewrite
from ringfence.edge.handling import Desk
from ringfence.events import AfterTool, Event
from ringfence.harnesses.base import Context
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool
from tests.harnesses.quirks.playing import CODEX, Agent, every_agent


def desk(agent: Agent, fence: Ringfence, folder: Path) -> Desk:
    return Desk(fence, agent.codec, Spool(folder / "decisions"), Memory(folder))


@every_agent
def test_an_agent_is_not_sent_on_for_ever(agent: Agent, tmp_path: Path) -> None:
    fence = Ringfence(continuation_cap=3)

    @fence.on_stop
    def once_more(event: Event) -> Decision:
        return continue_with("there is more to do")

    place = desk(agent, fence, tmp_path)
    event = agent.event("Stop")
    rounds = []
    for _ in range(6):
        answer = place.answer(event.raw, Context(version=agent.version))
        rounds.append(agent.after(event, answer).continued)
    assert rounds == [True, True, True, False, False, False]


def test_what_the_model_asked_for_is_known_after_the_call(tmp_path: Path) -> None:
    fence = Ringfence()
    asked: list[Mapping[str, object] | None] = []

    @fence.before_tool
    def safer(event: Event) -> Decision:
        return rewrite({"command": "ls -l"})

    @fence.after_tool
    def look(event: AfterTool) -> None:
        asked.append(event.original_input)

    place = desk(CODEX, fence, tmp_path)
    before = json.loads(CODEX.payload("PreToolUse-Bash"))
    after = json.loads(CODEX.payload("PostToolUse-Bash"))
    after |= {"tool_use_id": before["tool_use_id"], "tool_input": {"command": "ls -l"}}
    for native in (before, after):
        place.answer(json.dumps(native).encode(), Context(version=CODEX.version))
    assert asked == [before["tool_input"]]
