"""From a wrapper's words to the commands that it runs."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ringfence.parsing.shell._table import (
    GLOBAL_VALUED,
    PLAIN_VERB,
    VERBS,
    WRAPPERS,
    Wrapper,
)
from ringfence.parsing.shell.words import Word

# To ``env`` every word with an equals sign is one, whatever comes before it.
_ASSIGNMENT = re.compile(r"([^=]*)=(.*)", re.DOTALL)
_FIND = frozenset({"find", "gfind", "bfs"})
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FD = frozenset({"fd", "fdfind"})
_FD_RUNS = frozenset({"-x", "-X", "--exec", "--exec-batch"})
_MAX_READINGS = 16
_ABANDONED = -1


@dataclass(slots=True)
class Inner:
    """One command that a wrapper runs: its words, or ``code`` for a shell.

    With neither, the wrapper starts a shell. ``extended``: words that are not known
    here are added, or put in place of a marker. ``directory`` is where it runs.
    """

    words: list[Word] = field(default_factory=list)
    code: list[Word] = field(default_factory=list)
    assignments: dict[str, str | None] = field(default_factory=dict)
    directory: Word | None = None
    elsewhere: bool = False
    extended: bool = False
    keyword: bool = False


@dataclass(slots=True)
class _Reading:
    """One way to read a wrapper's words: options so far, and where the rest begins."""

    at: int
    operands: int
    options: list[tuple[str, Word | None]] = field(default_factory=list)
    assignments: dict[str, str | None] = field(default_factory=dict)

    def fork(self, at: int) -> _Reading:
        return _Reading(at, self.operands, list(self.options), dict(self.assignments))


def unwrap(program: str, words: Sequence[Word]) -> list[Inner]:
    """Return what ``program`` runs when it is given ``words``.

    Where an option is not known, both ways to read it are returned: it may take the
    next word or not. A word that can't be known and may be empty counts as both.
    """
    if program in _FIND:
        return list(_found(words, _FIND_RUNS))
    if program in _FD:
        return list(_found(words, _FD_RUNS))
    spec = WRAPPERS.get(program)
    if spec is None:
        return []
    if spec.verbs:
        place = _verb(spec, words)
        if place < 0:
            return []
        spec = VERBS.get((program, words[place].text), PLAIN_VERB)
        words = words[place + 1 :]
    return list(_inners(spec, words))


def _found(words: Sequence[Word], runs: frozenset[str]) -> Iterator[Inner]:
    """Yield the commands between ``-exec`` and its ``;`` or ``+``."""
    index = 0
    while index < len(words):
        index += 1
        if words[index - 1].text not in runs:
            continue
        start = index
        while index < len(words) and words[index].text != ";":
            if words[index].text == "+" and words[index - 1].text == "{}":
                break
            index += 1
        yield Inner(list(words[start:index]), extended=True)


def _verb(spec: Wrapper, words: Sequence[Word]) -> int:
    """Return the place of the verb that runs a command, -1 if there is none."""
    doubtful = False
    index = 0
    while index < len(words):
        text = words[index].text
        if text in spec.verbs:
            return index
        if text.startswith("-"):
            takes = text in GLOBAL_VALUED
            doubtful = not takes and "=" not in text
            index += 2 if takes else 1
        elif text in spec.groups or doubtful:
            doubtful = False
            index += 1
        else:
            return -1
    return -1


def _inners(spec: Wrapper, words: Sequence[Word]) -> Iterator[Inner]:
    for reading in _readings(spec, words):
        names = {name for name, _ in reading.options}
        if names & spec.inert:
            continue
        rest = list(words[reading.at :])
        if spec.until:
            texts = [word.text for word in rest]
            cut = [i for i, text in enumerate(texts) if text.startswith(spec.until)]
            rest = rest[: cut[0]] if cut else rest
        yield from _inner(spec, reading, names, rest)


def _inner(
    spec: Wrapper, reading: _Reading, names: set[str], rest: list[Word]
) -> Iterator[Inner]:
    values: dict[str, Word] = {n: v for n, v in reading.options if v is not None}
    inner = Inner(
        assignments=reading.assignments,
        elsewhere=spec.elsewhere,
        extended=spec.extended,
        keyword=spec.keyword,
    )
    for name in spec.directories & values.keys():
        inner.directory = values[name]
    code = [values[name] for name in sorted(spec.code & values.keys())]
    split = [values[name] for name in sorted(spec.split & values.keys())]
    entry = [values[name] for name in sorted(spec.entrypoints & values.keys())]
    if code:
        inner.code = code
    elif split or entry:
        inner.words = [*_split((split or entry)[0]), *rest]
        if split and (nested := list(_inners(spec, inner.words))):
            # ``env -S`` reads options and assignments in the string as its own.
            yield from nested
            return
    elif rest and spec.joined:
        inner.code = rest
    elif rest:
        inner.words = rest
    elif not (spec.shell or names & spec.shells):
        return
    yield inner


def _split(word: Word) -> list[Word]:
    if not word.known:
        return [word]
    try:
        return [Word(text, bare=False) for text in shlex.split(word.text)]
    except ValueError:
        return [Word(word.text, known=False, splits=True)]


def _readings(spec: Wrapper, words: Sequence[Word]) -> list[_Reading]:
    texts = [word.text for word in words]
    if spec.dashes and "--" in texts:
        return [_Reading(texts.index("--") + 1, 0)]
    waiting = [_Reading(0, spec.operands)]
    finished: dict[int, _Reading] = {}
    seen: set[tuple[int, int]] = set()
    while waiting and len(finished) < _MAX_READINGS:
        reading = waiting.pop()
        others = _read(spec, words, reading, seen)
        if reading.at != _ABANDONED:
            finished.setdefault(reading.at, reading)
        waiting += others
    return [finished[at] for at in sorted(finished)]


def _read(
    spec: Wrapper,
    words: Sequence[Word],
    reading: _Reading,
    seen: set[tuple[int, int]],
) -> list[_Reading]:
    """Move a reading to the start of the command; return other ways to read on.

    ``seen`` holds the places that an earlier reading came by: from there on this one
    would find the same.
    """
    others: list[_Reading] = []
    started = False
    while reading.at < len(words):
        if (reading.at, reading.operands) in seen:
            reading.at = _ABANDONED
            return others
        seen.add((reading.at, reading.operands))
        word = words[reading.at]
        if word.text == "--":
            reading.at += 1 + reading.operands
            break
        assignment = _ASSIGNMENT.fullmatch(word.text) if spec.assignments else None
        if _is_option(word, spec) and (spec.again or not started):
            others += _read_option(spec, words, reading)
            if any(name in spec.instead for name, _ in reading.options):
                reading.operands = 0
        elif assignment:
            name, value = assignment.groups()
            reading.assignments[name] = value if word.known else None
            reading.at += 1
        elif not word.known and word.splits:
            # It may be nothing, an option, an operand, or the command.
            others.append(reading.fork(reading.at + 1))
            break
        elif reading.operands:
            reading.operands -= 1
            reading.at += 1
            started = True
        else:
            break
    reading.at = min(reading.at, len(words))
    return others


def _is_option(word: Word, spec: Wrapper) -> bool:
    # A lone dash is a word, but to env it is an option: an empty environment.
    alone = spec.again or spec.assignments
    return word.text.startswith("-") and (len(word.text) > 1 or alone)


def _read_option(
    spec: Wrapper, words: Sequence[Word], reading: _Reading
) -> list[_Reading]:
    word = words[reading.at]
    reading.at += 1
    if word.text.startswith("--"):
        return _read_long(spec, words, reading, word)
    for index, letter in enumerate(word.text[1:], start=1):
        option = f"-{letter}"
        rest = word.text[index + 1 :]
        if option in spec.optional:
            reading.options.append((option, Word(rest, word.known)))
            return []
        if _takes_value(option, spec):
            if rest:
                reading.options.append((option, Word(rest, word.known)))
            else:
                _take_next(words, reading, option)
            return []
        reading.options.append((option, None))
        if not _takes_none(option, spec) and not letter.isdigit() and not rest:
            return [reading.fork(reading.at + 1)]
    return []


def _read_long(
    spec: Wrapper, words: Sequence[Word], reading: _Reading, word: Word
) -> list[_Reading]:
    name, sign, value = word.text.partition("=")
    if sign:
        reading.options.append((name, Word(value, word.known)))
    elif _takes_value(name, spec):
        _take_next(words, reading, name)
    else:
        reading.options.append((name, None))
        if not _takes_none(name, spec) and name not in spec.optional:
            return [reading.fork(reading.at + 1)]
    return []


def _take_next(words: Sequence[Word], reading: _Reading, option: str) -> None:
    value = words[reading.at] if reading.at < len(words) else None
    reading.options.append((option, value))
    reading.at += 1


def _takes_value(option: str, spec: Wrapper) -> bool:
    groups = (spec.valued, spec.code, spec.split, spec.directories, spec.entrypoints)
    return any(option in group for group in groups)


def _takes_none(option: str, spec: Wrapper) -> bool:
    return any(option in group for group in (spec.flags, spec.inert, spec.shells))
