"""From the grammar's word nodes to the words that a program would be given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ringfence.parsing.shell.quoting import (
    COMMA,
    OPEN,
    decode_ansi_c,
    expand_braces,
    unescape_bare,
    unescape_double,
    unmark,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from ringfence.parsing.shell.scope import Scope

_LITERAL = frozenset(
    {
        "word",
        "number",
        "extglob_pattern",
        "regex",
        "test_operator",
        "variable_name",
        "special_variable_name",
        "file_descriptor",
        "$",
    }
)
_DEFAULTS = frozenset({":-", "-", ":=", "="})


@dataclass(frozen=True, slots=True)
class Word:
    """One word: its text, or its source where the text can't be known.

    ``splits`` tells that an unknown word may turn into none or several; ``bare`` that
    nothing in it was quoted (only such a word can be an alias); ``feeds`` holds the
    commands whose output is part of it.
    """

    text: str
    known: bool = True
    splits: bool = False
    bare: bool = True
    feeds: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Output:
    """What a substitution prints where that is certain, and the commands in it."""

    text: str | None
    commands: tuple[int, ...] = ()


@dataclass(slots=True)
class _Fields:
    """The fields of one word while it is put together."""

    done: list[str] = field(default_factory=list)
    current: str = ""
    started: bool = False
    known: bool = True
    splits: bool = False
    bare: bool = True
    feeds: list[int] = field(default_factory=list)

    def add(self, text: str, *, quoted: bool) -> None:
        self.current += text
        self.started = self.started or quoted or bool(text)
        self.bare = self.bare and not quoted

    def add_split(self, text: str) -> None:
        """Add the value of an unquoted expansion, split at blanks as bash does."""
        self.bare = False
        parts = text.split()
        if text[:1].isspace() and self.started:
            self.cut()
        for index, part in enumerate(parts):
            if index:
                self.cut()
            self.add(part, quoted=False)
        if parts and text[-1:].isspace():
            self.cut()

    def cut(self) -> None:
        if self.started:
            self.done.append(self.current)
        self.current, self.started = "", False

    def unknown(self, *, splits: bool) -> None:
        self.known = self.bare = False
        self.started = True
        self.splits = self.splits or splits


class Expander:
    """Turns word nodes into words with what is certain in a scope.

    ``substitute`` walks a command or process substitution and says what it prints.
    """

    def __init__(self, substitute: Callable[[Node, Scope], Output]) -> None:
        self._substitute = substitute

    def expand(self, node: Node, scope: Scope) -> list[Word]:
        """Return the words that a node becomes; possibly none."""
        fields = _Fields()
        self._add(node, scope, fields, quoted=False)
        feeds = tuple(fields.feeds)
        if not fields.known:
            return [
                Word(source_of(node), False, fields.splits, bare=False, feeds=feeds)
            ]
        fields.cut()
        words: list[Word] = []
        for text in fields.done:
            expanded = expand_braces(text)
            if expanded is None:
                return [Word(source_of(node), False, True, bare=False, feeds=feeds)]
            words += [
                Word(unmark(item), bare=fields.bare and OPEN not in text, feeds=feeds)
                for item in expanded
                if item or OPEN not in text
            ]
        return words

    def value(self, node: Node, scope: Scope) -> Word:
        """Return the value a node has where words are not split or expanded."""
        fields = _Fields()
        self._add(node, scope, fields, quoted=True)
        if not fields.known:
            return Word(source_of(node), False, feeds=tuple(fields.feeds))
        text = unmark(fields.current)
        return Word(text, bare=fields.bare, feeds=tuple(fields.feeds))

    def visit(self, node: Node, scope: Scope) -> tuple[int, ...]:
        """Walk every substitution below a node whose value is of no use."""
        found: list[int] = []
        stack = [node]
        while stack:
            current = stack.pop()
            if current.type in {"command_substitution", "process_substitution"}:
                found += self._substitute(current, scope).commands
            else:
                stack.extend(reversed(current.children))
        return tuple(found)

    def _add(self, node: Node, scope: Scope, fields: _Fields, *, quoted: bool) -> None:
        kind = node.type
        if kind in _LITERAL:
            # The comma is marked here, where it is known not to be quoted.
            text = unescape_bare(_text(node))
            fields.add(text.replace(",", COMMA), quoted=False)
            fields.bare = fields.bare and b"\\" not in (node.text or b"")
        elif kind == "raw_string":
            fields.add(_text(node)[1:-1], quoted=True)
        elif kind == "ansi_c_string":
            self._add_ansi_c(node, fields)
        elif kind == "string":
            self._add_string(node, scope, fields)
        elif kind in {"concatenation", "command_name"}:
            for child in node.children:
                self._add(child, scope, fields, quoted=quoted)
        elif kind in {"simple_expansion", "expansion"}:
            self._add_parameter(node, scope, fields, quoted=quoted)
        elif kind == "command_substitution":
            output = self._substitute(node, scope)
            fields.feeds += output.commands
            self._add_value(output.text, fields, quoted=quoted)
        elif kind == "process_substitution":
            fields.feeds += self._substitute(node, scope).commands
            fields.unknown(splits=False)
        else:
            fields.feeds += self.visit(node, scope)
            fields.unknown(splits=kind not in {"arithmetic_expansion"})

    @staticmethod
    def _add_ansi_c(node: Node, fields: _Fields) -> None:
        decoded = decode_ansi_c(_text(node)[2:-1])
        if decoded is None:
            fields.unknown(splits=False)
        else:
            fields.add(decoded, quoted=True)

    def _add_string(self, node: Node, scope: Scope, fields: _Fields) -> None:
        """Add a double-quoted string: the bytes between expansions are text."""
        raw = node.text or b""
        start = node.start_byte
        at = start + 1
        fields.add("", quoted=True)
        for child in node.children:
            if child.type in {"string_content", '"', "$"}:
                continue
            between = raw[at - start : child.start_byte - start].decode()
            fields.add(unescape_double(between), quoted=True)
            self._add(child, scope, fields, quoted=True)
            at = child.end_byte
        tail = raw[at - start : len(raw) - 1].decode()
        fields.add(unescape_double(tail), quoted=True)

    @staticmethod
    def _add_value(value: str | None, fields: _Fields, *, quoted: bool) -> None:
        if value is None:
            fields.unknown(splits=not quoted)
        elif quoted:
            fields.add(value, quoted=True)
        else:
            fields.add_split(value)

    def _add_parameter(
        self, node: Node, scope: Scope, fields: _Fields, *, quoted: bool
    ) -> None:
        name, operator, operand = _parameter_parts(node)
        if name in {"@", "*"} and not operator and scope.positional is not None:
            self._add_all_positional(name, scope.positional, fields, quoted=quoted)
            return
        if name == "" or (operator and operator not in _DEFAULTS | {":+", "+"}):
            fields.feeds += self.visit(node, scope)
            fields.unknown(splits=not quoted)
            return
        value = scope.get(name)
        if not operator:
            self._add_value(value, fields, quoted=quoted)
            return
        fields.feeds += self.visit(node, scope)
        if value is None:
            fields.unknown(splits=not quoted)
        elif operator in _DEFAULTS and (value or not operator.startswith(":")):
            self._add_value(value, fields, quoted=quoted)
        elif operator in {":+", "+"} and not value and operator.startswith(":"):
            self._add_value("", fields, quoted=quoted)
        elif operand is not None:
            self._add(operand, scope, fields, quoted=quoted)
        else:
            self._add_value("", fields, quoted=quoted)

    @staticmethod
    def _add_all_positional(
        name: str, values: tuple[str, ...], fields: _Fields, *, quoted: bool
    ) -> None:
        if quoted and name == "*":
            fields.add(" ".join(values), quoted=True)
            return
        for index, value in enumerate(values):
            if index:
                fields.cut()
            if quoted:
                fields.add(value, quoted=True)
            else:
                fields.add_split(value)


def source_of(node: Node) -> str:
    """Return a node's source text."""
    return unmark(_text(node))


def _text(node: Node) -> str:
    return (node.text or b"").decode()


def _parameter_parts(node: Node) -> tuple[str, str, Node | None]:
    """Return name, operator and operand; an empty name for what is not followed."""
    children = node.children
    if node.type == "simple_expansion":
        return _text(children[-1]), "", None
    if len(children) < 3 or children[1].type not in {
        "variable_name",
        "special_variable_name",
    }:
        return "", "", None
    name = _text(children[1])
    if len(children) == 3:
        return name, "", None
    if len(children) == 4:
        return name, _text(children[2]), None
    if len(children) == 5:
        return name, _text(children[2]), children[3]
    return "", "", None
