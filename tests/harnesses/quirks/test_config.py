"""Quirks of configuration: how the hook has to be entered so that it guards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ringfence.harnesses import registry
from ringfence.harnesses.simulation import HookRun
from tests.harnesses.quirks.playing import CLAUDE, Agent, every_agent


def entries(agent: Agent, event: str) -> list[Mapping[str, Any]]:
    """The hooks that the agent runs on an event, as Ringfence enters them."""
    config = registry.config(agent.harness)
    groups: Any = config.hooks("/opt/ringfence-hook", version=agent.version)
    return [hook for group in groups.get(event, []) for hook in group["hooks"]]


@every_agent
def test_one_hook_answers_an_event(agent: Agent) -> None:
    for event in ("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"):
        assert len(entries(agent, event)) == 1


def test_inline_shell_of_skills_meets_a_guard() -> None:
    event = CLAUDE.event("PreSkillShellCommand")
    refused = CLAUDE.codec.refuse("PreSkillShellCommand", "no")
    runs = [
        HookRun(stdout=refused.stdout) for _ in entries(CLAUDE, "PreSkillShellCommand")
    ]
    assert CLAUDE.simulate(event, runs).ran is False


@pytest.mark.parametrize("code", [1, 126, 127])
def test_a_hook_that_can_not_start_blocks(code: int) -> None:
    event = CLAUDE.event("PreToolUse-Bash")
    runs = [
        HookRun(exit_code=code, on_failure=entry.get("onFailure", "continue"))
        for entry in entries(CLAUDE, "PreToolUse")
    ]
    assert CLAUDE.simulate(event, runs).ran is False


@pytest.mark.parametrize(
    ("version", "known"), [("2.1.197", False), ("2.1.294", False), ("2.1.295", True)]
)
def test_settings_hold_no_key_that_the_version_does_not_know(
    version: str, known: bool
) -> None:
    for entry in entries(Agent("claude-code", version), "PreToolUse"):
        assert ("onFailure" in entry) is known
