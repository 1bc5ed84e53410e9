"""The envelope that every event shares."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ringfence.capabilities import Capabilities, Capability, Support
from ringfence.decisions import FAMILIES, deny
from ringfence.events import EVENT_TYPES, BeforeTool, EventKind
from tests.strategies import event


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
