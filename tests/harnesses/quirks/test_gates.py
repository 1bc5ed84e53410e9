"""Quirks before a call: what keeps a deny a deny."""

from __future__ import annotations

import json
import math

import pytest

from ringfence.capabilities import Capability
from ringfence.decisions import allow, ask, deny, neutral, no_decision, rewrite
from ringfence.errors import UnsupportedDecisionError
from ringfence.harnesses._dialects import answers
from ringfence.harnesses.simulation import Approver, Ending, Permission
from tests.harnesses.quirks.playing import (
    AGENTS,
    CLAUDE,
    CODEX,
    OLD_CLAUDE,
    Agent,
    every_agent,
    every_claude,
    read_by_model,
)


@every_agent
def test_a_verdict_names_its_event(agent: Agent) -> None:
    event = agent.event("PreToolUse-Bash")
    outcome = agent.play(event, deny("not today"))
    assert outcome.ran is False
    assert "not today" in read_by_model(outcome)


@every_agent
def test_a_verdict_stands_where_it_is_read(agent: Agent) -> None:
    assert agent.play(agent.event("PreToolUse-Bash"), deny("no")).ran is False


@every_agent
def test_a_permission_request_is_answered_in_its_own_shape(agent: Agent) -> None:
    event = agent.event("PermissionRequest-Bash")
    waiting = Approver(allows=True, answers_at=1.0)
    outcome = agent.play(
        event, deny("not today"), approver=waiting, permission=Permission.UNSET
    )
    assert outcome.ran is False
    assert "not today" in read_by_model(outcome)


@every_agent
def test_no_decision_prints_nothing(agent: Agent) -> None:
    for name in ("PreToolUse-Bash", "PostToolUse-Bash", "Stop", "SessionStart"):
        event = agent.event(name)
        assert agent.encode(event, neutral(event.kind)).answer == answers.SILENCE


def test_a_refusal_by_exit_code_has_a_reason() -> None:
    event = CODEX.event("PreToolUse-Bash")
    assert CODEX.after(event, answers.by_exit("")).ran is False


@every_agent
def test_half_a_character_in_a_reason_does_not_open_the_gate(agent: Agent) -> None:
    name = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    event = agent.event("PreToolUse-Bash")
    outcome = agent.play(event, deny(f"{name} is not to be read"))
    assert outcome.ran is False
    assert "is not to be read" in read_by_model(outcome)


@every_agent
def test_a_rewrite_that_is_no_json_is_refused(agent: Agent) -> None:
    event = agent.event("PreToolUse-mcp-rig-echo")
    with pytest.raises(UnsupportedDecisionError, match="JSON"):
        agent.encode(event, rewrite({"text": math.nan}))


@every_claude
def test_a_refusal_does_not_show_the_hooks_command_line(agent: Agent) -> None:
    outcome = agent.play(agent.event("PreToolUse-Bash"), deny("not today"))
    assert "not today" in read_by_model(outcome)
    assert "policy.yaml" not in read_by_model(outcome)


@every_claude
@pytest.mark.parametrize("mode", ["bypassPermissions", "auto", "dontAsk"])
def test_an_ask_is_a_deny_in_modes_that_do_not_ask(agent: Agent, mode: str) -> None:
    native = json.loads(agent.payload("PreToolUse-Bash"))
    event = agent.decoded(json.dumps({**native, "permission_mode": mode}).encode())
    assert not event.can(Capability.ASK)
    encoded = agent.encode(event, ask("sure?"))
    assert encoded.decision.blocks
    assert '"permissionDecision":"deny"' in encoded.answer.stdout


def test_an_ask_without_a_person_says_that_nobody_can_be_asked() -> None:
    event = CLAUDE.event("PreToolUse-Bash", CLAUDE_CODE_SESSION_ATTENDED="0")
    outcome = CLAUDE.play(event, ask("deploys need a person"))
    assert outcome.ran is False
    assert "deploys need a person" in read_by_model(outcome)
    assert "nobody can be asked" in read_by_model(outcome)


@every_agent
def test_an_end_of_the_turn_is_claimed_only_where_it_comes(agent: Agent) -> None:
    event = agent.event("PreToolUse-Bash")
    decision = deny("no").with_stop_agent("enough")
    outcome = agent.play(event, decision)
    assert outcome.ran is False
    assert event.can(decision) is (outcome.ended is Ending.TURN)


@every_claude
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "plan"])
def test_an_allow_is_claimed_only_where_it_counts(agent: Agent, mode: str) -> None:
    native = json.loads(agent.payload("PreToolUse-Bash"))
    event = agent.decoded(json.dumps({**native, "permission_mode": mode}).encode())
    outcome = agent.play(event, allow(), permission=Permission.UNSET)
    assert event.can(Capability.ALLOW) is (outcome.ran is True)


def test_inline_shell_is_refused_in_so_many_words() -> None:
    event = CLAUDE.event("PreSkillShellCommand")
    asked = CLAUDE.play(event, ask("deploys need a person"))
    assert asked.ran is False
    assert "deploys need a person" in read_by_model(asked)
    changed = CLAUDE.encode(event, rewrite({"command": "ls"}))
    assert changed.decision.blocks


@pytest.mark.parametrize("agent", AGENTS, ids=lambda agent: agent.version)
def test_silence_leaves_a_call_to_the_harness(agent: Agent) -> None:
    event = agent.event("PreToolUse-Bash")
    assert agent.play(event, no_decision()).ran is True


def test_a_deny_is_read_whole_in_both_versions() -> None:
    for agent in (OLD_CLAUDE, CLAUDE):
        outcome = agent.play(
            agent.event("PreToolUse-Bash"), deny("no", suggest="ls -l")
        )
        assert "Instead: ls -l" in read_by_model(outcome)
