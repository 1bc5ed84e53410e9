"""What the lab saw real agents do: the only thing that makes a fact *observed*.

A record is one line of ``lab/records/<harness>/<version>.jsonl``: the capability that
a decision asked for, the answer our codec gave for it, and what the agent then did.
``tools/record_evidence.py`` writes them; nothing else may.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ringfence.capabilities import Capability

RECORDS = Path(__file__).parents[1] / "lab" / "records"

ORDER = ("docs", "source", "reported", "observed")
"""Kinds of evidence, weakest first."""


@dataclass(frozen=True, slots=True)
class Record:
    """One answer that was played to a real agent, and its effect.

    ``request`` is what was answered (``stdout``, ``stderr``, ``exit_code``), ``effect``
    what was seen; ``holds`` tells whether that is what the decision wanted.
    """

    harness: str
    version: str
    date: str
    event: str
    capability: Capability
    request: Mapping[str, object]
    effect: Mapping[str, object]
    holds: bool

    def line(self) -> str:
        """Return the record as it is stored."""
        entry = {
            "harness": self.harness,
            "version": self.version,
            "date": self.date,
            "event": self.event,
            "capability": self.capability.value,
            "request": dict(self.request),
            "effect": dict(self.effect),
            "holds": self.holds,
        }
        return json.dumps(entry, ensure_ascii=False)


@cache
def records() -> tuple[Record, ...]:
    """Return all stored records.

    Raises :class:`ValueError` or :class:`TypeError` for a line that is none, and
    for one that stands in the file of another harness or version.
    """
    found = []
    for path in sorted(RECORDS.glob("*/*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            entry = json.loads(line)
            record = Record(**{**entry, "capability": Capability(entry["capability"])})
            if path.parts[-2:] != (record.harness, f"{record.version}.jsonl"):
                raise ValueError(f"{path}: a record of {record.harness}")
            found.append(record)
    return tuple(found)


def proofs(harness: str, version: str, event: str) -> Mapping[Capability, Record]:
    """Return the records that prove a capability of one version at one event."""
    return {
        record.capability: record
        for record in records()
        if (record.harness, record.version, record.event) == (harness, version, event)
        and record.holds
    }
