"""What the scripted model was asked: every request, and how to read them."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ringfence.lab.model.protocol import Shown, ToolResult
from ringfence.lab.model.script import MAIN

SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "x-api-key", "x-goog-api-key", "cookie"}
)
MASK = "(masked)"


class RequestKind(StrEnum):
    """What a request was to the scripted model."""

    TURN = "turn"
    """A model request that took a turn of the script."""
    SIDE = "side"
    """A model request without tools (a title, a summary): it takes no turn."""
    UTILITY = "utility"
    """Something that needs no model: counting tokens, listing models."""
    FOREIGN = "foreign"
    """Anything else, above all what was meant for another host."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request as it came; the values of secret headers are masked."""

    kind: RequestKind
    method: str
    path: str
    headers: Mapping[str, str]
    body: object
    at: float
    protocol: str = ""
    shown: Shown = field(default_factory=Shown)
    track: str = ""
    index: int = -1


class Recording:
    """The requests of a run, in order; safe to use from several threads."""

    def __init__(self) -> None:
        """Begin with nothing recorded."""
        self._requests: list[Request] = []
        self._lock = threading.Lock()

    def add(self, request: Request) -> None:
        """Record one request."""
        with self._lock:
            self._requests.append(request)

    def requests(self) -> tuple[Request, ...]:
        """Return what was recorded so far."""
        with self._lock:
            return tuple(self._requests)


def masked(headers: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return headers with the values of those that carry secrets masked."""
    return {
        name: MASK if name.lower() in SECRET_HEADERS else value
        for name, value in headers
    }


def turns(requests: Iterable[Request], track: str = MAIN) -> tuple[Request, ...]:
    """Return the requests that took a turn of this track."""
    return tuple(
        each
        for each in requests
        if each.kind is RequestKind.TURN and each.track == track
    )


def foreign(requests: Iterable[Request]) -> tuple[Request, ...]:
    """Return the requests that no scripted model should ever get."""
    return tuple(each for each in requests if each.kind is RequestKind.FOREIGN)


def results_by_id(requests: Iterable[Request]) -> dict[str, ToolResult]:
    """Return each tool result as the model saw it first, by the call's id."""
    found: dict[str, ToolResult] = {}
    for request in requests:
        for result in request.shown.results:
            found.setdefault(result.id, result)
    return found


def texts(requests: Iterable[Request], role: str | None = None) -> tuple[str, ...]:
    """Return the distinct texts that the model saw, in order of appearance."""
    found: dict[str, None] = {}
    for request in requests:
        for each in request.shown.texts:
            if role in (None, each.role):
                found.setdefault(each.text)
    return tuple(found)
