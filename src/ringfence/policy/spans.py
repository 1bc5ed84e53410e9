"""Finding stretches of text inside a value of any shape."""

from __future__ import annotations

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


def find(
    value: object, patterns: Iterable[str | Redaction], label: str = "redacted"
) -> frozenset[Span]:
    """Return the stretches of strings inside a value that the patterns cover.

    A pattern is a regex, whose matches are labelled ``label``, or a
    :class:`Redaction` with a label of its own. What is a placeholder already is left
    alone, so that looking at a redacted value again finds nothing new.
    """
    wanted = [
        Redaction(label, pattern=pattern) if isinstance(pattern, str) else pattern
        for pattern in patterns
    ]
    return frozenset(
        span
        for path, text in string_leaves(value)
        if text
        for redaction in wanted
        for span in _in_leaf(redaction, path, text)
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
