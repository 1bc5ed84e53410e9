"""Which names, and what else, a piece of shell code may change when it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ringfence.parsing.shell.words import source_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LOOPS = frozenset({"for_statement", "c_style_for_statement"})
_SETTERS = frozenset(
    {"read", "mapfile", "readarray", "getopts", "printf", "let", "unset", "declare"}
    | {"local", "typeset", "export", "readonly"}
)
_MOVERS = frozenset({"cd", "pushd", "popd", "chdir", "builtin", "command"})
_OPAQUE = frozenset({"eval", "source", "."})


@dataclass(frozen=True, slots=True)
class Effects:
    """The names that code may set, whether it may move, or do anything at all."""

    names: frozenset[str] = frozenset()
    moves: bool = False
    opaque: bool = False


def effects_of(node: Node) -> Effects:
    """Return what the code below a node may change."""
    names: set[str] = set()
    moves = opaque = False
    for found in descendants(node):
        if found.type == "variable_assignment" or found.type in _LOOPS:
            names |= {
                source_of(child)
                for child in found.children
                if child.type == "variable_name"
            }
        elif found.type in {"command", "unset_command", "declaration_command"}:
            words = source_of(found).split()
            program = words[0].strip("\\'\"") if words else ""
            moves = moves or program in _MOVERS
            opaque = opaque or program in _OPAQUE
            if program in _SETTERS:
                names.update(words[1:])
        elif found.type == "compound_statement" and found.children[0].type == "((":
            names |= names_in(found)
    return Effects(frozenset(names), moves, opaque)


def names_in(node: Node) -> set[str]:
    """Return every name that stands in arithmetic."""
    return {
        source_of(found)
        for found in descendants(node)
        if found.type in {"variable_name", "word"}
    }


def descendants(node: Node) -> Iterator[Node]:
    """Yield a node and all below it, without recursion."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(current.children)
