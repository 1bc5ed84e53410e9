"""The patch language of the ``apply_patch`` tool.

Observed from Codex 0.171.0, and in its published grammar::

    *** Begin Patch
    *** Add File: PATH          then lines that begin with +
    *** Delete File: PATH
    *** Update File: PATH       then, if it is moved, *** Move to: PATH
    @@ optional context         then lines that begin with blank, - or +
    *** End of File
    *** End Patch
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from ringfence.calls import Edit, EditAction
from ringfence.errors import DecodeError

_BEGIN, _END = "*** Begin Patch", "*** End Patch"
_ADD, _DELETE, _UPDATE = "*** Add File: ", "*** Delete File: ", "*** Update File: "
_MOVE, _END_OF_FILE = "*** Move to: ", "*** End of File"
_ENVIRONMENT = "*** Environment ID: "

# Models wrap the patch in a here-document where none is needed; the tool takes it off.
_HEREDOC = re.compile(r"<<-?(['\"]?)(\w+)\1")
_LOOSE_HEADER = re.compile(
    r"^\s*\*\*\* (Add|Update|Delete) File:(.*)$|^\s*\*\*\* Move to:(.*)$", re.MULTILINE
)


@dataclass(slots=True)
class _Section:
    """One file's part of a patch."""

    path: str
    action: EditAction
    moved_to: str = ""
    old: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    changed: bool = False

    def edit(self) -> Edit:
        if self.action is EditAction.UPDATE and not (self.changed or self.moved_to):
            raise DecodeError("apply_patch: an update without any change")
        return Edit(
            path=self.path,
            action=EditAction.MOVE if self.moved_to else self.action,
            old="".join(line + "\n" for line in self.old),
            new="".join(line + "\n" for line in self.new),
            moved_to=self.moved_to,
        )


def parse_patch(text: str) -> tuple[Edit, ...]:
    """Return the edits that a patch asks for, in its order.

    ``old`` and ``new`` hold the lines of all hunks with their context. Blanks around
    the patch, around the markers and a missing final newline are tolerated, as the
    tool tolerates them. Raises :class:`DecodeError` for anything else.
    """
    lines = _body(text)
    sections: list[_Section] = []
    for line in lines:
        # In a hunk a leading blank makes a line of context; elsewhere it is ignored.
        in_hunk = bool(sections) and sections[-1].action is EditAction.UPDATE
        header = _header(line if in_hunk else line.strip())
        if header is not None:
            sections.append(header)
        elif not sections:
            if not line.startswith(_ENVIRONMENT) and line.strip():
                raise DecodeError("apply_patch: text before the first file")
        else:
            _add_line(sections[-1], line)
    if not sections:
        raise DecodeError("apply_patch: a patch that names no file")
    return tuple(section.edit() for section in sections)


def _body(text: str) -> list[str]:
    lines = text.strip().replace("\r\n", "\n").split("\n")
    heredoc = _HEREDOC.fullmatch(lines[0])
    if heredoc and len(lines) > 2 and lines[-1].strip() == heredoc[2]:
        lines = lines[1:-1]
    if len(lines) < 2 or lines[0].strip() != _BEGIN or lines[-1].strip() != _END:
        raise DecodeError(f"apply_patch: no patch between {_BEGIN!r} and {_END!r}")
    return lines[1:-1]


def _header(line: str) -> _Section | None:
    if not line.startswith("***"):
        return None
    stripped = line.strip()
    for marker, action in (
        (_ADD, EditAction.ADD),
        (_DELETE, EditAction.DELETE),
        (_UPDATE, EditAction.UPDATE),
    ):
        if stripped.startswith(marker.rstrip()):
            path = stripped[len(marker) - 1 :].strip()
            if not path:
                raise DecodeError("apply_patch: a file without a name")
            return _Section(path, action)
    return None


def _add_line(section: _Section, line: str) -> None:
    if section.action is EditAction.DELETE:
        if line.strip():
            raise DecodeError("apply_patch: text below a deleted file")
    elif section.action is EditAction.ADD:
        if not line.startswith("+"):
            raise DecodeError("apply_patch: a line of a new file must begin with +")
        section.new.append(line[1:])
    elif line.startswith(_MOVE.rstrip()) and not section.changed:
        section.moved_to = line[len(_MOVE) - 1 :].strip()
        if not section.moved_to:
            raise DecodeError("apply_patch: a move without a name")
    elif line.startswith("@@") or line.strip() == _END_OF_FILE:
        return
    else:
        _add_hunk_line(section, line)


def _add_hunk_line(section: _Section, line: str) -> None:
    sign, rest = line[:1], line[1:]
    # A context line that is empty may have lost its blank.
    if sign in {"", " "}:
        section.old.append(rest)
        section.new.append(rest)
    elif sign == "-":
        section.old.append(rest)
        section.changed = True
    elif sign == "+":
        section.new.append(rest)
        section.changed = True
    else:
        raise DecodeError("apply_patch: a line of a hunk must begin with blank, - or +")


def is_patch(text: str) -> bool:
    """Tell whether a text is meant as a patch, a good one or not."""
    return _BEGIN in text and _LOOSE_HEADER.search(text) is not None


def loose_edits(text: str) -> tuple[Edit, ...]:
    """Return an edit for every file that a text names in a patch's way.

    For a patch that :func:`parse_patch` refuses: a tool may be more tolerant. Each
    edit carries the whole text as what is new.
    """
    edits: list[Edit] = []
    for action, path, moved_to in _LOOSE_HEADER.findall(text):
        if moved_to and edits:
            edits[-1] = replace(
                edits[-1], action=EditAction.MOVE, moved_to=moved_to.strip()
            )
        elif path:
            edits.append(Edit(path.strip(), EditAction(action.lower()), new=text))
    return tuple(edits)
