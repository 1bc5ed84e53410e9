from __future__ import annotations

import json
from pathlib import Path

from ringfence.policy.plan import Plan
from tests.cli.conftest import Ringfence

GOOD = """\
version: 1
rules:
  - id: no-live
    before: shell
    when: {program: deploy, args: {any: ["--live"]}}
    decision: deny
    reason: Not from here.
tests:
  - {call: {tool: shell, command: deploy --live}, expect: deny}
  - {call: {tool: shell, command: deploy --dry-run}, expect: no_decision}
"""


def written(folder: Path, text: str) -> str:
    path = folder / "ringfence.yaml"
    path.write_text(text, "utf-8")
    return str(path)


def test_a_sound_policy_checks(ringfence: Ringfence, tmp_path: Path) -> None:
    file = written(tmp_path, GOOD)
    assert "1 rules, 2 tests" in ringfence("policy", "check", file).stdout
    data = ringfence("policy", "check", file, "--json").data
    assert data == {"policy": file, "problems": [], "rules": 1, "tests": 2}


def test_every_problem_has_file_line_and_mend(
    ringfence: Ringfence, tmp_path: Path
) -> None:
    file = written(tmp_path, GOOD.replace("deny\n    reason", "denny\n    reason"))
    told = ringfence("policy", "check", file, code=1).stdout
    assert f"{file}:6" in told
    assert "deny" in told


def test_the_recommended_policy_is_sound_and_tested(ringfence: Ringfence) -> None:
    ringfence("policy", "check")
    ringfence("policy", "test")


def test_a_failing_test_is_a_finding(ringfence: Ringfence, tmp_path: Path) -> None:
    file = written(tmp_path, GOOD.replace("no_decision", "ask"))
    ran = ringfence("policy", "test", file, code=1)
    assert "1 passed, 1 failed" in ran.stdout
    assert f"{file}:" in ran.stdout
    results = ringfence("policy", "test", file, "--json", code=1).data
    assert isinstance(results, list)
    assert [one["passed"] for one in results] == [True, False]


def test_a_compiled_plan_loads_again(ringfence: Ringfence, tmp_path: Path) -> None:
    file = written(tmp_path, GOOD)
    out = tmp_path / "plan.json"
    ringfence("policy", "compile", file, "--output", str(out))
    assert [rule.id for rule in Plan.from_json(out.read_text("utf-8")).rules] == [
        "no-live"
    ]
    data = ringfence("policy", "compile", file, "--json").data
    assert data == json.loads(out.read_text("utf-8"))


def test_a_file_that_is_not_there_is_a_problem(ringfence: Ringfence) -> None:
    assert "none.yaml" in ringfence("policy", "check", "none.yaml", code=1).stdout
    assert "none.yaml" in ringfence("policy", "test", "none.yaml", code=2).stderr


def test_a_policy_is_never_overwritten_by_its_own_plan(
    ringfence: Ringfence, tmp_path: Path
) -> None:
    file = written(tmp_path, GOOD)
    ringfence("policy", "compile", file, "--output", file, code=2)
    assert Path(file).read_text("utf-8") == GOOD
