"""The lab's side of the probe: which hooks to register, what they answer.

``probe.py`` is the program that the agent runs; this is what a scenario says about
it and how to read what it recorded.
"""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = Path(__file__).with_name("probe.py")

Answer = Mapping[str, object]
"""What a probe answers: an object with the keys that ``probe.py`` lists."""


def deny(reason: str) -> Answer:
    """Return the answer that refuses a tool call, in the form both agents take."""
    return {
        "json": {
            "hookSpecificOutput": {
                "hookEventName": "PreToolUse",
                "permissionDecision": "deny",
                "permissionDecisionReason": reason,
            }
        }
    }


@dataclass(frozen=True, slots=True)
class Probe:
    """A recording hook on one event.

    ``name`` tells several probes on one event apart and is the event by default;
    without a ``matcher`` the hook has none. ``answer`` is given to each call, or
    one after the other where it is a list; ``by_call`` has answers for single
    calls, by tool use id. ``options`` are further keys of the hook's entry, such
    as ``timeout``.
    """

    event: str
    answer: Answer | Sequence[Answer] = field(default_factory=dict)
    by_call: Mapping[str, Answer] = field(default_factory=dict)
    matcher: str | None = None
    name: str = ""
    options: Mapping[str, object] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The name that this probe records under."""
        return self.name or self.event


@dataclass(frozen=True, slots=True)
class HookCall:
    """One call of a probe: the payload as it came and what was around it."""

    name: str
    at: float
    raw: str
    environment: tuple[str, ...]
    argv: tuple[str, ...]
    cwd: str

    @property
    def payload(self) -> Mapping[str, object]:
        """The payload; raises ``ValueError`` if it is not one JSON object."""
        value = json.loads(self.raw)
        if not isinstance(value, dict):
            raise ValueError("the payload of a hook call is not a JSON object")  # noqa: TRY004
        return value

    @property
    def event(self) -> str:
        """The native event name that the payload carries."""
        return str(self.payload.get("hook_event_name", ""))

    @property
    def call_id(self) -> str:
        """The id of the tool call that the payload is about, or nothing."""
        return str(self.payload.get("tool_use_id", ""))


def write_answers(folder: Path, probes: Iterable[Probe]) -> None:
    """Prepare the folder that these probes answer from and record into, afresh."""
    answers: dict[str, object] = {}
    for probe in probes:
        answers[probe.label] = probe.answer
        for call_id, answer in probe.by_call.items():
            answers[f"{probe.label}@{call_id}"] = answer
    shutil.rmtree(folder / "calls", ignore_errors=True)
    (folder / "calls").mkdir(parents=True)
    (folder / "answers.json").write_text(json.dumps(answers), encoding="utf-8")


def command(folder: Path, probe: Probe) -> str:
    """Return the shell command that runs this probe."""
    parts = [sys.executable, "-I", "-S", str(PROGRAM), str(folder), probe.label]
    return shlex.join(parts)


def hook_groups(folder: Path, probes: Iterable[Probe]) -> dict[str, list[object]]:
    """Return the hooks by event, in the form that Claude Code and Codex share."""
    events: dict[str, list[object]] = {}
    for probe in probes:
        hook = {"type": "command", "command": command(folder, probe), **probe.options}
        group: dict[str, object] = {"hooks": [hook]}
        if probe.matcher is not None:
            group["matcher"] = probe.matcher
        events.setdefault(probe.event, []).append(group)
    return events


def recorded(folder: Path) -> tuple[HookCall, ...]:
    """Return all recorded calls in the order in which they began."""
    calls: list[HookCall] = []
    for path in (folder / "calls").glob("*.json"):
        entry = json.loads(path.read_text(encoding="utf-8"))
        entry["environment"] = tuple(entry["environment"])
        entry["argv"] = tuple(entry["argv"])
        calls.append(HookCall(**entry))
    return tuple(sorted(calls, key=lambda call: call.at))
