"""Typed views on the payloads of Claude Code; written by ``tools/generate.py``.

``NotRequired`` is what not every captured payload holds. A view that no payload was
captured for has the documented fields. See :mod:`ringfence.harnesses.views`.
"""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

HARNESS = "claude-code"

TOOLS: Mapping[str, str] = {
    "Agent": "Agent",
    "Bash": "Bash",
    "Edit": "Edit",
    "EnterWorktree": "EnterWorktree",
    "Glob": "Glob",
    "Grep": "Grep",
    "Monitor": "Monitor",
    "Read": "Read",
    "Skill": "Skill",
    "TaskCreate": "TaskCreate",
    "TaskUpdate": "TaskUpdate",
    "ToolSearch": "ToolSearch",
    "WebFetch": "WebFetch",
    "WebSearch": "WebSearch",
    "Write": "Write",
}
"""The names of tools in the names of their views."""


class AgentInput(TypedDict):
    """The input of ``Agent``."""

    description: str
    prompt: str
    subagent_type: str
    run_in_background: NotRequired[bool]


class AgentResponseContent(TypedDict):
    """The ``content`` of AgentResponse."""

    type: str
    text: str


class AgentResponseToolStats(TypedDict):
    """The ``toolStats`` of AgentResponse."""

    readCount: int
    searchCount: int
    bashCount: int
    editFileCount: int
    linesAdded: int
    linesRemoved: int
    otherToolCount: int


class AgentResponse(TypedDict):
    """The result of ``Agent``."""

    status: str
    prompt: str
    agentId: str
    agentType: NotRequired[str]
    content: NotRequired[list[AgentResponseContent]]
    resolvedModel: str
    totalDurationMs: NotRequired[int]
    totalTokens: NotRequired[int]
    totalToolUseCount: NotRequired[int]
    usage: NotRequired[Mapping[str, object]]
    toolStats: NotRequired[AgentResponseToolStats]
    toolsUsed: NotRequired[list[str]]
    harnessNoteCount: NotRequired[int]
    harnessTailCount: NotRequired[int]
    harnessSectionHash: NotRequired[str]
    canContinueAgent: NotRequired[bool]
    isAsync: NotRequired[bool]
    description: NotRequired[str]
    outputFile: NotRequired[str]
    canReadOutputFile: NotRequired[bool]


class BashInput(TypedDict):
    """The input of ``Bash``."""

    command: str
    description: NotRequired[str]
    run_in_background: NotRequired[bool]


class BashResponse(TypedDict):
    """The result of ``Bash``."""

    stdout: str
    stderr: str
    interrupted: bool
    isImage: bool
    noOutputExpected: bool
    backgroundTaskId: NotRequired[str]
    persistedOutputPath: NotRequired[str]
    persistedOutputSize: NotRequired[int]


class EditInput(TypedDict):
    """The input of ``Edit``."""

    file_path: str
    old_string: str
    new_string: str
    replace_all: bool


class EditResponseStructuredPatch(TypedDict):
    """The ``structuredPatch`` of EditResponse."""

    oldStart: int
    oldLines: int
    newStart: int
    newLines: int
    lines: list[str]


class EditResponse(TypedDict):
    """The result of ``Edit``."""

    filePath: str
    oldString: str
    newString: str
    originalFile: str
    structuredPatch: list[EditResponseStructuredPatch]
    userModified: bool
    replaceAll: bool


class EnterWorktreeInput(TypedDict):
    """The input of ``EnterWorktree``."""

    name: str


class EnterWorktreeResponse(TypedDict):
    """The result of ``EnterWorktree``."""

    worktreePath: str
    worktreeBranch: str
    message: str


class GlobInput(TypedDict):
    """The input of ``Glob``."""

    pattern: str


class GlobResponse(TypedDict):
    """The result of ``Glob``."""

    filenames: list[str]
    durationMs: int
    numFiles: int
    truncated: bool
    totalMatches: int
    countIsComplete: bool


class GrepInput(TypedDict):
    """The input of ``Grep``."""

    pattern: str
    output_mode: str


class GrepResponse(TypedDict):
    """The result of ``Grep``."""

    mode: str
    numFiles: int
    filenames: list[object]
    content: str
    numLines: int
    totalLines: int


class MonitorInput(TypedDict):
    """The input of ``Monitor``."""

    description: str
    timeout_ms: int
    command: str


class MonitorResponse(TypedDict):
    """The result of ``Monitor``."""

    taskId: str
    timeoutMs: int
    persistent: bool


class ReadInput(TypedDict):
    """The input of ``Read``."""

    file_path: str


class ReadResponseFile(TypedDict):
    """The ``file`` of ReadResponse."""

    filePath: str
    content: str
    numLines: int
    startLine: int
    totalLines: int


class ReadResponse(TypedDict):
    """The result of ``Read``."""

    type: str
    file: ReadResponseFile


class SkillInput(TypedDict):
    """The input of ``Skill``."""

    skill: str
    args: str


class SkillResponse(TypedDict):
    """The result of ``Skill``."""

    success: bool
    commandName: str
    allowedTools: list[str]


class TaskCreateInput(TypedDict):
    """The input of ``TaskCreate``."""

    subject: str
    description: str


class TaskCreateResponseTask(TypedDict):
    """The ``task`` of TaskCreateResponse."""

    id: str
    subject: str
    description: NotRequired[str]


class TaskCreateResponse(TypedDict):
    """The result of ``TaskCreate``."""

    task: TaskCreateResponseTask


class TaskUpdateInput(TypedDict):
    """The input of ``TaskUpdate``."""

    taskId: str
    status: str


class TaskUpdateResponse(TypedDict):
    """The result of ``TaskUpdate``."""

    success: bool
    taskId: str
    updatedFields: list[str]
    statusChange: Mapping[str, object]


class ToolSearchInput(TypedDict):
    """The input of ``ToolSearch``."""

    query: str
    max_results: int


class ToolSearchResponse(TypedDict):
    """The result of ``ToolSearch``."""

    matches: list[str]
    query: str
    total_deferred_tools: int


class WebFetchInput(TypedDict):
    """The input of ``WebFetch``."""

    url: str
    prompt: str


class WebFetchResponse(TypedDict):
    """The result of ``WebFetch``."""

    bytes: int
    code: int
    codeText: str
    result: str
    durationMs: int
    url: str


class WebSearchInput(TypedDict):
    """The input of ``WebSearch``."""

    query: str


class WebSearchResponse(TypedDict):
    """The result of ``WebSearch``."""

    query: str
    results: list[str]
    durationSeconds: float
    searchCount: int


class WriteInput(TypedDict):
    """The input of ``Write``."""

    file_path: str
    content: str


class WriteResponse(TypedDict):
    """The result of ``Write``."""

    type: str
    filePath: str
    content: str
    structuredPatch: list[object]
    originalFile: object
    userModified: bool


class PreToolUseEffort(TypedDict):
    """The ``effort`` of PreToolUse."""

    level: str


class PreToolUseMcpServer(TypedDict):
    """The ``mcp_server`` of PreToolUse."""

    name: str
    source: str


class PreToolUse(TypedDict):
    """The payload of ``PreToolUse``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str
    agent_id: NotRequired[str]
    agent_type: NotRequired[str]
    effort: NotRequired[PreToolUseEffort]
    mcp_server: NotRequired[PreToolUseMcpServer]


class PreSkillShellCommand(TypedDict):
    """The payload of ``PreSkillShellCommand``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str
    command_name: str
    command_source: str
    invoked_by: str


class PermissionRequestPermissionSuggestion(TypedDict):
    """The ``permission_suggestion`` of PermissionRequest."""

    type: str
    directories: NotRequired[list[str]]
    destination: str
    mode: NotRequired[str]


class PermissionRequest(TypedDict):
    """The payload of ``PermissionRequest``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    tool_name: str
    tool_input: Mapping[str, object]
    permission_suggestions: list[PermissionRequestPermissionSuggestion]


class PostToolUseMcpServer(TypedDict):
    """The ``mcp_server`` of PostToolUse."""

    name: str
    source: str


class PostToolUse(TypedDict):
    """The payload of ``PostToolUse``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    tool_name: str
    tool_input: Mapping[str, object]
    tool_response: object
    tool_use_id: str
    duration_ms: int
    agent_id: NotRequired[str]
    agent_type: NotRequired[str]
    mcp_server: NotRequired[PostToolUseMcpServer]


class PostToolUseFailureMcpServer(TypedDict):
    """The ``mcp_server`` of PostToolUseFailure."""

    name: str
    source: str


class PostToolUseFailure(TypedDict):
    """The payload of ``PostToolUseFailure``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str
    error: str
    is_interrupt: bool
    duration_ms: int
    mcp_server: NotRequired[PostToolUseFailureMcpServer]


class UserPromptSubmit(TypedDict):
    """The payload of ``UserPromptSubmit``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    prompt: str


class Stop(TypedDict):
    """The payload of ``Stop``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    stop_hook_active: bool
    last_assistant_message: str
    background_tasks: list[object]
    session_crons: list[object]


class SubagentStopBackgroundTask(TypedDict):
    """The ``background_task`` of SubagentStop."""

    id: str
    type: str
    status: str
    description: str
    agent_type: str


class SubagentStop(TypedDict):
    """The payload of ``SubagentStop``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    agent_id: str
    agent_type: str
    hook_event_name: str
    stop_hook_active: bool
    agent_transcript_path: str
    last_assistant_message: str
    background_tasks: list[SubagentStopBackgroundTask]
    session_crons: list[object]


class SessionStart(TypedDict):
    """The payload of ``SessionStart``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: NotRequired[str]
    hook_event_name: str
    source: str
    model: NotRequired[str]
    seconds_since_last_response: NotRequired[int]
    context_tokens: NotRequired[int]
    prompt_cache_likely_expired: NotRequired[bool]
    estimated_cache_write_usd: NotRequired[float]


class SessionEnd(TypedDict):
    """The payload of ``SessionEnd``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    reason: str


class SubagentStart(TypedDict):
    """The payload of ``SubagentStart``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    agent_id: str
    agent_type: str
    hook_event_name: str


class PreCompact(TypedDict):
    """The payload of ``PreCompact``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    trigger: str
    custom_instructions: str | None


class PostCompact(TypedDict):
    """The payload of ``PostCompact``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    trigger: str
    compact_summary: str


class Notification(TypedDict):
    """The payload of ``Notification``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    message: str
    notification_type: str


class FileChanged(TypedDict):
    """The payload of ``FileChanged``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    file_path: str
    event: str


class MessageDisplay(TypedDict):
    """The payload of ``MessageDisplay``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    turn_id: str
    message_id: str
    index: int
    final: bool
    delta: str


class PostToolBatchToolCall(TypedDict):
    """The ``tool_call`` of PostToolBatch."""

    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str
    tool_response: object


class PostToolBatch(TypedDict):
    """The payload of ``PostToolBatch``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    agent_id: NotRequired[str]
    agent_type: NotRequired[str]
    hook_event_name: str
    tool_calls: list[PostToolBatchToolCall]


class ConfigChange(TypedDict):
    """The payload of ``ConfigChange``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    source: str
    file_path: str


class PermissionDeniedEffort(TypedDict):
    """The ``effort`` of PermissionDenied."""

    level: str


class PermissionDenied(TypedDict):
    """The payload of ``PermissionDenied``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    effort: PermissionDeniedEffort
    hook_event_name: str
    tool_name: str
    tool_input: Mapping[str, object]
    tool_use_id: str
    reason: str


class UserPromptExpansion(TypedDict):
    """The payload of ``UserPromptExpansion``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    permission_mode: str
    hook_event_name: str
    expansion_type: str
    command_name: str
    command_args: str
    command_source: str
    prompt: str


class StopFailure(TypedDict):
    """The payload of ``StopFailure``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    error: str
    last_assistant_message: str


class TaskCreated(TypedDict):
    """The payload of ``TaskCreated``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    task_id: str
    task_subject: str
    task_description: str
    teammate_name: NotRequired[str]
    team_name: NotRequired[str]


class TaskCompleted(TypedDict):
    """The payload of ``TaskCompleted``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    task_id: str
    task_subject: str
    task_description: str
    teammate_name: NotRequired[str]
    team_name: NotRequired[str]


class Elicitation(TypedDict):
    """The payload of ``Elicitation``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    mcp_server_name: str
    message: str
    mode: str
    requested_schema: Mapping[str, object]


class ElicitationResult(TypedDict):
    """The payload of ``ElicitationResult``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    mcp_server_name: str
    mode: str
    action: str


class InstructionsLoaded(TypedDict):
    """The payload of ``InstructionsLoaded``."""

    session_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    file_path: str
    memory_type: str
    load_reason: str


class CwdChanged(TypedDict):
    """The payload of ``CwdChanged``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    old_cwd: str
    new_cwd: str


class Setup(TypedDict):
    """The payload of ``Setup``."""

    session_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    trigger: str


class PreModelSwitch(TypedDict):
    """The payload of ``PreModelSwitch``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    from_model: str
    to_model: str
    requested_model: str
    source: str
    context_tokens: int
    prompt_cache_warm: bool
    cache_ttl: str
    estimated_cache_write_usd: int
    pricing: str


class PostModelSwitch(TypedDict):
    """The payload of ``PostModelSwitch``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    from_model: str
    to_model: str
    requested_model: str
    source: str
    context_tokens: int
    prompt_cache_warm: bool
    cache_ttl: str
    estimated_cache_write_usd: int
    pricing: str


class DirectoryAdded(TypedDict):
    """The payload of ``DirectoryAdded``."""

    session_id: str
    transcript_path: str
    cwd: str
    prompt_id: str
    hook_event_name: str
    directory: str
    source: str


class WorktreeCreate(TypedDict):
    """The payload of ``WorktreeCreate``."""

    session_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    name: str


class WorktreeRemove(TypedDict):
    """The payload of ``WorktreeRemove``."""

    session_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    worktree_path: NotRequired[str]


class TeammateIdle(TypedDict):
    """The payload of ``TeammateIdle``."""

    session_id: str
    transcript_path: str
    cwd: str
    hook_event_name: str
    teammate_name: NotRequired[str]
    team_name: NotRequired[str]
