"""A pytest plugin with what a hook author's tests need."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.fixture
def captured_payload() -> Callable[..., bytes]:
    """Return :func:`ringfence.testing.payload`: a payload that a real agent sent."""
    from ringfence.testing import payload  # noqa: PLC0415 - not at pytest's start

    return payload
