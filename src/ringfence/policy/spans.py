"""Finding stretches of text inside a value of any shape."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping

from ringfence.decisions import Span
from ringfence.policy.patterns import fullmatch, glob_matches, matches
from ringfence.policy.plan import Redaction


def string_leaves(value: object) -> Iterator[tuple[tuple[str, ...], str]]:
    """Return every string inside a value with the path that leads to it.

    Keys and indexes are written as strings; the path of a value that is a string
    itself is empty. Keys of mappings are no leaves.
    """
    waiting: list[tuple[tuple[str, ...], object]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, str):
            yield path, item
        elif isinstance(item, Mapping):
            waiting += [((*path, str(key)), item[key]) for key in reversed(list(item))]
        elif isinstance(item, (list, tuple)):
            waiting += [
                ((*path, str(index)), item[index])
                for index in range(len(item) - 1, -1, -1)
            ]


class Covered:
    """The stretches that are covered already, so that the first label stays."""

    def __init__(self) -> None:
        self._by_path: dict[tuple[str, ...], list[tuple[int, int]]] = {}

    def take(self, span: Span) -> bool:
        """Cover a span; tell whether any of it was still bare."""
        known = self._by_path.setdefault(span.path, [])
        first = bisect_left(known, (span.start, span.start))
        if first and known[first - 1][1] >= span.start:
            first -= 1
        last = first
        start, end = span.start, span.end
        while last < len(known) and known[last][0] <= end:
            if known[last][0] <= span.start and span.end <= known[last][1]:
                return False
            start, end = min(start, known[last][0]), max(end, known[last][1])
            last += 1
        known[first:last] = [(start, end)]
        return True


def find(
    value: object,
    patterns: Iterable[str | Redaction],
    label: str = "redacted",
    *,
    covered: Covered | None = None,
) -> frozenset[Span]:
    """Return the stretches of strings inside a value that the patterns cover.

    A pattern is a regex, whose matches are labelled ``label``, or a
    :class:`Redaction` with a label of its own. What an earlier pattern, or
    ``covered``, holds already is not returned again. What is a placeholder already
    is left alone, so that looking at a redacted value again finds nothing new.
    """
    wanted = [
        Redaction(label, pattern=pattern) if isinstance(pattern, str) else pattern
        for pattern in patterns
    ]
    held = Covered() if covered is None else covered
    return frozenset(
        span
        for path, text in string_leaves(value)
        if text
        for redaction in wanted
        for span in _in_leaf(redaction, path, text)
        if held.take(span)
    )


# What `ringfence.content.redaction` writes in place of what it covers.
PLACEHOLDER = r"\[redacted[a-zA-Z0-9_.:-]*\]"
_PLACEHOLDER_START = "[redacted"


def _in_leaf(redaction: Redaction, path: tuple[str, ...], text: str) -> Iterator[Span]:
    held = list(matches(PLACEHOLDER, text)) if _PLACEHOLDER_START in text else []
    for start, end in _stretches(redaction, path, text):
        if any(first <= start and end <= last for first, last in held):
            continue
        covered = text[start:end]
        if not any(fullmatch(regex, covered) for regex in redaction.unless):
            yield Span(path, start, end, redaction.label)


def _stretches(
    redaction: Redaction, path: tuple[str, ...], text: str
) -> Iterator[tuple[int, int]]:
    if redaction.pattern:
        yield from matches(redaction.pattern, text)
    keys = [part for part in path[-1:] if not part.isdecimal()]
    if any(glob_matches(glob, key.lower()) for glob in redaction.keys for key in keys):
        yield 0, len(text)
