"""Quirks at prompts, contexts and ends of turns."""

from __future__ import annotations

import pytest

from ringfence.decisions import Decision, accept_prompt, deny, finish
from tests.harnesses.quirks.playing import (
    CLAUDE,
    CODEX,
    OLD_CLAUDE,
    Agent,
    every_agent,
    every_claude,
    read_by_model,
)

LONG = "word " * 20_000 + "THE WAY OUT"


@pytest.mark.parametrize(
    ("agent", "name", "decision"),
    [
        (OLD_CLAUDE, "PreToolUse-Bash", deny(LONG)),
        (OLD_CLAUDE, "UserPromptSubmit", accept_prompt().with_context(LONG)),
        (CLAUDE, "UserPromptSubmit", accept_prompt().with_context(LONG)),
        (CODEX, "UserPromptSubmit", accept_prompt().with_context(LONG)),
    ],
    ids=["old-claude-deny", "old-claude-context", "claude-context", "codex-context"],
)
def test_the_end_of_a_long_text_is_read(
    agent: Agent, name: str, decision: Decision
) -> None:
    seen = read_by_model(agent.play(agent.event(name), decision))
    assert "THE WAY OUT" in seen
    assert len(seen) < 10_000


@every_agent
@pytest.mark.parametrize("name", ["Stop", "SubagentStop"])
def test_a_refusal_at_a_stop_lets_the_agent_finish(agent: Agent, name: str) -> None:
    event = agent.event("Stop")
    assert agent.after(event, agent.codec.refuse(name, "broken")).continued is False


@every_claude
def test_context_at_a_stop_does_not_send_the_agent_on(agent: Agent) -> None:
    event = agent.event("Stop")
    outcome = agent.play(event, finish().with_context("by the way"))
    assert outcome.continued is False
