"""Making an event of a tool and its input, where there is no payload.

Policy tests, rule examples and ``explain`` speak of ``shell`` or ``Read`` and a
command or a path, of no harness in particular.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from ringfence.calls import (
    MCPTool,
    Projections,
    ToolCall,
    ToolClass,
    synthesized_call_id,
)
from ringfence.events import AfterTool, BeforeTool, Event, EventKind, Prompt, Session

# Names a person may use: what an agent calls the tool, and what it is.
_TOOLS: Mapping[str, tuple[str, ToolClass]] = {
    "shell": ("Bash", ToolClass.SHELL),
    "file.read": ("Read", ToolClass.FILE_READ),
    "read": ("Read", ToolClass.FILE_READ),
    "file.write": ("Write", ToolClass.FILE_WRITE),
    "write": ("Write", ToolClass.FILE_WRITE),
    "file.edit": ("Edit", ToolClass.FILE_EDIT),
    "edit": ("Edit", ToolClass.FILE_EDIT),
    "search": ("Grep", ToolClass.SEARCH),
    "fetch": ("WebFetch", ToolClass.FETCH),
    "task": ("Agent", ToolClass.TASK),
    "Bash": ("Bash", ToolClass.SHELL),
    "Read": ("Read", ToolClass.FILE_READ),
    "Write": ("Write", ToolClass.FILE_WRITE),
    "Edit": ("Edit", ToolClass.FILE_EDIT),
    "MultiEdit": ("MultiEdit", ToolClass.FILE_EDIT),
    "NotebookEdit": ("NotebookEdit", ToolClass.FILE_EDIT),
    "apply_patch": ("apply_patch", ToolClass.FILE_EDIT),
    "Grep": ("Grep", ToolClass.SEARCH),
    "Glob": ("Glob", ToolClass.SEARCH),
    "WebFetch": ("WebFetch", ToolClass.FETCH),
    "WebSearch": ("WebSearch", ToolClass.FETCH),
    "Agent": ("Agent", ToolClass.TASK),
    "Task": ("Task", ToolClass.TASK),
}
_IN_ANY_CASE = {name.lower(): tool for name, tool in _TOOLS.items()}
_MAIN_FIELD: Mapping[ToolClass, str] = {
    ToolClass.SHELL: "command",
    ToolClass.FILE_READ: "file_path",
    ToolClass.FILE_WRITE: "file_path",
    ToolClass.FILE_EDIT: "file_path",
    ToolClass.SEARCH: "path",
    ToolClass.FETCH: "url",
    ToolClass.TASK: "prompt",
}
NEUTRAL_HARNESS = "ringfence"
"""The harness of an event that no harness sent."""


def make_event(
    tool: str,
    tool_input: Mapping[str, object] | str,
    when: str = "before",
    output: object = None,
    *,
    cwd: str = "",
    harness: str = NEUTRAL_HARNESS,
    permission_mode: str = "",
) -> BeforeTool | AfterTool:
    """Return the event of a call that is about to run (``before``) or ran.

    ``tool`` is a class, a tool's name on some agent, or ``mcp__server__tool``; an
    input that is a text is the tool's main field (a command, a path, a URL). An
    event ``after`` carries ``output``. ``cwd`` is the session's directory.
    """
    name, tool_class, mcp = _tool(tool)
    if isinstance(tool_input, str):
        field = "command" if name == "apply_patch" else _MAIN_FIELD.get(tool_class)
        tool_input = {field or "input": tool_input}
    call = ToolCall(
        name,
        tool_class,
        dict(tool_input),
        id=synthesized_call_id("", "", name, tool_input),
        synthesized=True,
        mcp=mcp,
        cwd=cwd,
        projections=_projections(),
    )
    session = Session(cwd=cwd, permission_mode=permission_mode)
    if when == "before":
        return BeforeTool(
            harness=harness,
            native_name="",
            kind=EventKind.TOOL_PRE,
            raw=b"",
            session=session,
            tool=call,
        )
    return AfterTool(
        harness=harness,
        native_name="",
        kind=EventKind.TOOL_POST,
        raw=b"",
        session=session,
        tool=call,
        output=output,
    )


def make_prompt(prompt: str, *, harness: str = NEUTRAL_HARNESS) -> Prompt:
    """Return the event of a prompt on its way to the model."""
    return Prompt(
        harness=harness,
        native_name="",
        kind=EventKind.PROMPT,
        raw=b"",
        prompt=prompt,
    )


def event_of(
    data: Mapping[str, object],
    *,
    when: str = "before",
    harness: str = NEUTRAL_HARNESS,
    permission_mode: str = "",
) -> Event:
    """Return the event of a written-down call: ``{tool, command}`` and the like.

    Keys: ``tool``; ``input``, or the fields of the input themselves; ``output``,
    which makes it a call that ran; ``cwd``.
    """
    if "output" in data:
        when = "after"
    if "input" in data:
        tool_input = data["input"]
    else:
        tool_input = {
            key: value
            for key, value in data.items()
            if key not in ("tool", "output", "cwd")
        }
    return make_event(
        str(data["tool"]),
        cast("Mapping[str, object] | str", tool_input),
        when,
        data.get("output"),
        cwd=str(data.get("cwd", EXAMPLE_CWD)),
        harness=harness,
        permission_mode=permission_mode,
    )


EXAMPLE_CWD = "/home/me/project"
"""The session's directory where an example or a test names none."""


def _tool(tool: str) -> tuple[str, ToolClass, MCPTool | None]:
    if tool.startswith("mcp__"):
        server, _, name = tool.removeprefix("mcp__").partition("__")
        return tool, ToolClass.MCP, MCPTool(server, name)
    known = _TOOLS.get(tool) or _IN_ANY_CASE.get(tool.lower())
    name, tool_class = known or (tool, ToolClass.OTHER)
    return name, tool_class, None


def _projections() -> Projections:
    from ringfence.parsing.projections import ToolProjections  # noqa: PLC0415

    return ToolProjections()
