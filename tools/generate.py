"""Writes what is generated from data, or says with ``--check`` what has drifted."""

from __future__ import annotations

import argparse
import pprint
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HARNESSES = ROOT / "src" / "ringfence" / "harnesses"

TABLE = '''\
"""Compiled from ``facts/*.toml`` by ``tools/generate.py``; do not edit."""

from __future__ import annotations

from ringfence.harnesses.facts import from_data

FACTS = from_data(
{data}
)
'''


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
        data = pprint.pformat(merged(room), width=84, sort_dicts=False)
        indented = "\n".join("    " + line for line in data.splitlines())
        yield room / "_table.py", TABLE.format(data=indented)


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
