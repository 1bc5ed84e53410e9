"""Covering parts of a result and keeping its shape.

A harness drops a replacement that has not the shape of the tool's own result, and the
model then sees the original. So nothing here adds, removes or retypes anything: text
inside of strings is covered, and everything else stays what it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ringfence.decisions import UNSET, Result, Span, redact_spans
from ringfence.events import AfterTool
from ringfence.policy.matching import result_of
from ringfence.policy.spans import find, string_leaves

__all__ = ["apply", "find", "redact", "string_leaves"]

_PLAIN = "redacted"


def redact(
    event: AfterTool, pattern: str | Iterable[str], label: str = _PLAIN
) -> Result:
    r"""Return the decision that covers what a regex finds in a call's result.

    ``pattern`` is one RE2 regex or several; where one has a group named ``secret``,
    that group is what is covered. A result in which nothing is found passes as it is.
    """
    patterns = [pattern] if isinstance(pattern, str) else list(pattern)
    return redact_spans(find(result_of(event), patterns, label))


def apply(value: object, spans: Iterable[Span], replacement: object = UNSET) -> object:
    """Return a value with spans of its strings covered, its shape kept.

    Each distinct text gets a placeholder of its own, ``[redacted:LABEL-1]`` or, for
    the plain label, ``[redacted-1]``: the same text the same one, everywhere.
    Overlapping spans are covered as one. What of a span lies outside of a string is
    ignored. A string that holds a JSON document goes on holding one.

    With a ``replacement``, that is what is returned, with the texts that the spans
    cover in ``value`` covered wherever they stand in it.
    """
    stretches = _by_leaf(value, spans)
    names = _Placeholders()
    covered: dict[tuple[str, ...], str] = {}
    for path, text in string_leaves(value):
        if path in stretches:
            covered[path] = _cover(text, stretches[path], names)
    if replacement is UNSET:
        return _with_leaves(value, covered)
    return _hidden(replacement, names)


@dataclass(slots=True)
class _Placeholders:
    """Names each covered text, in the order they are met."""

    known: dict[tuple[str, str], str] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def name(self, label: str, text: str) -> str:
        if (label, text) not in self.known:
            count = self.counts[label] = self.counts.get(label, 0) + 1
            said = _PLAIN if label == _PLAIN else f"{_PLAIN}:{label}"
            self.known[label, text] = f"[{said}-{count}]"
        return self.known[label, text]


def _by_leaf(value: object, spans: Iterable[Span]) -> dict[tuple[str, ...], list[Span]]:
    """Return the spans of each string: cut to it, merged, in order."""
    by_path: dict[tuple[str, ...], list[Span]] = {}
    for span in spans:
        by_path.setdefault(span.path, []).append(span)
    merged = {}
    for path, text in string_leaves(value):
        cut = [
            replace(span, start=max(span.start, 0), end=min(span.end, len(text)))
            for span in by_path.get(path, ())
        ]
        whole = _merged([span for span in cut if span.start < span.end])
        if whole:
            merged[path] = whole
    return merged


def _merged(spans: list[Span]) -> list[Span]:
    """Join overlapping spans; the label of the longest one is theirs."""
    merged: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda one: (one.start, -one.end, one.label)):
        size = span.end - span.start
        if merged and span.start < merged[-1].end:
            last = merged[-1]
            label = span.label if size > longest else last.label
            merged[-1] = replace(last, end=max(last.end, span.end), label=label)
            longest = max(longest, size)
        else:
            merged.append(span)
            longest = size
    return merged


def _cover(text: str, spans: list[Span], names: _Placeholders) -> str:
    kind = _json_kind(text)
    if kind:
        plain = _spliced(
            text, spans, _Placeholders(names.known.copy(), names.counts.copy())
        )
        if not _json_kind(plain):
            return _cover_json(text, spans, names)
    return _spliced(text, spans, names)


def _spliced(text: str, spans: list[Span], names: _Placeholders) -> str:
    pieces, position = [], 0
    for span in spans:
        pieces.append(text[position : span.start])
        pieces.append(names.name(span.label, text[span.start : span.end]))
        position = span.end
    return "".join([*pieces, text[position:]])


# -- JSON inside a string -----------------------------------------------------

_TOKEN = re.compile(
    r'"(?P<inside>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s\[\]{},:"]+)', re.DOTALL
)
_PIECE = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|[^\\]", re.DOTALL)


def _json_kind(text: str) -> bool:
    """Tell whether a text is a JSON object or array."""
    if text.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _cover_json(text: str, spans: list[Span], names: _Placeholders) -> str:
    """Cover spans of a JSON document token by token, so that it stays one.

    Punctuation is left standing; a number or a word becomes a string.
    """
    pieces, position = [], 0
    for match in _TOKEN.finditer(text):
        touched = [
            span
            for span in spans
            if span.start < match.end() and match.start() < span.end
        ]
        if not touched:
            continue
        pieces.append(text[position : match.start()])
        if match["bare"] is not None:
            pieces.append(f'"{names.name(touched[0].label, match["bare"])}"')
        else:
            inside = match["inside"]
            cut = list(_inside(inside, match.start("inside"), touched))
            pieces.append(f'"{_spliced(inside, cut, names)}"')
        position = match.end()
    return "".join([*pieces, text[position:]])


def _inside(inside: str, offset: int, spans: Iterable[Span]) -> Iterator[Span]:
    """Return spans as they lie in a JSON string, never cutting an escape."""
    bounds = [match.span() for match in _PIECE.finditer(inside)]
    for span in spans:
        start, end = span.start - offset, span.end - offset
        held = [(first, last) for first, last in bounds if first < end and start < last]
        if held:
            yield replace(span, start=held[0][0], end=held[-1][1])


# -- rebuilding ---------------------------------------------------------------


def _with_leaves(value: object, leaves: Mapping[tuple[str, ...], str]) -> object:
    """Return a value with some of its strings exchanged; the rest is shared."""
    if () in leaves:
        return leaves[()]
    holder: list[object] = [value]
    fresh: set[int] = set()
    for path, text in leaves.items():
        container: object = holder
        key: object = 0
        for part in path:
            child = container[key]  # type: ignore[index]
            if id(child) not in fresh:
                child = _copied(child)
                fresh.add(id(child))
                container[key] = child  # type: ignore[index]
            container = child
            key = int(part) if isinstance(child, list) else _key(child, part)
        container[key] = text  # type: ignore[index]
    return holder[0]


def _copied(container: object) -> object:
    if isinstance(container, Mapping):
        return dict(container)
    assert isinstance(container, (list, tuple))
    return list(container)


def _key(container: object, part: str) -> object:
    assert isinstance(container, dict)
    if part in container:
        return part
    return next(key for key in container if str(key) == part)


def _hidden(value: object, names: _Placeholders) -> object:
    """Cover known texts wherever they stand in a value, as they are or escaped."""
    wanted: dict[str, str] = {}
    for (_, text), placeholder in names.known.items():
        if text.strip():
            wanted.setdefault(text, placeholder)
            wanted.setdefault(json.dumps(text)[1:-1], placeholder)
    if not wanted:
        return value
    longest_first = sorted(wanted, key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    leaves = {
        path: pattern.sub(lambda match: wanted[match[0]], text)
        for path, text in string_leaves(value)
        if pattern.search(text)
    }
    return _with_leaves(value, leaves)
