"""What the hook path loads, held by a list, so that it can't grow unnoticed.

Each module costs time at every tool call. One that is really needed there goes into
``modules.txt`` with the change that needs it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.edge.processes import PATIENCE
from tests.wire import altered

LIST = Path(__file__).with_name("modules.txt")

# Writes down what a worker has loaded when it answers.
WATCHING = """\
import sys
before = set(sys.modules)

import json
from ringfence.edge.supervisor import Channel

answer = Channel.answer

def watched(self, *said):
    with open(sys.argv[1], "w") as file:
        json.dump(sorted(set(sys.modules) - before), file)
    answer(self, *said)

Channel.answer = watched
"""
ENTRIES = {
    "a program": """\
from ringfence import Ringfence, deny

fence = Ringfence()
fence.before_tool(lambda event: deny("no"))
fence.run(sys.argv[2:])
""",
    "a policy": """\
from ringfence.edge.hook import run

run(sys.argv[2:])
""",
}


def listed() -> Mapping[str, frozenset[str]]:
    """The list: a heading for each entry, ``+`` what it may load beyond the first."""
    found: dict[str, set[str]] = {}
    heading = ""
    for line in LIST.read_text("utf-8").splitlines():
        if line.startswith("["):
            heading = line.strip("[]")
            found[heading] = set()
        elif line and not line.startswith("#"):
            found[heading].update(line.split())
    program = frozenset(found["a program"])
    return {"a program": program, "a policy": program | found["a policy, further"]}


def loaded(folder: Path, entry: str, raw: bytes) -> set[str]:
    script = folder / "hook.py"
    script.write_text(WATCHING + ENTRIES[entry])
    out = folder / "loaded.json"
    words = ["claude-code", "PreToolUse", "--state", str(folder / "state")]
    done = subprocess.run(
        [sys.executable, "-I", str(script), str(out), *words],
        input=raw,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    assert b'"permissionDecision":"deny"' in done.stdout
    return set(json.loads(out.read_text()))


def ours_and_others(modules: set[str]) -> set[str]:
    """Ringfence's own modules by name, others by the package they belong to.

    Modules with a leading underscore belong to public ones, and differ by version; so
    do those of the standard library, which are listed as Python 3.11 has them.
    """
    found = {
        name if name.startswith("ringfence") else name.partition(".")[0]
        for name in modules
        if not name.startswith("_")
    }
    listed_here = sys.version_info[:2] == (3, 11)
    return found if listed_here else found - sys.stdlib_module_names


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_plain_deny_loads_what_the_list_says(entry: str, tmp_path: Path) -> None:
    force = {"command": "git push --force origin main"}
    raw = altered("claude-code", "PreToolUse-Bash", tool_input=force)
    loaded(tmp_path, entry, raw)  # a policy is compiled once, and kept
    found = ours_and_others(loaded(tmp_path, entry, raw))
    assert sorted(found - listed()[entry]) == []
    own = {name for name in listed()[entry] if name.startswith("ringfence")}
    assert sorted(own - found) == [], "no longer loaded: take it off the list"


def test_nothing_heavy_is_on_the_list() -> None:
    heavy = {"asyncio", "yaml", "ruamel", "jsonschema", "click", "rich", "tomllib"}
    for entry, names in listed().items():
        assert not names & heavy, entry
        assert "sqlite3" not in names, "memory is for the events that need it"
        assert not any(name.startswith("ringfence.cli") for name in names)
        assert not any(name.startswith("ringfence.lab") for name in names)
