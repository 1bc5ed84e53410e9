from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import Ringfence


def test_without_agents_the_demonstration_is_simulated_and_says_so(
    ringfence: Ringfence,
) -> None:
    shown = ringfence("demo", "--simulated", "--json").data
    assert isinstance(shown, list)
    assert [one["harness"] for one in shown] == ["claude-code", "codex"]
    assert all("simulated" in one["how"] for one in shown)
    assert all(one["held"] for one in shown)
    assert "simulated" in ringfence("demo", "--simulated").stdout


def test_without_npm_it_falls_back_by_itself(
    ringfence: Ringfence,
) -> None:
    ran = ringfence("demo", "--harness", "codex", "--json", env={"PATH": "/nowhere"})
    assert "npm" in ran.stderr
    shown = ran.data
    assert isinstance(shown, list)
    assert "simulated" in shown[0]["how"]


@pytest.mark.agent
def test_the_real_agents_hold(ringfence: Ringfence) -> None:
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    shown = ringfence("demo", "--json", env={"XDG_CACHE_HOME": cache}).data
    assert isinstance(shown, list)
    for one in shown:
        assert one["held"], one
        if os.environ.get("RINGFENCE_REQUIRE_AGENTS") == "1":
            assert one["how"] == "real agent"
