"""Checking a policy file's data against the published schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, cast

from ringfence.policy.problems import Problems, did_you_mean
from ringfence.policy.source import Path, Source

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import ValidationError

SCHEMA_NAME = "ringfence.v1.schema.json"

_WORDS = {
    "string": "text",
    "array": "a list",
    "object": "a mapping",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@cache
def schema() -> Mapping[str, object]:
    """Return the published schema of ``ringfence.yaml``, version 1."""
    text = files("ringfence.policy").joinpath("schema", SCHEMA_NAME).read_text("utf-8")
    return cast("Mapping[str, object]", json.loads(text))


@cache
def _validator() -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - load time only

    return Draft202012Validator(schema())


def validate(source: Source, problems: Problems) -> frozenset[Path]:
    """Note every way in which a file's data departs from the schema.

    Returns the paths, one or two keys long, of what is spoiled by it and must not
    be compiled.
    """
    spoiled: set[Path] = set()
    for error in _validator().iter_errors(source.data):
        path = tuple(error.absolute_path)
        spoiled.add(path[:2])
        for line_of, what, mend in _told(error, path):
            where = ".".join(map(str, path))
            told = f"{where}: {what}" if where else what
            problems.add(source.name, source.line(line_of), told, mend)
    return frozenset(spoiled)


def _told(error: ValidationError, path: Path) -> Iterator[tuple[Path, str, str]]:
    """Put one schema error into words: where its line is, what, and the mend."""
    rule = str(error.validator)
    wanted: Any = error.validator_value
    noted = str(cast("Mapping[str, object]", error.schema).get("x-mend", ""))
    if rule == "additionalProperties":
        known = cast("Mapping[str, object]", error.schema)["properties"]
        assert isinstance(known, Mapping)
        for key in cast("Mapping[str, object]", error.instance):
            if key not in known:
                mend = did_you_mean(str(key), known)
                yield (*path, key), f"unknown key {str(key)!r}", mend
    elif rule == "required":
        told = error.message.split("'")[1]
        yield path, f"{told!r} is missing", noted or f"add '{told}:'"
    elif rule == "type":
        names = [wanted] if isinstance(wanted, str) else wanted
        allowed = " or ".join(_WORDS[name] for name in names)
        yield path, f"must be {allowed}", noted or f"write {allowed} here"
    elif rule == "enum":
        choices = [str(choice) for choice in wanted]
        what = f"{_shown(error.instance)} is none of {', '.join(choices)}"
        yield path, what, noted or did_you_mean(str(error.instance), choices)
    elif rule in ("minItems", "minProperties", "minLength"):
        yield path, "must not be empty", noted or "fill it, or remove the key"
    else:
        what = f"{_shown(error.instance)} is not allowed here ({rule} {wanted})"
        yield path, what, noted or "see the schema of ringfence.yaml"


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "…"
