"""Rewriting inputs without touching the original."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.policy.plan import FieldRewrite, Rule
from ringfence.policy.rewriting import rewritten

INPUT = {"command": "a b", "opts": {"n": 1, "tags": ["x", "y"]}}


def one(*changes):
    return rewritten(INPUT, [Rule("r", rewrite=changes)]).get("r")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (FieldRewrite("command", value="c"), {**INPUT, "command": "c"}),
        (FieldRewrite("new", value=[1]), {**INPUT, "new": [1]}),
        (
            FieldRewrite("opts.n", value=2),
            {**INPUT, "opts": {"n": 2, "tags": ["x", "y"]}},
        ),
        (
            FieldRewrite("opts.tags.1", value="z"),
            {**INPUT, "opts": {"n": 1, "tags": ["x", "z"]}},
        ),
        (FieldRewrite("opts", remove=True), {"command": "a b"}),
        (
            FieldRewrite("command", value="<>", pattern="[ab]"),
            {**INPUT, "command": "<> <>"},
        ),
    ],
)
def test_a_field_is_changed(change, expected):
    before = copy.deepcopy(INPUT)
    assert one(change) == expected
    assert before == INPUT


@pytest.mark.parametrize(
    "change",
    [
        FieldRewrite("nowhere.x", value=1),
        FieldRewrite("opts.tags.9", value=1),
        FieldRewrite("opts.tags.x", value=1),
        FieldRewrite("command.x", value=1),
        FieldRewrite("gone", remove=True),
        FieldRewrite("gone", value="x", pattern="y"),
        FieldRewrite("opts", value="x", pattern="y"),
        FieldRewrite("command", value="x", pattern="zzz"),
        FieldRewrite("command", value="a b"),
    ],
)
def test_what_changes_nothing_asks_for_nothing(change):
    assert one(change) is None


@given(st.permutations(["a", "b.c", "b.d", "e"]))
def test_changes_of_different_fields_add_up_in_any_order(fields):
    rules = [Rule(f, rewrite=(FieldRewrite(f, value=f),)) for f in fields]
    wanted = rewritten({"b": {}}, rules)
    assert set(wanted) == set(fields)
    together = {"a": "a", "b": {"c": "b.c", "d": "b.d"}, "e": "e"}
    assert all(value == together for value in wanted.values())


def test_a_change_inside_of_what_another_replaces_is_a_conflict():
    rules = [
        Rule("x", rewrite=(FieldRewrite("opts", value={}),)),
        Rule("y", rewrite=(FieldRewrite("opts.n", value=2),)),
    ]
    wanted = rewritten(INPUT, rules)
    assert wanted["x"] != wanted["y"]
