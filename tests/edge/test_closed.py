"""What trouble means: at every event that can be stopped, whatever the trouble.

The tables are made from the facts, and the verdict is the agent's own: its simulator
says whether what the event is about still happened.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from ringfence.api import Ringfence
from ringfence.decisions import FAMILIES, Result, StopAnswer, deny, rewrite
from ringfence.errors import GuardError
from ringfence.events import Event
from ringfence.failure import MAX_PAYLOAD
from ringfence.harnesses.base import Context, WireAnswer
from tests.edge.desks import (
    SECRET,
    answered,
    blocking_events,
    desk,
    events,
    records,
    sample,
    stopped,
)
from tests.harnesses.quirks.playing import AGENTS, Agent, every_agent

BLOCKING = list(blocking_events())
at_every_event = pytest.mark.parametrize(
    ("agent", "name"),
    BLOCKING,
    ids=[f"{agent.harness}-{agent.version}-{name}" for agent, name in BLOCKING],
)


def changed(**keys: object) -> Callable[[bytes], bytes]:
    def change(raw: bytes) -> bytes:
        return json.dumps({**json.loads(raw), **keys}).encode()

    return change


def without(key: str) -> Callable[[bytes], bytes]:
    def change(raw: bytes) -> bytes:
        native = json.loads(raw)
        native.pop(key, None)
        return json.dumps(native).encode()

    return change


UNREADABLE: dict[str, Callable[[bytes], bytes]] = {
    "nothing": lambda _: b"",
    "blanks": lambda _: b" \n",
    "half of it": lambda raw: raw[: len(raw) // 2],
    "a list": lambda raw: b"[" + raw + b"]",
    "two documents": lambda raw: raw + raw,
    "more than is read": lambda raw: raw + b" " * MAX_PAYLOAD,
    "bad UTF-8": lambda raw: raw.replace(b"{", b'{"\xff": 1, ', 1),
    "a NUL": lambda raw: raw.replace(b"{", b'{"\x00": 1, ', 1),
    "NaN": lambda raw: raw.replace(b"{", b'{"x": NaN, ', 1),
    "nesting without end": lambda _: b'{"x": ' + b"[" * 100_000,
    "no name of an event and half of it": lambda _: b"{",
}
NO_CALL: dict[str, Callable[[bytes], bytes]] = {
    "no tool's name": without("tool_name"),
    "a tool's name that is a list": changed(tool_name=["Bash"]),
    "no input": without("tool_input"),
    "an input that is a number": changed(tool_input=5),
    "an input that is a string": changed(tool_input="rm -rf /"),
    "no command": changed(tool_name="Bash", tool_input={}),
    "a command that is an object": changed(
        tool_name="Bash", tool_input={"command": {"a": 1}}
    ),
}


def fence(guard: Callable[[Event], object] | None = None, **more: object) -> Ringfence:
    return Ringfence(guards=[guard] if guard else [], **more)  # type: ignore[arg-type]


class TestControl:
    """Without trouble nothing is stopped: the tables below show something."""

    @at_every_event
    def test_a_good_payload_passes(
        self, agent: Agent, name: str, tmp_path: Path
    ) -> None:
        answer = answered(
            desk(agent, fence(), tmp_path), agent, name, sample(agent, name)
        )
        assert answer == agent.codec.silence
        finishing = agent.codec.facts.events[name].closed == "finish"
        assert stopped(agent, name, answer) is finishing

    def test_every_gate_of_both_harnesses_is_in_the_table(self) -> None:
        for agent in AGENTS:
            names = {name for own, name in BLOCKING if own == agent}
            assert names >= {
                "PreToolUse",
                "PermissionRequest",
                "PostToolUse",
                "UserPromptSubmit",
                "Stop",
                "SubagentStop",
            }


class TestPayloads:
    @at_every_event
    @pytest.mark.parametrize("trouble", UNREADABLE)
    def test_one_that_can_not_be_read(
        self, agent: Agent, name: str, trouble: str, tmp_path: Path
    ) -> None:
        raw = UNREADABLE[trouble](sample(agent, name))
        closed = answered(desk(agent, fence(), tmp_path), agent, name, raw)
        assert stopped(agent, name, closed)
        assert records(tmp_path)[-1]["verdict"] == "undecodable"
        lenient = desk(agent, fence(fail="open"), tmp_path)
        assert answered(lenient, agent, name, raw) == agent.codec.silence

    @pytest.mark.parametrize("trouble", NO_CALL)
    @pytest.mark.parametrize(
        ("agent", "name"),
        [
            pair
            for pair in BLOCKING
            if pair[1]
            in (
                "PreToolUse",
                "PreSkillShellCommand",
                "PermissionRequest",
                "PostToolUse",
            )
        ],
        ids=lambda value: value if isinstance(value, str) else value.version,
    )
    def test_one_without_a_call_that_can_be_judged(
        self, agent: Agent, name: str, trouble: str, tmp_path: Path
    ) -> None:
        raw = NO_CALL[trouble](sample(agent, name))
        for installed_for in (name, ""):
            place = desk(agent, fence(), tmp_path)
            assert stopped(agent, name, answered(place, agent, installed_for, raw))
        lenient = desk(agent, fence(fail="open"), tmp_path)
        assert answered(lenient, agent, name, raw) == agent.codec.silence

    @every_agent
    @pytest.mark.parametrize("raw", [b"", b"{}", b'{"hook_event_name": 5}'])
    def test_one_without_a_name_blocks_where_nobody_says_for_what_it_is(
        self, agent: Agent, raw: bytes, tmp_path: Path
    ) -> None:
        answer = answered(desk(agent, fence(), tmp_path), agent, "", raw)
        assert (answer.stdout, answer.exit_code) == ("", 2)
        assert "fails closed" in answer.stderr

    @every_agent
    def test_one_of_an_event_that_nobody_knows_passes_and_is_recorded(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        def broken(_event: Event) -> None:
            raise ValueError

        raw = b'{"hook_event_name": "NextYear"}'
        place = desk(agent, fence(broken), tmp_path)
        assert answered(place, agent, "", raw) == agent.codec.silence
        assert records(tmp_path)[-1]["event"] == "NextYear"

    @every_agent
    def test_one_of_an_event_that_nobody_knows_with_a_call_is_a_gate(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        def broken(_event: Event) -> None:
            raise ValueError

        raw = changed(hook_event_name="PreNextYear")(sample(agent, "PreToolUse"))
        answer = answered(desk(agent, fence(broken), tmp_path), agent, "", raw)
        assert answer.exit_code == 2
        assert "broken: raised ValueError" in answer.stderr
        quiet = desk(agent, fence(), tmp_path)
        assert answered(quiet, agent, "", raw) == agent.codec.silence


def raising(_event: Event) -> None:
    raise ValueError


def leaving(_event: Event) -> None:
    raise SystemExit(0)


def exhausted(_event: Event) -> None:
    raise MemoryError


def endless(event: Event) -> object:
    return endless(event)


def nonsense(_event: Event) -> object:
    return "deny"


def late(_event: Event) -> None:
    time.sleep(0.002)


def policy(_event: Event) -> None:
    raise GuardError("policy", "ringfence.yaml:3: unknown key 'tols'")


GUARDS = [raising, leaving, exhausted, endless, nonsense, late, policy]


class TestGuards:
    @at_every_event
    @pytest.mark.parametrize("guard", GUARDS, ids=lambda guard: guard.__name__)
    def test_one_that_fails(
        self,
        agent: Agent,
        name: str,
        guard: Callable[[Event], object],
        tmp_path: Path,
    ) -> None:
        raw = sample(agent, name)
        strict = desk(agent, fence(guard, timeout=0.001), tmp_path)
        closed = answered(strict, agent, name, raw)
        assert stopped(agent, name, closed)
        if agent.codec.facts.events[name].closed != "finish":
            assert guard.__name__ in closed.stdout
        assert records(tmp_path)[-1]["failed"] is True
        lenient = desk(agent, fence(guard, timeout=0.001, fail="open"), tmp_path)
        assert answered(lenient, agent, name, raw) == agent.codec.silence

    @every_agent
    def test_two_that_rewrite_differently(self, agent: Agent, tmp_path: Path) -> None:
        own = fence()
        own.before_tool(lambda _: rewrite({"command": "a"}))
        own.before_tool(lambda _: rewrite({"command": "b"}))
        raw = sample(agent, "PreToolUse")
        answer = answered(desk(agent, own, tmp_path), agent, "PreToolUse", raw)
        assert stopped(agent, "PreToolUse", answer)
        assert "differently" in answer.stdout

    @every_agent
    def test_an_answer_that_is_no_json(self, agent: Agent, tmp_path: Path) -> None:
        own = fence()
        own.before_tool(lambda _: rewrite({"command": "ls", "odd": {1, 2}}))
        raw = changed(tool_name="mcp__a__b", tool_input={})(sample(agent, "PreToolUse"))
        answer = answered(desk(agent, own, tmp_path), agent, "PreToolUse", raw)
        assert stopped(agent, "PreToolUse", answer)
        assert records(tmp_path)[-1]["failed"] is True

    @every_agent
    def test_a_result_too_deep_to_be_rebuilt(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        deep: object = SECRET
        for _ in range(300):
            deep = {"a": [deep]}
        raw = changed(tool_response=deep)(sample(agent, "PostToolUse"))
        place = desk(agent, fence(raising), tmp_path)
        answer = answered(place, agent, "PostToolUse", raw)
        # How deep is too deep depends on the interpreter.
        rebuilt = "updatedToolOutput" in answer.stdout
        assert rebuilt or stopped(agent, "PostToolUse", answer)
        assert SECRET not in answer.stdout


class TestState:
    @staticmethod
    def unwritable(tmp_path: Path) -> Path:
        # Root writes into any folder, but into none that is a file.
        blocked = tmp_path / "state"
        blocked.write_text("in the way")
        return blocked

    @at_every_event
    def test_without_a_record_nothing_passes(
        self, agent: Agent, name: str, tmp_path: Path
    ) -> None:
        raw = sample(agent, name)
        folder = self.unwritable(tmp_path)
        closed = answered(desk(agent, fence(), folder), agent, name, raw)
        assert stopped(agent, name, closed)
        lenient = desk(agent, fence(fail="open"), folder)
        assert answered(lenient, agent, name, raw) == agent.codec.silence

    @every_agent
    def test_a_deny_needs_no_record(self, agent: Agent, tmp_path: Path) -> None:
        own = fence(lambda _: deny("no"))
        raw = sample(agent, "PreToolUse")
        folder = self.unwritable(tmp_path)
        answer = answered(desk(agent, own, folder), agent, "PreToolUse", raw)
        assert stopped(agent, "PreToolUse", answer)

    @every_agent
    def test_an_agent_is_not_sent_on_where_it_can_not_be_counted(
        self, agent: Agent, tmp_path: Path
    ) -> None:
        folder = self.unwritable(tmp_path)
        for fail in ("closed", "open"):
            own = fence(fail=fail)
            own.on_stop(lambda _: StopAnswer(instructions=("go on",)))
            place = desk(agent, own, folder)
            answer = answered(place, agent, "Stop", sample(agent, "Stop"))
            assert stopped(agent, "Stop", answer)

    @every_agent
    @pytest.mark.parametrize("name", ["PostToolUse", "Stop"])
    def test_a_memory_that_is_no_database_is_trouble(
        self, agent: Agent, name: str, tmp_path: Path
    ) -> None:
        (tmp_path / "memory.sqlite3").write_bytes(b"no database at all" * 100)
        raw = sample(agent, name)
        answer = answered(desk(agent, fence(), tmp_path), agent, name, raw)
        assert stopped(agent, name, answer)
        assert records(tmp_path)[-1]["failed"] is True


class TestObservers:
    @every_agent
    def test_they_see_what_can_not_be_read(self, agent: Agent, tmp_path: Path) -> None:
        seen: list[Event] = []
        own = fence()
        own.observe(seen.append)
        own.before_tool(raising)
        raw = sample(agent, "PreToolUse")[:40]
        answered(desk(agent, own, tmp_path), agent, "PreToolUse", raw)
        (event,) = seen
        assert event.raw == raw
        assert event.native == {}
        assert event.native_name == "PreToolUse"

    @every_agent
    @pytest.mark.parametrize("guard", [raising, leaving])
    def test_one_that_fails_stops_nothing(
        self, agent: Agent, guard: Callable[[Event], object], tmp_path: Path
    ) -> None:
        own = fence()
        own.observe(guard)
        raw = sample(agent, "PreToolUse")
        answer = answered(desk(agent, own, tmp_path), agent, "PreToolUse", raw)
        assert answer == agent.codec.silence


class TestPreparing:
    """What is to be said should nothing more be said stops what it is about, too."""

    @at_every_event
    def test_before_any_guard_is_asked(
        self, agent: Agent, name: str, tmp_path: Path
    ) -> None:
        prepared: list[tuple[WireAnswer, float]] = []

        def last_moment(_event: Event) -> None:
            assert prepared

        for fail in ("closed", "open"):
            place = desk(agent, fence(last_moment, fail=fail, timeout=7), tmp_path)
            raw = sample(agent, name)
            place.answer(raw, _context(agent), lambda *one: prepared.append(one))
        (closed, seconds), (lenient, _) = prepared
        assert seconds == 7
        assert stopped(agent, name, closed)
        assert lenient == agent.codec.silence

    @at_every_event
    def test_before_an_observer_sees_what_can_not_be_read(
        self, agent: Agent, name: str, tmp_path: Path
    ) -> None:
        prepared: list[tuple[WireAnswer, float]] = []
        own = fence()
        own.observe(lambda _: 1 // len(prepared))
        place = desk(agent, own, tmp_path)
        context = _context(agent, name)
        answer = place.answer(b"{", context, lambda *one: prepared.append(one))
        assert prepared == [(answer, 10.0)]
        assert own.pipeline.observe(agent.event("Stop")) == ()


def _context(agent: Agent, event_name: str = "") -> Context:
    return Context(event_name=event_name, version=agent.version)


NEUTRAL = list(events(lambda fact: fact.closed == "none"))


@pytest.mark.parametrize(
    ("agent", "name"),
    NEUTRAL,
    ids=[f"{agent.harness}-{agent.version}-{name}" for agent, name in NEUTRAL],
)
def test_where_nothing_can_be_stopped_trouble_is_no_noise(
    agent: Agent, name: str, tmp_path: Path
) -> None:
    kind = agent.codec.facts.events[name].kind
    for raw in (b"{", sample(agent, name)):
        place = desk(agent, fence(raising), tmp_path)
        answer = answered(place, agent, name, raw)
        assert answer.exit_code == 0
        if FAMILIES[kind] is not Result:
            assert answer == agent.codec.silence


@every_agent
def test_a_name_without_end_is_cut_in_the_record(agent: Agent, tmp_path: Path) -> None:
    raw = changed(session_id="x" * 100_000)(sample(agent, "PreToolUse"))
    answered(desk(agent, fence(), tmp_path), agent, "PreToolUse", raw)
    assert len(str(records(tmp_path)[-1])) < 2_000
