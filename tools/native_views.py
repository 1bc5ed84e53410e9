"""Writes the native views: a TypedDict for each payload that was ever captured."""

from __future__ import annotations

import json
import keyword
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

HEAD = '''\
"""Typed views on the payloads of {title}; written by ``tools/generate.py``.

``NotRequired`` is what not every captured payload holds. A view that no payload was
captured for has the documented fields. See :mod:`ringfence.harnesses.views`.
"""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

HARNESS = "{harness}"

TOOLS: Mapping[str, str] = {tools}
"""The names of tools in the names of their views."""
'''

SCALARS = {str: "str", bool: "bool", int: "int", float: "float", type(None): "None"}


@dataclass
class Shape:
    """Everything that was seen at one place of payloads."""

    scalars: set[str] = field(default_factory=set)
    objects: int = 0
    keys: dict[str, Shape] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    items: Shape | None = None

    def see(self, value: object) -> None:
        """Take one more value into account."""
        if isinstance(value, dict):
            self.objects += 1
            for key, item in value.items():
                self.keys.setdefault(key, Shape()).see(item)
                self.seen[key] = self.seen.get(key, 0) + 1
        elif isinstance(value, list):
            self.items = self.items or Shape()
            for item in value:
                self.items.see(item)
        else:
            self.scalars.add(SCALARS[type(value)])


@dataclass
class Writer:
    """Writes TypedDicts, nested ones before those that hold them."""

    open_keys: frozenset[str]
    classes: list[str] = field(default_factory=list)

    def write(self, name: str, shape: Shape, what: str) -> None:
        """Write the class of an object."""
        fields = []
        for key, inner in shape.keys.items():
            if not key.isidentifier() or keyword.iskeyword(key):
                raise ValueError(f"{name}.{key}: no name of a field; put it into open")
            annotation = self._annotation(name, key, inner)
            if shape.seen.get(key, 0) < shape.objects:
                annotation = f"NotRequired[{annotation}]"
            fields.append(f"    {key}: {annotation}\n")
        body = "\n" + "".join(fields) if fields else ""
        self.classes.append(f'class {name}(TypedDict):\n    """{what}"""\n{body}')

    def _annotation(self, name: str, key: str, shape: Shape) -> str:
        if key in self.open_keys:
            mapped = bool(shape.objects) and not shape.scalars and shape.items is None
            return "Mapping[str, object]" if mapped else "object"
        kinds = sorted(shape.scalars - {"None"})
        if kinds == ["float", "int"]:
            kinds = ["float"]
        if shape.objects:
            inner = name + camel(key)
            self.write(inner, shape, f"The ``{key}`` of {name}.")
            kinds.append(inner)
        if shape.items is not None:
            item = self._annotation(name, singular(key), shape.items) or "object"
            kinds.append(f"list[{item}]")
        if "None" in shape.scalars and kinds:
            kinds.append("None")
        return " | ".join(kinds) or "object"


def camel(name: str) -> str:
    """Return a name as that of a class."""
    parts = re.split(r"[_\W]+", name)
    return "".join(part[:1].upper() + part[1:] for part in parts)


def singular(name: str) -> str:
    """Return the name of one of many."""
    return name.removesuffix("s")


def payloads(fixtures: Path) -> Iterator[Mapping[str, object]]:
    """Yield all captured payloads of a harness."""
    for path in sorted(fixtures.glob("*/*.json")):
        value = json.loads(path.read_text("utf-8"))
        if isinstance(value, dict) and "hook_event_name" in value:
            yield value


def module(
    room: Path, fixtures: Path, meta: Mapping[str, str], names: Iterable[str]
) -> str:
    """Return the text of a harness's ``native.py``; ``names`` are its events."""
    data = tomllib.loads((room / "facts" / "payloads.toml").read_text("utf-8"))
    events = {name: Shape() for name in names}
    tools: dict[str, dict[str, Shape]] = {}
    for payload in payloads(fixtures):
        events[str(payload["hook_event_name"])].see(payload)
        tool = str(payload.get("tool_name", ""))
        if tool and not tool.startswith("mcp__"):
            _see_tool(tools.setdefault(tool, {}), payload)
    _add_documented(events, data["documented"])
    writer = Writer(frozenset(data["open"]))
    for tool in sorted(tools):
        for what, shape in tools[tool].items():
            said = "input" if what == "Input" else "result"
            writer.write(camel(tool) + what, shape, f"The {said} of ``{tool}``.")
    for name, shape in events.items():
        writer.write(name, shape, f"The payload of ``{name}``.")
    return _text(meta, writer, sorted(tools))


def _see_tool(tool: dict[str, Shape], payload: Mapping[str, object]) -> None:
    for key, what in (("tool_input", "Input"), ("tool_response", "Response")):
        if isinstance(payload.get(key), dict):
            tool.setdefault(what, Shape()).see(payload[key])


def _add_documented(
    events: Mapping[str, Shape], documented: Mapping[str, Mapping[str, str]]
) -> None:
    """Add what documentation tells, and to events never captured what all have."""
    captured = [shape for shape in events.values() if shape.objects]
    common = [
        (key, shape)
        for key, shape in captured[0].keys.items()
        if all(event.seen.get(key) == event.objects for event in captured)
    ]
    for name, event in events.items():
        if not event.objects:
            event.objects = 1
            event.keys.update(common)
            event.seen = dict.fromkeys(event.keys, 1)
        for key, kind in documented.get(name, {}).items():
            event.keys.setdefault(key, Shape(scalars={kind}))


def _text(meta: Mapping[str, str], writer: Writer, tools: list[str]) -> str:
    entries = "".join(f'    "{tool}": "{camel(tool)}",\n' for tool in tools)
    head = HEAD.replace("{title}", meta["title"]).replace("{harness}", meta["harness"])
    head = head.replace("{tools}", "{\n" + entries + "}")
    return "\n\n".join([head, *writer.classes])
