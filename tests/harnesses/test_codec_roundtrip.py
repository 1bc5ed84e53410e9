"""Every payload that a real agent sent, in and out again."""

from __future__ import annotations

import json

import pytest

from ringfence.decisions import neutral
from ringfence.events import AfterTool, BeforeTool, EventKind, ToolEvent
from ringfence.harnesses import registry
from ringfence.harnesses.base import Context
from ringfence.testing import Captured, captured, payload
from tests.wire import MISSING, altered, captured_event, decoded

EVERY = pytest.mark.parametrize(
    "one", list(captured()), ids=lambda one: f"{one.harness}-{one.version}-{one.name}"
)


def test_there_are_payloads_of_both_harnesses() -> None:
    assert len(list(captured("claude-code"))) > 100
    assert len(list(captured("codex"))) > 25


@EVERY
def test_no_decision_is_the_neutral_answer(one: Captured) -> None:
    codec = registry.codec(one.harness)
    event = codec.decode(one.raw, Context(version=one.version))
    encoded = codec.encode(event, neutral(event.kind))
    assert encoded.answer == codec.silence
    assert encoded.losses == ()


@EVERY
def test_the_payload_is_kept_byte_by_byte_and_key_by_key(one: Captured) -> None:
    event = decoded(one.harness, one.raw, version=one.version)
    assert event.raw == one.raw
    assert event.native == json.loads(one.raw)
    assert event.oddities == ()


@EVERY
def test_the_envelope_is_read(one: Captured) -> None:
    event = decoded(one.harness, one.raw, version=one.version)
    native = json.loads(one.raw)
    fact = registry.codec(one.harness).facts.events[event.native_name]
    assert event.harness == one.harness
    assert event.native_name == native["hook_event_name"]
    assert event.kind is fact.kind
    assert event.version == one.version
    assert event.session.id == native["session_id"]
    assert event.session.cwd == native["cwd"]
    assert event.session.permission_mode == native.get("permission_mode", "")
    assert event.session.turn_id == native.get("prompt_id", native.get("turn_id", ""))
    assert (event.agent.id if event.agent else "") == native.get("agent_id", "")


@EVERY
def test_a_tool_call_is_read(one: Captured) -> None:
    event = decoded(one.harness, one.raw, version=one.version)
    native = json.loads(one.raw)
    if event.kind is EventKind.OTHER or "tool_name" not in native:
        return
    assert isinstance(event, ToolEvent)
    assert event.tool.name == native["tool_name"]
    assert event.tool.input == native["tool_input"]
    assert event.tool.synthesized is ("tool_use_id" not in native)
    if not event.tool.synthesized:
        assert event.tool.id == native["tool_use_id"]
    assert (event.tool.mcp is not None) is native["tool_name"].startswith("mcp__")


@EVERY
def test_a_key_that_nobody_knows_is_kept_and_harms_nothing(one: Captured) -> None:
    native = {**json.loads(one.raw), "from_next_year": {"a": [1]}}
    event = decoded(one.harness, json.dumps(native).encode())
    assert event.lookup("from_next_year.a.0") == 1
    assert event.kind is decoded(one.harness, one.raw).kind


class TestPairs:
    def test_before_and_after_a_call_it_has_one_id(self) -> None:
        before = captured_event("claude-code", "PreToolUse-Bash")
        after = captured_event("claude-code", "PostToolUse-Bash")
        assert isinstance(before, BeforeTool)
        assert isinstance(after, AfterTool)
        assert before.tool.id == after.tool.id == "toolu_191b654ef4a34aed906a9656"
        assert before.tool == after.tool

    @pytest.mark.parametrize("harness", registry.NAMES)
    def test_also_where_the_harness_sends_none(self, harness: str) -> None:
        same = {
            "tool_use_id": MISSING,
            "session_id": "s",
            "prompt_id": "t",
            "turn_id": "t",
            "tool_input": {"command": "ls", "description": "d"},
        }
        ids = {
            decoded(harness, altered(harness, name, **same)).tool.id  # type: ignore[attr-defined]
            for name in (
                "PreToolUse-Bash",
                "PostToolUse-Bash",
                "PermissionRequest-Bash",
            )
        }
        assert len(ids) == 1
        assert ids.pop().startswith("call_")


class TestParts:
    def test_a_subagent_is_named(self) -> None:
        event = captured_event("claude-code", "PreToolUse-Bash-subagent")
        assert event.agent is not None
        assert event.agent.id
        assert event.agent.type == "general-purpose"

    def test_a_task_notification_is_no_person(self) -> None:
        for name in ("agent", "bash", "monitor"):
            event = captured_event(
                "claude-code", f"UserPromptSubmit-task-notification-{name}"
            )
            assert event.source == "task-notification"  # type: ignore[attr-defined]
        person = captured_event("claude-code", "UserPromptSubmit")
        assert person.source == "person"  # type: ignore[attr-defined]

    @pytest.mark.parametrize("harness", registry.NAMES)
    def test_a_second_stop_says_that_it_is_one(self, harness: str) -> None:
        first, second = (captured_event(harness, n) for n in ("Stop", "Stop-active"))
        assert not first.previously_continued  # type: ignore[attr-defined]
        assert second.previously_continued  # type: ignore[attr-defined]

    def test_a_failed_call_carries_its_error_as_its_result(self) -> None:
        event = captured_event("claude-code", "PostToolUseFailure-Bash")
        assert isinstance(event, AfterTool)
        assert event.kind is EventKind.TOOL_ERROR
        assert event.error == event.output
        assert event.error.startswith("Exit code 3")
        assert event.duration == pytest.approx(0.038)

    def test_the_agents_environment_tells_version_and_variant(self) -> None:
        context = Context(
            version="2.1.197",
            environment={
                "AI_AGENT": "claude-code_2-1-332_harness",
                "CLAUDE_CODE_ENTRYPOINT": "sdk-cli",
                "CLAUDE_CODE_SESSION_ATTENDED": "0",
            },
        )
        codec = registry.codec("claude-code")
        event = codec.decode(payload("claude-code", "PreToolUse-Bash"), context)
        assert event.version == "2.1.332"
        assert event.variant == "sdk-cli"
        assert event.session.attended is False

    def test_without_it_nothing_is_assumed(self) -> None:
        event = captured_event("claude-code", "PreToolUse-Bash", "2.1.197")
        assert event.version == "2.1.197"
        assert event.variant == ""
        assert event.session.attended is None
