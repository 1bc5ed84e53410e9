"""Quirks of payloads: odd ones are understood, and not refused for being odd."""

from __future__ import annotations

import json

from ringfence.events import BeforeTool, Prompt, PromptSource
from tests.harnesses.quirks.playing import CLAUDE, Agent, every_agent


def changed(agent: Agent, name: str, **changes: object) -> bytes:
    return json.dumps({**json.loads(agent.payload(name)), **changes}).encode()


@every_agent
def test_a_byte_order_mark_is_passed_over(agent: Agent) -> None:
    raw = b"\xef\xbb\xbf" + agent.payload("PreToolUse-Bash")
    event = agent.decoded(raw)
    assert isinstance(event, BeforeTool)
    assert event.raw == raw


@every_agent
def test_an_input_in_a_string_is_understood(agent: Agent) -> None:
    event = agent.decoded(
        changed(agent, "PreToolUse-Bash", tool_input='{"command": "ls"}')
    )
    assert isinstance(event, BeforeTool)
    assert event.tool.input == {"command": "ls"}
    assert event.tool.raw_input == '{"command": "ls"}'


@every_agent
def test_a_command_in_words_is_understood(agent: Agent) -> None:
    words = {"command": ["git", "push", "--force"]}
    event = agent.decoded(changed(agent, "PreToolUse-Bash", tool_input=words))
    assert isinstance(event, BeforeTool)
    assert event.tool.input == words


@every_agent
def test_a_call_without_an_id_gets_one_that_stays(agent: Agent) -> None:
    first = agent.event("PermissionRequest-Bash")
    again = agent.event("PermissionRequest-Bash")
    assert isinstance(first, BeforeTool)
    assert isinstance(again, BeforeTool)
    assert first.tool.synthesized
    assert first.tool.id
    assert first.tool.id == again.tool.id


def test_a_notification_is_not_taken_for_a_person() -> None:
    for name in ("agent", "bash", "monitor"):
        event = CLAUDE.event(f"UserPromptSubmit-task-notification-{name}")
        assert isinstance(event, Prompt)
        assert event.source is PromptSource.TASK_NOTIFICATION
