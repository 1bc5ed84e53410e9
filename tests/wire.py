"""Native payloads with something changed, and the answers to them."""

from __future__ import annotations

import json
from typing import Any, cast

from ringfence.decisions import Decision
from ringfence.events import Event
from ringfence.failure import Settings
from ringfence.harnesses import registry
from ringfence.harnesses.base import Context, WireAnswer
from ringfence.testing import payload

MISSING = object()
"""The value of a key that is to be left out."""


def altered(harness: str, name: str, version: str = "", **changes: object) -> bytes:
    """A captured payload with keys set to other values, or left out."""
    native = json.loads(payload(harness, name, version))
    for key, value in changes.items():
        native.pop(key, None)
        if value is not MISSING:
            native[key] = value
    return json.dumps(native).encode()


def decoded(harness: str, raw: bytes, *, version: str = "", event: str = "") -> Event:
    """The event of a payload."""
    context = Context(event_name=event, version=version)
    return registry.codec(harness).decode(raw, context)


def captured_event(harness: str, name: str, version: str = "") -> Event:
    """The event of a captured payload, in the version it was captured from."""
    measured = registry.codec(harness).facts.measured
    return decoded(
        harness, payload(harness, name, version), version=version or measured[-1]
    )


def answer(
    event: Event, decision: Decision, settings: Settings | None = None
) -> WireAnswer:
    """What a decision becomes on the wire."""
    return registry.codec(event.harness).encode(event, decision, settings).answer


def said(event: Event, decision: Decision) -> Any:
    """The one JSON document that answers an event."""
    given = answer(event, decision)
    assert given.exit_code == 0
    assert given.stderr == ""
    return cast("Any", json.loads(given.stdout))
