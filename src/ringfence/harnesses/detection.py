"""Tells which harness sent a payload, where nobody said.

The payload is the stronger evidence: a variable may have been set for all programs,
and some harnesses set each other's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ringfence.errors import DecodeError
from ringfence.events import Confidence
from ringfence.harnesses._names import SIGNS


def detect(
    native: Mapping[str, object], environment: Mapping[str, str]
) -> tuple[str, Confidence]:
    """Return the harness and how sure that is.

    Raises :class:`~ringfence.errors.DecodeError` where no harness, or more than one,
    fits.
    """
    transcript = native.get("transcript_path")
    path = transcript if isinstance(transcript, str) else ""
    by_keys = _those(lambda keys, _, __: any(key in native for key in keys))
    by_path = _those(lambda _, part, __: part in path)
    by_environment = _those(lambda _, __, names: any(n in environment for n in names))
    for found, confidence in (
        (by_keys, Confidence.SHAPE),
        (by_path, Confidence.SHAPE),
        (by_environment, Confidence.ENVIRONMENT),
    ):
        if len(found) == 1:
            return found[0], confidence
    raise DecodeError(
        "nothing tells which agent sent this; name it as the first argument"
    )


def _those(fits: Callable[[tuple[str, ...], str, tuple[str, ...]], bool]) -> list[str]:
    return [name for name, signs in SIGNS.items() if fits(*signs)]
