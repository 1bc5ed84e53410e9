"""Compiled plans on disk, so that a hook never compiles what it compiled before.

A cached plan counts only while every source it was made from still has the hash that
its header names, and while the plan itself is whole. Whatever else is found is
replaced; a cache that can't be written costs time and nothing else.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import suppress
from pathlib import Path

from ringfence.errors import PolicyError
from ringfence.policy import packs
from ringfence.policy.plan import Plan


def plan_for(policy: str | Path, folder: str | Path | None = None) -> Plan:
    """Return the plan of a policy: a file's path, or ``ringfence:PACK``.

    A good plan in the cache ``folder`` is taken; else the file is compiled, and the
    plan is kept there. Raises :class:`~ringfence.errors.PolicyError` with every
    problem.
    """
    if str(policy).startswith(packs.PREFIX):
        return packs.plan(str(policy).removeprefix(packs.PREFIX))
    path = Path(policy).resolve()
    place = Path(folder) / _name(path) if folder is not None else None
    ready = _read(place, path) if place is not None else None
    if ready is not None:
        return ready
    from ringfence.policy.loader import load  # noqa: PLC0415 - needs YAML and a schema

    plan = load(path)
    if place is not None:
        with suppress(OSError):
            _write(place, plan)
    return plan


def _name(policy: Path) -> str:
    return hashlib.sha256(os.fsencode(policy)).hexdigest()[:32] + ".plan.json"


def _read(place: Path, policy: Path) -> Plan | None:
    try:
        plan = Plan.from_json(place.read_bytes())
    except (OSError, PolicyError):
        return None
    fresh = str(policy) in plan.sources and all(
        _hash(name) == known for name, known in plan.sources.items()
    )
    return plan if fresh else None


def _hash(source: str) -> str:
    """Return the hash of a source as it is now, empty where it is gone."""
    if source.startswith(packs.PREFIX):
        name = source.removeprefix(packs.PREFIX)
        known = packs.plan(name).sources if name in packs.names() else {}
        return known.get(source, "")
    try:
        return hashlib.sha256(Path(source).read_bytes()).hexdigest()
    except OSError:
        return ""


def _write(place: Path, plan: Plan) -> None:
    """Write a plan whole or not at all, readable by its owner alone."""
    import tempfile  # noqa: PLC0415 - for the rare write

    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor, name = tempfile.mkstemp(dir=place.parent, prefix=".plan-")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(plan.to_json())
        Path(name).replace(place)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
