"""From the grammar's word nodes to the words that a program would be given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ringfence.parsing.shell.quoting import (
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
    }
)
# Stands for what can't be known in a text that is read again: ``$_`` never is.
_OPAQUE = "$_"
_POSITIONAL = re.compile(r"\$\{(\d)\}")

# Arithmetic that sets a variable.
_ASSIGNS = re.compile(rb"(?<![=!<>])=(?!=)|\+\+|--|<<=|>>=")
_DEFAULTS = frozenset({":-", "-", ":=", "="})


@dataclass(frozen=True, slots=True)
class Links:
    """The commands of a word's substitutions, by how they are tied to it.

    The output of ``inside`` is part of the word; ``sources`` are read through it
    (``<(…)``), ``sinks`` written to (``>(…)``).
    """

    inside: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    sinks: tuple[int, ...] = ()


NO_LINKS = Links()


@dataclass(frozen=True, slots=True)
class Word:
    """One word: its text, or its source where the text can't be known.

    ``partial`` is the text with only the unknown parameters left as source (and
    ``$_`` for an unknown substitution). ``splits``
    tells that an unknown word may turn into none or several; ``bare`` that nothing in
    it was quoted (only such a word can be an alias); ``links`` holds the commands of
    the substitutions in it.
    """

    text: str
    known: bool = True
    splits: bool = False
    bare: bool = True
    links: Links = field(default_factory=lambda: NO_LINKS)
    partial: str = ""

    def glued(self, other: Word) -> Word:
        """Return the word that this and ``other`` make without a blank between."""
        return Word(
            self.text + other.text,
            known=self.known and other.known,
            splits=self.splits or other.splits,
            bare=self.bare and other.bare,
            links=Links(
                self.links.inside + other.links.inside,
                self.links.sources + other.links.sources,
                self.links.sinks + other.links.sinks,
            ),
            partial=(self.partial or self.text) + (other.partial or other.text),
        )


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
    inside: list[int] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    sinks: list[int] = field(default_factory=list)
    partial: str = ""

    @property
    def links(self) -> Links:
        if not (self.inside or self.sources or self.sinks):
            return NO_LINKS
        return Links(tuple(self.inside), tuple(self.sources), tuple(self.sinks))

    def add(self, text: str, *, quoted: bool) -> None:
        self.current += text
        self.partial += text
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

    def unknown(self, source: str, *, splits: bool) -> None:
        self.partial += source
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
        if not fields.known:
            return [_unknown(node, fields)]
        fields.cut()
        links = fields.links
        words: list[Word] = []
        for text in fields.done:
            expanded = expand_braces(text)
            if expanded is None:
                return [_unknown(node, fields)]
            words += [
                Word(unmark(item), bare=fields.bare and OPEN not in text, links=links)
                for item in expanded
                if item or OPEN not in text
            ]
        return words

    def value(self, node: Node, scope: Scope) -> Word:
        """Return the value a node has where words are not split or expanded."""
        fields = _Fields()
        self._add(node, scope, fields, quoted=True)
        if not fields.known:
            return _unknown(node, fields)
        return Word(unmark(fields.current), bare=fields.bare, links=fields.links)

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
        if kind in _LITERAL or not node.is_named:
            fields.add(unescape_bare(_text(node)), quoted=False)
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
            fields.inside += output.commands
            self._add_value(node, output.text, fields, quoted=quoted)
        else:
            self._add_opaque(node, scope, fields)

    def _add_opaque(self, node: Node, scope: Scope, fields: _Fields) -> None:
        """Add what is never known: a pipe's name, a number, an unfamiliar node."""
        arithmetic = node.type == "arithmetic_expansion"
        if node.type == "process_substitution":
            reads = node.children[0].type == "<("
            ends = fields.sources if reads else fields.sinks
            ends += self._substitute(node, scope).commands
        else:
            fields.inside += self.visit(node, scope)
            if arithmetic and _ASSIGNS.search(node.text or b""):
                scope.forget_everything()
        fields.unknown(
            _OPAQUE, splits=not arithmetic and node.type != "process_substitution"
        )

    @staticmethod
    def _add_ansi_c(node: Node, fields: _Fields) -> None:
        decoded = decode_ansi_c(_text(node)[2:-1])
        if decoded is None:
            fields.unknown(_text(node), splits=False)
        else:
            fields.add(decoded, quoted=True)

    def _add_string(self, node: Node, scope: Scope, fields: _Fields) -> None:
        """Add a double-quoted string: the bytes between expansions are text."""
        raw = node.text or b""
        start = node.start_byte
        at = start + 1
        if raw not in {b'"$@"', b'"${@}"'} or scope.positional is None:
            # These alone are no word at all where there are no parameters.
            fields.add("", quoted=True)
        for child in node.children:
            if child.type in {"string_content", '"', "$"}:
                continue
            # A dollar sign's node holds the blanks before it.
            code = child.text or b""
            begin = child.start_byte + len(code) - len(code.lstrip())
            between = _decoded(raw[at - start : begin - start])
            if between:
                fields.add(unescape_double(between), quoted=True)
            self._add(child, scope, fields, quoted=True)
            at = child.end_byte
        tail = _decoded(raw[at - start : len(raw) - 1])
        if tail:
            fields.add(unescape_double(tail), quoted=True)

    @staticmethod
    def _add_value(
        node: Node, value: str | None, fields: _Fields, *, quoted: bool
    ) -> None:
        if value is None:
            plain = node.type == "simple_expansion" or (
                node.type == "expansion" and len(node.children) == 3
            )
            source = _text(node) if plain else _OPAQUE
            fields.unknown(source, splits=not quoted)
        elif quoted:
            fields.add(value, quoted=True)
        else:
            fields.add_split(value)

    def _add_parameter(
        self, node: Node, scope: Scope, fields: _Fields, *, quoted: bool
    ) -> None:
        name, operator, operand = _parameter_parts(node)
        if name in {"@", "*"} and not operator and scope.positional is not None:
            self._add_all_positional(name, scope.positional[1:], fields, quoted=quoted)
            return
        if name == "" or (operator and operator not in _DEFAULTS | {":+", "+"}):
            fields.inside += self.visit(node, scope)
            fields.unknown(_OPAQUE, splits=not quoted)
            return
        value = scope.get(name)
        if not quoted and "IFS" in scope.variables:
            # Where the words of an unquoted value end is no longer certain.
            value = None
        if not operator:
            self._add_value(node, value, fields, quoted=quoted)
            return
        fields.inside += self.visit(node, scope)
        if operator in {":=", "="}:
            scope.set(name, None)
        if value is None:
            fields.unknown(_OPAQUE, splits=not quoted)
        elif operator in _DEFAULTS and (value or not operator.startswith(":")):
            self._add_value(node, value, fields, quoted=quoted)
        elif operator in {":+", "+"} and not value and operator.startswith(":"):
            self._add_value(node, "", fields, quoted=quoted)
        elif operand is not None:
            self._add(operand, scope, fields, quoted=quoted)
        else:
            self._add_value(node, "", fields, quoted=quoted)

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


def _unknown(node: Node, fields: _Fields) -> Word:
    return Word(
        source_of(node),
        known=False,
        splits=fields.splits,
        bare=False,
        links=fields.links,
        partial=unmark(fields.partial),
    )


def source_of(node: Node) -> str:
    """Return a node's source text, rewritten parts as they most likely were."""
    return _POSITIONAL.sub(r"$\1", unmark(_text(node)))


def _text(node: Node) -> str:
    return _decoded(node.text or b"")


def _decoded(raw: bytes) -> str:
    # Where the syntax is broken, a node may end within a character.
    return raw.decode("utf-8", "replace")


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
