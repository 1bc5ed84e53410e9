from __future__ import annotations

import json

import pytest

from ringfence.errors import DecodeError
from ringfence.events import Confidence
from ringfence.harnesses.detection import detect
from ringfence.testing import Captured, captured


@pytest.mark.parametrize(
    "one", [*captured()], ids=lambda one: f"{one.harness}-{one.name}"
)
def test_every_captured_payload_gives_its_harness_away(one: Captured) -> None:
    elsewhere = {"CODEX_HOME": "/x", "CLAUDECODE": "1"}
    assert detect(json.loads(one.raw), elsewhere) == (one.harness, Confidence.SHAPE)


def test_the_environment_tells_where_the_payload_does_not() -> None:
    native = {"hook_event_name": "PreToolUse"}
    found = detect(native, {"CLAUDECODE": "1"})
    assert found == ("claude-code", Confidence.ENVIRONMENT)
    assert detect(native, {"CODEX_HOME": "/x"}) == ("codex", Confidence.ENVIRONMENT)


@pytest.mark.parametrize("environment", [{}, {"CLAUDECODE": "1", "CODEX_HOME": "/x"}])
def test_what_nothing_tells_apart_is_not_guessed(environment: dict[str, str]) -> None:
    with pytest.raises(DecodeError, match="name it as the first argument"):
        detect({"hook_event_name": "PreToolUse", "transcript_path": 7}, environment)
