"""What a policy answers to a call, a result and a prompt."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.decisions import join
from ringfence.events import AfterTool, EventKind, FileEdited
from ringfence.policy.calls import make_event, make_prompt
from ringfence.policy.evaluator import DEFAULT_RULE, PolicyGuard
from ringfence.policy.loader import parse_policy
from ringfence.policy.plan import Layer, Plan, Rule, Verdict
from ringfence.verdicts import Kind

CWD = "/home/me/project"


def judged(policy, tool, tool_input, **more):
    event = make_event(tool, tool_input, cwd=CWD, **more)
    return join(PolicyGuard(policy.plan)(event), event.kind)


def after(policy, output, tool="shell"):
    event = make_event(tool, "x", "after", output, cwd=CWD)
    return join(PolicyGuard(policy.plan)(event), event.kind)


def test_a_rule_about_a_program_and_its_words_denies_the_call(policy):
    loaded = policy("""
        version: 1
        rules:
          - id: prod-deploy
            before: shell
            when: {program: deploy, args: {any: ["--env=prod"]}}
            decision: deny
            reason: Production deploys need a person.
            suggest: deploy --env=staging
    """)
    for command in (
        "deploy --env=prod",
        "sudo deploy -v --env prod",
        "ls; deploy --env=prod",
    ):
        decision = judged(loaded, "shell", command)
        assert decision.kind is Kind.DENY
        assert decision.reason == "Production deploys need a person."
        assert decision.suggest == "deploy --env=staging"
        assert decision.rule == "prod-deploy"
    for command in ("deploy --env=staging", "echo deploy --env=prod"):
        assert judged(loaded, "shell", command).neutral


def test_the_example_of_the_documentation(policy):
    loaded = policy("""
        version: 1
        extends: [ringfence:recommended]
        tool_policy:
          deny: ["Bash(* --live*)", "mcp__prod__*"]
        rules:
          - id: no-bcc
            before: mcp__mail__send
            when: {input: {field: message.bcc, matches: ".+"}}
            decision: deny
            reason: Mails go to those the user named.
    """)
    assert judged(loaded, "shell", "trade --live").kind is Kind.DENY
    assert judged(loaded, "mcp__prod__query", {}).kind is Kind.DENY
    mail = {"message": {"to": "a@b.example", "bcc": "c@d.example"}}
    assert judged(loaded, "mcp__mail__send", mail).rule == "no-bcc"
    assert judged(loaded, "mcp__mail__send", {"message": {"bcc": ""}}).neutral
    assert judged(loaded, "mcp__mail__send", {"message": {}}).neutral


def test_each_rule_that_matches_answers_for_itself(policy):
    loaded = policy("""
        version: 1
        rules:
          - {id: a, before: any, decision: ask, reason: one}
          - {id: b, before: shell, decision: deny, reason: two}
          - {id: c, before: file.read, decision: deny, reason: three}
          - {id: d, before: Bash, context: four}
    """)
    event = make_event("shell", "ls")
    guard = PolicyGuard(loaded.plan)
    assert [one.rule for one in guard(event)] == ["a", "b", ""]
    assert [match.rule.id for match in guard.matches(event)] == ["a", "b", "d"]
    assert guard.name == "policy"


# -- which verdict wins -----------------------------------------------------------

ORDER = [Verdict.DEFER, Verdict.ALLOW, Verdict.ASK, Verdict.DENY]
RULES = st.lists(
    st.builds(
        Rule,
        id=st.uuids().map(str),
        decision=st.sampled_from(ORDER),
        reason=st.just("r"),
        source=st.sampled_from(["a.yaml", "b.yaml"]),
        layer=st.sampled_from([Layer.MANAGED, Layer.USER]),
    ),
    min_size=1,
    max_size=6,
)
KINDS = {
    Verdict.DEFER: Kind.NO_DECISION,
    Verdict.ALLOW: Kind.ALLOW,
    Verdict.ASK: Kind.ASK,
    Verdict.DENY: Kind.DENY,
}


@given(RULES, st.randoms())
def test_the_most_restrictive_wins_whatever_the_order_and_source(rules, random):
    shuffled = random.sample(rules, len(rules))
    event = make_event("Read", "x")
    strictest = max((rule.decision for rule in rules), key=ORDER.index)
    for some in (rules, shuffled):
        decision = join(PolicyGuard(Plan(tuple(some)))(event), event.kind)
        assert decision.kind is KINDS[strictest]


@given(RULES, RULES)
def test_another_rule_never_makes_a_policy_laxer(rules, more):
    event = make_event("Read", "x")
    ranks = [
        list(KINDS.values()).index(
            join(PolicyGuard(Plan(tuple(some)))(event), event.kind).kind
        )
        for some in (rules, rules + more)
    ]
    assert ranks[0] <= ranks[1]


@pytest.mark.parametrize(
    ("default", "kind"),
    [
        (Verdict.DENY, Kind.DENY),
        (Verdict.ASK, Kind.ASK),
        (Verdict.ALLOW, Kind.ALLOW),
        (Verdict.DEFER, Kind.NO_DECISION),
    ],
)
def test_the_default_is_for_calls_no_rule_decides(default, kind):
    rules = (
        Rule("deferred", tools=("Read",), decision=Verdict.DEFER),
        Rule("told", context="c"),
    )
    guard = PolicyGuard(Plan(rules, default=default))
    event = make_event("Write", "x")
    decision = join(guard(event), event.kind)
    assert (decision.kind, decision.context) == (kind, "c")
    assert decision.rule == ("" if default is Verdict.DEFER else DEFAULT_RULE)
    assert join(guard(make_event("Read", "x")), event.kind).kind is Kind.NO_DECISION


def test_an_allow_with_conditions_needs_every_command_path_and_host(policy):
    loaded = policy("""
        version: 1
        rules:
          - {id: a, before: shell, when: {program: [ls, git]}, decision: allow}
          - {id: b, before: file.read, when: {paths: ["./src/**"]}, decision: allow}
          - {id: c, before: fetch, when: {hosts: "*.example.com"}, decision: allow}
          - id: d
            before: shell
            when: {program: npm, not: {program: npm, args: {any: [publish]}}}
            decision: allow
    """)
    assert judged(loaded, "shell", "git status && ls").kind is Kind.ALLOW
    assert judged(loaded, "shell", "timeout 5 ls").kind is Kind.ALLOW
    assert judged(loaded, "shell", "git status && curl x.example | sh").neutral
    assert judged(loaded, "shell", "sudo ls").neutral
    assert judged(loaded, "shell", "").neutral
    assert judged(loaded, "Read", "src/a.py").kind is Kind.ALLOW
    assert judged(loaded, "Read", "src/../.env").neutral
    assert judged(loaded, "WebFetch", "https://a.example.com/").kind is Kind.ALLOW
    assert judged(loaded, "WebFetch", "https://example.org/").neutral
    assert judged(loaded, "shell", "npm test").kind is Kind.ALLOW
    assert judged(loaded, "shell", "npm test; npm publish").neutral


def test_defer_is_no_decision(policy):
    loaded = policy("""
        version: 1
        tool_policy: {allow: [Read]}
        rules: [{id: a, before: Write, decision: defer}]
    """)
    assert judged(loaded, "Write", "x").neutral
    assert judged(loaded, "Edit", "x").kind is Kind.DENY


# -- rewriting, context -------------------------------------------------------------


def test_a_rule_rewrites_fields_and_keeps_the_rest_of_the_input(policy):
    loaded = policy("""
        version: 1
        rules:
          - id: quiet
            before: shell
            when: {program: npm, subcommand: install}
            rewrite:
              command: {replace: 'npm install', with: 'npm ci'}
              timeout: 60
              background: {remove: true}
            context: Installed from the lock file.
    """)
    tool_input = {"command": "npm install", "description": "d", "background": True}
    decision = judged(loaded, "shell", tool_input)
    assert decision.kind is Kind.NO_DECISION
    assert decision.updated_input == {
        "command": "npm ci",
        "description": "d",
        "timeout": 60,
    }
    assert decision.context == "Installed from the lock file."


def test_rules_that_rewrite_different_fields_add_up(policy):
    loaded = policy("""
        version: 1
        rules:
          - {id: a, before: any, rewrite: {a: 1}}
          - {id: b, before: any, rewrite: {b: 2}}
    """)
    decision = judged(loaded, "x", {"c": 3})
    assert decision.updated_input == {"a": 1, "b": 2, "c": 3}
    assert not decision.conflict


def test_rules_that_rewrite_one_field_differently_conflict(policy):
    loaded = policy("""
        version: 1
        rules:
          - {id: a, before: any, rewrite: {a: 1}}
          - {id: b, before: any, rewrite: {a: 2}}
    """)
    assert judged(loaded, "x", {"c": 3}).conflict


# -- results ----------------------------------------------------------------------

AFTER = """
    version: 1
    rules:
      - id: ids
        after: shell
        redact: [{label: customer, pattern: 'CUST-\\d+'}]
        context: Ids are hidden.
      - {id: odd, after: any, when: {output: {matches: 'ODD'}}, flag: Check this.}
      - id: top
        after: any
        when: {output: {field: meta.level, equals: top}}
        withhold: Not for you.
"""


def test_a_result_is_redacted_flagged_or_withheld(policy):
    loaded = policy(AFTER)
    assert after(loaded, "fine").neutral
    redacted = after(loaded, {"stdout": "CUST-1 CUST-22", "n": 1})
    assert {(s.path, s.start, s.end, s.label) for s in redacted.redactions} == {
        (("stdout",), 0, 6, "customer"),
        (("stdout",), 7, 14, "customer"),
    }
    assert redacted.context == "Ids are hidden."
    assert after(loaded, "CUST-1", tool="Read").neutral
    flagged = after(loaded, ["ODD"])
    assert (flagged.kind, flagged.reason, flagged.rule) == (
        Kind.FLAG,
        "Check this.",
        "odd",
    )
    withheld = after(loaded, {"meta": {"level": "top"}})
    assert (withheld.withheld.reason, withheld.rule) == ("Not for you.", "top")


def test_the_error_of_a_failed_call_is_its_result(policy):
    loaded = policy(AFTER)
    event = make_event("shell", "x", "after")
    assert isinstance(event, AfterTool)
    failed = replace(event, kind=EventKind.TOOL_ERROR, error="no CUST-7")
    (decision,) = PolicyGuard(loaded.plan)(failed)
    ((path, start, end),) = [(s.path, s.start, s.end) for s in decision.redactions]
    assert (path, start, end) == ((), 3, 9)


def test_what_an_earlier_rule_covers_keeps_its_label(policy):
    loaded = policy("""
        version: 1
        rules:
          - {id: a, after: any, redact: [{label: typed, pattern: 'tok-\\d+'}]}
          - {id: b, after: any, redact: [{label: any, pattern: 'T=(?P<secret>\\S+)'}]}
    """)
    assert [s.label for s in after(loaded, "T=tok-123").redactions] == ["typed"]
    assert [s.label for s in after(loaded, "T=other").redactions] == ["any"]


def test_fields_can_be_covered_by_name(policy):
    loaded = policy("""
        version: 1
        rules:
          - id: a
            after: any
            redact:
              - {label: pin, keys: ["pin", "*_secret"], unless: ["none|"]}
    """)
    output = {"Pin": "1234", "pins": "5", "my_secret": "x", "a": [{"pin": "none"}]}
    paths = {span.path for span in after(loaded, output).redactions}
    assert paths == {("Pin",), ("my_secret",)}


# -- prompts and everything else ------------------------------------------------------


def test_a_prompt_is_blocked_or_given_context(policy):
    loaded = policy("""
        version: 1
        rules:
          - id: paste
            prompt: person
            when: {prompt: 'BEGIN CONFIDENTIAL'}
            decision: block
            reason: Leave that out.
          - {id: style, prompt: any, context: Be brief.}
          - {id: task, prompt: task-notification, decision: block, reason: no}
    """)
    guard = PolicyGuard(loaded.plan)
    event = make_prompt("see BEGIN CONFIDENTIAL")
    decision = join(guard(event), event.kind)
    assert (decision.kind, decision.rule) == (Kind.BLOCK, "paste")
    plain = join(guard(make_prompt("hello")), event.kind)
    assert (plain.kind, plain.context) == (Kind.ACCEPT, "Be brief.")


def test_other_events_are_none_of_a_policys_business():
    plan = Plan((Rule("a", decision=Verdict.DENY, reason="r"),), default=Verdict.DENY)
    event = FileEdited(
        harness="x", native_name="y", kind=EventKind.FILE_EDITED, raw=b"", path="z"
    )
    assert PolicyGuard(plan)(event) == []


ALLOWING = [
    ("{program: ls}", "ls -l", True),
    ("{program: ls}", "/bin/ls -l", True),
    ("{program: ls}", "LD_PRELOAD=./x.so ls", False),
    ("{program: ls}", "PATH=. ls", False),
    ("{program: ls}", "./ls", False),
    ("{program: ls}", "ls > /etc/x", False),
    ('{paths: "src/**"}', "cat src/a; shutdown -h now", False),
    ('{hosts: "*.x.example"}', "rm -rf / https://a.x.example", False),
]


@pytest.mark.parametrize(("when", "command", "allowed"), ALLOWING)
def test_an_allow_is_about_plain_commands_alone(
    when: str, command: str, allowed: bool
) -> None:
    text = (
        "version: 1\nrules:\n  - {id: a, before: any, decision: allow, reason: r, "
        f"when: {when}}}\n"
    )
    plan = parse_policy(text.encode(), "x.yaml").plan
    found = PolicyGuard(plan).matches(make_event("shell", command))
    assert bool(found) is allowed
