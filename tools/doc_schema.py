"""Tables of the policy file's keys, out of its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import ringfence

Schema = Mapping[str, Any]

# Where a page says more of a key than the schema does.
MORE: Mapping[str, str] = {
    "rules": "See [one rule](#one-rule).",
    "policy_rules": "See [older rules](#older-rules).",
    "tests": "See [tests](#tests).",
    "rule.redact": "See [redacting](#redacting).",
    "test.call": "See [calls](#calls).",
}

# Where the tables stand in the schema.
PLACES: Mapping[str, tuple[str, ...]] = {
    "policy": (),
    "path": ("$defs", "when", "properties", "paths"),
    "host": ("$defs", "when", "properties", "hosts"),
    "edit": ("$defs", "when", "properties", "edits"),
}

# Tables whose keys mean what the same keys of another table mean.
ALIKE: Mapping[str, str] = {"receiver": "when"}


@cache
def schema() -> Schema:
    """Return the schema as it is published."""
    folder = Path(ringfence.__file__).parent / "policy" / "schema"
    found: Schema = json.loads((folder / "ringfence.v1.schema.json").read_text("utf-8"))
    return found


def part(name: str) -> Schema:
    """Return the part of the schema that a table is about."""
    found: Any = schema()
    for step in PLACES.get(name, ("$defs", name)):
        found = found[step]
    return found  # type: ignore[no-any-return]


def resolved(node: Schema) -> Schema:
    """Return a node with what it refers to; its own words win."""
    if "$ref" not in node:
        return node
    found: Any = schema()
    for step in node["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return {**found, **{key: node[key] for key in node if key != "$ref"}}


def keys(name: str) -> str:
    """Return the table of an object's keys: its type, and what it means."""
    node = part(name)
    required = node.get("required", ())
    lines = ["| key | value | meaning |", "| --- | --- | --- |"]
    for key, value in node["properties"].items():
        mark = " (required)" if key in required else ""
        meaning = meaning_of(name, key, value).replace("|", "\\|")
        lines.append(f"| `{key}`{mark} | {kind(value)} | {meaning} |")
    return "\n".join(lines) + "\n"


def meaning_of(name: str, key: str, value: Schema) -> str:
    """Return what a key means, in the schema's own words.

    Raises :class:`LookupError` where it has none.
    """
    if name in ALIKE:
        alike = part(ALIKE[name])["properties"][key]
        return meaning_of(ALIKE[name], key, alike)
    said = value.get("description") or resolved(value).get("description")
    if not said:
        raise LookupError(f"nobody says what {_place(name, key)} means")
    more = MORE.get(_place(name, key), "")
    return f"{said} {more}".rstrip()


def _place(name: str, key: str) -> str:
    return key if name == "policy" else f"{name}.{key}"


def kind(node: Schema) -> str:
    """Return what may stand as a value, in few words."""
    node = resolved(node)
    if "const" in node:
        return f"`{node['const']}`"
    if "enum" in node:
        return ", ".join(f"`{value}`" for value in node["enum"])
    said = node.get("type")
    if said is None:
        return "any value"
    return " or ".join(_kinds(node, [said] if isinstance(said, str) else said))


def _kinds(node: Schema, types: list[str]) -> Iterator[str]:
    names = {"string": "text", "boolean": "`true`, `false`", "integer": "whole number"}
    for one in types:
        if one == "array":
            items = resolved(node.get("items", {})).get("type")
            what = {"string": "texts", "object": "objects"}.get(str(items), "values")
            yield f"list of {what}"
        else:
            yield names.get(one, one)
