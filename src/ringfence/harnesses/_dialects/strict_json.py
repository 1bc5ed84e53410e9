"""Reads one JSON document as the parsers inside harnesses do, not as Python does."""

from __future__ import annotations

import json
import math
from typing import NoReturn


class NotJSONError(ValueError):
    """The text is not one JSON document."""


def read_document(
    text: str, *, finite: bool = False, max_depth: int | None = None
) -> object:
    """Return the value of a text that is exactly one JSON document.

    ``NaN`` and ``Infinity`` are no JSON. With ``finite``, numbers that overflow and
    surrogates that stand alone are refused too, and ``max_depth`` bounds how deep
    values may nest: what Rust's parser does and JavaScript's does not.

    Raises :class:`NotJSONError`.
    """
    try:
        value: object = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise NotJSONError(str(error)) from None
    if finite or max_depth is not None:
        _check(value, finite, math.inf if max_depth is None else max_depth)
    return value


def _refuse(name: str) -> NoReturn:
    raise NotJSONError(f"{name} is no JSON value")


def _check(value: object, finite: bool, depth: float) -> None:
    if isinstance(value, (dict, list)) and depth <= 0:
        raise NotJSONError("values nest too deep")
    if isinstance(value, dict):
        for key, item in value.items():
            _check(key, finite, depth)
            _check(item, finite, depth - 1)
    elif isinstance(value, list):
        for item in value:
            _check(item, finite, depth - 1)
    elif finite and isinstance(value, float) and not math.isfinite(value):
        raise NotJSONError("a number is out of range")
    elif finite and isinstance(value, str) and _lone_surrogate(value):
        raise NotJSONError("a surrogate stands alone")


def _lone_surrogate(text: str) -> bool:
    return any("\ud800" <= char <= "\udfff" for char in text)
