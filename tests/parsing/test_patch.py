from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.calls import Edit, EditAction
from ringfence.errors import DecodeError
from ringfence.parsing.patch import is_patch, loose_edits, parse_patch


def patch(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch", ""])


def test_a_file_is_added() -> None:
    text = patch("*** Add File: src/new file.py", "+one", "+", "+ two")
    assert parse_patch(text) == (
        Edit("src/new file.py", EditAction.ADD, new="one\n\n two\n"),
    )


def test_an_update_holds_what_goes_and_what_comes_with_its_context() -> None:
    text = patch(
        "*** Update File: a.py",
        "@@ def f():",
        " keep",
        "-old",
        "+new",
        "@@",
        "-last",
        "*** End of File",
    )
    assert parse_patch(text) == (
        Edit("a.py", EditAction.UPDATE, old="keep\nold\nlast\n", new="keep\nnew\n"),
    )


def test_a_file_is_moved_with_or_without_changes() -> None:
    text = patch("*** Update File: a", "*** Move to: b/c", "@@", "-x", "+y")
    assert parse_patch(text) == (
        Edit("a", EditAction.MOVE, old="x\n", new="y\n", moved_to="b/c"),
    )
    (moved,) = parse_patch(patch("*** Update File: a", "*** Move to: b"))
    assert moved.moved_to == "b"


def test_a_patch_may_change_several_files() -> None:
    text = patch(
        "*** Delete File: a",
        "*** Add File: b",
        "+x",
        "*** Update File: c",
        "-y",
        "+z",
    )
    assert [(edit.path, edit.action.value) for edit in parse_patch(text)] == [
        ("a", "delete"),
        ("b", "add"),
        ("c", "update"),
    ]


def test_lines_of_content_are_no_markers() -> None:
    text = patch("*** Add File: a", "+*** Delete File: b", "+*** End Patch")
    (edit,) = parse_patch(text)
    assert edit.new == "*** Delete File: b\n*** End Patch\n"


@pytest.mark.parametrize(
    "text",
    [
        patch("*** Add File: a", "+x").strip(),
        "\n\n" + patch("*** Add File: a", "+x"),
        patch("*** Add File: a", "+x").replace("\n", "\r\n"),
        "<<'EOF'\n" + patch("*** Add File: a", "+x") + "EOF",
        patch("  *** Add File: a  ", "+x"),
    ],
)
def test_what_the_tool_tolerates_is_read(text: str) -> None:
    assert parse_patch(text)[0].path == "a"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "*** Begin Patch",
        patch(),
        patch("*** Add File: a", "x"),
        patch("*** Add File: ", "+x"),
        patch("*** Update File: a"),
        patch("*** Update File: a", "@@", "?"),
        patch("*** Update File: a", "*** Move to: ", "-x"),
        patch("*** Delete File: a", "+x"),
        patch("+x"),
        "*** Begin Patch\n*** Add File: a\n+x\n",
        "*** Add File: a\n+x\n*** End Patch",
    ],
)
def test_nonsense_is_refused(text: str) -> None:
    with pytest.raises(DecodeError):
        parse_patch(text)


def test_a_refused_patch_still_names_its_files() -> None:
    text = "*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** Delete File: c\n"
    assert is_patch(text)
    edits = loose_edits(text)
    assert [(edit.path, edit.moved_to) for edit in edits] == [("a", "b"), ("c", "")]
    assert all(edit.new == text for edit in edits)


@given(st.text())
def test_no_text_does_more_than_be_refused(text: str) -> None:
    with contextlib.suppress(DecodeError):
        parse_patch(text)
    loose_edits(text)


_LINE = st.text(st.characters(exclude_characters="\r\n", exclude_categories=["Cs"]))


@given(st.lists(_LINE, min_size=1, max_size=5))
def test_added_lines_come_back_as_they_were(lines: list[str]) -> None:
    (edit,) = parse_patch(patch("*** Add File: a", *("+" + line for line in lines)))
    assert edit.new == "".join(line + "\n" for line in lines)
