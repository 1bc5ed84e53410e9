"""One call of a tool, and what can be seen in it: programs, paths, edits, URLs.

Plain records. How they are computed is not known here: whoever decides hands in
:class:`Projections`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeVar, cast

T = TypeVar("T")


class ToolClass(StrEnum):
    """What a tool does, whatever a harness calls it."""

    SHELL = "shell"
    FILE_READ = "file.read"
    FILE_WRITE = "file.write"
    FILE_EDIT = "file.edit"
    SEARCH = "search"
    FETCH = "fetch"
    TASK = "task"
    MCP = "mcp"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class MCPTool:
    """An MCP tool as its server knows it; ``server`` is empty if undecodable."""

    server: str
    tool: str


# -- projections --------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Redirect:
    """A shell redirection, ``fd`` as written (empty: the operator's default).

    ``operator`` is the operator as written (``>``, ``>>``, ``<``, ``&>`` …);
    ``target`` the word after it, quotes removed, empty if it can't be known.
    """

    operator: str
    target: str
    fd: str = ""

    @property
    def writes(self) -> bool:
        """Whether the target is written to.

        After ``>&`` a number or ``-`` names a descriptor; any other word is a file.
        """
        if self.operator.endswith(">&"):
            return not (self.target == "-" or self.target.rstrip("-").isdecimal())
        return ">" in self.operator


@dataclass(frozen=True, slots=True)
class Command:
    """One program that a shell text will run, seen through its wrappers.

    ``program`` is the base name of the program (``git`` for ``/usr/bin/git``) and
    empty where the command word can't be known before it runs. ``args`` are its
    words with quotes removed; a word that can't be known keeps its source text and
    sets ``dynamic``. ``text`` is the segment as it was written, without wrappers
    and redirections, words separated by single blanks.
    """

    program: str
    args: tuple[str, ...] = ()
    text: str = ""
    word: str = ""
    assignments: Mapping[str, str] = field(default_factory=dict)
    redirects: tuple[Redirect, ...] = ()
    wrappers: tuple[str, ...] = ()
    dynamic: bool = False
    stdin: str | None = None
    cwd: str = ""

    @property
    def argv(self) -> tuple[str, ...]:
        """Program and arguments, as they would be handed over."""
        return (self.program, *self.args)


@dataclass(frozen=True, slots=True)
class ShellProgram:
    """Everything a shell text runs, or word that it could not be understood.

    ``problem`` is empty where the whole text was understood. With a problem,
    ``commands`` may hold what could be seen, and nothing may be concluded from a
    command's absence.
    """

    text: str
    commands: tuple[Command, ...] = ()
    pipelines: tuple[tuple[int, ...], ...] = ()
    problem: str = ""


class PathUse(StrEnum):
    """What a tool call does with a path."""

    READ = "read"
    WRITE = "write"
    DELETE = "delete"
    SEARCH = "search"


@dataclass(frozen=True, slots=True)
class PathRef:
    """A path that a tool call names, as written and made absolute by cwd."""

    path: str
    absolute: str
    use: PathUse


class EditAction(StrEnum):
    """What an edit does to a file."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    MOVE = "move"


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a file: text that goes, text that comes.

    ``moved_to`` is the new path of a moved file, else empty.
    """

    path: str
    action: EditAction
    old: str = ""
    new: str = ""
    moved_to: str = ""


class Projections(Protocol):
    """Computes a tool call's projections; injected, so that the model stays pure."""

    def shell(self, call: ToolCall) -> ShellProgram | None:
        """Return the resolved shell program, ``None`` if this runs no shell."""

    def paths(self, call: ToolCall) -> tuple[PathRef, ...]:
        """Return every path the call names."""

    def edits(self, call: ToolCall) -> tuple[Edit, ...]:
        """Return the changes of files that the call asks for."""

    def content(self, call: ToolCall) -> str:
        """Return the text that the call would write or send."""

    def urls(self, call: ToolCall) -> tuple[str, ...]:
        """Return every URL the call names."""


class ToolCall:
    """One call of a tool, before or after it ran.

    ``input`` is always an object; ``raw_input`` is the value as the harness sent it
    (some send a string that holds an object). ``id`` is the harness's own where it
    sends one, else computed from session, turn, tool and input
    (``synthesized``), so that before and after carry the same.
    The properties ``commands``, ``paths``, ``edits``, ``content``, ``url`` are
    projections, computed when first asked for.
    """

    __slots__ = (
        "_cache",
        "cwd",
        "id",
        "input",
        "mcp",
        "name",
        "projections",
        "raw_input",
        "synthesized",
        "tool_class",
    )

    def __init__(
        self,
        name: str,
        tool_class: ToolClass,
        tool_input: Mapping[str, object],
        *,
        id: str = "",  # noqa: A002 - the field's name everywhere
        synthesized: bool = False,
        mcp: MCPTool | None = None,
        raw_input: object = None,
        cwd: str = "",
        projections: Projections | None = None,
    ) -> None:
        self.name = name
        self.tool_class = tool_class
        self.input = tool_input
        self.id = id
        self.synthesized = synthesized
        self.mcp = mcp
        self.raw_input = tool_input if raw_input is None else raw_input
        self.cwd = cwd
        self.projections = projections
        self._cache: dict[str, object] = {}

    def __repr__(self) -> str:
        return f"ToolCall({self.name!r}, {self.tool_class.value!r}, id={self.id!r})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolCall):
            return NotImplemented
        return (self.name, self.id, self.input) == (other.name, other.id, other.input)

    __hash__ = None  # type: ignore[assignment]

    def with_input(self, tool_input: Mapping[str, object]) -> ToolCall:
        """Return the same call with another input; ``raw_input`` stays."""
        return ToolCall(
            self.name,
            self.tool_class,
            tool_input,
            id=self.id,
            synthesized=self.synthesized,
            mcp=self.mcp,
            raw_input=self.raw_input,
            cwd=self.cwd,
            projections=self.projections,
        )

    def bound(self, projections: Projections) -> ToolCall:
        """Return the same call whose projections are computed by ``projections``."""
        call = self.with_input(self.input)
        call.projections = projections
        return call

    @property
    def canonical_name(self) -> str:
        """The name rules use: ``mcp__server__tool`` for MCP, else the class."""
        if self.mcp is not None:
            return f"mcp__{self.mcp.server}__{self.mcp.tool}"
        return self.tool_class.value

    @property
    def shell(self) -> ShellProgram | None:
        """The resolved shell program, ``None`` where the tool runs no shell."""
        return self._project("shell", lambda p: p.shell(self), None)

    @property
    def commands(self) -> tuple[Command, ...]:
        """Every program that the call will run, wrappers seen through."""
        program = self.shell
        return program.commands if program is not None else ()

    @property
    def paths(self) -> tuple[PathRef, ...]:
        """Every path that the call names, with what it does there."""
        return self._project("paths", lambda p: p.paths(self), ())

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The changes of files that the call asks for."""
        return self._project("edits", lambda p: p.edits(self), ())

    @property
    def content(self) -> str:
        """The text that the call would write or send."""
        return self._project("content", lambda p: p.content(self), "")

    @property
    def urls(self) -> tuple[str, ...]:
        """Every URL that the call names."""
        return self._project("urls", lambda p: p.urls(self), ())

    @property
    def url(self) -> str:
        """The first URL that the call names, else empty."""
        return self.urls[0] if self.urls else ""

    def _project(self, name: str, compute: Callable[[Projections], T], empty: T) -> T:
        if name not in self._cache:
            if self.projections is None:
                return empty
            self._cache[name] = compute(self.projections)
        return cast("T", self._cache[name])


def synthesized_call_id(
    session_id: str, turn_id: str, tool: str, tool_input: Mapping[str, object]
) -> str:
    """Return the id of a call whose harness sends none.

    It depends on nothing but its arguments, and not on the order of keys, so the
    event before a call and the event after it get the same id.
    """
    text = json.dumps(
        [session_id, turn_id, tool, tool_input], sort_keys=True, ensure_ascii=True
    )
    return "call_" + hashlib.sha256(text.encode()).hexdigest()[:16]
