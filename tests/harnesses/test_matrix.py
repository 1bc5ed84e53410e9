"""The matrix says what facts and records say, and claims no more than they prove."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from ringfence.capabilities import Capability, Support
from ringfence.harnesses import evidence, matrix, registry
from ringfence.harnesses.evidence import Record, records
from ringfence.harnesses.versions import within

ROOT = Path(__file__).parents[2]
KEYS = {"harness", "versions", "event", "kind", "capabilities", "evidence", "date"}


def support_of(row: dict[str, object]) -> dict[str, str]:
    return cast("dict[str, str]", row["capabilities"])


def test_every_event_of_every_measured_version_stands_in_one_row() -> None:
    rows = matrix.rows()
    for name in registry.NAMES:
        facts = registry.codec(name).facts
        for event, fact in facts.events.items():
            for version in facts.measured:
                found = [
                    row
                    for row in rows
                    if (row["harness"], row["event"]) == (name, event)
                    and within(version, str(row["versions"]))
                ]
                exists = within(version, f">={fact.since}" if fact.since else "")
                assert len(found) == int(exists)
                if exists:
                    known = facts.capabilities(event, version=version).support
                    assert support_of(found[0]) == known


def test_a_row_has_the_keys_and_words_that_others_rely_on() -> None:
    for row in matrix.rows():
        assert row.keys() >= KEYS
        assert set(support_of(row)) == set(Capability)
        assert set(support_of(row).values()) <= set(Support)
        assert str(row["evidence"]) in evidence.ORDER


def test_observed_is_what_a_record_proves_and_nothing_else() -> None:
    for row in matrix.rows():
        proven = cast("list[str]", row["observed"])
        claimed = {key for key, word in support_of(row).items() if word != Support.NO}
        assert set(proven) <= claimed
        if row["evidence"] == "observed":
            assert claimed - {Capability.SYSTEM_MESSAGE} <= set(proven)


def test_facts_claim_nothing_as_observed_by_themselves() -> None:
    for name in registry.NAMES:
        facts = registry.codec(name).facts
        said = [fact.evidence for fact in facts.events.values()]
        said += [row.evidence for row in facts.rows]
        assert "observed" not in said


def test_a_deny_before_a_call_is_observed_on_every_measured_version() -> None:
    for name in registry.NAMES:
        for version in registry.codec(name).facts.measured:
            proofs = evidence.proofs(name, version, "PreToolUse")
            assert Capability.DENY in proofs


@pytest.mark.parametrize(
    "record",
    records(),
    ids=lambda one: f"{one.harness}-{one.version}-{one.event}-{one.capability}",
)
def test_facts_agree_with_what_the_lab_saw(record: Record) -> None:
    facts = registry.codec(record.harness).facts
    support = facts.capabilities(record.event, version=record.version).support
    assert record.holds
    assert support[record.capability] is not Support.NO


@pytest.mark.agent
def test_agents_still_do_what_was_recorded() -> None:
    tool = ["-m", "tools.record_evidence", "--only", "UserPromptSubmit"]
    done = subprocess.run(
        [sys.executable, *tool],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if "AgentUnavailableError" in done.stderr:
        if os.environ.get("RINGFENCE_REQUIRE_AGENTS") == "1":
            pytest.fail(done.stderr)
        pytest.skip("an agent can't be installed here")
    assert done.returncode == 0, done.stdout + done.stderr
