"""The registry of quirks and the code that works around them name the same ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

import ringfence
from ringfence.harnesses import quirks, registry
from ringfence.harnesses.quirk_facts import EVIDENCE, Quirk, registered
from ringfence.harnesses.versions import within

ROOT = Path(__file__).parents[2]
SOURCE = Path(ringfence.__file__).parent
QUIRKS = registered()


def used() -> Iterator[str]:
    """The ids that code or capability rows look up."""
    for path in SOURCE.rglob("*.py"):
        yield from re.findall(r'mitigated\(\s*"([^"]+)"\s*\)', path.read_text("utf-8"))
    for name in registry.NAMES:
        yield from (row.quirk for row in registry.codec(name).facts.rows if row.quirk)


def test_every_quirk_in_code_is_registered_and_the_other_way_round() -> None:
    assert set(used()) == {quirk.id for quirk in QUIRKS.values() if not quirk.gap}


@pytest.mark.parametrize("quirk", QUIRKS.values(), ids=lambda quirk: quirk.id)
def test_an_entry_says_all_there_is_to_say(quirk: Quirk) -> None:
    assert quirk.title
    assert quirk.behaviour
    assert quirk.source
    assert quirk.evidence in EVIDENCE
    assert date.fromisoformat(quirk.date) <= date.today()  # noqa: DTZ011
    assert isinstance(within("1.0.0", quirk.versions), bool)
    assert set(quirk.harnesses) <= set(registry.NAMES)
    events = [registry.codec(name).facts.events for name in quirk.harnesses]
    assert set(quirk.events) <= {"*"}.union(*events)
    assert quirk.mitigation.startswith("none") is quirk.gap
    assert bool(quirk.test) is not quirk.gap


@pytest.mark.parametrize(
    "quirk",
    [quirk for quirk in QUIRKS.values() if not quirk.gap],
    ids=lambda quirk: quirk.id,
)
def test_the_test_of_a_quirk_exists(quirk: Quirk) -> None:
    file, _, name = quirk.test.partition("::")
    assert f"def {name}(" in (ROOT / file).read_text("utf-8")


def test_a_mitigation_is_off_only_where_a_test_wants_it() -> None:
    assert quirks.mitigated("hook-event-name")
    with quirks.without("hook-event-name"):
        assert not quirks.mitigated("hook-event-name")
    assert quirks.mitigated("hook-event-name")
