"""Deviations of harnesses that the code works around, looked up by id.

What each quirk is, with versions and evidence, stands in ``facts/quirks.toml``. Code
that works around one asks :func:`mitigated`, so that a test can switch the
workaround off and see that it matters. Nothing outside a test can.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_switched_off: set[str] = set()


def mitigated(quirk: str) -> bool:
    """Tell whether the workaround of a quirk is in force."""
    return quirk not in _switched_off


@contextmanager
def without(quirk: str) -> Iterator[None]:
    """Switch one workaround off, for a test that proves it matters."""
    _switched_off.add(quirk)
    try:
        yield
    finally:
        _switched_off.discard(quirk)
