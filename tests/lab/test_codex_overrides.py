"""Codex takes the lab's settings as TOML overrides on its command line."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.lab import RunError
from ringfence.lab.runners.codex import overrides, toml


def test_each_leaf_is_one_override() -> None:
    settings = {"a": {"b": {"c": True}, "d": ["x", 1]}, "e": 'say "hi"'}
    assert list(overrides(settings)) == [
        "a.b.c=true",
        'a.d=["x", 1]',
        r'e="say \"hi\""',
    ]


def test_a_key_with_a_dot_is_told_where_to_go() -> None:
    with pytest.raises(RunError, match=r"config\.toml"):
        list(overrides({"projects": {"/a/b.c": {"trust_level": "trusted"}}}))


def test_there_is_no_null_in_toml() -> None:
    with pytest.raises(RunError, match="leave the key out"):
        list(overrides({"a": None}))


texts = st.text(st.characters(codec="utf-8"))
toml_values = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | texts,
    lambda inner: st.lists(inner) | st.dictionaries(texts, inner),
    max_leaves=10,
)


@given(toml_values)
def test_a_value_means_the_same_in_toml(value: object) -> None:
    assert tomllib.loads(f"x = {toml(value)}")["x"] == value
