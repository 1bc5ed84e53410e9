"""The paths that the commands of a shell text name, and what happens to them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ringfence.events import Command, PathRef, PathUse, ShellProgram
from ringfence.parsing._operands import OPERANDS, UPLOADS, Operands
from ringfence.parsing.paths import absolute

_PATH_LIKE = re.compile(r"(?:/|~|\.\.?/|\.[\w-])\S*|[\w.@-]+(?:/[\w.@*?-]+)+/?")
_VALUED_BY_COLON = re.compile(r"\w[\w.-]*@?[\w.-]*:(?!//)")

# Files that are no files.
_STREAMS = frozenset({"-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"})
_GIT_OPERANDS = {
    "rm": PathUse.DELETE,
    "mv": PathUse.DELETE,
    "restore": PathUse.WRITE,
    "checkout": PathUse.WRITE,
    "apply": PathUse.READ,
    "blame": PathUse.READ,
    "hash-object": PathUse.READ,
}
_GIT_VALUED = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})


def command_paths(program: ShellProgram, *, cwd: str, home: str) -> tuple[PathRef, ...]:
    """Return the paths of a program, in its order, each use once.

    A relative path is seen from the directory that the command runs in.
    """
    found: dict[PathRef, None] = {}
    for command in program.commands:
        base = command.cwd
        for path, use in _uses(command):
            text = _unquoted(path)
            if text and text not in _STREAMS and not _is_remote(text):
                found[PathRef(text, absolute(text, base, home), use)] = None
    return tuple(found)


def _uses(command: Command) -> Iterator[tuple[str, PathUse]]:
    yield from _redirected(command)
    if "/" in command.word:
        yield command.word, PathUse.READ
    spec = OPERANDS.get(command.program)
    if command.program == "git":
        yield from _git(command.args)
    elif spec is not None:
        yield from _operands(command, spec)
    else:
        yield from _guessed(command.args)


def _redirected(command: Command) -> Iterator[tuple[str, PathUse]]:
    for redirect in command.redirects:
        if redirect.operator in {"<<", "<<<"} or redirect.operator.endswith("<&"):
            continue
        if redirect.writes:
            yield redirect.target, PathUse.WRITE
            if redirect.operator == "<>":
                yield redirect.target, PathUse.READ
        elif redirect.operator == "<":
            yield redirect.target, PathUse.READ


def _operands(command: Command, spec: Operands) -> Iterator[tuple[str, PathUse]]:
    operands: list[str] = []
    options: list[str] = []
    uploads = UPLOADS.get(command.program, frozenset())
    words = iter(command.args)
    for word in words:
        if word == "--":
            operands += words
            break
        if not word.startswith("-") or word == "-":
            name, sign, value = word.partition("=")
            if sign and name in spec.assigned:
                yield value, spec.assigned[name]
            else:
                operands.append(word)
            continue
        option, value = _option(word, spec, uploads)
        options.append(option)
        takes = option in spec.paths or option in spec.valued or option in uploads
        if takes and value is None:
            value = next(words, "")
        if value is not None and option in spec.paths:
            yield value, spec.paths[option]
        elif value is not None and option in uploads:
            yield from _uploaded(value)
    yield from _used(operands, options, spec)


def _option(
    word: str, spec: Operands, uploads: frozenset[str]
) -> tuple[str, str | None]:
    """Split an option from a value written into the same word."""
    if word.startswith("--"):
        name, sign, value = word.partition("=")
        return name, value if sign else None
    known = spec.paths.keys() | spec.valued | spec.writing | spec.instead | uploads
    if word in known:
        return word, None
    for index, letter in enumerate(word[1:], start=1):
        name = f"-{letter}"
        if name in known:
            rest = word[index + 1 :]
            return name, rest or None
    return word, None


def _uploaded(value: str) -> Iterator[tuple[str, PathUse]]:
    match = re.match(r"(?:[^=]*=)?[@<]([^;]+)", value)
    if match:
        yield match[1], PathUse.READ


def _used(
    operands: list[str], options: list[str], spec: Operands
) -> Iterator[tuple[str, PathUse]]:
    given = any(option in spec.instead for option in options)
    if spec.skip and not given:
        operands = operands[spec.skip :]
    if not operands or (spec.first is not None and spec.use is None and given):
        return
    writes = any(option in spec.writing for option in options)
    target_given = any(spec.paths.get(o) is PathUse.WRITE for o in options)
    for index, operand in enumerate(operands):
        use = PathUse.WRITE if writes else spec.use
        if index == 0 and spec.first is not None:
            use = spec.first
        if spec.last is not None and index == len(operands) - 1 and not target_given:
            use = spec.last
        if use is not None:
            yield operand, use


def _git(args: tuple[str, ...]) -> Iterator[tuple[str, PathUse]]:
    words = list(args)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in _GIT_VALUED and words:
            words.pop(0)
    if not words:
        return
    verb, rest = words[0], words[1:]
    operands = [word for word in rest if not word.startswith("-")]
    use = _GIT_OPERANDS.get(verb)
    if verb == "checkout":
        operands = rest[rest.index("--") + 1 :] if "--" in rest else []
    elif verb == "diff" and "--no-index" in rest:
        use = PathUse.READ
    if use is None:
        return
    for index, operand in enumerate(operands):
        last = verb == "mv" and index == len(operands) - 1
        yield operand, PathUse.WRITE if last else use


def _guessed(args: tuple[str, ...]) -> Iterator[tuple[str, PathUse]]:
    """Take what looks like a path, for a program that we know nothing about."""
    for arg in args:
        word = arg
        if arg.startswith("-"):
            word = arg.partition("=")[2]
        if "://" not in word and _PATH_LIKE.fullmatch(_unquoted(word)):
            yield word, PathUse.READ


def _unquoted(word: str) -> str:
    """Drop the quotes that a word which can't be known has kept."""
    if "$" in word or "`" in word:
        return word.replace('"', "").replace("'", "")
    return word


def _is_remote(word: str) -> bool:
    return "://" in word or bool(_VALUED_BY_COLON.match(word))
