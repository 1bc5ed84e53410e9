"""Covering text and keeping everything else as it was."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ringfence.content.redaction import apply, find, redact, string_leaves
from ringfence.decisions import Span
from ringfence.policy.calls import make_event

DIGITS = [r"\d+"]
texts = st.text(alphabet='ab1 "\\\n{}:é\U0001f600', max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "0"]), inner, max_size=3)
    ),
    max_leaves=8,
)
spans = st.builds(
    Span,
    st.lists(st.sampled_from(["a", "b", "0", "1"]), max_size=3).map(tuple),
    st.integers(-3, 15),
    st.integers(-3, 15),
    st.sampled_from(["redacted", "key", "token"]),
)


def shape(value):
    """What stays when every string is forgotten."""
    if isinstance(value, str):
        return "text"
    if isinstance(value, dict):
        return {key: shape(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape(item) for item in value]
    return (type(value), value)


# -- laws --------------------------------------------------------------------------


@given(values, st.lists(spans, max_size=6))
def test_the_shape_stays_and_the_original_is_untouched(value, some):
    before = copy.deepcopy(value)
    assert shape(apply(value, some)) == shape(value)
    assert value == before


@given(values)
def test_nothing_that_was_found_remains(value):
    covered = apply(value, find(value, DIGITS, "n"))
    assert find(covered, DIGITS, "n") == frozenset()
    assert not any("1" in text.replace("-1]", "") for _, text in string_leaves(covered))


@given(values)
def test_redacting_twice_is_redacting_once(value):
    once = apply(value, find(value, DIGITS))
    assert apply(once, find(once, DIGITS)) == once


@given(values, st.lists(spans, max_size=6))
def test_without_a_span_in_a_string_nothing_changes(value, some):
    leaves = dict(string_leaves(value))
    outside = [
        span
        for span in some
        if max(span.start, 0) >= min(span.end, len(leaves.get(span.path, "")))
    ]
    assert apply(value, outside) == value


@given(values, st.lists(spans, max_size=6))
def test_what_is_not_covered_stays(value, some):
    touched = {span.path for span in some}
    before, after = dict(string_leaves(value)), dict(string_leaves(apply(value, some)))
    for path, text in before.items():
        if path not in touched:
            assert after[path] == text


@given(values, st.permutations(range(4)), st.lists(spans, min_size=4, max_size=4))
def test_the_order_of_spans_does_not_count(value, order, some):
    assert apply(value, some) == apply(value, [some[index] for index in order])


documents = st.recursive(
    st.none() | st.booleans() | st.integers(0, 999) | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=6,
).filter(lambda value: isinstance(value, (dict, list)))


@given(documents, st.booleans(), st.lists(spans, max_size=4), st.integers(0, 3))
def test_a_string_that_holds_json_goes_on_holding_it(document, ascii_, some, indent):
    text = json.dumps(document, ensure_ascii=ascii_, indent=indent or None)
    assume(len(text) < 200)
    inside = [Span((), s.start * 3, s.end * 4, s.label) for s in some]
    covered = apply(text, inside)
    assert isinstance(covered, str)
    json.loads(covered)


# -- examples ------------------------------------------------------------------------


def test_a_tools_own_shape_is_kept():
    output = {"stdout": "id CUST-12345678", "stderr": "", "interrupted": False}
    decision = redact(make_event("shell", "x", "after", output), r"CUST-\d{8}")
    assert apply(output, decision.redactions) == {
        "stdout": "id [redacted-1]",
        "stderr": "",
        "interrupted": False,
    }


def test_each_value_has_a_placeholder_of_its_own_and_keeps_it():
    value = ["a=1 b=2", {"x": "again 1"}]
    covered = apply(value, find(value, DIGITS, "n"))
    assert covered == [
        "a=[redacted:n-1] b=[redacted:n-2]",
        {"x": "again [redacted:n-1]"},
    ]


def test_overlapping_spans_are_covered_as_one_under_the_longest_label():
    spans_ = [Span((), 0, 5, "short"), Span((), 3, 11, "long"), Span((), 4, 5, "in")]
    assert apply("secret-text!", spans_) == "[redacted:long-1]!"


def test_neighbours_stay_two():
    spans_ = [Span((), 0, 2, "a"), Span((), 2, 4, "b")]
    assert apply("xxyy", spans_) == "[redacted:a-1][redacted:b-1]"


def test_a_span_that_leaves_its_string_covers_what_is_inside():
    assert (
        apply("abc", [Span((), -2, 2), Span((), 2, 99)]) == "[redacted-1][redacted-2]"
    )
    assert apply({"a": 1}, [Span(("a",), 0, 1), Span(("b", "0"), 0, 1)]) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ('{"pin": 1234, "n": 5}', "1234", '{"pin": "[redacted-1]", "n": 5}'),
        ('{"k": "v", "l": [1]}', '"v", "l": [1', None),
        (r'{"k": "a\nb"}', "n", None),
        (r'{"k": "\u00e9x"}', "00e9x", r'{"k": "[redacted-1]"}'),
        ("[true, null]", "true", '["[redacted-1]", null]'),
        ("{not json: 1234}", "1234", "{not json: [redacted-1]}"),
    ],
)
def test_json_inside_of_a_string(text, target, expected):
    start = text.index(target)
    covered = apply(text, [Span((), start, start + len(target))])
    assert isinstance(covered, str)
    if expected is not None:
        assert covered == expected
    else:
        json.loads(covered)
        assert target not in covered


def test_a_replacement_has_the_same_texts_covered():
    key = "AKIA" + "Z" * 16
    original = {"stdout": f'key={key} quote=a"b'}
    some = find(original, [r"AKIA\w{16}", 'a"b'], "k")
    replacement = {"stdout": f"summary: {key}", "json": json.dumps({"q": 'a"b'})}
    assert apply(original, some, replacement) == {
        "stdout": "summary: [redacted:k-1]",
        "json": '{"q": "[redacted:k-2]"}',
    }
    assert apply(original, [], replacement) is replacement


def test_a_deeply_nested_value_is_no_trouble():
    value: object = "a 1"
    for _ in range(3000):
        value = {"x": value}
    covered = apply(value, find(value, DIGITS))
    ((_, text),) = string_leaves(covered)
    assert text == "a [redacted-1]"


def test_many_patterns_and_a_label():
    event = make_event("shell", "x", "after", "a1 b2")
    decision = redact(event, [r"a\d", r"b\d"], label="code")
    assert {span.label for span in decision.redactions} == {"code"}
    assert redact(event, "nothing").neutral
