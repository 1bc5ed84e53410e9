"""Typed views on the payloads of Codex; written by ``tools/generate.py``.

``NotRequired`` is what not every captured payload holds. A view that no payload was
captured for has the documented fields. See :mod:`ringfence.harnesses.views`.
"""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

HARNESS = "codex"

TOOLS: Mapping[str, str] = {
    "Bash": "Bash",
    "apply_patch": "ApplyPatch",
    "get_goal": "GetGoal",
    "multi_agent_v1wait_agent": "MultiAgentV1waitAgent",
    "spawn_agent": "SpawnAgent",
    "view_image": "ViewImage",
}
"""The names of tools in the names of their views."""


class BashInput(TypedDict):
    """The input of ``Bash``."""

    command: str
    description: NotRequired[str]


class ApplyPatchInput(TypedDict):
    """The input of ``apply_patch``."""

    command: str


class GetGoalInput(TypedDict):
    """The input of ``get_goal``."""


class GetGoalResponse(TypedDict):
    """The result of ``get_goal``."""

    goal: object
    remainingTokens: object
    completionBudgetReport: object


class MultiAgentV1waitAgentInput(TypedDict):
    """The input of ``multi_agent_v1wait_agent``."""

    targets: list[str]
    timeout_ms: int


class SpawnAgentInput(TypedDict):
    """The input of ``spawn_agent``."""

    message: str


class ViewImageInput(TypedDict):
    """The input of ``view_image``."""

    path: str


class PreToolUse(TypedDict):
    """The payload of ``PreToolUse``."""

    session_id: str
    turn_id: str
    agent_id: NotRequired[str]
    agent_type: NotRequired[str]
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str


class PermissionRequest(TypedDict):
    """The payload of ``PermissionRequest``."""

    session_id: str
    turn_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    tool_name: str
    tool_input: Mapping[str, object]


class PostToolUse(TypedDict):
    """The payload of ``PostToolUse``."""

    session_id: str
    turn_id: str
    agent_id: NotRequired[str]
    agent_type: NotRequired[str]
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    tool_name: str
    tool_input: Mapping[str, object]
    tool_response: object
    tool_use_id: str


class UserPromptSubmit(TypedDict):
    """The payload of ``UserPromptSubmit``."""

    session_id: str
    turn_id: str
    agent_id: NotRequired[str]
    agent_type: NotRequired[str]
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    prompt: str


class Stop(TypedDict):
    """The payload of ``Stop``."""

    session_id: str
    turn_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    stop_hook_active: bool
    last_assistant_message: str


class SubagentStop(TypedDict):
    """The payload of ``SubagentStop``."""

    session_id: str
    turn_id: str
    transcript_path: str
    agent_transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    stop_hook_active: bool
    agent_id: str
    agent_type: str
    last_assistant_message: str


class SessionStart(TypedDict):
    """The payload of ``SessionStart``."""

    session_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    source: str


class SessionEnd(TypedDict):
    """The payload of ``SessionEnd``."""

    session_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    reason: str


class SubagentStart(TypedDict):
    """The payload of ``SubagentStart``."""

    session_id: str
    turn_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
    agent_id: str
    agent_type: str


class PreCompact(TypedDict):
    """The payload of ``PreCompact``."""

    session_id: str
    turn_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    trigger: str


class PostCompact(TypedDict):
    """The payload of ``PostCompact``."""

    session_id: str
    turn_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    trigger: str


class Interrupt(TypedDict):
    """The payload of ``Interrupt``."""

    session_id: str
    turn_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    model: str
    permission_mode: str
