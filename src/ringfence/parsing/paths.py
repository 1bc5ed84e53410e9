"""Paths made absolute, and gitignore-like patterns over them. Purely lexical.

A pattern is matched against a path's absolute form:

* ``*`` matches any run of characters but ``/``, ``?`` one of them, ``[a-z]`` and
  ``[!a-z]`` one of a set; ``**`` as a whole segment matches any number of segments.
* A backslash takes the meaning from the character after it.
* A pattern without a slash (``.env``, ``*.pem``) matches the last segment at any depth.
* One with a slash in it (``secrets/*.key``) matches at any depth too, unless it begins
  with ``/`` (from the root), ``~/`` (from the home directory) or ``./`` (from ``cwd``).
* ``dir/**`` matches what is below a directory; ``dir/`` the directory as well.
* Case counts, unless ``ignore_case`` is set (as on the usual macOS volume).
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache

_HOME_VARIABLE = re.compile(r"\$(?:HOME|\{HOME\})(?=/|$)")
_DRIVE = re.compile(r"^[A-Za-z]:[\\/]")


def absolute(path: str, cwd: str = "", home: str = "") -> str:
    """Return ``path`` made absolute by ``cwd``, with ``.`` and ``..`` taken out.

    ``~`` and ``$HOME`` at the start become ``home``; without one they stay ``~``.
    A relative path without a ``cwd`` stays relative, an empty one
    empty. Symbolic links are not looked at.
    """
    if not path:
        return ""
    text = _HOME_VARIABLE.sub("~", path) if path.startswith("$") else path
    if _DRIVE.match(text):
        text = text.replace("\\", "/")
    elif text.startswith("file://"):
        text = text.removeprefix("file://").removeprefix("localhost")
    if text == "~" or text.startswith("~/"):
        text = home + text[1:] if home else text
    elif not text.startswith(("/", "~")) and not _DRIVE.match(text) and cwd:
        base = absolute(cwd, home=home) if cwd.startswith("~") else cwd
        text = f"{base}/{text}"
    normal = posixpath.normpath(text)
    # POSIX lets two leading slashes mean something else; no agent's machine does.
    return normal[1:] if normal.startswith("//") else normal


def matches(
    pattern: str,
    path: str,
    *,
    cwd: str = "",
    home: str = "",
    ignore_case: bool = False,
) -> bool:
    """Tell whether ``path`` matches the glob ``pattern``; see the module's text."""
    subject = absolute(path, cwd, home)
    if ignore_case:
        pattern, subject = pattern.casefold(), subject.casefold()
        home = home.casefold()
    return _match_segments(_compiled(pattern, cwd, home), _split(subject))


_ANY_DEPTH = "**"
_STAR = object()
_ANY_CHARACTER = object()

# A segment is ``**``, a literal, or a list of characters, wildcards and sets.
_Segment = str | tuple[object, ...]


def _split(path: str) -> list[str]:
    return [""] if path == "/" else path.split("/")


@lru_cache(maxsize=1024)
def _compiled(pattern: str, cwd: str, home: str) -> tuple[_Segment, ...]:
    below = pattern.endswith("/")
    body = pattern.rstrip("/")
    prefix: list[_Segment] = []
    if body == "~" or body.startswith("~/"):
        prefix, body = [*_split(home or "~")], body[2:]
    elif body == "." or body.startswith("./"):
        prefix, body = [*_split(absolute(".", cwd, home))], body[2:]
    elif pattern.startswith("/"):
        prefix, body = [""], body[1:]
    else:
        prefix = [_ANY_DEPTH]
    segments = [*prefix, *(_segment(part) for part in body.split("/") if part)]
    # ``**`` at the end means something below; after ``dir/`` the directory too.
    if segments[-1] == _ANY_DEPTH and len(segments) > 1:
        segments.append((_STAR,))
    if below:
        segments.append(_ANY_DEPTH)
    return tuple(segments)


def _segment(text: str) -> _Segment:
    if text == _ANY_DEPTH:
        return _ANY_DEPTH
    tokens: list[object] = []
    index = 0
    while index < len(text):
        char = text[index]
        if char == "*":
            if not tokens or tokens[-1] is not _STAR:
                tokens.append(_STAR)
        elif char == "?":
            tokens.append(_ANY_CHARACTER)
        elif char == "[" and (end := _set_end(text, index)):
            tokens.append(_Set(text[index + 1 : end]))
            index = end
        else:
            if char == "\\" and index + 1 < len(text):
                index += 1
            tokens.append(text[index])
        index += 1
    if all(isinstance(token, str) for token in tokens):
        return "".join(str(token) for token in tokens)
    return tuple(tokens)


def _set_end(text: str, start: int) -> int:
    """Return the place of the ``]`` that closes a set, 0 if none does."""
    first = start + 1 + (text[start + 1 : start + 2] in {"!", "^"})
    return max(text.find("]", first + 1), 0)


class _Set:
    """A set of characters, such as ``a-z_`` or ``!0-9``."""

    __slots__ = ("_negated", "_ranges")

    def __init__(self, text: str) -> None:
        self._negated = text[0] in "!^"
        body = text[self._negated :]
        self._ranges: list[tuple[str, str]] = []
        index = 0
        while index < len(body):
            if body[index + 1 : index + 2] == "-" and index + 2 < len(body):
                self._ranges.append((body[index], body[index + 2]))
                index += 3
            else:
                self._ranges.append((body[index], body[index]))
                index += 1

    def __contains__(self, char: str) -> bool:
        inside = any(low <= char <= high for low, high in self._ranges)
        return inside != self._negated


def _match_segments(pattern: tuple[_Segment, ...], path: list[str]) -> bool:
    """Match with one point to go back to: the last ``**`` may take one more."""
    at = index = 0
    star = mark = -1
    while index < len(path):
        if at < len(pattern) and pattern[at] == _ANY_DEPTH:
            star, mark = at, index
            at += 1
        elif at < len(pattern) and _match_segment(pattern[at], path[index]):
            at += 1
            index += 1
        elif star >= 0:
            mark += 1
            at, index = star + 1, mark
        else:
            return False
    return all(part == _ANY_DEPTH for part in pattern[at:])


def _match_segment(pattern: _Segment, text: str) -> bool:
    if isinstance(pattern, str):
        return pattern == text
    at = index = 0
    star = mark = -1
    while index < len(text):
        token = pattern[at] if at < len(pattern) else None
        if token is _STAR:
            star, mark = at, index
            at += 1
        elif token is not None and _match_one(token, text[index]):
            at += 1
            index += 1
        elif star >= 0:
            mark += 1
            at, index = star + 1, mark
        else:
            return False
    return all(token is _STAR for token in pattern[at:])


def _match_one(token: object, char: str) -> bool:
    if token is _ANY_CHARACTER:
        return True
    return char in token if isinstance(token, _Set) else token == char
