"""Which tool calls a guard is about."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import TypeAlias

from ringfence.calls import ToolCall

Matcher: TypeAlias = Callable[[ToolCall], bool]


def tools(*names: str) -> Matcher:
    """Match calls by class, native name or MCP name, each with ``*`` and ``?``.

    ``shell``, ``file.*``, ``Bash``, ``mcp__github__*`` and ``*`` are such names. An
    MCP call goes by its canonical ``mcp__SERVER__TOOL`` on every harness.
    """
    if not names:
        raise ValueError("tools() needs at least one name; '*' matches every call")

    def matches(call: ToolCall) -> bool:
        known_as = {call.tool_class.value, call.name, call.canonical_name}
        return any(fnmatchcase(own, name) for name in names for own in known_as)

    matches.__qualname__ = f"tools({', '.join(map(repr, names))})"
    return matches
