"""The envelope and the tool call."""

from __future__ import annotations

from dataclasses import replace

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
from ringfence.capabilities import Capabilities, Capability, Support
from ringfence.decisions import FAMILIES, deny
from ringfence.events import EVENT_TYPES, BeforeTool, Event, EventKind
from tests.strategies import call, event, json_objects, words


def test_there_are_seventeen_kinds_and_each_has_a_type_and_a_family() -> None:
    assert len(EventKind) == 17
    assert set(EVENT_TYPES) == set(FAMILIES) == set(EventKind)


class TestLookup:
    payload = event(
        EventKind.OTHER,
        native={"a": {"b": [{"c": 1}, {"c": 2}]}, "dotted.key": 1, "empty": None},
    )

    @pytest.mark.parametrize(
        ("path", "found"),
        [
            ("a.b.0.c", 1),
            ("a.b.1.c", 2),
            ("a.b.1", {"c": 2}),
            ("empty", None),
        ],
    )
    def test_a_dotted_path_leads_inward(self, path: str, found: object) -> None:
        assert self.payload.lookup(path, "nothing") == found

    @pytest.mark.parametrize(
        "path", ["a.b.2.c", "a.b.-1", "a.b.x", "a.c", "", "a.b.0.c.d", "b"]
    )
    def test_a_path_that_leads_nowhere_gives_the_default(self, path: str) -> None:
        assert self.payload.lookup(path) is None
        assert self.payload.lookup(path, "nothing") == "nothing"


class TestEnvelope:
    def test_notes_of_an_author_are_theirs_and_no_part_of_the_event(self) -> None:
        one, other = event(EventKind.OTHER), event(EventKind.OTHER)
        one.ext["mine"] = 1
        assert one == other
        assert other.ext == {}

    def test_an_event_can_not_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            event(EventKind.OTHER).raw = b""  # type: ignore[misc]

    def test_what_a_harness_honours_is_unknown_off_the_wire(self) -> None:
        bare = event(EventKind.TOOL_PRE)
        assert not bare.can(deny("no"))
        honours = Capabilities(EventKind.TOOL_PRE, {Capability.DENY: Support.YES})
        assert replace(bare, honours=honours).can(deny("no"))
        assert replace(bare, honours=honours).can(Capability.DENY)
        assert not replace(bare, honours=honours).can(Capability.ASK)

    def test_another_input_leaves_the_payload_as_it_was(self) -> None:
        before = event(EventKind.TOOL_PRE, native={"tool_input": {"command": "ls"}})
        assert isinstance(before, BeforeTool)
        changed = before.with_input({"command": "pwd"})
        assert changed.tool.input == {"command": "pwd"}
        assert changed.tool.raw_input == {"command": "ls"}
        assert changed.raw is before.raw
        assert changed.native is before.native
        assert before.tool.input == {"command": "ls"}


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


def test_an_event_is_an_event() -> None:
    assert all(issubclass(kind, Event) for kind in EVENT_TYPES.values())
