"""Rewritten shell text: pieces that are put together when all of them are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class NormalizeError(ValueError):
    """The text can't be rewritten; the message says why."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A redirection as it was written, where the grammar sees a simpler one."""

    operator: str
    fd: str = ""


@dataclass(frozen=True, slots=True)
class Normalized:
    """The rewritten text; the marks in it by byte offset."""

    text: bytes
    operators: Mapping[int, Operator] = field(default_factory=dict)
    timed: frozenset[int] = frozenset()


class Out(list["str | Out | Operator | None"]):
    """Text in pieces; an operator marks the next one, ``None`` a timed command.

    A here-document's text is known only at the end of its line, so a piece may be
    filled in later, and offsets are counted when all is there.
    """


def flatten(out: Out) -> Normalized:
    """Put the pieces together and turn marks into byte offsets."""
    pieces: list[str] = []
    operators: dict[int, Operator] = {}
    timed: set[int] = set()
    offset = 0
    stack = [iter(out)]
    while stack:
        for piece in stack[-1]:
            if isinstance(piece, str):
                pieces.append(piece)
                offset += len(piece)
            elif isinstance(piece, Out):
                stack.append(iter(piece))
                break
            elif piece is None:
                timed.add(offset)
            else:
                operators[offset] = piece
        else:
            stack.pop()
    text = "".join(pieces).encode("latin-1")
    return Normalized(text, operators, frozenset(timed))
