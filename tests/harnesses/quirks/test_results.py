"""Quirks of Claude Code after a call: what the model must not see, it does not see."""

from __future__ import annotations

import json

import pytest

from ringfence.capabilities import Capability
from ringfence.content.redaction import redact
from ringfence.decisions import Result, replace_output, withhold
from ringfence.events import AfterTool
from tests.harnesses.quirks.playing import (
    CLAUDE,
    Agent,
    every_claude,
    read_by_model,
)

SECRET = "sk-" + "live-" + "0123456789"
CAPTURED = "sk-" + "secret-" + "12345"
"""What stood in the results when they were captured."""


def with_secret(agent: Agent, name: str) -> AfterTool:
    """A captured result that holds a secret."""
    native = json.loads(agent.payload(name))
    key = "tool_response" if "tool_response" in native else "error"
    if "stdout" in native[key]:
        native[key]["stdout"] = f"TOKEN={SECRET}"
    text = json.dumps(native[key]).replace(CAPTURED, SECRET)
    assert SECRET in text
    event = agent.decoded(json.dumps({**native, key: json.loads(text)}).encode())
    assert isinstance(event, AfterTool)
    return event


@every_claude
@pytest.mark.parametrize(
    "name",
    [
        "PostToolUse-Bash",
        "PostToolUse-Read",
        "PostToolUse-Grep",
        "PostToolUse-mcp-rig-echo",
        "PostToolUse-mcp-rig-structured",
    ],
)
@pytest.mark.parametrize(
    "shown", [replace_output("[gone]"), withhold("[gone]")], ids=["replace", "withhold"]
)
def test_a_replaced_result_reaches_the_model(
    agent: Agent, name: str, shown: Result
) -> None:
    event = with_secret(agent, name)
    outcome = agent.play(event, shown)
    assert SECRET not in read_by_model(outcome)
    assert "gone" in read_by_model(outcome)


@every_claude
def test_an_mcp_result_object_is_shown_as_its_contents(agent: Agent) -> None:
    event = with_secret(agent, "PostToolUse-mcp-rig-echo")
    as_server_says = {"content": [{"type": "text", "text": "[gone]"}]}
    outcome = agent.play(event, replace_output(as_server_says))
    assert read_by_model(outcome) == "[gone]"
    assert outcome.is_error is not True


@every_claude
def test_what_a_failed_call_printed_is_not_claimed_to_be_hidden(agent: Agent) -> None:
    event = with_secret(agent, "PostToolUseFailure-Bash")
    decision = redact(event, r"sk-live-\d+")
    assert decision.replaces
    outcome = agent.play(event, decision)
    hidden = SECRET not in read_by_model(outcome)
    assert event.can(Capability.REPLACE_OUTPUT) is hidden
    encoded = agent.encode(event, decision)
    assert [loss.capability for loss in encoded.losses] == [Capability.REPLACE_OUTPUT]
    assert "do not use or repeat it" in read_by_model(outcome)


def test_a_result_of_a_call_that_goes_on_is_withheld_too() -> None:
    event = CLAUDE.event("PostToolUse-Agent")
    assert isinstance(event, AfterTool)
    assert event.lookup("tool_response.isAsync") is True
    answer = json.loads(CLAUDE.encode(event, withhold("not for you")).answer.stdout)
    shown = answer["hookSpecificOutput"]["updatedToolOutput"]
    assert isinstance(event.output, dict)
    assert shown.keys() == event.output.keys()
    assert "not for you" in json.dumps(shown)
    assert event.output["outputFile"] not in json.dumps(shown)
