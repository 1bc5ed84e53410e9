"""What is recorded of each quirk: the data behind :mod:`ringfence.harnesses.quirks`.

It stands in ``facts/quirks.toml`` of each harness, and in ``_dialects/quirks.toml``
for what several share. Hooks never read it; tests, docs and doctors do.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

EVIDENCE = ("reported", "source", "docs")
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Quirk:
    """A deviation of harnesses, and what is done about it.

    ``versions`` is a span (empty: all), ``events`` are native names (``*``: any).
    ``test`` is the pytest node that turns red without the mitigation. A ``gap`` has
    neither: hooks can do nothing about it.
    """

    id: str
    title: str
    harnesses: tuple[str, ...]
    versions: str
    events: tuple[str, ...]
    behaviour: str
    mitigation: str
    evidence: str
    source: str
    date: str
    test: str = ""
    gap: bool = False


@cache
def registered() -> Mapping[str, Quirk]:
    """Return every quirk by its id.

    Raises :class:`ValueError` for an id that is registered twice, and
    :class:`KeyError` or :class:`TypeError` where the data is not as described.
    """
    quirks: dict[str, Quirk] = {}
    for quirk in _read():
        if quirk.id in quirks:
            raise ValueError(f"quirk {quirk.id!r} is registered twice")
        quirks[quirk.id] = quirk
    return quirks


def _read() -> Iterator[Quirk]:
    files = [_HERE / "_dialects" / "quirks.toml", *_HERE.glob("*/facts/quirks.toml")]
    for path in sorted(files):
        data = tomllib.loads(path.read_text("utf-8"))
        for quirk_id, row in data["quirks"].items():
            yield _quirk(quirk_id, {**data["defaults"], **row})


def _quirk(quirk_id: str, row: Mapping[str, object]) -> Quirk:
    lists = {
        key: tuple(str(item) for item in value) if isinstance(value, list) else ()
        for key, value in row.items()
        if key in ("harnesses", "events")
    }
    texts = {
        key: str(value) for key, value in row.items() if key not in (*lists, "gap")
    }
    return Quirk(id=quirk_id, gap=row.get("gap") is True, **lists, **texts)  # type: ignore[arg-type]
