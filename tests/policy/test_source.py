"""Reading the bytes of a policy file, and what is told of bad ones."""

from __future__ import annotations

import pytest

from ringfence.policy.problems import Problems
from ringfence.policy.source import NODE_CAP, SIZE_CAP, read


def told(raw: bytes) -> list[tuple[int, str]]:
    problems = Problems()
    read("f.yaml", raw, problems)
    return sorted((line, text) for _, line, text in problems.found)


def test_values_are_plain_data_that_knows_its_lines():
    source = read("f.yaml", b"version: 1\nrules:\n  - id: a\n    n: 1.5\n", Problems())
    assert source is not None
    assert source.data == {"version": 1, "rules": [{"id": "a", "n": 1.5}]}
    assert source.line(("rules", 0, "n")) == 4
    assert source.line(("rules", 0, "nowhere")) == 3


def test_words_that_older_yaml_took_for_booleans_are_words():
    source = read("f.yaml", b"a: [yes, on, no, off, true, null, 010]\n", Problems())
    assert source is not None
    assert source.data["a"] == ["yes", "on", "no", "off", True, None, "010"]


def test_a_byte_order_mark_is_no_trouble():
    source = read("f.yaml", b"\xef\xbb\xbfversion: 1\n", Problems())
    assert source is not None
    assert source.data == {"version": 1}


def test_an_alias_repeats_what_its_anchor_names():
    source = read("f.yaml", b"a: &x [1, 2]\nb: *x\n", Problems())
    assert source is not None
    assert source.data["b"] == [1, 2]


@pytest.mark.parametrize(
    ("raw", "line", "what", "mend"),
    [
        (b"", 1, "the file is empty", "version: 1"),
        (b"# nothing\n\n", 1, "the file is empty", "version: 1"),
        (b"- a\n- b\n", 1, "a policy is a mapping", "version: 1"),
        (b"a: 1\nb: caf\xe9\n", 2, "not UTF-8", "save the file as UTF-8"),
        (b"a:\n\t- b\n", 2, "not YAML", "never with tabs"),
        (b"a: 1\na: 2\n", 2, "'a' was already given on line 1", "keep one"),
        (b"a: b: c\n", 1, "not YAML", "quote values"),
        (b"a: [1\nb: 2\n", 2, "not YAML", "quote values"),
        (b"a: *nowhere\n", 1, "undefined alias", "define the anchor"),
        (b"a: 1\n---\nb: 2\n", 2, "another document", "one policy per file"),
        (b"a: \x00\n", 1, "not YAML", "control characters"),
        (b"a: !!python/object:os.system x\n", 1, "has no meaning here", "remove it"),
        (b"? [1, 2]\n: 3\n", 1, "a key must be a plain word", "write the keys out"),
        (b"<<: {a: 1}\n", 1, "a key must be a plain word", "merges"),
        (b"a: &x [*x]\n", 1, "holds too much", "instead of aliases"),
        (b"a: " + b"[" * 5000, 1, "nested too deeply", "flatter"),
        (b"a: " + b"[" * 60 + b"]" * 60, 1, "holds too much", "split"),
        (b"#" * (SIZE_CAP + 1), 1, "larger than", "split it"),
    ],
)
def test_a_bad_file_is_told_with_line_and_mend(raw, line, what, mend):
    ((told_line, text),) = told(raw)
    assert told_line == line
    assert what in text
    assert mend in text


def test_aliases_that_unfold_into_millions_are_refused_at_once():
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]")
    assert NODE_CAP < 9**9
    ((_, text),) = told("\n".join(lines).encode())
    assert "unfolds into too much" in text


def test_every_repeated_key_is_told():
    assert [line for line, _ in told(b"a: 1\nb: 1\na: 2\nb: 2\n")] == [3, 4]
