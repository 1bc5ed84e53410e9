"""The paths that the commands of a shell text name, and what happens to them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ringfence.calls import Command, PathRef, PathUse, ShellProgram
from ringfence.parsing._operands import (
    GIT_OPERANDS,
    GIT_VALUED,
    OPERANDS,
    UPLOADS,
    Operands,
)
from ringfence.parsing.paths import absolute
from ringfence.parsing.shell.scope import join

_PATH_LIKE = re.compile(r"(?:/|~|\.\.?/|\.[\w-])\S*|[\w.@-]+(?:/[\w.@*?-]+)+/?")
_REMOTE = re.compile(r"(?![A-Za-z]:[\\/])(?:\w[\w.-]*@)?[\w.-]+:")
_UPLOAD = re.compile(r"(?:[^=]*=)?[@<]([^;]+)")
_QUOTES = str.maketrans("", "", "'\"")

# Files that are no files.
_STREAMS = frozenset({"-", "/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"})
_COPIERS = frozenset({"scp", "rsync", "sftp"})
_FIND_WRITES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})

_Uses = Iterator[tuple[str, PathUse]]


def command_paths(
    program: ShellProgram, *, cwd: str = "", home: str = ""
) -> tuple[PathRef, ...]:
    """Return the paths of a program, in its order, each use once.

    A relative path is seen from the directory that its command runs in, from ``cwd``
    where that is not known. Words of programs that we know nothing about count as
    read where they look like a path.
    """
    found: dict[PathRef, None] = {}
    for command in program.commands:
        base = _directory(command) or cwd
        for path, use in _uses(command):
            # A word that can't be known has kept its quotes.
            text = path.translate(_QUOTES) if "$" in path or "`" in path else path
            if text and text not in _STREAMS and "://" not in text:
                found[PathRef(text, absolute(text, base, home), use)] = None
    return tuple(found)


def _directory(command: Command) -> str:
    if command.program != "git":
        return command.cwd
    base = command.cwd
    for option, value in zip(command.args, command.args[1:], strict=False):
        if not option.startswith("-"):
            break
        if option == "-C":
            base = join(base, value)
    return base


def _uses(command: Command) -> _Uses:
    yield from _redirected(command)
    if "/" in command.word and command.program:
        yield command.word, PathUse.READ
    spec = OPERANDS.get(command.program)
    if command.program == "git":
        yield from _git(command.args)
    elif command.program in {"tar", "gtar", "bsdtar"}:
        yield from _tar(command.args)
    elif command.program == "find":
        yield from _find(command.args)
    elif spec is not None:
        yield from _operands(command, spec)
    else:
        for arg in command.args:
            yield from _guessed(arg)


def _redirected(command: Command) -> _Uses:
    for redirect in command.redirects:
        if redirect.writes:
            yield redirect.target, PathUse.WRITE
        if redirect.operator in {"<", "<>"}:
            yield redirect.target, PathUse.READ


def _operands(command: Command, spec: Operands) -> _Uses:
    operands: list[str] = []
    options: list[str] = []
    uploads = UPLOADS.get(command.program, frozenset())
    words = iter(command.args)
    for word in words:
        if word == "--":
            operands += words
        elif not word.startswith("-") or word == "-":
            name, sign, target = word.partition("=")
            if sign and name in spec.assigned:
                yield target, spec.assigned[name]
            else:
                operands.append(word)
        else:
            option, value = _option(word, spec, uploads)
            options.append(option)
            if value is None and _takes_value(option, spec, uploads):
                value = next(words, "")
            yield from _option_value(option, value, spec, uploads)
    if command.program in _COPIERS:
        operands = ["" if _REMOTE.match(word) else word for word in operands]
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
        if f"-{letter}" in known:
            return f"-{letter}", word[index + 1 :] or None
    return word, None


def _takes_value(option: str, spec: Operands, uploads: frozenset[str]) -> bool:
    return option in spec.paths or option in spec.valued or option in uploads


def _option_value(
    option: str, value: str | None, spec: Operands, uploads: frozenset[str]
) -> _Uses:
    if value is None:
        return
    if option in spec.paths:
        yield value, spec.paths[option]
    elif option in uploads:
        match = _UPLOAD.match(value)
        if match:
            yield match[1], PathUse.READ
    elif option not in spec.valued | spec.writing:
        yield from _guessed(value)


def _used(operands: list[str], options: list[str], spec: Operands) -> _Uses:
    given = any(option in spec.instead for option in options)
    if given and spec.use is None:
        # The program came as text; what follows are its own words.
        return
    if not given:
        operands = operands[spec.skip :]
    writes = any(option in spec.writing for option in options)
    target_given = any(spec.paths.get(option) is PathUse.WRITE for option in options)
    several = len(operands) > 1 and not target_given
    for index, operand in enumerate(operands):
        use = PathUse.WRITE if writes else spec.use
        if index == 0 and spec.first is not None:
            use = spec.first
        if spec.last is not None and several and index == len(operands) - 1:
            use = spec.last
        if use is not None:
            yield operand, use


def _git(args: Sequence[str]) -> _Uses:
    words = list(args)
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in GIT_VALUED and words:
            words.pop(0)
    if not words:
        return
    verb, rest = words[0], words[1:]
    operands = [word for word in rest if not word.startswith("-")]
    use = GIT_OPERANDS.get(verb)
    if verb == "checkout":
        operands = rest[rest.index("--") + 1 :] if "--" in rest else []
    elif verb == "diff" and "--no-index" in rest:
        use = PathUse.READ
    elif verb in {"show", "cat-file"}:
        # ``REVISION:PATH``
        operands = [word.partition(":")[2] for word in operands]
    if use is None:
        return
    for index, operand in enumerate(operands):
        last = verb == "mv" and index == len(operands) - 1
        yield operand, PathUse.WRITE if last else use


def _tar(args: Sequence[str]) -> _Uses:
    """Read both ways to write options: ``tar czf a b`` and ``tar -c -f a b``."""
    words = list(args)
    if words and not words[0].startswith("-"):
        words[0] = f"-{words[0]}"
    creates = any(_has_letter(w, "cru") or w == "--create" for w in words)
    extracts = any(_has_letter(w, "x") or w in {"--extract", "--get"} for w in words)
    archive = PathUse.WRITE if creates else PathUse.READ
    rest = iter(words)
    for word in rest:
        if word in {"-C", "--directory"}:
            yield next(rest, ""), PathUse.WRITE if extracts else PathUse.READ
        elif word.startswith("--"):
            name, _, value = word.partition("=")
            if name == "--file":
                yield value or next(rest, ""), archive
        elif _has_letter(word, "f"):
            attached = word[word.index("f") + 1 :]
            yield attached or next(rest, ""), archive
        elif not word.startswith("-"):
            yield word, PathUse.WRITE if extracts else PathUse.READ


def _has_letter(word: str, letters: str) -> bool:
    if not word.startswith("-") or word.startswith("--"):
        return False
    return any(letter in word for letter in letters)


def _find(args: Sequence[str]) -> _Uses:
    use = PathUse.DELETE if "-delete" in args else PathUse.SEARCH
    starts = True
    for word, following in zip(args, [*args[1:], ""], strict=True):
        starts = starts and not word.startswith(("-", "(", "!", "\\"))
        if starts:
            yield word, use
        elif word in _FIND_WRITES:
            yield following, PathUse.WRITE


def _guessed(word: str) -> _Uses:
    """Take what looks like a path, for a word that we know nothing about."""
    text = word.partition("=")[2] if word.startswith("-") else word
    if _PATH_LIKE.fullmatch(text.translate(_QUOTES)):
        yield text, PathUse.READ
