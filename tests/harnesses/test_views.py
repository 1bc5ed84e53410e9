"""Native views describe every payload that was captured."""

from __future__ import annotations

from importlib import import_module
from typing import Any, assert_type, is_typeddict

import pytest

from ringfence.events import AfterTool, Event, ToolEvent
from ringfence.harnesses import registry
from ringfence.harnesses.base import Context
from ringfence.harnesses.claude_code import native as claude
from ringfence.harnesses.codex import native as codex
from ringfence.harnesses.views import tool_input, tool_response, view
from ringfence.testing import Captured, captured, payload

MODULES = {
    name: import_module(
        type(registry.codec(name)).__module__.replace("codec", "native")
    )
    for name in registry.NAMES
}


def decoded(harness: str, raw: bytes) -> Event:
    return registry.codec(harness).decode(raw, Context())


def check(value: Any, kind: Any) -> None:
    assert is_typeddict(kind)
    assert kind.__required_keys__ <= value.keys() <= set(kind.__annotations__)


@pytest.mark.parametrize(
    "one", list(captured()), ids=lambda one: f"{one.harness}-{one.version}-{one.name}"
)
def test_a_captured_payload_has_the_keys_of_its_view(one: Captured) -> None:
    module = MODULES.get(one.harness)
    if module is None:
        pytest.fail(f"{one.harness} has payloads and no codec")
    event = decoded(one.harness, one.raw)
    kind = getattr(module, event.native_name)
    assert view(event, kind) is event.native
    check(event.native, kind)
    tool = module.TOOLS.get(event.tool.name) if isinstance(event, ToolEvent) else None
    if tool is not None and isinstance(event, ToolEvent):
        check(event.tool.input, getattr(module, f"{tool}Input"))
    if tool is not None and isinstance(event, AfterTool):
        kind = getattr(module, f"{tool}Response", None)
        if kind is not None and isinstance(event.output, dict) and not event.error:
            check(tool_response(event, kind), kind)


def test_every_event_has_a_view() -> None:
    for name, module in MODULES.items():
        for event in registry.codec(name).facts.events:
            assert is_typeddict(getattr(module, event))


def test_a_view_is_typed_and_is_the_payload() -> None:
    event = decoded("claude-code", payload("claude-code", "PreToolUse-Bash"))
    seen = view(event, claude.PreToolUse)
    assert_type(seen, claude.PreToolUse | None)
    assert seen is event.native
    given = tool_input(event, claude.BashInput)
    assert given is not None
    assert_type(given["command"], str)


def test_a_view_of_something_else_is_none() -> None:
    event = decoded("claude-code", payload("claude-code", "PreToolUse-Bash"))
    assert view(event, claude.PostToolUse) is None
    assert view(event, codex.PreToolUse) is None
    assert tool_input(event, claude.ReadInput) is None
    assert tool_input(event, codex.BashInput) is None
    assert tool_response(event, claude.BashResponse) is None


def test_unknown_keys_stay_in_the_view() -> None:
    raw = payload("claude-code", "Stop").replace(b"{", b'{"brand_new": 1, ', 1)
    seen = view(decoded("claude-code", raw), claude.Stop)
    assert seen is not None
    assert dict(seen)["brand_new"] == 1
