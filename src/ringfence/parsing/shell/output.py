"""What a command prints, where its words alone decide that."""

from __future__ import annotations

import re

from ringfence.parsing.shell.builder import Builder, Stage
from ringfence.parsing.shell.quoting import decode_ansi_c
from ringfence.parsing.shell.scope import Scope

_CONVERSION = re.compile(r"(%[sb])")


def literal_output(builder: Builder, stage: Stage, scope: Scope) -> str | None:
    """Return what the commands of a stage print, ``None`` if that is not certain."""
    if len(stage) != 1:
        return None
    command = builder.commands[stage[0]]
    if command.dynamic or command.program in scope.functions:
        return None
    if any(redirect.writes for redirect in command.redirects):
        return None
    if command.program == "echo":
        return _echo(command.args)
    if command.program == "printf":
        return _printf(command.args)
    if command.program == "cat" and command.args in {(), ("-",)}:
        return command.stdin
    return None


def _echo(args: tuple[str, ...]) -> str | None:
    newline, escapes = "\n", False
    rest = list(args)
    while (
        rest and rest[0][:1] == "-" and rest[0][1:] and set(rest[0][1:]) <= set("neE")
    ):
        option = rest.pop(0)
        newline = "" if "n" in option else newline
        escapes = "e" in option or escapes
    text = " ".join(rest)
    if any(char in text for char in "*?[~"):
        # The shell may have put file names in.
        return None
    if escapes:
        decoded = decode_ansi_c(text)
        return None if decoded is None else decoded + newline
    return text + newline


def _printf(args: tuple[str, ...]) -> str | None:
    if not args or args[0].startswith("-"):
        return None
    template, *values = args
    pieces = _CONVERSION.split(template)
    texts = [decode_ansi_c(piece) for piece in pieces[::2]]
    if "%" in "".join(pieces[::2]) or len(texts) - 1 != len(values):
        return None
    for index, (kind, value) in enumerate(zip(pieces[1::2], values, strict=True)):
        texts.insert(2 * index + 1, decode_ansi_c(value) if kind == "%b" else value)
    if None in texts:
        return None
    return "".join(text for text in texts if text is not None)
