"""Regexes that can't be made slow, and globs."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.policy import patterns

TEXTS = st.text(alphabet="ab*\\. \n", max_size=12)


def test_a_regex_is_linear_whatever_it_is():
    start = time.monotonic()
    assert not patterns.search("^(a+)+$", "a" * 100_000 + "b")
    assert time.monotonic() - start < 2


def test_what_is_covered_is_the_groups_named_secret_else_the_match():
    assert list(patterns.matches(r"k=(?P<secret>\w+)", "k=abc k=d")) == [(2, 5), (8, 9)]
    either = r"a=(?:'(?P<secret>\w+)'|(?P<secret2>\w+))"
    assert list(patterns.matches(either, "a='x' a=yy")) == [(3, 4), (8, 10)]
    assert list(patterns.matches(r"\d+|", "a12b")) == [(1, 3)]


def test_offsets_count_characters_also_past_lone_surrogates():
    text = "é😀\ud800 key=1"
    ((start, end),) = patterns.matches(r"key=\d", text)
    assert text[start:end] == "key=1"


@pytest.mark.parametrize("pattern", ["(a", "a(?=b)", r"(a)\1", "[z-a]", "a{5000}"])
def test_what_re2_refuses_is_told(pattern):
    assert patterns.problem(pattern)


def test_a_sound_regex_has_no_problem():
    assert patterns.problem(r"(?i)\bdrop\s+table\b") == ""


@pytest.mark.parametrize(
    ("glob", "text", "expected"),
    [
        ("git", "git", True),
        ("git", "gitk", False),
        ("*", "", True),
        ("mcp__git*__*", "mcp__github__push", True),
        ("a*b*c", "abc", True),
        ("a*b*c", "acb", False),
        ("*aa", "aaa", True),
        ("ab*ba", "aba", False),
        (r"\*", "*", True),
        (r"\*", "x", False),
        (r"./\*", "./*", True),
        ("a.c", "abc", False),
    ],
)
def test_a_star_is_any_text_and_everything_else_itself(glob, text, expected):
    assert patterns.glob_matches(glob, text) is expected


@given(TEXTS, TEXTS)
def test_a_glob_and_its_regex_agree(glob, text):
    regex = patterns.glob_to_regex(glob)
    assert patterns.problem(regex) == ""
    expected = patterns.glob_matches(glob, text)
    assert patterns.fullmatch(regex, text, dot_all=True) is expected


def test_a_replacement_can_name_groups_and_holds_nothing_else_special():
    assert patterns.substitute(r"(\w+)@x", r"\1@y", "me@x you@x") == "me@y you@y"
    assert patterns.substitute("a(b)?", r"<\1\g<1>\n$1", "a") == r"<\g<1>\n$1"
    assert patterns.missing_group("(a)", r"\0\1") == ""
    assert patterns.missing_group("(a)", r"\1\2") == r"\2"


@given(st.text(alphabet=st.characters(), max_size=20))
def test_mending_surrogates_keeps_the_length(text):
    assert len(patterns.well_formed(text)) == len(text)
    assert not re.search("[\ud800-\udfff]", patterns.well_formed(text))
