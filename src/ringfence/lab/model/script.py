"""What the scripted model says: turns, tool calls, and who gets which turns.

A script is data and never changes; a :class:`Player` walks through one. A script
has a main track and any number of side tracks. A side track answers the requests
in which a user's text contains its ``when``: that is how the conversation of a
subagent gets turns of its own.
"""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

MAIN = "main"
EXHAUSTED = "(the script has no more turns)"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call that the model makes.

    ``raw`` is the text of a free-form call and takes the place of ``input``;
    ``namespace`` is Codex's group of a tool; without an ``id`` one is made up.
    """

    name: str
    input: Mapping[str, object] = field(default_factory=dict)
    id: str = ""
    raw: str | None = None
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer of the model: text, then tool calls, all in parallel.

    ``status`` other than 0 answers with that HTTP status and an error body;
    ``delay`` waits that many seconds first; ``usage`` overrides token counts
    (``input_tokens``, ``output_tokens``). ``captures`` maps a name to a regular
    expression over what the request shows (texts and tool results): group 1 of its
    last match takes the place of ``{{name}}`` in the calls and the text, as a
    number where a string holds nothing else and the match is all digits.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Mapping[str, int] = field(default_factory=dict)
    status: int = 0
    delay: float = 0.0
    captures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Track:
    """Turns for the requests whose user texts contain ``when``."""

    name: str
    when: str
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Script:
    """Everything the model will say in one run."""

    turns: tuple[Turn, ...] = ()
    tracks: tuple[Track, ...] = ()

    @classmethod
    def of(cls, *turns: Turn, tracks: Sequence[Track] = ()) -> Script:
        """Build a script from the turns of its main track, in order."""
        return cls(turns, tuple(tracks))

    def replaced(self, change: Callable[[object], object]) -> Script:
        """Return the script with ``change`` applied to texts, inputs and raws."""

        def turned(turns: Sequence[Turn]) -> tuple[Turn, ...]:
            return tuple(changed(turn, change) for turn in turns)

        return Script(
            turned(self.turns),
            tuple(replace(track, turns=turned(track.turns)) for track in self.tracks),
        )


def say(text: str) -> Turn:
    """Return a turn that only says something; it ends the agent's work."""
    return Turn(text=text)


def use(*calls: ToolCall, text: str = "") -> Turn:
    """Return a turn that makes these calls in parallel, after saying something."""
    return Turn(text=text, calls=calls)


def changed(turn: Turn, change: Callable[[object], object]) -> Turn:
    """Return the turn with ``change`` applied to all that an agent gets to see."""

    def call(old: ToolCall) -> ToolCall:
        values = {key: change(value) for key, value in old.input.items()}
        raw = None if old.raw is None else str(change(old.raw))
        return replace(old, input=values, raw=raw)

    return replace(
        turn,
        text=str(change(turn.text)),
        calls=tuple(call(each) for each in turn.calls),
    )


def map_strings(value: object, change: Callable[[str], object]) -> object:
    """Apply ``change`` to each string inside a JSON value (keys stay)."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: map_strings(item, change) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [map_strings(item, change) for item in value]
    return value


def with_captures(turn: Turn, shown: str) -> Turn:
    """Fill the turn's ``{{name}}`` places from what the request shows."""
    found: dict[str, str] = {}
    for name, pattern in turn.captures.items():
        matches = list(re.finditer(pattern, shown))
        found[name] = matches[-1].group(1) if matches else ""

    def fill(text: str) -> object:
        for name, value in found.items():
            place = "{{" + name + "}}"
            if text == place and value.isdigit():
                return int(value)
            text = text.replace(place, value)
        return text

    return changed(turn, lambda value: map_strings(value, fill)) if found else turn


def new_id(prefix: str) -> str:
    """Return a fresh identifier."""
    return f"{prefix}_{uuid.uuid4().hex[:24]}"


@dataclass(frozen=True, slots=True)
class Played:
    """A turn that was taken: from which track, and as which one."""

    turn: Turn
    track: str
    index: int


class Player:
    """Walks through a script; safe to use from several threads."""

    def __init__(self, script: Script) -> None:
        """Start at the first turn of each track."""
        self._script = script
        self._positions: dict[str, int] = {}
        self._lock = threading.Lock()

    def has_track(self, user_texts: Sequence[str]) -> bool:
        """Tell whether a side track is meant for a request with these texts."""
        return self._track(user_texts) is not None

    def play(self, user_texts: Sequence[str], shown: str) -> Played:
        """Take the next turn of the track that is meant for this request."""
        track = self._track(user_texts)
        name = track.name if track else MAIN
        turns = track.turns if track else self._script.turns
        with self._lock:
            index = self._positions.get(name, 0)
            self._positions[name] = index + 1
        turn = turns[index] if index < len(turns) else say(EXHAUSTED)
        return Played(with_captures(turn, shown), name, index)

    def _track(self, user_texts: Sequence[str]) -> Track | None:
        for track in self._script.tracks:
            if any(track.when in text for text in user_texts):
                return track
        return None
