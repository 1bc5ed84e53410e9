"""Decodes the near-Claude JSON that several harnesses speak."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeVar

from ringfence.calls import MCPTool, ToolCall, synthesized_call_id
from ringfence.capabilities import Capabilities, Capability, Support
from ringfence.errors import DecodeError
from ringfence.events import (
    EVENT_TYPES,
    AfterTool,
    Agent,
    BeforeTool,
    Compact,
    Event,
    EventKind,
    FileEdited,
    Notification,
    Prompt,
    PromptSource,
    Session,
    SessionChange,
    Stop,
)
from ringfence.harnesses._dialects.payload import read_object, read_tool_input
from ringfence.harnesses.base import Context
from ringfence.harnesses.facts import EventFact, Facts, ToolFact
from ringfence.harnesses.quirks import mitigated

T = TypeVar("T", str, bool)

UNKNOWN_GATE = EventFact("", EventKind.TOOL_PRE, answer="exit", closed="deny")
"""What an event that nobody knows is, where it carries a tool call."""


class Reader:
    """Reads fields of a payload; what has a wrong type is noted and left out."""

    def __init__(self, native: Mapping[str, object]) -> None:
        self.native = native
        self.oddities: list[str] = []

    def text(self, key: str) -> str:
        """Return a text, empty where there is none."""
        return self._typed(key, str, "")

    def flag(self, key: str) -> bool:
        """Return a truth value, false where there is none."""
        return self._typed(key, bool, False)

    def seconds(self, key: str) -> float | None:
        """Return milliseconds as seconds."""
        value = self.native.get(key)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            with suppress(OverflowError):
                return value / 1000
        if value is not None:
            self.oddities.append(key)
        return None

    def needed(self, key: str) -> str:
        """Return a text that the answer depends on, or raise DecodeError."""
        value = self.native.get(key)
        if not isinstance(value, str) or not value:
            what = "is missing" if value in (None, "") else "is no text"
            raise DecodeError(f"{key} {what}")
        return value

    def _typed(self, key: str, wanted: type[T], default: T) -> T:
        value = self.native.get(key)
        if value is None:
            return default
        if not isinstance(value, wanted):
            self.oddities.append(key)
            return default
        return value


def event_name(native: Mapping[str, object], context: Context) -> str:
    """Return the native event's name: the payload's own, else the one told.

    Raises :class:`DecodeError` where there is none that can be used.
    """
    name = native.get("hook_event_name")
    if isinstance(name, str) and name:
        return name
    if context.event_name:
        return context.event_name
    raise DecodeError("hook_event_name is missing or no text")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a harness's own environment says of it, where it says anything."""

    version: str = ""
    variant: str = ""
    attended: bool | None = None


def decode(
    payload: bytes, context: Context, facts: Facts, around: Surroundings
) -> Event:
    """Read a payload into an event; see :meth:`ringfence.harnesses.base.Codec.decode`.

    What the surroundings say goes before what the context remembers.
    """
    native = read_object(payload)
    name = event_name(native, context)
    try:
        return _event(payload, native, name, context, facts, around)
    except DecodeError as error:
        raise DecodeError(error.what, event_name=name) from None
    except RecursionError:
        # Something may be shallow enough to be read and too deep to be written.
        what = "the payload is nested too deeply"
        raise DecodeError(what, event_name=name) from None


def _event(
    payload: bytes,
    native: Mapping[str, object],
    name: str,
    context: Context,
    facts: Facts,
    around: Surroundings,
) -> Event:
    reader = Reader(native)
    fact = facts.events.get(name) or _unknown(name, native)
    session = _session(reader, facts, around.attended)
    version = around.version or context.version
    fields = _fields(reader, fact, facts, session)
    if fact.answer == "exit":
        honours = Capabilities(fact.kind, {Capability.DENY: Support.YES}, True)
    else:
        honours = facts.capabilities(
            name,
            version=version,
            mode=session.permission_mode,
            attended=around.attended,
        )
    agent_id = reader.text(facts.agent_fields["id"])
    agent_type = reader.text(facts.agent_fields["type"])
    build: Callable[..., Event] = EVENT_TYPES[fact.kind]
    return build(
        harness=facts.harness,
        native_name=name,
        kind=fact.kind,
        raw=payload,
        native=native,
        session=session,
        agent=Agent(agent_id, agent_type) if agent_id else None,
        time=context.received_at,
        variant=around.variant,
        version=version,
        confidence=context.confidence,
        oddities=tuple(reader.oddities),
        honours=honours,
        **fields,
    )


def _unknown(name: str, native: Mapping[str, object]) -> EventFact:
    """Return what an unknown event is: a gate if it is about a call to come."""
    finished = "tool_response" in native or "error" in native
    if "tool_name" in native and "tool_input" in native and not finished:
        return UNKNOWN_GATE
    return EventFact(name, EventKind.OTHER, answer="observe", closed="none")


def _session(reader: Reader, facts: Facts, attended: bool | None) -> Session:
    texts = {own: reader.text(key) for own, key in facts.session_fields.items()}
    cwd = texts.get("cwd", "")
    return Session(**texts, workspace_roots=(cwd,) if cwd else (), attended=attended)


def _fields(
    reader: Reader, fact: EventFact, facts: Facts, session: Session
) -> dict[str, object]:
    """Read what events of this kind have beyond the envelope."""
    kind = EVENT_TYPES[fact.kind]
    if kind is BeforeTool:
        return {"tool": _tool(reader, facts, session)}
    if kind is AfterTool:
        return _result(reader, fact, facts, session)
    if kind is Prompt:
        return _prompt(reader)
    if kind is Stop:
        return {
            "previously_continued": reader.flag("stop_hook_active"),
            "final_message": reader.text("last_assistant_message"),
        }
    if kind is SessionChange:
        return {"reason": reader.text("source") or reader.text("reason")}
    if kind is Compact:
        return {
            "trigger": reader.text("trigger"),
            "instructions": reader.text("custom_instructions"),
        }
    if kind is Notification:
        return {"message": reader.text("message")}
    if kind is FileEdited:
        return {"path": reader.text("file_path")}
    return {}


def _tool(reader: Reader, facts: Facts, session: Session) -> ToolCall:
    name = reader.needed("tool_name")
    raw_input = reader.native.get("tool_input")
    tool_input = read_tool_input(raw_input)
    _check_needs(tool_input, facts.tools.get(name))
    call_id = reader.text("tool_use_id")
    synthesized = not call_id and mitigated("call-without-id")
    if synthesized:
        call_id = synthesized_call_id(session.id, session.turn_id, name, tool_input)
    return ToolCall(
        name,
        facts.tool_class(name),
        tool_input,
        id=call_id,
        synthesized=synthesized,
        mcp=mcp_tool(name),
        raw_input=raw_input,
        cwd=session.cwd,
    )


def _check_needs(tool_input: Mapping[str, object], fact: ToolFact | None) -> None:
    """Hold a call to the keys that it can't be judged without.

    A list of texts stands for a text: some harnesses send a command word by word.
    """
    for key in fact.needs if fact is not None else ():
        value = tool_input.get(key)
        words = [value]
        if isinstance(value, list) and mitigated("command-as-list"):
            words = value
        if not words or not all(isinstance(word, str) for word in words):
            raise DecodeError(f"tool_input.{key} is missing or no text")


def mcp_tool(name: str) -> MCPTool | None:
    """Take ``mcp__SERVER__TOOL`` apart; ``None`` for a name that isn't one."""
    if not name.startswith("mcp__"):
        return None
    server, found, tool = name.removeprefix("mcp__").partition("__")
    return MCPTool(server, tool) if found else MCPTool("", server)


def _result(
    reader: Reader, fact: EventFact, facts: Facts, session: Session
) -> dict[str, object]:
    if fact.output not in reader.native:
        raise DecodeError(f"{fact.output} is missing")
    return {
        "tool": _tool(reader, facts, session),
        "output": reader.native[fact.output],
        "error": reader.text("error"),
        "duration": reader.seconds("duration_ms"),
    }


def _prompt(reader: Reader) -> dict[str, object]:
    prompt = reader.native.get("prompt")
    if not isinstance(prompt, str):
        raise DecodeError("prompt is missing or no text")
    notified = prompt.lstrip().startswith("<task-notification>")
    source = PromptSource.PERSON
    if notified and mitigated("claude-code-task-notification"):
        source = PromptSource.TASK_NOTIFICATION
    return {"prompt": prompt, "source": source}
