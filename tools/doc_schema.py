"""Tables of the policy file's keys, out of its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import ringfence

Schema = Mapping[str, Any]

# What a key means where the schema leaves it to the key's name.
MEANINGS: Mapping[str, str] = {
    "rules": "The rules. See [one rule](#one-rule).",
    "policy_rules": "Rules in an older shape. See [older rules](#older-rules).",
    "tests": "Calls and what must be decided. See [tests](#tests).",
    "rule.description": "A note for people; nothing reads it.",
    "rule.before": "The tools whose calls the rule judges before they run.",
    "rule.after": "The tools whose results the rule looks at.",
    "rule.decision": "The verdict; `block` is for prompts alone.",
    "rule.reason": "What the model is told; a deny, an ask or a block must have one.",
    "rule.redact": "What is covered in a result. See [redacting](#redacting).",
    "rule.match": "Examples that the rule must match; checked at every load.",
    "rule.not_match": "Examples that the rule must not match; checked at every load.",
    "tool_policy.allow": "What may run without a question; anything else is denied.",
    "tool_policy.deny": "What never runs.",
    "tool_policy.ask": "What a person has to confirm.",
    "when.all": "Conditions that must all hold.",
    "when.any": "Conditions of which one must hold.",
    "when.tool_class": "What the tool is, whatever an agent calls it.",
    "when.harness": "The agent: `claude-code`, `codex`.",
    "when.permission_mode": "The agent's permission mode, in its own word.",
    "when.agent_type": "The kind of subagent.",
    "when.model": "The model, in the agent's own word; Claude Code seldom says it.",
    "when.native_event": "The agent's own name of the event.",
    "path.any": "Globs of which one must match.",
    "path.except": "Globs of which none may match.",
    "path.use": "What the call does there.",
    "host.any": "Globs of which one must match.",
    "host.except": "Globs of which none may match.",
    "program.any": "Globs of which one must match.",
    "program.except": "Globs of which none may match.",
    "edit.path": "Globs of the file, or of where it is moved to.",
    "edit.action": "What happens to the file.",
    "edit.old": "Regexes over the text that goes.",
    "edit.new": "Regexes over the text that comes.",
    "flags.any": "One of these flags is set.",
    "flags.all": "All of these flags are set.",
    "flags.none": "None of these flags is set, spelled out in full.",
    "counted.any": "One of these is among the words.",
    "counted.all": "All of these are among the words.",
    "counted.none": "None of these is among the words.",
    "counted.prefix": "The first words, in order.",
    "field.matches": "A regex that a text there, or below, contains.",
    "field.glob": "A glob that a text there, or below, is as a whole.",
    "field.contains": "A text in the text, or an item of the list.",
    "field.equals": "The value, of any type.",
    "field.exists": "Whether there is such a field.",
    "policy_rule.id": "A name of your choice, unique in the policy.",
    "policy_rule.tools": "Names of tools; none means every tool.",
    "policy_rule.input_matchers": "Fields and regexes that must all match.",
    "policy_rule.decision": "The verdict.",
    "policy_rule.reason": "What the model is told.",
    "call.tool": "A class, an agent's own name, or `mcp__server__tool`.",
    "call.command": "The command of a shell call.",
    "call.input": "The input as an object, in place of its fields beside `tool`.",
    "call.output": "What the call gave: makes it a call that ran.",
    "call.cwd": "The session's directory.",
    "test.name": "How the test is called in reports.",
    "test.call": "The call to judge. See [calls](#calls).",
    "test.prompt": "A prompt to judge, in place of a call.",
    "test.expect": "What must be decided.",
    "test.permission_mode": "The agent's permission mode.",
    "test.harness": "The agent.",
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
    """Return what a key means: the schema's own words, else those above.

    Raises :class:`LookupError` where neither has any.
    """
    if name in ALIKE:
        alike = part(ALIKE[name])["properties"][key]
        return meaning_of(ALIKE[name], key, alike)
    said = value.get("description") or MEANINGS.get(_place(name, key))
    said = said or resolved(value).get("description")
    if not said:
        raise LookupError(f"nobody says what {_place(name, key)} means")
    return str(said)


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
