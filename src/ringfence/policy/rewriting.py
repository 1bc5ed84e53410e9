"""Rewriting a call's input as rules ask for it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import cast

from ringfence.policy.patterns import substitute
from ringfence.policy.plan import FieldRewrite, Rule


def rewritten(
    tool_input: Mapping[str, object], rules: Iterable[Rule]
) -> dict[str, Mapping[str, object]]:
    """Return the new input that each rewriting rule asks for, by rule id.

    Rules that change different fields ask for one input with all of their changes.
    Where two change the same field each asks for its own, which is a conflict that
    the failure policy settles. A rule that changes nothing asks for nothing.
    """
    wanted = {
        rule.id: changed
        for rule in rules
        if rule.rewrite
        and (changed := _changed(tool_input, rule.rewrite)) != tool_input
    }
    writers = [rule for rule in rules if rule.id in wanted]
    if len(writers) < 2 or any(_clash(a, b) for a, b in combinations(writers, 2)):
        return wanted
    changes = [change for rule in writers for change in rule.rewrite]
    together = _changed(tool_input, changes)
    return dict.fromkeys(wanted, together)


def _clash(first: Rule, second: Rule) -> bool:
    return any(
        _within(a.field, b.field) or _within(b.field, a.field)
        for a in first.rewrite
        for b in second.rewrite
    )


def _within(inner: str, outer: str) -> bool:
    return f"{inner}.".startswith(f"{outer}.")


def _changed(
    tool_input: Mapping[str, object], changes: Iterable[FieldRewrite]
) -> Mapping[str, object]:
    value = copy.deepcopy(dict(tool_input))
    for change in changes:
        *parents, last = change.field.split(".")
        _apply(_container(value, parents), last, change)
    return value


def _container(value: object, parents: Iterable[str]) -> object:
    for part in parents:
        if isinstance(value, dict):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def _apply(container: object, key: str, change: FieldRewrite) -> None:
    """Change one field; a field whose surroundings are missing is left alone."""
    place: object = key
    if isinstance(container, list):
        if not key.isdecimal() or int(key) >= len(container):
            return
        place = int(key)
    elif not isinstance(container, dict):
        return
    holder = cast("dict[object, object]", container)
    if change.remove:
        if isinstance(container, dict):
            container.pop(key, None)
    elif not change.pattern:
        holder[place] = change.value
    else:
        present = isinstance(container, list) or key in container
        old = holder[place] if present else None
        if isinstance(old, str):
            holder[place] = substitute(change.pattern, cast("str", change.value), old)
