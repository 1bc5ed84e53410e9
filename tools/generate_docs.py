"""Fills the generated parts of the docs, or says with ``--check`` what drifted.

Run it from the project's folder: ``python -m tools.generate_docs``.

A page is written by hand. Two things in it are made here, in place:

* what stands between ``<!-- generated: NAME ARGUMENTS -->`` and ``<!-- end -->``;
* the output in a block of kind ``console``: each line that begins with ``$ `` is run in
  a folder of its own, and what it printed is put below it.

A block of YAML, Python or JSON whose first line is ``# NAME`` is a file of that name in
that folder, for the commands further down the page.
"""

from __future__ import annotations

import argparse
import inspect
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import click

from ringfence.capabilities import Capability, Support
from ringfence.cli import VERBS, root
from ringfence.events import EVENT_TYPES, EventKind
from ringfence.harnesses import matrix, registry
from ringfence.harnesses.facts import EventFact, Facts
from ringfence.policy import packs
from tools import doc_quirks, doc_schema

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md")
HOME = "/home/me/project"
WIDTH = "88"

_PART = re.compile(
    r"(?P<open>^<!-- generated: (?P<name>\S+) ?(?P<arguments>[^\n]*?) -->\n)"
    r".*?(?P<close>^<!-- end -->$)",
    re.DOTALL | re.MULTILINE,
)
_BLOCK = re.compile(
    r"^```(?P<kind>[a-z]+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE
)
_NAME = re.compile(r"# (?P<name>[\w.-]+\.(?:yaml|py|json))\n")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page: its kind (``yaml``, ``python``, ``console`` …)."""

    kind: str
    text: str
    line: int = 0

    @property
    def file_name(self) -> str:
        """The name of the file that the block is, empty if it is none."""
        found = _NAME.match(self.text)
        return found["name"] if found else ""


def pages(root: Path = ROOT) -> Iterator[Path]:
    """Yield every page of the documentation."""
    for pattern in PAGES:
        for path in sorted(root.glob(pattern)):
            if "_build" not in path.parts:
                yield path


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page, in order."""
    for found in _BLOCK.finditer(text):
        line = text.count("\n", 0, found.start()) + 2
        yield Block(found["kind"], found["text"], line)


# -- tables ---------------------------------------------------------------------------


def table(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Return a Markdown table."""
    listed = [list(heads), *map(list, rows)]
    lines = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
        for row in listed
    ]
    lines.insert(1, "|" + " --- |" * len(listed[0]))
    return "\n".join(lines) + "\n"


def code(text: str) -> str:
    """Return a text as code, or nothing for nothing."""
    return f"`{text}`" if text else ""


# -- the command line -----------------------------------------------------------------


def verbs() -> str:
    """Return the table of verbs."""
    return table(
        ("verb", "does"),
        ((f"[`{name}`](#ringfence-{name})", does) for name, does in VERBS.items()),
    )


def commands(
    command: click.Command, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield a command with its path, and all below it that do something."""
    if not isinstance(command, click.Group):
        yield path, command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from commands(below, (*path, name))


def command(verb: str) -> str:
    """Return the reference of a verb: usage, help and options of each command."""
    assert isinstance(root, click.Group)
    found = root.get_command(click.Context(root), verb)
    assert found is not None
    parts = []
    for path, one in commands(found, ("ringfence", verb)):
        own = click.Context(one, info_name=" ".join(path))
        if len(path) > 2:
            parts.append(f"### {' '.join(path)}\n")
        parts.append(f"```text\n{own.get_usage().removeprefix('Usage: ')}\n```\n")
        parts.append(_help(one))
        options = [_option(p, own) for p in one.params if isinstance(p, click.Option)]
        if options:
            parts.append(table(("option", "value", "meaning"), options))
    return "\n".join(parts)


def _help(one: click.Command) -> str:
    """Return a command's help as Markdown; an unwrapped paragraph is an example."""
    parts = []
    for paragraph in inspect.cleandoc(one.help or "").split("\n\n"):
        if paragraph.startswith("\b"):
            lines = [line.strip() for line in paragraph.splitlines()[1:]]
            parts.append("```sh\n" + "\n".join(lines) + "\n```\n")
        else:
            parts.append(" ".join(paragraph.split()) + "\n")
    return "\n".join(parts)


def _option(option: click.Option, context: click.Context) -> tuple[str, str, str]:
    value = "" if option.is_flag else option.make_metavar(context)
    if isinstance(option.type, click.Choice):
        value = ", ".join(code(str(choice)) for choice in option.type.choices)
    elif value:
        value = code(value)
    meaning = option.help or ""
    if option.show_default and option.default is not None:
        meaning = f"{meaning} Default: `{option.default}`.".strip()
    return ", ".join(map(code, option.opts)), value, meaning


# -- harnesses ------------------------------------------------------------------------

_CLOSED = {
    "deny": "the call is denied",
    "block": "it is blocked",
    "withhold": "the result is withheld",
    "finish": "the agent finishes, and a record is kept",
    "none": "nothing is stopped; a record is kept",
}
_SIGNS = {Support.YES.value: "yes", Support.DEGRADED.value: "degraded", "no": "·"}


def facts(harness: str) -> Facts:
    """Return the facts of a harness."""
    return registry.codec(harness).facts


def events(harness: str) -> str:
    """Return the table of a harness's native events."""
    rows = (
        (
            code(fact.name),
            code(fact.kind.value),
            _CLOSED[fact.closed],
            fact.since,
            _evidence(fact),
            fact.note,
        )
        for fact in facts(harness).events.values()
    )
    heads = ("native event", "kind", "closed means", "since", "evidence", "note")
    return table(heads, rows)


def _evidence(fact: EventFact) -> str:
    return f"{fact.evidence} {fact.date}".strip()


def matrix_of(harness: str) -> str:
    """Return what a harness honours, event by event and version by version."""
    rows = []
    for row in matrix.rows():
        support = cast("Mapping[str, str]", row["capabilities"])
        if row["harness"] != harness or not set(support.values()) - {"no"}:
            continue
        proven = cast("Sequence[str]", row["observed"])
        cells = [
            f"**{_SIGNS[support[name]]}**" if name in proven else _SIGNS[support[name]]
            for name in Capability
        ]
        said = f"{row['evidence']} {row['date']}"
        rows.append(
            (code(str(row["event"])), _span(str(row["versions"])), *cells, said)
        )
    heads = ("native event", "versions", *(c.value for c in Capability), "evidence")
    return table(heads, rows)


def _span(versions: str) -> str:
    """Return a span of measured versions as a person writes it."""
    return versions.replace("==", "").replace(">=", "").replace(",<=", " to ")


def notes(harness: str) -> str:
    """Return the notes that capability facts carry, with their conditions."""
    rows = []
    for row in facts(harness).rows:
        where = [row.versions and f"versions {row.versions}"]
        modes = ", ".join(map(code, row.modes))
        where.append(f"modes {modes}" if modes else "")
        where.append("nobody attends" if row.attended is False else "")
        said = row.note or (row.source if row.modes else "")
        if said:
            named = ", ".join(map(code, row.events))
            rows.append((named, "; ".join(filter(None, where)), said))
    return table(("native event", "where", "note"), rows)


def tools(harness: str) -> str:
    """Return the classes of a harness's tools."""
    classes: dict[str, list[str]] = {}
    for name, fact in facts(harness).tools.items():
        classes.setdefault(fact.tool_class.value, []).append(code(name))
    rows = [(code(name), ", ".join(found)) for name, found in sorted(classes.items())]
    rows.append(("`mcp`", "every tool whose name begins with `mcp__`"))
    return table(("class", "native tools"), rows)


def kinds() -> str:
    """Return which native events become which kind of event."""
    rows = []
    for kind in EventKind:
        cells = [
            ", ".join(
                code(fact.name)
                for fact in facts(harness).events.values()
                if fact.kind is kind
            )
            for harness in registry.NAMES
        ]
        if any(cells) and kind is not EventKind.OTHER:
            rows.append((code(kind.value), code(EVENT_TYPES[kind].__name__), *cells))
    titles = (facts(harness).title for harness in registry.NAMES)
    return table(("kind", "type", *titles), rows)


def pack(name: str) -> str:
    """Return the rules of a pack: what each decides, and why."""
    rows = [
        (
            code(rule.id),
            ", ".join(map(code, rule.tools)) or "any",
            rule.decision.value if rule.decision else "redact" if rule.redact else "",
            rule.reason or rule.context,
        )
        for rule in packs.compiled(name).rules
    ]
    return table(("rule", "tools", "decides", "what the model is told"), rows)


_WHY = {
    "click": "The command line: help, errors, completion. The hook does without.",
    "google-re2": "Regexes in linear time, whatever a policy's author wrote.",
    "jsonschema": "Says what is wrong in a policy by its published schema.",
    "rich": "Tables and trees in the terminal; never in the hook.",
    "ruamel.yaml": "YAML 1.2 with line numbers, for errors that name their place.",
    "tree-sitter": "Runs the shell grammar, in microseconds.",
    "tree-sitter-bash": "The grammar of bash: commands are read, not searched.",
    "coverage": "Which branches no test takes.",
    "furo": "The theme of the documentation; needs nothing from elsewhere.",
    "hypothesis": "Tests over wide inputs: laws of joining, parsers, round trips.",
    "import-linter": "Holds that a room imports only rooms above it.",
    "mypy": "Types, strict.",
    "myst-parser": "Documentation in Markdown.",
    "pytest": "Runs the tests; the package has a plugin for it.",
    "ruff": "Formatting and rules.",
    "sphinx": "Builds the documentation and fails on a broken link.",
    "types-jsonschema": "Types for jsonschema.",
}


def dependencies(what: str) -> str:
    """Return the dependencies of ``pyproject.toml``, each with its reason.

    Raises :class:`KeyError` for one that has none.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["dependencies"]
    if what != "run":
        wanted = project["optional-dependencies"][what]
    names = [re.split(r"[\[<>=!~ ]", one, maxsplit=1)[0] for one in wanted]
    return table(("package", "why"), ((code(name), _WHY[name]) for name in names))


PARTS: Mapping[str, Callable[..., str]] = {
    "verbs": verbs,
    "command": command,
    "events": events,
    "matrix": matrix_of,
    "notes": notes,
    "tools": tools,
    "kinds": kinds,
    "pack": pack,
    "dependencies": dependencies,
    "keys": doc_schema.keys,
    "quirks": doc_quirks.quirks,
    "gaps": doc_quirks.gaps,
}


# -- commands that pages show ---------------------------------------------------------


def run(line: str, folder: Path) -> str:
    """Run a line of shell as a reader would, and return what it printed."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    home = folder.parent / "home"
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=folder,
        env={"PATH": path, "HOME": str(home), "COLUMNS": WIDTH, "LANG": "C.UTF-8"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    said = done.stdout.replace(str(folder), HOME)
    return "".join(f"{one.rstrip()}\n" for one in said.splitlines())


def _refreshed(block: Block, folder: Path) -> str:
    lines = [line for line in block.text.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{line}\n{run(line[2:], folder)}" for line in lines)


def filled(text: str) -> str:
    """Return a page with its generated parts and console outputs made anew."""

    def part(found: re.Match[str]) -> str:
        arguments = found["arguments"].split()
        made = PARTS[found["name"]](*arguments)
        return f"{found['open']}\n{made}\n{found['close']}"

    with tempfile.TemporaryDirectory(prefix="ringfence-docs-") as temporary:
        folder = Path(temporary).resolve() / "project"
        folder.mkdir()

        def block(found: re.Match[str]) -> str:
            one = Block(found["kind"], found["text"])
            if one.file_name:
                (folder / one.file_name).write_text(one.text, "utf-8")
            if one.kind != "console":
                return found[0]
            return f"```console\n{_refreshed(one, folder)}```"

        return _BLOCK.sub(block, _PART.sub(part, text))


def main() -> int:
    """Write the pages, or compare them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1")
    check = parser.parse_args().check
    drifted = []
    for path in pages():
        text = path.read_text("utf-8")
        made = filled(text)
        if made != text:
            drifted.append(path)
            if not check:
                path.write_text(made, "utf-8")
    for path in drifted:
        print(f"{'drifted' if check else 'wrote'}: {path.relative_to(ROOT)}")
    return 1 if check and drifted else 0


if __name__ == "__main__":
    sys.exit(main())
