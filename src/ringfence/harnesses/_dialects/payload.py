"""Reads a JSON payload as strictly as safety needs and as kindly as it allows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NoReturn

from ringfence.errors import DecodeError
from ringfence.failure import MAX_PAYLOAD
from ringfence.harnesses.quirks import mitigated

_BOM = b"\xef\xbb\xbf"


def read_object(payload: bytes) -> dict[str, object]:
    """Return the one JSON object that a payload holds.

    A byte order mark before it is passed over (Windows shells write one). Raises
    :class:`DecodeError`, which never quotes the payload.
    """
    if len(payload) > MAX_PAYLOAD:
        raise DecodeError(f"the payload is larger than {MAX_PAYLOAD} bytes")
    if payload.startswith(_BOM) and mitigated("byte-order-mark"):
        payload = payload[len(_BOM) :]
    if not payload.strip():
        raise DecodeError("the payload is empty")
    try:
        text = payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DecodeError(f"the payload is not UTF-8 at byte {error.start}") from None
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise DecodeError(
            f"the payload is not one JSON document: {error.msg} "
            f"at line {error.lineno}, column {error.colno}"
        ) from None
    except RecursionError:
        raise DecodeError("the payload is nested too deeply") from None
    except ValueError:
        raise DecodeError("the payload holds a number that is out of range") from None
    if not isinstance(value, dict):
        raise DecodeError("the payload is JSON, but not an object")
    return value


def _no_constant(name: str) -> NoReturn:
    raise DecodeError(f"the payload holds {name}, which is not JSON")


def read_tool_input(value: object) -> Mapping[str, object]:
    """Return a tool's input as an object; some harnesses send a string that holds one.

    Raises :class:`DecodeError` for anything else, and where there is none.
    """
    if isinstance(value, str) and mitigated("tool-input-string"):
        try:
            value = json.loads(value, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            raise DecodeError("tool_input is a string that holds no JSON") from None
    if not isinstance(value, dict):
        raise DecodeError("tool_input is neither an object nor a string holding one")
    return value
