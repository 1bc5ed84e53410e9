"""What came of a run, and how to read it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from ringfence.errors import RingfenceError
from ringfence.lab.agents import Installed
from ringfence.lab.model import recording
from ringfence.lab.model.protocol import ToolResult
from ringfence.lab.model.recording import Request
from ringfence.lab.probing import HookCall

FINAL_TYPES = ("result", "turn.completed", "turn.failed")


class RunError(RingfenceError):
    """A run cannot be set up, or it did not get as far as it had to."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a scenario."""

    agent: Installed
    exit: int | None
    """The exit code; ``None`` where the timeout ended the run."""
    stdout: str
    stderr: str
    seconds: float
    isolated: bool
    """Whether the agent ran without any network but the model."""
    requests: tuple[Request, ...]
    hooks: tuple[HookCall, ...]
    files: Mapping[str, str]
    """Files of the project that are new or changed since the start, as text."""

    @property
    def events(self) -> tuple[Mapping[str, object], ...]:
        """The JSON objects that the agent printed, one a line."""
        found: list[Mapping[str, object]] = []
        for line in self.stdout.splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
        return tuple(found)

    @property
    def final(self) -> Mapping[str, object]:
        """The event in which the agent sums up the run; empty if it never did."""
        ends = [each for each in self.events if each.get("type") in FINAL_TYPES]
        return ends[-1] if ends else {}

    @property
    def turns(self) -> tuple[Request, ...]:
        """The requests that took a turn of the main track."""
        return recording.turns(self.requests)

    @property
    def results(self) -> Mapping[str, ToolResult]:
        """Each tool result as the model saw it first, by the call's id."""
        return recording.results_by_id(self.requests)

    @property
    def foreign_requests(self) -> tuple[Request, ...]:
        """Requests for anything but the scripted model: attempts to get out."""
        return recording.foreign(self.requests)

    def texts(self, role: str | None = None) -> tuple[str, ...]:
        """Return the distinct texts that the model saw, of one role or all."""
        return recording.texts(self.requests, role)

    def hooks_of(self, event: str) -> tuple[HookCall, ...]:
        """Return the recorded hook calls of one native event."""
        return tuple(call for call in self.hooks if call.event == event)
