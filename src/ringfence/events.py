"""What an agent is about to do or has done, in one shape for every harness.

An :class:`Event` is a projection over the native payload and never replaces it:
``raw`` holds the bytes as they came, ``native`` the parsed object with every key
that we do not know. No I/O happens here and no harness is named here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from ringfence.calls import ToolCall

if TYPE_CHECKING:
    from ringfence.capabilities import Capability
    from ringfence.decisions import Decision


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
