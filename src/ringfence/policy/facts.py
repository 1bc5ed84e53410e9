"""Reading values out of inputs and outputs by dotted path, and judging them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import cast

from ringfence.policy.patterns import glob_matches, search
from ringfence.policy.spans import string_leaves

ANYWHERE = "**"


def values_at(value: object, path: str) -> Iterator[object]:
    """Return what stands at a dotted path: ``a.b.0``, ``to.*.email``, ``**``.

    ``*`` is every key or index; ``**`` every string anywhere. Nothing is returned
    where the path leads nowhere.
    """
    if path == ANYWHERE:
        yield from (text for _, text in string_leaves(value))
        return
    yield from _walk(value, path.split("."))


def _walk(value: object, parts: list[str]) -> Iterator[object]:
    if not parts:
        yield value
        return
    head, rest = parts[0], parts[1:]
    if isinstance(value, Mapping):
        if head == "*":
            for item in value.values():
                yield from _walk(item, rest)
        elif head in value:
            yield from _walk(value[head], rest)
        else:
            yield from _dotted_key(value, parts)
    elif isinstance(value, list):
        if head == "*":
            for item in value:
                yield from _walk(item, rest)
        elif head.isdecimal() and int(head) < len(value):
            yield from _walk(value[int(head)], rest)


def _dotted_key(value: Mapping[str, object], parts: list[str]) -> Iterator[object]:
    """Follow a key that has dots in its own name."""
    for count in range(2, len(parts) + 1):
        key = ".".join(parts[:count])
        if key in value:
            yield from _walk(value[key], parts[count:])


def _texts(value: object) -> Iterator[str]:
    """Return a value as texts to look into: strings, and scalars as JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple, Mapping)):
        for _, text in string_leaves(value):
            yield text
    else:
        yield json.dumps(value)


def _contains(value: object, wanted: object) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    if isinstance(value, (list, tuple, Mapping)):
        return wanted in value
    return False


def _equals(value: object, wanted: object) -> bool:
    # JSON knows true from 1, Python does not.
    return value == wanted and isinstance(value, bool) is isinstance(wanted, bool)


_TESTS: Mapping[str, Callable[[object, object], bool]] = {
    "matches": lambda value, wanted: any(
        search(cast("str", wanted), text) for text in _texts(value)
    ),
    "glob": lambda value, wanted: any(
        glob_matches(cast("str", wanted), text) for text in _texts(value)
    ),
    "contains": _contains,
    "equals": _equals,
}

FIELD_TESTS = frozenset((*_TESTS, "exists"))


def field_holds(condition: Mapping[str, object], value: object) -> bool:
    """Tell whether any value at the condition's path passes all of its tests."""
    found = list(values_at(value, cast("str", condition.get("field", ANYWHERE))))
    if condition.get("exists") is False:
        return not found
    tests = [(_TESTS[key], condition[key]) for key in _TESTS if key in condition]
    return any(all(test(item, wanted) for test, wanted in tests) for item in found)
