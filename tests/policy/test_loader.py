"""What is wrong with a policy is told in full: file, line, what, and the mend."""

from __future__ import annotations

from pathlib import Path

import pytest

from ringfence.errors import PolicyError
from ringfence.policy.loader import load, load_policy, parse_policy
from ringfence.policy.plan import Layer, Verdict
from ringfence.policy.problems import MOST_TOLD


def test_without_a_file_the_recommended_pack_holds():
    assert load() == load("ringfence:recommended")
    assert any(rule.id == "git.force-push" for rule in load().rules)


def test_a_missing_file_is_told():
    with pytest.raises(PolicyError) as caught:
        load("/nowhere/ringfence.yaml")
    assert "/nowhere/ringfence.yaml:1:" in str(caught.value)
    assert "No such file" in str(caught.value)


def test_several_problems_are_told_at_once_in_order(problems):
    found = problems("""
        version: 1
        rule: []
        rules:
          - id: a
            before: shell
            when: {text: "(a"}
            decision: deny
            reason: no
          - id: b
            befor: shell
            decision: denny
          - id: c
            before: shell
            when: {program: x}
            decision: deny
    """)
    lines = [line.partition(":")[0] for line in found]
    assert lines == ["3", "7", "11", "12", "13"]
    text = "\n".join(found)
    assert "unknown key 'rule'; did you mean 'rules'?" in text
    assert "the regex does not compile: missing ): (a" in text
    assert "unknown key 'befor'; did you mean 'before'?" in text
    assert "did you mean 'deny'?" in text
    assert "a deny needs a reason; add 'reason:'" in text


ITEM = " - {id: a, before: x, context: c}\n"
RULE = "version: 1\nrules: [{id: a, "
OLD_RULE = "version: 1\npolicy_rules: [{id: a, decision: deny, "
RECOMMENDED = "version: 1\nextends: [ringfence:recommended]\n"


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("rules: []", 1, "'version' is missing; add 'version:'"),
        ("version: 2", 1, "write 'version: 1'"),
        ("version: 1\nrules: {}", 2, "rules: must be a list"),
        ("version: 1\nrules: [{id: a, before: shell}]", 2, "the rule does nothing"),
        (
            "version: 1\nrules: [{id: a, before: x, after: y, flag: z}]",
            2,
            "this one has before and after",
        ),
        (
            "version: 1\nrules: [{id: a, flag: z}]",
            2,
            "none of before, after and prompt",
        ),
        (
            RULE + "after: x, decision: deny, flag: z, reason: r}]",
            2,
            "'decision' has no meaning in a rule for 'after'",
        ),
        (
            "version: 1\nrules: [{id: a, before: x, decision: block, reason: r}]",
            2,
            "a rule for 'before' can't block",
        ),
        (
            "version: 1\nrules: [{id: a, before: x, context: c, suggest: s}]",
            2,
            "only a deny or an ask suggests",
        ),
        (
            "version: 1\nrules: [{id: a b, before: x, context: c}]",
            2,
            "use letters, digits",
        ),
        (
            "version: 1\nrules: [{id: a, before: x, when: {}, context: c}]",
            2,
            "must not be empty",
        ),
        (
            RULE + "before: x, when: {input: {field: f}}, context: c}]",
            2,
            "nothing is asked of it",
        ),
        (
            RULE + "before: x, when: {paths: {use: reed}}, context: c}]",
            2,
            "write read, write, delete or search",
        ),
        (
            "version: 1\nrules: [{id: a, after: x, redact: [{label: l}]}]",
            2,
            "either a pattern or keys",
        ),
        (
            "version: 1\nrules: [{id: a, before: x, rewrite: {f: {replace: y}}}]",
            2,
            "no rewrite of a field",
        ),
        (
            RULE + "before: x, rewrite: {f: {replace: 'y(?=z)', with: ''}}}]",
            2,
            "RE2 knows no look-around",
        ),
        (
            "version: 1\nrules:\n" + ITEM + ITEM,
            4,
            "already given on line 3",
        ),
        (
            RULE + "before: x, rewrite: {f: {replace: '(y)', with: '\\2'}}}]",
            2,
            "names a group that the regex has not",
        ),
        ("version: 1\ntool_policy:\n  deny:\n   - Bash(", 4, "is no tool entry"),
        ("version: 1\ntool_policy:\n  deny: ['mcp__x(y)']", 3, "takes no argument"),
        ("version: 1\ntool_policy: {deny: Bash}", 2, "must be a list"),
        ("version: 1\ndefaults: {fail: maybe}", 2, "is none of closed, open"),
        ("version: 1\ndefaults: {timeout: 0}", 2, "not allowed here"),
        (
            "version: 1\nextends: [ringfence:recomended]",
            2,
            "did you mean 'recommended'?",
        ),
        ("version: 1\nextends: [/etc/x.yaml]", 2, "not a relative path"),
        ("version: 1\nextends: [gone.yaml]", 2, "mend the path"),
        ("version: 1\ndisable: [git.force-push]", 2, "'extends' brings no rule"),
        (
            "version: 1\nextends: [ringfence:recommended]\ndisable: [git.force-puhs]",
            3,
            "did you mean 'git.force-push'?",
        ),
        (
            "version: 1\ndisable: [a]\nrules: [{id: a, before: x, context: c}]",
            2,
            "remove the rule instead",
        ),
        (
            RECOMMENDED + "rules:\n - {id: git.force-push, before: x, context: c}",
            4,
            "is taken by ringfence:recommended:",
        ),
        (
            OLD_RULE + "input_matchers: [{field: command, regex: '('}]}]",
            2,
            "does not compile",
        ),
        (
            "version: 1\ntests: [{call: {command: x}, expect: deny}]",
            2,
            "'tool' is missing",
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_mend(problems, text, line, what):
    found = problems(text)
    assert any(
        told.startswith(f"{line}: ") and what in told and "; " in told for told in found
    ), found


def test_an_example_that_a_rule_misses_is_told_at_its_line(problems):
    found = problems("""
        version: 1
        rules:
          - id: no-deploy
            before: shell
            when: {program: deploy}
            decision: deny
            reason: no
            match:
              - deploy now
              - dploy now
            not_match: ["echo deploy", "sudo deploy"]
    """)
    assert [line.partition(":")[0] for line in found] == ["11", "12"]
    assert "rule 'no-deploy' misses the example match.1" in found[0]
    assert "rule 'no-deploy' matches the example not_match.1" in found[1]


def test_a_file_brings_the_rules_of_those_it_extends_and_may_disable_them(tmp_path):
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "base.yaml").write_text(
        "version: 1\ndefaults: {timeout: 3}\nrules:\n"
        " - {id: a, before: shell, context: one}\n"
        " - {id: b, before: shell, context: two}\n"
    )
    own = tmp_path / "ringfence.yaml"
    own.write_text(
        "version: 1\nextends: [team/base.yaml, ringfence:recommended]\n"
        "disable: [b, 'git.*']\ndefaults: {fail: open}\n"
    )
    plan = load(own)
    ids = {rule.id for rule in plan.rules}
    assert "a" in ids
    assert "b" not in ids
    assert "secrets.read-file" in ids
    assert not any(rule.startswith("git.") for rule in ids)
    assert (plan.defaults.timeout, plan.defaults.fail) == (3, "open")
    assert plan.defaults.given() == {"timeout": 3, "fail": "open"}
    assert set(plan.sources) == {
        str(own.resolve()),
        str((tmp_path / "team" / "base.yaml").resolve()),
        "ringfence:recommended",
    }


def test_files_that_extend_each_other_are_told(tmp_path):
    for name, other in (("a", "b"), ("b", "a")):
        (tmp_path / f"{name}.yaml").write_text(f"version: 1\nextends: [{other}.yaml]\n")
    with pytest.raises(PolicyError, match="extends itself"):
        load(tmp_path / "a.yaml")


def test_a_problem_in_an_extended_file_is_told_with_that_file(tmp_path):
    (tmp_path / "base.yaml").write_text("version: 1\nruels: []\n")
    (tmp_path / "own.yaml").write_text("version: 1\nextends: [base.yaml]\n")
    with pytest.raises(PolicyError) as caught:
        load(tmp_path / "own.yaml")
    (problem,) = caught.value.problems
    assert problem.startswith(f"{(tmp_path / 'base.yaml').resolve()}:2:")


def test_a_lower_layer_extends_no_files_and_never_allows():
    raw = b"""version: 1
extends: [other.yaml]
rules:
  - {id: a, before: shell, decision: allow}
"""
    with pytest.raises(PolicyError) as caught:
        parse_policy(raw, "project.yaml", layer=Layer.PROJECT)
    first, second = caught.value.problems
    assert "can extend packs only" in first
    assert "can't allow" in second


def test_an_allowlist_denies_what_it_does_not_name(policy):
    assert policy("version: 1\n").plan.default is Verdict.DEFER
    listed = policy("version: 1\ntool_policy: {allow: [Read]}\n")
    assert listed.plan.default is Verdict.DENY
    assert (
        policy("version: 1\ntool_policy: {allow: []}\n").plan.default is Verdict.DEFER
    )
    said = policy("version: 1\ndefault_decision: ask\ntool_policy: {allow: [Read]}\n")
    assert said.plan.default is Verdict.ASK


def test_rules_remember_where_they_stand(policy, tmp_path: Path):
    loaded = policy("""
        version: 1
        rules:
          - before: shell
            id: a
            context: c
    """)
    (rule,) = loaded.plan.rules
    assert (rule.source, rule.line) == (str((tmp_path / "ringfence.yaml").resolve()), 5)


def test_tests_stand_beside_the_plan_not_in_it(policy):
    loaded = policy("""
        version: 1
        tests:
          - {call: {tool: shell, command: ls}, expect: no_decision}
    """)
    assert loaded.plan.rules == ()
    assert [test.line for test in loaded.tests] == [4]


def test_a_policy_can_be_read_from_bytes_too():
    raw = b"version: 1\nextends: [ringfence:recommended]\n"
    assert parse_policy(raw, "inline").plan.rules == load().rules


def test_the_files_of_a_policy_are_read_by_path(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("version: 1\n")
    assert load_policy(path).plan == load(str(path))


def test_of_very_many_problems_the_first_are_told(problems):
    found = problems("version: 1\n" + "".join(f"k{n}: 1\n" for n in range(60)))
    assert len(found) == MOST_TOLD + 1
