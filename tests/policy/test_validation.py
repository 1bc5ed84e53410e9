"""The published schema says what the compiler understands, no more and no less."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from ruamel.yaml import YAML

from ringfence.errors import PolicyError
from ringfence.policy import packs
from ringfence.policy.commands import COMMAND_KEYS
from ringfence.policy.facts import FIELD_TESTS
from ringfence.policy.loader import parse_policy
from ringfence.policy.matching import FACTS
from ringfence.policy.validation import schema


def definition(name):
    return schema()["$defs"][name]["properties"]


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(schema())
    assert schema()["$id"] == "urn:ringfence:policy:v1"


@pytest.mark.parametrize("name", packs.names())
def test_the_packs_are_valid(name):
    data = YAML(typ="safe").load((packs.FOLDER / f"{name}.yaml").read_text())
    assert list(Draft202012Validator(schema()).iter_errors(data)) == []


def test_every_condition_of_the_schema_is_one_that_is_evaluated():
    joins = {"all", "any", "not"}
    others = {
        "paths", "hosts", "content", "edits", "input", "output", "prompt",
        "subagent", "unparsed",
    }  # fmt: skip
    assert set(definition("when")) == COMMAND_KEYS | set(FACTS) | joins | others
    assert set(definition("field")) == FIELD_TESTS | {"field"}
    assert set(definition("receiver")) < COMMAND_KEYS


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("tests: [{expect: deny}]", "'call' is missing"),
        (
            "rules: [{id: a, before: shell, decision: deny, match: [{command: x}]}]",
            "'tool' is missing",
        ),
    ],
)
def test_a_call_that_is_none_is_a_problem(text: str, told: str) -> None:
    with pytest.raises(PolicyError, match=told):
        parse_policy(f"version: 1\n{text}\n".encode(), "x.yaml")
