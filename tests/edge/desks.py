"""Desks to hand payloads to, and agents to show the answers to."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from ringfence.api import Ringfence
from ringfence.edge.handling import Desk
from ringfence.harnesses import versions
from ringfence.harnesses.base import Context, WireAnswer
from ringfence.harnesses.facts import EventFact
from ringfence.harnesses.simulation import Approver, Ending, Permission
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool
from ringfence.testing import captured
from tests.harnesses.quirks.playing import AGENTS, Agent, read_by_model

SECRET = "TOKEN=" + "sk-secret-" + "12345"


def desk(agent: Agent, fence: Ringfence, folder: Path) -> Desk:
    """A desk that keeps its state in a folder."""
    return Desk(fence, agent.codec, Spool(folder / "decisions"), Memory(folder))


def answered(place: Desk, agent: Agent, event_name: str, raw: bytes) -> WireAnswer:
    """What a desk answers to a payload of an event that it was installed for."""
    return place.answer(raw, Context(event_name=event_name, version=agent.version))


def records(folder: Path) -> list[dict[str, object]]:
    """What was written down, oldest first."""
    return [
        json.loads(line)
        for path in sorted((folder / "decisions").glob("*.jsonl"))
        for line in path.read_text().splitlines()
    ]


def blocking_events() -> Iterator[tuple[Agent, str]]:
    """Every event at which closed means something, of every measured version."""
    return events(lambda fact: fact.closed != "none")


def events(wanted: Callable[[EventFact], bool]) -> Iterator[tuple[Agent, str]]:
    """Events of every measured version, by what the facts say of them."""
    for agent in AGENTS:
        for name, fact in agent.codec.facts.events.items():
            there = not fact.since or versions.within(agent.version, f">={fact.since}")
            if there and wanted(fact):
                yield agent, name


def sample(agent: Agent, name: str) -> bytes:
    """A payload of an event that holds a secret where there is a result."""
    for one in captured(agent.harness):
        if one.name == name or one.name.startswith(f"{name}-"):
            native = json.loads(one.raw)
            break
    else:
        native = {"session_id": "s", "cwd": "/home/user", "hook_event_name": name}
    if name == "PostToolUse":
        text = f"{SECRET}\n"
        shape = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        native["tool_name"] = "Bash"
        native["tool_input"] = {"command": "cat .env"}
        native["tool_response"] = text if agent.harness == "codex" else shape
    return json.dumps(native).encode()


def stopped(agent: Agent, name: str, answer: WireAnswer) -> bool:
    """Whether the agent, given this answer, does not do what the event is about."""
    event = agent.decoded(sample(agent, name))
    closed = agent.codec.facts.events[name].closed
    if name == "PermissionRequest":
        yes = Approver(allows=True)
        outcome = agent.after(event, answer, permission=Permission.UNSET, approver=yes)
    else:
        outcome = agent.after(event, answer)
    assert outcome.fired
    if closed == "deny":
        return outcome.ran is False
    if closed == "block":
        return outcome.blocked or outcome.ended is not Ending.NOTHING
    if closed == "withhold":
        unread = SECRET not in read_by_model(outcome)
        return unread or outcome.ended is not Ending.NOTHING
    assert closed == "finish"
    return not outcome.continued
