"""The tests that stand inside a policy file."""

from __future__ import annotations

from ringfence.decisions import Span, flag_output, redact_spans, withhold
from ringfence.policy.examples import run_tests, verdict, verdicts

POLICY = """
    version: 1
    rules:
      - {id: d, before: shell, when: {program: rm}, decision: deny, reason: no}
      - {id: k, before: shell, when: {program: mv}, decision: ask, reason: hm}
      - {id: l, before: shell, when: {program: ls}, decision: allow}
      - {id: p, before: any, when: {permission_mode: plan}, decision: deny, reason: no}
      - {id: s, after: any, redact: [{label: s, pattern: 'S\\d'}]}
      - {id: f, after: any, when: {output: {matches: F}}, flag: f}
      - {id: w, after: any, when: {output: {matches: W}}, withhold: w}
      - {id: b, prompt: any, when: {prompt: B}, decision: block, reason: b}
    tests:
      - {call: {tool: shell, command: rm x}, expect: deny}
      - {call: {tool: shell, command: mv a b}, expect: ask, rule: k}
      - {call: {tool: Bash, input: {command: ls}}, expect: allow}
      - {call: {tool: read, path: x}, expect: no_decision}
      - {call: {tool: read, path: x}, permission_mode: plan, expect: deny}
      - {call: {tool: shell, command: x, output: S1}, expect: redact}
      - {call: {tool: shell, command: x, output: {a: [F]}}, expect: flag}
      - {call: {tool: shell, command: x, output: W S1}, expect: withhold}
      - {call: {tool: shell, command: x, output: W S1}, expect: redact}
      - {call: {tool: shell, command: x, output: fine}, expect: no_decision}
      - {prompt: a B, expect: block}
      - {prompt: fine, expect: accept}
"""


def test_every_kind_of_expectation(policy):
    results = run_tests(policy(POLICY))
    assert [result.problem for result in results] == [""] * 12
    assert all(result.passed for result in results)


def test_a_failing_test_is_told_with_its_line_and_what_matched(policy, tmp_path):
    loaded = policy("""
        version: 1
        rules: [{id: d, before: shell, decision: deny, reason: no}]
        tests:
          - {call: {tool: shell, command: ls}, expect: allow}
          - {name: by another, call: {tool: shell, command: ls}, expect: deny, rule: x}
    """)
    first, second = run_tests(loaded)
    assert not first.passed
    assert (first.line, first.expected, first.got) == (5, "allow", "deny")
    assert first.name == "shell ls"
    assert first.source == str((tmp_path / "ringfence.yaml").resolve())
    assert second.problem == "expected rule x, matched: d"
    assert second.name == "by another"


def test_the_strictest_word_stands_first():
    decision = redact_spans([Span((), 0, 1)]).join(flag_output("f"))
    assert verdicts(decision) == ["redact", "flag"]
    assert verdict(decision.join(withhold("w"))) == "withhold"
