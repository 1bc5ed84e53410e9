"""What a wire format has to provide to be spoken by the scripted model.

One format, one file: read what a request shows the model, write a turn as an
answer. To add a format, write a :class:`Protocol` and put it into
``server.PROTOCOLS``.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ringfence.lab.model.script import Turn


@dataclass(frozen=True, slots=True)
class Text:
    """A text in a request; the role is the format's own (user, developer …)."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """A tool's result as the model saw it.

    ``text`` is all its text, ``content`` the value as it came; ``is_error`` is
    ``None`` where the wire format has no such field.
    """

    id: str
    text: str
    content: object
    is_error: bool | None = None


@dataclass(frozen=True, slots=True)
class Shown:
    """What a request shows to the model, oldest first."""

    texts: tuple[Text, ...] = ()
    results: tuple[ToolResult, ...] = ()
    tools: tuple[str, ...] = ()

    def everything(self) -> str:
        """Return all texts and results in one string, for searching."""
        parts = [each.text for each in self.texts]
        return "\n".join([*parts, *(each.text for each in self.results)])


@dataclass(frozen=True, slots=True)
class Asked:
    """A model request: the path without its query, the query, the parsed body."""

    path: str
    query: str
    body: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP answer; a stream is sent chunk by chunk and ends the connection."""

    chunks: Iterable[bytes]
    status: int = 200
    content_type: str = "application/json"

    @classmethod
    def json(cls, value: object, status: int = 200) -> Reply:
        """Return a reply with one JSON document."""
        return cls([json.dumps(value).encode()], status)

    @classmethod
    def events(cls, events: Iterable[tuple[str, Mapping[str, object]]]) -> Reply:
        """Return a stream of server-sent events."""
        return cls(
            (
                f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()
                for name, data in events
            ),
            content_type="text/event-stream",
        )

    @property
    def streams(self) -> bool:
        """Whether the chunks are a stream of events."""
        return self.content_type == "text/event-stream"


class Protocol(typing.Protocol):
    """One wire format. Paths come without their query."""

    name: str

    def is_model_request(self, method: str, path: str) -> bool:
        """Tell whether this request asks the model to speak."""
        ...

    def utility(self, method: str, path: str) -> Reply | None:
        """Answer a request of this format that needs no model, or ``None``."""
        ...

    def read(self, asked: Asked) -> Shown:
        """Return what the request shows to the model."""
        ...

    def write(self, asked: Asked, turn: Turn) -> Reply:
        """Return the turn as an answer to this request."""
        ...

    def error(self, status: int) -> Reply:
        """Return an error answer in this format."""
        ...


def items(value: object) -> list[Mapping[str, object]]:
    """Return the objects in a JSON list; nothing where it is not a list."""
    if not isinstance(value, list):
        return []
    return [item for item in value if isinstance(item, Mapping)]


def flat_text(content: object) -> str:
    """Return all text in a message's or result's content, one block a line."""
    if isinstance(content, str):
        return content
    return "\n".join(str(block["text"]) for block in items(content) if "text" in block)
