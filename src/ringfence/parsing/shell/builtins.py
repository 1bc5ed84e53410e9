"""What the builtins of the shell change for the commands after them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ringfence.parsing.shell.scope import Scope
from ringfence.parsing.shell.words import Word

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def apply_builtin(program: str, words: Sequence[Word], scope: Scope) -> None:
    """Change the scope as ``program`` does when given ``words``."""
    if program in scope.functions:
        scope.call(program)
    elif program in _BUILTINS:
        _BUILTINS[program](words, scope)


def declare(
    keyword: str,
    words: Sequence[Word],
    values: dict[str, str | None],
    scope: Scope,
) -> None:
    """Change the scope as ``export``, ``declare`` and their like do.

    ``values`` are those of the assignments among the words.
    """
    options = {word.text for word in words if word.text[:1] in {"-", "+"}}
    names = {word.text.partition("=")[0] for word in words} - options
    for name, value in values.items():
        # Outside a function ``local`` is an error; inside, nothing is certain.
        scope.set(name, None if keyword == "local" else value)
    if keyword == "unset":
        for name in names:
            scope.set(name, None)
    elif options - {"-x"}:
        # Numbers, case, references to other names: values are not what was written.
        scope.volatile |= names | {value for value in values.values() if value}
    if keyword == "export" or "-x" in options:
        scope.exported |= names
    if keyword == "readonly":
        scope.readonly |= names


def _cd(words: Sequence[Word], scope: Scope) -> None:
    scope.change_directory(_target(words))


def _pushd(words: Sequence[Word], scope: Scope) -> None:
    scope.stack = (*scope.stack, scope.cwd)
    scope.change_directory(_target(words))


def _popd(_words: Sequence[Word], scope: Scope) -> None:
    target = scope.stack[-1] if scope.stack else ""
    scope.stack = scope.stack[:-1]
    scope.change_directory(target or None)


def _read(words: Sequence[Word], scope: Scope) -> None:
    _forget(words, scope)
    scope.set("REPLY", None)


def _printf(words: Sequence[Word], scope: Scope) -> None:
    if words and words[0].text.startswith("-v"):
        _forget(words[:2], scope)


def _alias(words: Sequence[Word], scope: Scope) -> None:
    for word in words:
        name, sign, value = word.text.partition("=")
        if sign and word.known:
            scope.aliases[name] = value


def _unalias(words: Sequence[Word], scope: Scope) -> None:
    for word in words:
        scope.aliases.pop(word.text, None)


def _source(_words: Sequence[Word], scope: Scope) -> None:
    scope.forget_everything()


def _target(words: Sequence[Word]) -> str | None:
    """Return where ``cd`` goes, ``None`` if that can't be known."""
    operands = [word for word in words if not re.fullmatch(r"-[LPe@n]+|--", word.text)]
    if not operands:
        return "~"
    if not operands[0].known or any(char in operands[0].text for char in "*?["):
        return None
    return operands[0].text


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


_BUILTINS: dict[str, Callable[[Sequence[Word], Scope], None]] = {
    "cd": _cd,
    "chdir": _cd,
    "pushd": _pushd,
    "popd": _popd,
    "read": _read,
    "mapfile": _forget,
    "readarray": _forget,
    "getopts": _forget,
    "let": _forget,
    "wait": _forget,
    "printf": _printf,
    "set": _set,
    "shift": _shift,
    "alias": _alias,
    "unalias": _unalias,
    "source": _source,
    ".": _source,
}
