"""Rewrites shell text into the part of bash that the grammar reads right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class NormalizeError(ValueError):
    """The text can't be rewritten; the message says why."""


@dataclass(frozen=True, slots=True)
class Operator:
    """A redirection operator that the grammar sees in a simpler form."""

    operator: str
    fd: str = ""


@dataclass(frozen=True, slots=True)
class Normalized:
    """The rewritten text, with what was taken out of it by byte offset."""

    text: bytes
    operators: Mapping[int, Operator] = field(default_factory=dict)
    timed: frozenset[int] = frozenset()


def normalize(text: str) -> Normalized:
    """Return ``text`` in a form that the grammar reads as bash reads ``text``."""
    return Normalized(text.encode("utf-8", "replace"))
