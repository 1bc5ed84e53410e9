from __future__ import annotations

from tests.cli.conftest import Ringfence

KEYS = {"harness", "versions", "event", "kind", "capabilities", "evidence", "date"}


def test_every_row_says_what_is_honoured_on_what_evidence(ringfence: Ringfence) -> None:
    rows = ringfence("matrix", "--json").data
    assert isinstance(rows, list)
    assert {row["harness"] for row in rows} == {"claude-code", "codex"}
    for row in rows:
        assert row.keys() >= KEYS
        assert set(row["capabilities"].values()) <= {"yes", "degraded", "no"}
        assert row["evidence"] in ("observed", "reported", "source", "docs")


def test_the_gate_of_each_harness_denies(ringfence: Ringfence) -> None:
    rows = ringfence("matrix", "--json").data
    assert isinstance(rows, list)
    gates = [row for row in rows if row["event"] == "PreToolUse"]
    assert gates
    assert all(row["capabilities"]["deny"] == "yes" for row in gates)


def test_a_person_reads_a_table_of_one_harness(ringfence: Ringfence) -> None:
    told = ringfence("matrix", "--harness", "codex").stdout
    assert "codex" in told
    assert "claude-code" not in told
