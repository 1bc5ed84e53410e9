"""What every harness honours at every event, with evidence: facts joined with records.

A row holds for all versions in its span that were measured; neighbours that are
alike are one row.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ringfence.capabilities import Capability, Support
from ringfence.harnesses import registry, versions
from ringfence.harnesses.evidence import ORDER, proofs
from ringfence.harnesses.facts import EventFact, Facts

_NOTE = Capability.SYSTEM_MESSAGE


@dataclass(frozen=True, slots=True)
class _Cell:
    """One event in one version."""

    support: Mapping[Capability, Support]
    evidence: str
    date: str
    proven: tuple[str, ...]


def rows() -> list[dict[str, object]]:
    """Return a row for each harness, event and span of measured versions.

    Its keys are ``harness``, ``versions``, ``event``, ``kind``, ``capabilities``
    (``yes``, ``degraded`` or ``no`` each), ``evidence`` and ``date``; ``observed``
    lists the capabilities that records of the lab prove. ``evidence`` is that of the
    weakest capability that is claimed, so it is ``observed`` only where all are; a
    note to the person, which guards nothing, counts only where nothing else is
    claimed. Conditions that a payload tells, such as a mode without questions, are
    left out.
    """
    found: list[dict[str, object]] = []
    for name in registry.NAMES:
        facts = registry.codec(name).facts
        for fact in facts.events.values():
            found += [
                {
                    "harness": name,
                    "versions": _span(span),
                    "event": fact.name,
                    "kind": fact.kind.value,
                    "capabilities": {
                        capability.value: cell.support[capability].value
                        for capability in Capability
                    },
                    "evidence": cell.evidence,
                    "date": cell.date,
                    "observed": list(cell.proven),
                }
                for span, cell in _spans(facts, fact)
            ]
    return found


def _span(measured: Sequence[str]) -> str:
    if len(measured) == 1:
        return f"=={measured[0]}"
    return f">={measured[0]},<={measured[-1]}"


def _spans(facts: Facts, fact: EventFact) -> Iterator[tuple[list[str], _Cell]]:
    """Yield spans of versions in which an event exists, with what holds there."""
    open_span: list[str] = []
    last: _Cell | None = None
    for version in facts.measured:
        if fact.since and not versions.within(version, f">={fact.since}"):
            continue
        cell = _cell(facts, fact, version)
        if last is not None and cell != last:
            yield open_span, last
            open_span = []
        open_span.append(version)
        last = cell
    if last is not None:
        yield open_span, last


def _cell(facts: Facts, fact: EventFact, version: str) -> _Cell:
    support = facts.capabilities(fact.name, version=version).support
    claimed = [one for one in Capability if support[one] is not Support.NO]
    proven = proofs(facts.harness, version, fact.name)
    sources = {one: _source(facts, fact, version, one) for one in claimed}
    for capability in claimed:
        if capability in proven:
            sources[capability] = ("observed", proven[capability].date)
    guarding = [source for one, source in sources.items() if one is not _NOTE]
    weakest = min(
        guarding or sources.values() or [(fact.evidence, fact.date)],
        key=lambda source: (ORDER.index(source[0]), source[1]),
    )
    names = tuple(one.value for one in claimed if one in proven)
    return _Cell(support, *weakest, proven=names)


def _source(
    facts: Facts, fact: EventFact, version: str, capability: Capability
) -> tuple[str, str]:
    """Return evidence and date of the row that says what holds of a capability."""
    found = (fact.evidence, fact.date)
    for row in facts.rows:
        if capability in row.support and row.holds(fact.name, version, "", None):
            found = (row.evidence, row.date)
    return found
