"""What an agent is about to do or has done, in one shape for every harness.

An :class:`Event` is a projection over the native payload and never replaces it:
``raw`` holds the bytes as they came, ``native`` the parsed object with every key
that we do not know. No I/O happens here and no harness is named here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeVar, cast

if TYPE_CHECKING:
    from ringfence.capabilities import Capability
    from ringfence.decisions import Decision

T = TypeVar("T")


class EventKind(StrEnum):
    """The kinds of event that every harness is mapped onto."""

    SESSION_START = "session.start"
    SESSION_END = "session.end"
    PROMPT = "prompt.submitted"
    TOOL_PRE = "tool.pre"
    TOOL_POST = "tool.post"
    TOOL_ERROR = "tool.error"
    PERMISSION = "permission.request"
    STOP = "agent.stop"
    SUBAGENT_START = "subagent.start"
    SUBAGENT_STOP = "subagent.stop"
    COMPACT_PRE = "compact.pre"
    COMPACT_POST = "compact.post"
    NOTIFICATION = "notification"
    FILE_EDITED = "file.edited"
    MODEL_REQUEST = "model.request"
    MODEL_RESPONSE = "model.response"
    OTHER = "other"


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


class Confidence(StrEnum):
    """How the harness of a payload was found out, strongest first."""

    FLAG = "flag"
    SHAPE = "shape"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Session:
    """The conversation an event belongs to; empty where a harness says nothing.

    ``attended`` tells whether a person can answer a question: ``None`` where the
    harness does not say.
    """

    id: str = ""
    turn_id: str = ""
    cwd: str = ""
    workspace_roots: tuple[str, ...] = ()
    transcript_path: str = ""
    model: str = ""
    permission_mode: str = ""
    user: str = ""
    attended: bool | None = None


@dataclass(frozen=True, slots=True)
class Agent:
    """The subagent in which an event happened."""

    id: str
    type: str = ""


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


# -- events -------------------------------------------------------------------


class Honours(Protocol):
    """What a harness honours at one event; see :mod:`ringfence.capabilities`."""

    def can(self, wanted: Capability | Decision) -> bool:
        """Tell whether the wanted thing reaches the harness unchanged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """The envelope that every event shares; of kind ``other`` it is all there is.

    ``raw`` is byte-identical to what came in and ``native`` the object it holds.
    ``version`` is the harness's version, empty where unknown. ``oddities`` names the
    payload's keys whose values had a wrong type and were left out. ``ext`` is yours:
    Ringfence never reads or writes it.
    """

    harness: str
    native_name: str
    kind: EventKind
    raw: bytes
    native: Mapping[str, object] = field(default_factory=dict)
    session: Session = Session()
    agent: Agent | None = None
    time: float = 0.0
    variant: str = ""
    version: str = ""
    confidence: Confidence = Confidence.FLAG
    backfilled: bool = False
    oddities: tuple[str, ...] = ()
    honours: Honours | None = field(default=None, repr=False, compare=False)
    ext: dict[str, object] = field(default_factory=dict, compare=False)

    def can(self, wanted: Capability | Decision) -> bool:
        """Tell whether the harness will honour a decision here, exactly as made.

        Takes a decision, or a capability for the plainest decision that needs it.
        False for an event that reached Ringfence over no wire.
        """
        return self.honours is not None and self.honours.can(wanted)

    def lookup(self, path: str, default: object = None) -> object:
        """Return the payload's value at a dotted path, such as ``a.b.0``."""
        value: object = self.native
        for part in path.split("."):
            if isinstance(value, Mapping) and part in value:
                value = value[part]
            elif (
                isinstance(value, list) and part.isdecimal() and int(part) < len(value)
            ):
                value = value[int(part)]
            else:
                return default
        return value


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolEvent(Event):
    """An event about one tool call."""

    tool: ToolCall

    def with_input(self, tool_input: Mapping[str, object]) -> ToolEvent:
        """Return the event with another normalized input; raw stays as it was."""
        return replace(self, tool=self.tool.with_input(tool_input))


@dataclass(frozen=True, slots=True, kw_only=True)
class BeforeTool(ToolEvent):
    """A call that has not run: ``tool.pre`` and ``permission.request``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AfterTool(ToolEvent):
    """A call that ran: ``tool.post`` and ``tool.error``.

    ``output`` is the result in the harness's own shape, ``error`` the error text
    of a failed call, ``duration`` seconds where the harness says. Harnesses show the
    input that ran; ``original_input`` is what the model asked for, where Ringfence
    rewrote it.
    """

    output: object = None
    original_input: Mapping[str, object] | None = None
    error: str = ""
    duration: float | None = None


class PromptSource(StrEnum):
    """Who wrote a prompt."""

    PERSON = "person"
    TASK_NOTIFICATION = "task-notification"


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt(Event):
    """A text on its way to the model as the user's turn."""

    prompt: str = ""
    source: PromptSource = PromptSource.PERSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop(Event):
    """The agent, or a subagent, is about to finish.

    ``previously_continued`` is the harness's own word; ``continuations`` counts
    what Ringfence made it go on in this session (filled in by the edge).
    """

    previously_continued: bool = False
    continuations: int = 0
    final_message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionChange(Event):
    """A session starts or ends; ``reason`` is the harness's word for why."""

    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compact(Event):
    """The conversation is about to be, or was, summarized."""

    trigger: str = ""
    instructions: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification(Event):
    """The harness tells the person something."""

    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdited(Event):
    """A file changed, reported after the fact."""

    path: str = ""


EVENT_TYPES: Mapping[EventKind, type[Event]] = {
    EventKind.SESSION_START: SessionChange,
    EventKind.SESSION_END: SessionChange,
    EventKind.PROMPT: Prompt,
    EventKind.TOOL_PRE: BeforeTool,
    EventKind.TOOL_POST: AfterTool,
    EventKind.TOOL_ERROR: AfterTool,
    EventKind.PERMISSION: BeforeTool,
    EventKind.STOP: Stop,
    EventKind.SUBAGENT_START: Event,
    EventKind.SUBAGENT_STOP: Stop,
    EventKind.COMPACT_PRE: Compact,
    EventKind.COMPACT_POST: Compact,
    EventKind.NOTIFICATION: Notification,
    EventKind.FILE_EDITED: FileEdited,
    EventKind.MODEL_REQUEST: Event,
    EventKind.MODEL_RESPONSE: Event,
    EventKind.OTHER: Event,
}
