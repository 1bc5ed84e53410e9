"""The bash grammar: one cached parser, and a check that it read every byte."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# What may lie between two leaves without meaning anything.
_BLANK = re.compile(rb"[ \t\n]*")
_SPACE = re.compile(rb"\s")
_LOST = "a part of the shell text was not understood"

# Inside these the bytes between children are text, not blanks.
_TEXT_NODES = frozenset({"string", "heredoc_body"})
_EXPANSIONS = frozenset({"expansion", "test_command"})
_CODE = frozenset({"command_substitution", "process_substitution"})

# What the grammar takes for a plain pattern or text in an expansion, and bash runs.
_PATTERNS = frozenset({"regex", "raw_string", "word"})
_RUNS = re.compile(rb"\$\(|`|[<>]\(")
_EVALUATES = re.compile(rb"@P\}$")
_HIDDEN = "an expansion runs code that can't be seen"


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

    Besides the grammar's own error nodes this finds bytes that no leaf covers (the
    grammar skips some that bash does not), and words with blanks in them.
    """
    if root.has_error:
        return "the shell syntax could not be understood"
    stack = [(root, False)]
    while stack:
        node, expansion = stack.pop()
        children = node.children
        if _hides_code(node):
            return _HIDDEN
        if not children and not expansion and node.type == "word":
            if _SPACE.search(node.text or b""):
                return _LOST
            continue
        if children and node.type not in _TEXT_NODES:
            end = node.start_byte
            for child in children:
                if not _BLANK.fullmatch(source, end, max(end, child.start_byte)):
                    return _LOST
                end = child.end_byte
            if not _BLANK.fullmatch(source, end, max(end, node.end_byte)):
                return _LOST
        # The words in ``${x:-a b}`` may hold blanks.
        inside = node.type in _EXPANSIONS or (expansion and node.type not in _CODE)
        stack.extend((child, inside) for child in children)
    return ""


def _hides_code(node: Node) -> bool:
    """Tell whether an expansion runs something that the tree does not show."""
    if node.type != "expansion":
        return False
    return bool(_EVALUATES.search(node.text or b"")) or any(
        child.type in _PATTERNS
        and not child.children
        and _RUNS.search(child.text or b"")
        for child in node.children
    )
