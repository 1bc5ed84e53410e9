"""What a policy answers to a call."""

from __future__ import annotations

from ringfence.decisions import Kind, join
from ringfence.policy.calls import make_event
from ringfence.policy.evaluator import PolicyGuard


def judged(policy, tool, tool_input, **more):
    event = make_event(tool, tool_input, cwd="/home/me/project", **more)
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
    """)
    for command in (
        "deploy --env=prod",
        "sudo deploy -v --env prod",
        "ls; deploy --env=prod",
    ):
        decision = judged(loaded, "shell", command)
        assert decision.kind is Kind.DENY
        assert decision.reason == "Production deploys need a person."
        assert decision.rule == "prod-deploy"
    for command in ("deploy --env=staging", "echo deploy --env=prod"):
        assert judged(loaded, "shell", command).neutral
