"""The bash grammar: one cached parser, and a check that it read every byte."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# What may lie between two leaves without meaning anything.
_BLANK = re.compile(rb"[ \t\n]*")

# Inside these the bytes between children are text, not blanks.
_TEXT_NODES = frozenset({"string", "heredoc_body"})


@cache
def _parser() -> Parser:
    # Loaded on first use: most hook calls are not about a shell.
    import tree_sitter  # noqa: PLC0415
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_bash.language()))


def tree_of(source: bytes) -> Node:
    """Return the root node of the grammar's tree for ``source``."""
    return _parser().parse(source).root_node


def problem_of(root: Node, source: bytes) -> str:
    """Return why the tree can't be trusted, empty if it can.

    Besides the grammar's own error nodes this finds bytes that no leaf covers: the
    grammar skips some of them (a vertical tab, for one) where bash does not.
    """
    if root.has_error:
        return "the shell syntax could not be understood"
    stack = [root]
    while stack:
        node = stack.pop()
        children = node.children
        if not children:
            continue
        if node.type not in _TEXT_NODES:
            end = node.start_byte
            for child in children:
                if not _BLANK.fullmatch(source, end, max(end, child.start_byte)):
                    return "a part of the shell text was not understood"
                end = child.end_byte
            if not _BLANK.fullmatch(source, end, max(end, node.end_byte)):
                return "a part of the shell text was not understood"
        stack.extend(children)
    return ""
