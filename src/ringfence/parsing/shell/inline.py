"""How a shell's own words say what it runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringfence.parsing.shell.words import Word

_VALUED_LONG = frozenset({"--rcfile", "--init-file"})
_STDIN = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})


@dataclass(frozen=True, slots=True)
class ShellCall:
    """What a shell runs: ``code``, else a ``script``, else its standard input.

    ``positional`` are ``$0``, ``$1`` … for the code, ``None`` if they are not known.
    """

    code: Word | None = None
    script: Word | None = None
    positional: tuple[str, ...] | None = None
    nothing: bool = False


def shell_call(words: Sequence[Word]) -> ShellCall:
    """Read the words after ``bash`` (or any shell of that kind)."""
    index = 0
    has_code = has_stdin = False
    while index < len(words):
        text = words[index].text
        if text in {"--", "-"}:
            index += 1
            break
        if text.startswith("--"):
            if text in {"--version", "--help"}:
                return ShellCall(nothing=True)
            index += 2 if text in _VALUED_LONG else 1
            continue
        if text[:1] not in {"-", "+"} or len(text) == 1:
            break
        index += 1
        has_code = has_code or (text[0] == "-" and "c" in text)
        has_stdin = has_stdin or (text[0] == "-" and "s" in text)
        # Each o and O takes one of the words that follow.
        index += text.count("o") + text.count("O")
    rest = words[index:]
    if has_code:
        if not rest:
            return ShellCall(nothing=True)
        known = all(word.known for word in rest)
        names = tuple(word.text for word in rest[1:]) or ("bash",)
        return ShellCall(code=rest[0], positional=names if known else None)
    if has_stdin or not rest or rest[0].text in _STDIN:
        return ShellCall()
    return ShellCall(script=rest[0])
