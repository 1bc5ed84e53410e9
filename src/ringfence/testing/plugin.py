"""A pytest plugin with what a hook author's tests need."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from ringfence.harnesses.simulation import Simulator


@pytest.fixture
def captured_payload() -> Callable[..., bytes]:
    """Return :func:`ringfence.testing.payload`: a payload that a real agent sent."""
    from ringfence.testing import payload  # noqa: PLC0415 - not at pytest's start

    return payload


@pytest.fixture
def agent_simulator() -> Callable[..., Simulator]:
    """Return :func:`ringfence.testing.simulator`: what an agent does with answers."""
    from ringfence.testing import simulator  # noqa: PLC0415 - not at pytest's start

    return simulator
