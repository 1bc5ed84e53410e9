"""Regular expressions and globs that can't be made slow.

A policy's regexes are RE2: linear in the text, whatever the pattern. The library is
loaded when the first regex is tried, so that a call no regex is about costs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Protocol

# Groups of a regex whose names begin so narrow what is covered of a match.
_COVERED_GROUP = "secret"


class Match(Protocol):
    """What a regex found."""

    def span(self, group: int = 0) -> tuple[int, int]:
        """Return start and end of a group, ``(-1, -1)`` if it took no part."""

    def group(self, group: int = 0) -> str | None:
        """Return the text of a group, ``None`` if it took no part."""


class Regex(Protocol):
    """A compiled regex."""

    @property
    def groups(self) -> int:
        """How many groups there are."""

    @property
    def groupindex(self) -> dict[str, int]:
        """The named groups."""

    def search(self, text: str) -> Match | None:
        """Return the first match anywhere."""

    def fullmatch(self, text: str) -> Match | None:
        """Return the match of the whole text."""

    def finditer(self, text: str) -> Iterator[Match]:
        """Return all matches."""

    def sub(self, repl: Callable[[Match], str], text: str) -> str:
        """Return the text with each match replaced."""


@cache
def _compiled(pattern: str, *, dot_all: bool) -> Regex:
    import re2  # noqa: PLC0415 - only a call that some regex is about pays for it

    options = re2.Options()
    options.log_errors = False
    options.dot_nl = dot_all
    regex: Regex = re2.compile(pattern, options)
    return regex


def problem(pattern: str) -> str:
    """Return what RE2 finds wrong with a pattern, empty if nothing."""
    import re2  # noqa: PLC0415 - see _compiled

    try:
        _compiled(pattern, dot_all=False)
    except re2.error as error:
        said = error.args[0] if error.args else "it does not compile"
        return said.decode(errors="replace") if isinstance(said, bytes) else str(said)
    except UnicodeEncodeError:
        return "it holds half of a surrogate pair"
    return ""


def well_formed(text: str) -> str:
    """Return the text with lone surrogates replaced, each by one character.

    JSON can spell half a surrogate pair, and RE2 reads UTF-8, which can't. Offsets
    stay what they were.
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= c <= "\udfff" else c for c in text)
    return text


def search(pattern: str, text: str, *, dot_all: bool = False) -> bool:
    """Tell whether a regex matches anywhere in the text."""
    return _compiled(pattern, dot_all=dot_all).search(well_formed(text)) is not None


def fullmatch(pattern: str, text: str, *, dot_all: bool = False) -> bool:
    """Tell whether a regex matches the whole text."""
    regex = _compiled(pattern, dot_all=dot_all)
    return regex.fullmatch(well_formed(text)) is not None


def matches(pattern: str, text: str) -> Iterator[tuple[int, int]]:
    """Return the stretches that a regex covers, empty ones left out.

    Where the pattern has groups whose names begin with ``secret``, they are what it
    covers.
    """
    regex = _compiled(pattern, dot_all=False)
    named = regex.groupindex.items()
    groups = [index for name, index in named if name.startswith(_COVERED_GROUP)] or [0]
    for match in regex.finditer(well_formed(text)):
        for group in groups:
            start, end = match.span(group)
            if start < end:
                yield start, end


_GROUP = re.compile(r"\\([0-9])")


def substitute(pattern: str, replacement: str, text: str) -> str:
    r"""Return the text with each match replaced.

    ``\1`` in the replacement stands for a group, and everything else for itself.
    """

    def expanded(match: Match) -> str:
        return _GROUP.sub(lambda group: match.group(int(group[1])) or "", replacement)

    return _compiled(pattern, dot_all=False).sub(expanded, well_formed(text))


def missing_group(pattern: str, replacement: str) -> str:
    r"""Return the first ``\N`` of a replacement that the regex has no group for."""
    groups = _compiled(pattern, dot_all=False).groups
    for match in _GROUP.finditer(replacement):
        if int(match[1]) > groups:
            return match[0]
    return ""


def glob_to_regex(glob: str) -> str:
    r"""Return a glob as a regex: ``*`` is any text, all else stands for itself.

    ``\*`` is a star.
    """
    return ".*".join(_quoted(part) for part in _parts(glob))


def _quoted(text: str) -> str:
    """Quote for RE2, leaving alone what needs no quoting."""
    return "".join("\\" + char if char in r"\.+*?()[]{}|^$" else char for char in text)


_STAR = "\0"


@cache
def _parts(glob: str) -> tuple[str, ...]:
    """Split a glob at its stars; an escaped one stays in its part."""
    held = glob.replace(r"\*", _STAR)
    return tuple(part.replace(_STAR, "*") for part in held.split("*"))


def glob_matches(glob: str, text: str) -> bool:
    r"""Tell whether a glob matches the whole text; ``*`` is any text, ``\*`` a star."""
    head, *rest = _parts(glob)
    if not rest:
        return head == text
    *middle, tail = rest
    if len(text) < len(head) + len(tail):
        return False
    if not (text.startswith(head) and text.endswith(tail)):
        return False
    position, limit = len(head), len(text) - len(tail)
    for part in middle:
        found = text.find(part, position, limit)
        if found < 0:
            return False
        position = found + len(part)
    return True
