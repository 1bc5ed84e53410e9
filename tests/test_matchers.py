"""Which calls a name stands for."""

from __future__ import annotations

import pytest

from ringfence.calls import MCPTool, ToolCall, ToolClass
from ringfence.matchers import tools
from tests.strategies import call

SHELL = call("Bash")
READ = call("Read", {"file_path": "/x"}, ToolClass.FILE_READ)
ISSUE = call(
    "mcp__github__create_issue",
    {},
    ToolClass.MCP,
    mcp=MCPTool("github", "create_issue"),
)
# The same tool, as a harness spells it that has another way of naming.
SPELLED = call(
    "github_create_issue", {}, ToolClass.MCP, mcp=MCPTool("github", "create_issue")
)
UNDECODABLE = call("mcp__odd", {}, ToolClass.MCP, mcp=MCPTool("", "odd"))


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("shell", SHELL),
        ("Bash", SHELL),
        ("B?sh", SHELL),
        ("*", SHELL),
        ("file.*", READ),
        ("file.read", READ),
        ("mcp", ISSUE),
        ("mcp__github__create_issue", ISSUE),
        ("mcp__github__*", ISSUE),
        ("mcp__*__create_*", ISSUE),
        ("mcp__github__*", SPELLED),
        ("github_create_issue", SPELLED),
        ("mcp__odd", UNDECODABLE),
    ],
)
def test_a_name_matches(name: str, tool: ToolCall) -> None:
    assert tools(name)(tool)


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("bash", SHELL),
        ("Ba", SHELL),
        ("Bash ", SHELL),
        ("file", READ),
        ("", READ),
        ("mcp__github", ISSUE),
        ("mcp__git__*", ISSUE),
        ("mcp__gitlab__*", SPELLED),
    ],
)
def test_a_name_does_not_match(name: str, tool: ToolCall) -> None:
    assert not tools(name)(tool)


def test_one_of_several_names_is_enough() -> None:
    matcher = tools("shell", "file.*")
    assert matcher(SHELL)
    assert matcher(READ)
    assert not matcher(ISSUE)


def test_no_name_at_all_is_a_mistake() -> None:
    with pytest.raises(ValueError, match=r"'\*' matches every call"):
        tools()


def test_it_tells_what_it_matches() -> None:
    assert tools("shell", "mcp__*").__qualname__ == "tools('shell', 'mcp__*')"
