"""What the builtins of the shell change for the commands after them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ringfence.parsing.shell.scope import Scope
from ringfence.parsing.shell.words import Word

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_FILLS = frozenset({"read", "mapfile", "readarray", "getopts", "let", "wait"})


def apply_builtin(program: str, words: Sequence[Word], scope: Scope) -> None:
    """Change the scope as ``program`` does when given ``words``."""
    if program in {"cd", "chdir"}:
        scope.change_directory(_target(words))
    elif program == "pushd":
        scope.stack = (*scope.stack, scope.cwd)
        scope.change_directory(_target(words))
    elif program == "popd":
        target = scope.stack[-1] if scope.stack else ""
        scope.stack = scope.stack[:-1]
        scope.change_directory(target or None)
    elif program in _FILLS:
        _forget(words, scope)
        if program == "read" and not any(_is_name(word) for word in words):
            scope.set("REPLY", None)
    elif program == "printf":
        if words and words[0].text.startswith("-v"):
            _forget(words[:2], scope)
    elif program == "set":
        _set(words, scope)
    elif program == "shift":
        _shift(words, scope)
    elif program == "alias":
        for word in words:
            name, sign, value = word.text.partition("=")
            if sign and word.known:
                scope.aliases[name] = value
    elif program == "unalias":
        for word in words:
            scope.aliases.pop(word.text, None)
    elif program in {"source", "."}:
        scope.forget_everything()


def _target(words: Sequence[Word]) -> str | None:
    """Return where ``cd`` goes, ``None`` if that can't be known."""
    operands = [word for word in words if not re.fullmatch(r"-[LPe@n]+|--", word.text)]
    if not operands:
        return "~"
    if not operands[0].known or any(char in operands[0].text for char in "*?["):
        return None
    return operands[0].text


def _is_name(word: Word) -> bool:
    return _NAME.fullmatch(word.text) is not None


def _forget(words: Sequence[Word], scope: Scope) -> None:
    for word in words:
        if not word.known:
            scope.forget_everything()
            return
        for name in _NAME.findall(word.text):
            scope.set(name, None)


def _set(words: Sequence[Word], scope: Scope) -> None:
    texts = [word.text for word in words]
    start = texts.index("--") + 1 if "--" in texts else 0
    if not start and (not texts or texts[0][:1] in {"-", "+"}):
        return
    values = words[start:]
    known = all(word.known for word in values)
    scope.positional = ("", *(word.text for word in values)) if known else None


def _shift(words: Sequence[Word], scope: Scope) -> None:
    count = words[0].text if words else "1"
    if scope.positional is None or not count.isdecimal():
        scope.positional = None
    else:
        zero, *rest = scope.positional or ("",)
        scope.positional = (zero, *rest[int(count) :])
