"""Finds the parts of a harness by its name; imports no more than is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ringfence.errors import HarnessUnknownError
from ringfence.harnesses._names import NAMES
from ringfence.harnesses.base import Codec, Config

if TYPE_CHECKING:
    from ringfence.harnesses.simulation import Simulator


def codec(name: str) -> Codec:
    """Return the codec of a harness.

    Raises :class:`~ringfence.errors.HarnessUnknownError` for a name that is none.
    """
    found: Codec = _part(name, "codec", "CODEC")
    return found


def config(name: str) -> Config:
    """Return what to write where so that a harness calls Ringfence.

    Raises :class:`~ringfence.errors.HarnessUnknownError` for a name that is none.
    """
    found: Config = _part(name, "config", "CONFIG")
    return found


def simulator(name: str, version: str = "") -> Simulator:
    """Return the simulator of a harness, in its newest measured version by default.

    Raises :class:`~ringfence.errors.HarnessUnknownError` for a name that is none.
    """
    build = _part(name, "simulator", "SIMULATOR")
    found: Simulator = build(version) if version else build()
    return found


def _part(name: str, module: str, attribute: str) -> Any:
    if name not in NAMES:
        known = ", ".join(NAMES)
        raise HarnessUnknownError(f"no harness {name!r}; there are {known}")
    room = name.replace("-", "_")
    return getattr(import_module(f"ringfence.harnesses.{room}.{module}"), attribute)


__all__ = ["NAMES", "codec", "config", "simulator"]
