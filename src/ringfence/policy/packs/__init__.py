"""Policies that come with Ringfence, compiled ahead.

``NAME.yaml`` is what people read and ``NAME.plan.json`` what is loaded. Run
``python -m ringfence.policy.packs`` after a change to write the second anew.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from ringfence.errors import PolicyError
from ringfence.policy.plan import Plan

PREFIX = "ringfence:"
RECOMMENDED = "recommended"
FOLDER = Path(__file__).parent


@cache
def names() -> tuple[str, ...]:
    """Return the names of all packs."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.yaml")))


@cache
def plan(name: str) -> Plan:
    """Return a pack's plan: the compiled one, or, where it is stale, made anew.

    Raises :class:`PolicyError` for a pack that there is not.
    """
    try:
        ready = Plan.from_json((FOLDER / f"{name}.plan.json").read_bytes())
    except (OSError, PolicyError):
        return compiled(name)
    return ready


def compiled(name: str) -> Plan:
    """Return a pack's plan, compiled from its YAML.

    Raises :class:`PolicyError` with every problem.
    """
    from ringfence.policy.loader import parse_policy  # noqa: PLC0415 - see __init__

    path = FOLDER / f"{name}.yaml"
    try:
        raw = path.read_bytes()
    except OSError as error:
        known = ", ".join(names())
        problem = f"{PREFIX}{name}:1: no such pack; there is {known}"
        raise PolicyError([problem]) from error
    return parse_policy(raw, PREFIX + name).plan


def write_all() -> None:
    """Compile every pack and write its plan beside it."""
    for name in names():
        text = compiled(name).to_json()
        (FOLDER / f"{name}.plan.json").write_text(text + "\n", encoding="utf-8")
