"""What Claude Code does with the answers of hooks: rules observed on the real one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ringfence.harnesses.claude_code.simulation import results, turns
from ringfence.harnesses.claude_code.simulation.contract import Contract, contract
from ringfence.harnesses.claude_code.simulation.gates import Gate
from ringfence.harnesses.simulation import (
    Call,
    Failed,
    HookRun,
    Outcome,
    Ran,
    Reading,
)

Rule: TypeAlias = Callable[[Call, Sequence[HookRun], Contract], Outcome]

_REMINDER = re.compile(
    r"\s*<system-reminder>\n?(.*?)\n?</system-reminder>\s*\Z", re.DOTALL
)

RULES: Mapping[str, Rule] = {
    "PreToolUse": lambda call, runs, own: Gate(call, own).pre_tool_use(runs),
    "PermissionRequest": lambda call, runs, own: Gate(call, own).permission_request(
        runs
    ),
    "PreSkillShellCommand": lambda call, runs, own: Gate(call, own).skill_shell(runs),
    "PostToolUse": results.post_tool_use,
    "PostToolUseFailure": results.post_tool_use_failure,
    "PostToolBatch": results.post_tool_batch,
    "UserPromptSubmit": turns.prompt,
    "UserPromptExpansion": turns.prompt,
    "SessionStart": turns.start,
    "SubagentStart": turns.start,
    "Stop": turns.stop,
    "SubagentStop": turns.stop,
    "ConfigChange": turns.change,
    "PreModelSwitch": turns.change,
    "PreCompact": turns.compaction,
}


class ClaudeCodeSimulator:
    """The rules of one version of Claude Code, run without a person (``-p``).

    A call's :class:`~ringfence.harnesses.simulation.Approver` brings in the person,
    permission tool or SDK host that answers where approval is needed.
    """

    harness = "claude-code"

    def __init__(self, version: str = "2.1.332") -> None:
        self.version = version
        self.contract = contract(version)

    def simulate(self, call: Call, runs: Sequence[HookRun]) -> Outcome:
        """Return what Claude Code does; see :class:`Simulator`."""
        rule = RULES.get(call.event, turns.observed)
        return rule(call, runs, self.contract)

    def events_after(self, result: Ran) -> tuple[str, ...]:
        """Return the events that follow a call; a failed one has its own."""
        failed = isinstance(result, Failed)
        return ("PostToolUseFailure" if failed else "PostToolUse", "PostToolBatch")

    def read(self, content: object) -> Reading:
        """Take a tool result apart: its text, and the reminders appended to it."""
        text = _text(content)
        reminders: list[str] = []
        while match := _REMINDER.search(text):
            # The first opening tag that reaches the end may span several reminders.
            start = text.rindex("<system-reminder>", 0, match.end())
            inner = _REMINDER.search(text, start)
            assert inner is not None
            reminders.insert(0, inner.group(1))
            text = text[:start].rstrip()
        return Reading(text, tuple(reminders))


def _text(content: object) -> str:
    if isinstance(content, list):
        blocks = [block for block in content if isinstance(block, dict)]
        return "\n".join(str(block.get("text", "")).rstrip() for block in blocks)
    return content if isinstance(content, str) else ""


SIMULATOR = ClaudeCodeSimulator
