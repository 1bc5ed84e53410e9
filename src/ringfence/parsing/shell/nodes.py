"""Questions about single nodes of the grammar's tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ringfence.parsing.shell.words import source_of

if TYPE_CHECKING:
    from tree_sitter import Node

_LEAVES = frozenset({"exit", "return", "break", "continue", "exec"})
OPEN_ENDED = frozenset({"list", "pipeline"})
REDIRECTS = frozenset({"file_redirect", "herestring_redirect", "heredoc_redirect"})


def pairs(nodes: Sequence[Node]) -> list[tuple[str, Node]]:
    """Return (operator, operand) pairs, the last one first."""
    pairs = [
        (operator.type, operand)
        for operator, operand in zip(nodes[::2], nodes[1::2], strict=False)
    ]
    return pairs[::-1]


def assignments_in(node: Node) -> list[Node]:
    """Return the assignments of a statement that is nothing else."""
    return [node] if node.type == "variable_assignment" else node.children


def leaves(node: Node) -> bool:
    """Tell whether nothing after this statement runs in the same shell."""
    while node.type == "compound_statement" and node.named_children:
        node = node.named_children[-1]
    words = source_of(node).split(None, 1)
    return bool(words) and words[0] in _LEAVES


def split_redirects(node: Node) -> tuple[list[Node], list[Node]]:
    """Return what is redirected, and the redirections."""
    named = [child for child in node.named_children if child.type != "comment"]
    bodies = [child for child in named if child.type not in REDIRECTS]
    return bodies, [child for child in named if child.type in REDIRECTS]


def last_statement(node: Node) -> Node:
    """Return the last simple or compound command of a list or a pipeline."""
    while node.type in OPEN_ENDED:
        named = [child for child in node.named_children if child.type != "comment"]
        if not named:
            break
        node = named[-1]
    return node
