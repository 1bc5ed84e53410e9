"""Typed views on native payloads, for those who know which harness they look at.

The views stand in ``native.py`` of each harness::

    from ringfence.harnesses.claude_code import native
    from ringfence.harnesses.views import view

    payload = view(event, native.UserPromptExpansion)
    if payload is not None:
        print(payload["command_name"])

A view is the payload itself, with every key that it has: nothing is copied, and
nothing is checked.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TypeVar, cast

from ringfence.events import AfterTool, Event, ToolEvent

View = TypeVar("View")


def view(event: Event, kind: type[View]) -> View | None:
    """Return an event's payload as the view of its native event.

    ``None`` for another event than the view's, or another harness's.
    """
    if event.native_name != kind.__name__ or not _of_harness(event, kind):
        return None
    return cast("View", event.native)


def tool_input(event: Event, kind: type[View]) -> View | None:
    """Return the input of a call as the view of its tool, such as ``BashInput``.

    ``None`` for another tool than the view's, or another harness's.
    """
    if not isinstance(event, ToolEvent) or not _of_tool(event, kind, "Input"):
        return None
    return cast("View", event.tool.input)


def tool_response(event: Event, kind: type[View]) -> View | None:
    """Return the result of a call as the view of its tool, such as ``BashResponse``.

    ``None`` for another tool than the view's, another harness's, or a result that is
    no object.
    """
    if not isinstance(event, AfterTool) or not _of_tool(event, kind, "Response"):
        return None
    return cast("View", event.output) if isinstance(event.output, Mapping) else None


def _of_harness(event: Event, kind: type[object]) -> bool:
    harness: object = getattr(sys.modules[kind.__module__], "HARNESS", None)
    return event.harness == harness


def _of_tool(event: ToolEvent, kind: type[object], what: str) -> bool:
    if not _of_harness(event, kind):
        return False
    tools: Mapping[str, str] = sys.modules[kind.__module__].TOOLS
    return kind.__name__ == tools.get(event.tool.name, "") + what
