"""One tool call: its projections, its names, its id."""

from __future__ import annotations

import pytest
from hypothesis import given

from ringfence.calls import (
    Edit,
    MCPTool,
    PathRef,
    Redirect,
    ShellProgram,
    ToolCall,
    ToolClass,
    synthesized_call_id,
)
from tests.strategies import call, json_objects, words


class Counting:
    """Projections that tell how often they were asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def shell(self, _: ToolCall) -> ShellProgram | None:
        self.asked.append("shell")
        return None

    def paths(self, _: ToolCall) -> tuple[PathRef, ...]:
        self.asked.append("paths")
        return ()

    def edits(self, _: ToolCall) -> tuple[Edit, ...]:
        self.asked.append("edits")
        return ()

    def content(self, call: ToolCall) -> str:
        self.asked.append("content")
        return str(call.input.get("command"))

    def urls(self, _: ToolCall) -> tuple[str, ...]:
        self.asked.append("urls")
        return ("https://a.example/", "https://b.example/")


class TestToolCall:
    def test_projections_are_computed_once_and_only_when_asked_for(self) -> None:
        counting = Counting()
        bound = call().bound(counting)
        assert counting.asked == []
        assert bound.url == "https://a.example/"
        assert bound.urls
        assert bound.shell is None
        assert bound.commands == ()
        assert counting.asked == ["urls", "shell"]

    def test_another_input_has_projections_of_its_own(self) -> None:
        bound = call().bound(Counting())
        assert bound.content == "ls"
        assert bound.with_input({"command": "pwd"}).content == "pwd"
        assert bound.content == "ls"

    def test_without_projections_there_is_nothing_to_see(self) -> None:
        bare = call()
        assert bare.shell is None
        assert (bare.commands, bare.paths, bare.edits, bare.urls) == ((),) * 4
        assert bare.content == bare.url == ""

    def test_rules_know_a_call_by_its_class_and_an_mcp_call_by_its_server(self) -> None:
        assert call().canonical_name == "shell"
        mcp = call("x", {}, ToolClass.MCP, mcp=MCPTool("github", "create_issue"))
        assert mcp.canonical_name == "mcp__github__create_issue"

    def test_how_it_prints_tells_nothing_of_its_input(self) -> None:
        secret = "sk-" + "live-" + "123"
        assert secret not in repr(call(tool_input={"command": secret}))


class TestSynthesizedIds:
    @given(words, words, json_objects)
    def test_the_order_of_keys_does_not_matter(
        self, session: str, tool: str, tool_input: dict[str, object]
    ) -> None:
        reversed_input = dict(reversed(tool_input.items()))
        first = synthesized_call_id(session, "t", tool, tool_input)
        assert first == synthesized_call_id(session, "t", tool, reversed_input)

    def test_any_other_call_has_another_id(self) -> None:
        ids = {
            synthesized_call_id(*parts, tool_input)
            for parts in [("s", "t", "x"), ("s2", "t", "x"), ("s", "t2", "x")]
            for tool_input in [{}, {"a": 1}, {"a": "1"}]
        }
        assert len(ids) == 9


@pytest.mark.parametrize(
    ("operator", "target", "writes"),
    [
        (">", "f", True),
        (">>", "f", True),
        ("&>", "f", True),
        (">|", "f", True),
        ("<>", "f", True),
        ("<", "f", False),
        ("<<<", "f", False),
        (">&", "1", False),
        (">&", "-", False),
        (">&", "f", True),
        ("<&", "3", False),
    ],
)
def test_a_redirect_writes_where_it_names_a_file_to_write(
    operator: str, target: str, writes: bool
) -> None:
    assert Redirect(operator, target).writes is writes
