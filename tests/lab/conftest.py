"""The real agents, for the tests that drive them."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NoReturn

import pytest

from ringfence.lab import AgentUnavailableError, Pin, Runner, ensure, pinned, runner_for

REQUIRED = "RINGFENCE_REQUIRE_AGENTS"


def _id(pin: Pin) -> str:
    return f"{pin.name}-{pin.version}"


def _missing(what: str) -> NoReturn:
    """Skip for want of an agent or npm, or fail where they are a must."""
    if os.environ.get(REQUIRED) == "1":
        pytest.fail(f"{REQUIRED}=1, but: {what}")
    pytest.skip(what)


def _runner(pin: Pin) -> Runner:
    try:
        return runner_for(ensure(pin.name, pin.version))
    except AgentUnavailableError as error:
        _missing(str(error))


@pytest.fixture
def missing() -> Callable[[str], NoReturn]:
    """How a test says that it cannot run for want of something."""
    return _missing


@pytest.fixture(scope="session", params=pinned(), ids=_id)
def runner(request: pytest.FixtureRequest) -> Runner:
    """Each pinned agent in turn."""
    return _runner(request.param)


@pytest.fixture(
    scope="session",
    params=[pin for pin in pinned() if pin.name == "claude-code"],
    ids=_id,
)
def claude(request: pytest.FixtureRequest) -> Runner:
    """Each pinned version of Claude Code."""
    return _runner(request.param)


@pytest.fixture(
    scope="session", params=[pin for pin in pinned() if pin.name == "codex"], ids=_id
)
def codex(request: pytest.FixtureRequest) -> Runner:
    """Each pinned version of Codex."""
    return _runner(request.param)
