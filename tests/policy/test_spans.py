"""Finding text inside values of any shape."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ringfence.decisions import Span
from ringfence.policy.plan import Redaction
from ringfence.policy.spans import Covered, find, string_leaves


def test_every_string_has_its_path():
    value = {"a": ["x", {"b": "y"}], "c": 1, "d": None, "e": "z"}
    assert list(string_leaves(value)) == [
        (("a", "0"), "x"),
        (("a", "1", "b"), "y"),
        (("e",), "z"),
    ]
    assert list(string_leaves("x")) == [((), "x")]
    assert list(string_leaves(7)) == []


def test_a_value_nested_deeper_than_the_stack_is_walked():
    value: object = "x"
    for _ in range(5000):
        value = [value]
    ((path, text),) = string_leaves(value)
    assert (len(path), text) == (5000, "x")


def test_patterns_cover_and_exceptions_do_not():
    redaction = Redaction("k", pattern=r"k=(?P<secret>\w+)", unless=("none",))
    assert find({"a": "k=abc k=none k=nonesuch"}, [redaction]) == {
        Span(("a",), 2, 5, "k"),
        Span(("a",), 15, 23, "k"),
    }


def test_placeholders_are_left_alone():
    assert find("k=[redacted:k-1] 12", [r"k=(?P<secret>\S+)", r"\d+"]) == {
        Span((), 17, 19, "redacted")
    }


def test_the_first_pattern_to_cover_a_text_names_it():
    found = find(
        "T=tok-1", [Redaction("a", r"tok-\d"), Redaction("b", r"T=(?P<secret>.*)")]
    )
    assert [span.label for span in found] == ["a"]


ranges = st.tuples(st.integers(0, 30), st.integers(1, 8)).map(
    lambda pair: (pair[0], pair[0] + pair[1])
)


@given(st.lists(ranges, max_size=12))
def test_a_span_is_news_unless_all_of_it_is_covered(given_ranges):
    covered, known = Covered(), set()
    for start, end in given_ranges:
        places = set(range(start, end))
        assert covered.take(Span((), start, end)) is not (places <= known)
        known |= places
