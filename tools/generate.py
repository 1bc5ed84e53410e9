"""Writes what is generated from data, or says with ``--check`` what has drifted."""

from __future__ import annotations

import argparse
import pprint
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools import native_views

ROOT = Path(__file__).resolve().parent.parent
HARNESSES = ROOT / "src" / "ringfence" / "harnesses"
FIXTURES = ROOT / "src" / "ringfence" / "testing" / "fixtures"

TABLE = '''\
"""Compiled from ``facts/*.toml`` by ``tools/generate.py``; do not edit."""

from __future__ import annotations

from ringfence.harnesses.facts import from_data

FACTS = from_data(
{data}
)
'''


CLOSED = '''\
"""Compiled from ``facts/events.toml`` by ``tools/generate.py``; do not edit.

Exit codes that stop what an event is about, where nothing better can be said: 2, or
0 where exit 2 would make an agent go on. An event that is not listed gets 2.
"""

from __future__ import annotations

CLOSED: dict[str, dict[str, int]] = {data}
'''


PROTECTED = '''\
"""Compiled from ``facts/config.toml`` by ``tools/generate.py``; do not edit.

Patterns of the files that keep guards in place, and the words that start an agent
without them, of all harnesses.
"""

from __future__ import annotations

from typing import NamedTuple


class Unhooked(NamedTuple):
    """How a program is started so that it does not load its hooks."""

    words: frozenset[str]
    parts: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    variables: frozenset[str]


PROTECTED: tuple[str, ...] = {data}

UNHOOKED: dict[str, Unhooked] = {unhooked}
'''

NAMES = '''\
"""Compiled from the folders of harnesses by ``tools/generate.py``; do not edit."""

from __future__ import annotations

NAMES: tuple[str, ...] = {names}

FORWARDED: tuple[str, ...] = {forwarded}
"""The variables that codecs may see: version, variant, session; no credential."""

SIGNS: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {signs}
"""Keys, part of the transcript's path and variables that give a harness away."""
'''

OWN_FILES = ("**/.config/ringfence/**", "**/.local/*/ringfence/**", "/etc/ringfence/**")


def harness_rooms() -> Iterator[Path]:
    """Yield the folder of every harness that has facts."""
    for facts in sorted(HARNESSES.glob("*/facts")):
        yield facts.parent


def merged(room: Path) -> dict[str, object]:
    """Read a harness's facts and write the defaults out into each entry."""
    parts = {
        name: tomllib.loads((room / "facts" / f"{name}.toml").read_text("utf-8"))
        for name in ("events", "capabilities", "tools")
    }
    defaults = parts["events"]["defaults"]
    return {
        "meta": parts["events"]["meta"],
        "events": {
            name: {**defaults, **row} for name, row in parts["events"]["events"].items()
        },
        "rows": {
            "rows": [
                {**parts["capabilities"]["defaults"], **row}
                for row in parts["capabilities"]["rows"]
            ]
        },
        "tools": parts["tools"]["tools"],
    }


def outputs() -> Iterator[tuple[Path, str]]:
    """Yield every generated file with the text it has to hold."""
    for room in harness_rooms():
        table = pprint.pformat(merged(room), width=84, sort_dicts=False)
        indented = "\n".join("    " + line for line in table.splitlines())
        yield room / "_table.py", TABLE.format(data=indented)
        events = tomllib.loads((room / "facts" / "events.toml").read_text("utf-8"))
        fixtures = FIXTURES / events["meta"]["harness"]
        text = native_views.module(room, fixtures, events["meta"], events["events"])
        yield room / "native.py", text
    closed = {}
    for room in harness_rooms():
        data = tomllib.loads((room / "facts" / "events.toml").read_text("utf-8"))
        closed[data["meta"]["harness"]] = {
            name: 0 if row["closed"] in ("finish", "none") else 2
            for name, row in data["events"].items()
        }
    protected = list(OWN_FILES)
    unhooked = []
    for room in harness_rooms():
        data = tomllib.loads((room / "facts" / "config.toml").read_text("utf-8"))
        protected += data["files"]["protected"]
        unhooked.append(data["unhooked"])
    text = PROTECTED.format(
        data=pprint.pformat(tuple(protected), width=84),
        unhooked="{" + "".join(map(unhooked_entry, unhooked)) + "\n}",
    )
    yield HARNESSES.parent / "content" / "_protected.py", text
    yield HARNESSES / "_names.py", names()
    text = CLOSED.format(data=pprint.pformat(closed, width=84, sort_dicts=False))
    yield HARNESSES.parent / "edge" / "_closed.py", text


def unhooked_entry(how: dict[str, Any]) -> str:
    """Return the source of one program's entry."""
    pairs = [tuple(pair) for pair in how["pairs"]]
    return (
        f"\n    {how['program']!r}: Unhooked("
        f"\n        words=frozenset({how['words']!r}),"
        f"\n        parts={tuple(how['parts'])!r},"
        f"\n        pairs=frozenset({pairs!r}),"
        f"\n        variables=frozenset({how['variables']!r}),\n    ),"
    )


def names() -> str:
    """Return the module that finds harnesses by name, or by what they send."""
    metas = [
        tomllib.loads((room / "facts" / "events.toml").read_text("utf-8"))["meta"]
        for room in harness_rooms()
    ]
    signs = {
        meta["harness"]: (
            tuple(meta["signs"]["keys"]),
            meta["signs"]["transcript"],
            tuple(meta["signs"]["environment"]),
        )
        for meta in metas
    }
    forwarded = dict.fromkeys(name for meta in metas for name in meta["environment"])
    return NAMES.format(
        names=pprint.pformat(tuple(signs)),
        forwarded=pprint.pformat(tuple(forwarded), width=84),
        signs=pprint.pformat(signs, width=84, sort_dicts=False),
    )


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1")
    check = parser.parse_args().check
    drifted = []
    for path, text in outputs():
        current = path.read_text("utf-8") if path.exists() else None
        if current != text:
            drifted.append(path)
            if not check:
                path.write_text(text, "utf-8")
    for path in drifted:
        print(f"{'drifted' if check else 'wrote'}: {path.relative_to(ROOT)}")
    return 1 if check and drifted else 0


if __name__ == "__main__":
    sys.exit(main())
