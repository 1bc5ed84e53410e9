"""Answers of hooks, short to write, and what Claude Code does with them."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from ringfence.harnesses.claude_code.simulator import ClaudeCodeSimulator
from ringfence.harnesses.simulation import Call, HookRun, Outcome

NEW, OLD = ClaudeCodeSimulator("2.1.332"), ClaudeCodeSimulator("2.1.197")
BOTH = pytest.mark.parametrize("claude", [NEW, OLD], ids=["2.1.332", "2.1.197"])

COMMAND = {"command": "touch RAN"}
PLAIN = {"stdout": "ran", "stderr": "", "interrupted": False, "isImage": False}


def own(event: str = "PreToolUse", /, **fields: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def verdict(decision: str, reason: str = "why", **fields: object) -> dict[str, object]:
    reasons = {"permissionDecision": decision, "permissionDecisionReason": reason}
    return own(**reasons, **fields)


def rewrite(tool_input: object, **fields: object) -> dict[str, object]:
    return own(permissionDecision="allow", updatedInput=tool_input, **fields)


def hook(answer: Mapping[str, object] | str = "", **fields: object) -> HookRun:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return HookRun(stdout=text, command="guard", **fields)  # type: ignore[arg-type]


def before(
    claude: ClaudeCodeSimulator, *runs: HookRun, tool: str = "Bash", **call: object
) -> Outcome:
    tool_input = call.pop("input", COMMAND)
    own_call = Call(event="PreToolUse", tool=tool, input=tool_input, **call)  # type: ignore[arg-type]
    return claude.simulate(own_call, runs)


def saw(outcome: Outcome) -> str:
    return str(outcome.result)


DENY = verdict("deny")
DENY_TEXT = json.dumps(DENY)
STOP = {"continue": False, "stopReason": "enough"}


def texts(outcome: Outcome) -> list[str]:
    return [str(context) for context in outcome.contexts]
