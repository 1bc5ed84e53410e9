"""Events of calls that no agent made."""

from __future__ import annotations

import pytest

from ringfence.calls import MCPTool, ToolClass
from ringfence.events import AfterTool, BeforeTool, EventKind
from ringfence.policy.calls import event_of, make_event


@pytest.mark.parametrize(
    ("tool", "given", "name", "tool_class", "tool_input"),
    [
        ("shell", "ls", "Bash", ToolClass.SHELL, {"command": "ls"}),
        ("read", ".env", "Read", ToolClass.FILE_READ, {"file_path": ".env"}),
        ("read", {"path": ".env"}, "Read", ToolClass.FILE_READ, {"path": ".env"}),
        ("file.write", "x", "Write", ToolClass.FILE_WRITE, {"file_path": "x"}),
        ("fetch", "http://x", "WebFetch", ToolClass.FETCH, {"url": "http://x"}),
        ("search", "src", "Grep", ToolClass.SEARCH, {"path": "src"}),
        ("apply_patch", "***", "apply_patch", ToolClass.FILE_EDIT, {"command": "***"}),
        ("Unknown", "x", "Unknown", ToolClass.OTHER, {"input": "x"}),
        ("mcp__a__b", {"c": 1}, "mcp__a__b", ToolClass.MCP, {"c": 1}),
    ],
)
def test_a_tool_goes_by_class_or_name(tool, given, name, tool_class, tool_input):
    event = make_event(tool, given)
    assert isinstance(event, BeforeTool)
    assert event.kind is EventKind.TOOL_PRE
    assert (event.tool.name, event.tool.tool_class) == (name, tool_class)
    assert event.tool.input == tool_input


def test_an_mcp_tool_has_server_and_name():
    assert make_event("mcp__my_srv__do__it", {}).tool.mcp == MCPTool("my_srv", "do__it")


def test_projections_are_bound():
    event = make_event("shell", "cat a.txt", cwd="/p")
    assert [command.program for command in event.tool.commands] == ["cat"]
    assert [ref.absolute for ref in event.tool.paths] == ["/p/a.txt"]


def test_a_call_that_ran_has_the_id_of_the_one_before_it():
    before = make_event("shell", "ls")
    after = make_event("shell", "ls", "after", {"stdout": "x"})
    assert isinstance(after, AfterTool)
    assert after.output == {"stdout": "x"}
    assert after.tool.id == before.tool.id


def test_a_written_down_call():
    event = event_of({"tool": "Grep", "pattern": "x", "path": ".", "cwd": "/w"})
    assert event.tool.input == {"pattern": "x", "path": "."}
    assert event.session.cwd == "/w"
    assert isinstance(event_of({"tool": "x", "input": {}, "output": 1}), AfterTool)
