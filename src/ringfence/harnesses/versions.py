"""Versions of harnesses: dotted numbers, compared number by number."""

from __future__ import annotations

import re

_CLAUSE = re.compile(r"(<=|>=|==|<|>)\s*([0-9][0-9.]*)")


def parse(version: str) -> tuple[int, ...]:
    """Return the numbers of a version; what follows them (``-beta``) is left out."""
    numbers = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(map(int, numbers.group().split("."))) if numbers else ()


def within(version: str, span: str) -> bool:
    """Tell whether a version lies in a span such as ``>=2.1.295,<3``.

    An empty span, or ``*``, holds every version. Raises :class:`ValueError` for a
    span that is none.
    """
    if span in ("", "*"):
        return True
    own = parse(version)
    for clause in span.split(","):
        match = _CLAUSE.fullmatch(clause.strip())
        if match is None:
            raise ValueError(f"{span!r} is no span of versions")
        operator, bound = match.group(1), parse(match.group(2))
        holds = {
            "<": own < bound,
            "<=": own <= bound,
            ">": own > bound,
            ">=": own >= bound,
            "==": own == bound,
        }[operator]
        if not holds:
            return False
    return True
