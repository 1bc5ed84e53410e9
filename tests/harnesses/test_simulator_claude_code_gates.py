"""Claude Code's rules before a call: several hooks, rewrites, permissions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from ringfence.harnesses.claude_code.simulator import ClaudeCodeSimulator
from ringfence.harnesses.simulation import (
    Approver,
    Call,
    Ending,
    HookRun,
    Outcome,
    Permission,
)
from tests.harnesses.claude_code_hooks import (
    BOTH,
    COMMAND,
    DENY,
    NEW,
    OLD,
    STOP,
    before,
    hook,
    own,
    rewrite,
    saw,
    texts,
    verdict,
)

# -- several hooks ------------------------------------------------------------


@BOTH
def test_deny_beats_ask_beats_allow_in_any_order(claude: ClaudeCodeSimulator) -> None:
    deny, ask, allow = (hook(verdict(v, v)) for v in ("deny", "ask", "allow"))
    for runs in ((deny, ask, allow), (allow, ask, deny), (ask, deny, allow)):
        assert "deny" in saw(before(claude, *runs))
    assert saw(before(claude, allow, ask)) == "ask"
    assert before(claude, hook(verdict("defer")), deny).ended is Ending.NOTHING


@BOTH
def test_of_two_denials_the_last_to_finish_is_shown(
    claude: ClaudeCodeSimulator,
) -> None:
    first = hook(verdict("deny", "slow"), finished_at=2)
    second = hook(verdict("deny", "fast"), finished_at=1)
    assert "slow" in saw(before(claude, first, second))


def test_of_two_questions_the_versions_show_different_ones() -> None:
    runs = hook(verdict("ask", "one")), hook(verdict("ask", "two"))
    assert saw(before(NEW, *runs)) == "one"
    assert saw(before(OLD, *runs)) == "two"


@BOTH
def test_of_two_rewrites_the_last_to_finish_counts(claude: ClaudeCodeSimulator) -> None:
    slow = hook(rewrite({"command": "slow"}), finished_at=2)
    fast = hook(rewrite({"command": "fast"}), finished_at=1)
    assert before(claude, slow, fast).input == {"command": "slow"}


def test_the_older_version_prefers_rewrites_with_a_verdict() -> None:
    runs = (
        hook(rewrite({"command": "allowed"})),
        hook(own(updatedInput={"command": "bare"}), finished_at=1),
    )
    assert before(NEW, *runs).input == {"command": "bare"}
    assert before(OLD, *runs).input == {"command": "allowed"}


@pytest.mark.parametrize(
    ("first", "second", "new", "old"),
    [
        # A later verdict takes the place of an invalid rewrite in the older version.
        (own(updatedInput={}), verdict("ask"), "invalid", "why"),
        (own(updatedInput={}), verdict("allow"), "invalid", "None"),
        (verdict("ask", updatedInput={}), verdict("ask", "two"), "invalid", "two"),
        # An allow does not count beside a question, nor does its rewrite.
        (verdict("ask"), rewrite({}), "why", "why"),
        (verdict("ask", updatedInput={}), rewrite({"command": "x"}), *["invalid"] * 2),
        (rewrite({}), verdict("ask", updatedInput={"command": "x"}), "why", "why"),
        (rewrite({}), own(updatedInput={"command": "x"}), "None", "invalid"),
    ],
)
def test_an_invalid_rewrite_beside_another_answer(
    first: Mapping[str, object], second: Mapping[str, object], new: str, old: str
) -> None:
    for claude, expected in ((NEW, new), (OLD, old)):
        outcome = before(claude, hook(first), hook(second, finished_at=1))
        if expected == "None":
            assert outcome.ran is True
        elif expected == "invalid":
            assert "failed schema validation" in saw(outcome)
        else:
            assert saw(outcome) == expected


def test_an_invalid_rewrite_after_a_denial_takes_its_words_in_the_older() -> None:
    deny, bare = hook(verdict("deny")), hook(own(updatedInput={}), finished_at=1)
    assert "failed schema validation" in saw(before(OLD, deny, bare))
    assert saw(before(OLD, replace(bare, finished_at=-1), deny)) == "why"
    assert "why" in saw(before(NEW, deny, bare))
    both = hook(own(updatedInput={}), exit_code=2, stderr="not so")
    assert "failed schema validation" in saw(before(OLD, both))
    assert "not so" in saw(before(NEW, both))


# -- rewrites -----------------------------------------------------------------


@BOTH
def test_a_rewrite_replaces_the_whole_input(claude: ClaudeCodeSimulator) -> None:
    given = {"command": "a", "description": "d", "timeout": 5}
    outcome = before(claude, hook(rewrite({"command": "b"})), input=given)
    assert outcome.input == {"command": "b"}
    bare = before(claude, hook(own(updatedInput={"command": "b"})), input=given)
    assert bare.input == {"command": "b"}


@BOTH
@pytest.mark.parametrize(
    ("tool", "tool_input", "problem"),
    [
        ("Bash", {}, "The required parameter `command` is missing"),
        ("Bash", {"command": 5}, "expected as `string` but provided as `number`"),
        ("Bash", {"command": ["a"]}, "provided as `array`"),
        ("Bash", {"command": None}, "provided as `null`"),
        ("Bash", {"command": "a", "timeout": "abc"}, "expected as `number`"),
        ("Bash", {"command": "a", "run_in_background": 1}, "expected as `boolean`"),
        ("Read", {"path": "x"}, "The required parameter `file_path` is missing"),
        ("Write", {"file_path": "x"}, "The required parameter `content` is missing"),
    ],
)
def test_a_rewrite_that_the_tool_does_not_take_is_closed(
    claude: ClaudeCodeSimulator,
    tool: str,
    tool_input: Mapping[str, object],
    problem: str,
) -> None:
    outcome = before(claude, hook(rewrite(tool_input)), tool=tool)
    assert outcome.ran is False
    assert problem in saw(outcome)


@BOTH
@pytest.mark.parametrize(
    ("tool", "tool_input"),
    [
        ("Bash", {"command": "a", "unknown": 1}),
        ("Bash", {"command": "a", "timeout": "5000", "run_in_background": "false"}),
        ("mcp__any__tool", {"whatever": 5}),
    ],
)
def test_unknown_keys_and_numbers_as_text_are_fine(
    claude: ClaudeCodeSimulator, tool: str, tool_input: Mapping[str, object]
) -> None:
    assert before(claude, hook(rewrite(tool_input)), tool=tool).ran is True


def test_contexts_are_lost_beside_an_invalid_rewrite_in_the_newer_version() -> None:
    run = hook(rewrite({}, additionalContext="c"))
    assert before(NEW, run).contexts == ()
    assert len(before(OLD, run).contexts) == 1


# -- permissions, modes, people -----------------------------------------------

UNSET = Permission.UNSET


@BOTH
def test_allow_grants_what_no_rule_speaks_of(claude: ClaudeCodeSimulator) -> None:
    allow = hook(verdict("allow"))
    assert before(claude, permission=UNSET).ran is False
    assert before(claude, allow, permission=UNSET).ran is True
    legacy = hook({"decision": "approve"})
    assert before(claude, legacy, permission=UNSET).ran is True
    for rule in (Permission.DENIED, Permission.ASK):
        assert before(claude, allow, permission=rule).ran is False


@BOTH
def test_a_rewritten_call_is_checked_again(claude: ClaudeCodeSimulator) -> None:
    def rules(given: Mapping[str, object]) -> Permission:
        denied = given["command"] == "bad"
        return Permission.DENIED if denied else Permission.GRANTED

    assert before(claude, permission=rules).ran is True
    run = hook(rewrite({"command": "bad"}))
    assert before(claude, run, permission=rules).ran is False


@BOTH
@pytest.mark.parametrize("mode", ["default", "bypassPermissions", "dontAsk", "plan"])
def test_deny_and_ask_are_closed_in_every_mode(
    claude: ClaudeCodeSimulator, mode: str
) -> None:
    assert before(claude, hook(DENY), permission_mode=mode).ran is False
    asked = before(claude, hook(verdict("ask")), permission_mode=mode)
    assert asked.ran is False
    assert saw(asked) == "why"


def test_allow_does_not_leave_plan_mode() -> None:
    allow = hook(verdict("allow"))
    assert before(NEW, allow, permission=UNSET, permission_mode="plan").ran is False


@BOTH
def test_a_person_decides_what_a_hook_asks(claude: ClaudeCodeSimulator) -> None:
    ask = hook(verdict("ask"))
    undecided = before(claude, ask, approver=Approver())
    assert (undecided.asked, undecided.ran) == (True, None)
    assert before(claude, ask, approver=Approver(allows=True)).ran is True
    no = before(claude, ask, approver=Approver(allows=False))
    assert (no.ran, no.ended) == (False, Ending.TURN)


@BOTH
def test_a_host_may_rewrite_or_refuse(claude: ClaudeCodeSimulator) -> None:
    ask = hook(verdict("ask"))
    host = Approver(person=False, allows=True, updated_input={"command": "host's"})
    assert before(claude, ask, approver=host).input == {"command": "host's"}
    no = Approver(person=False, allows=False, message="host says no")
    assert saw(before(claude, ask, approver=no)) == "host says no"


def test_without_an_approval_surface_the_question_is_quoted() -> None:
    outcome = before(NEW, hook(verdict("ask")), prompts=False)
    assert outcome.result is not None
    assert "no approval surface" in outcome.result
    assert "why" in outcome.result


@BOTH
def test_defer_ends_a_session_without_a_person(claude: ClaudeCodeSimulator) -> None:
    outcome = before(claude, hook(verdict("defer")))
    assert (outcome.ran, outcome.result, outcome.ended) == (
        False,
        None,
        Ending.SESSION,
    )
    present = before(claude, hook(verdict("defer")), approver=Approver())
    assert present.ended is Ending.NOTHING
    for other in (verdict("ask"), rewrite({})):
        pair = hook(verdict("defer")), hook(other, finished_at=1)
        assert before(claude, *pair).ended is Ending.SESSION
    bare = hook(own(updatedInput={}), finished_at=1)
    assert before(claude, hook(verdict("defer")), bare).ended is Ending.NOTHING


@BOTH
def test_a_rule_that_asks_speaks_before_a_hook_that_asks(
    claude: ClaudeCodeSimulator,
) -> None:
    outcome = before(claude, hook(verdict("ask")), permission=Permission.ASK)
    assert "requested permissions" in saw(outcome)


# -- continue: false ----------------------------------------------------------


@BOTH
def test_continue_false_runs_the_call_and_then_ends_the_turn(
    claude: ClaudeCodeSimulator,
) -> None:
    outcome = before(claude, hook(STOP))
    assert (outcome.ran, outcome.result, outcome.ended) == (True, None, Ending.TURN)


def test_continue_false_with_a_denial_ends_only_the_newer_versions_turn() -> None:
    for answer in ({**STOP, **DENY}, {**STOP, **rewrite({})}):
        assert before(NEW, hook(answer)).ended is Ending.TURN
        assert before(OLD, hook(answer)).ended is Ending.NOTHING
        assert before(OLD, hook(answer)).ran is False


@BOTH
def test_continue_false_beside_a_question_is_nothing(
    claude: ClaudeCodeSimulator,
) -> None:
    outcome = before(claude, hook({**STOP, **verdict("ask")}))
    assert (outcome.ended, saw(outcome)) == (Ending.NOTHING, "why")


# -- contexts -----------------------------------------------------------------


def test_contexts_are_joined_in_the_order_of_finishing_or_stand_alone() -> None:
    runs = (
        hook(own(additionalContext="slow"), finished_at=2),
        hook(own(additionalContext="fast"), finished_at=1),
    )
    label = "PreToolUse:Bash hook additional context: "
    assert texts(before(NEW, *runs)) == [f"{label}fast\nslow"]
    assert texts(before(OLD, *runs)) == [f"{label}fast", f"{label}slow"]


@BOTH
def test_a_long_context_becomes_a_file_and_a_preview(
    claude: ClaudeCodeSimulator,
) -> None:
    short = before(claude, hook(own(additionalContext="x" * 9_000)))
    long = before(claude, hook(own(additionalContext="x" * 11_000)))
    assert short.contexts[0].exact
    assert "persisted-output" in long.contexts[0]


# -- permission requests, skills ----------------------------------------------


def request(claude: ClaudeCodeSimulator, run: HookRun, **call: object) -> Outcome:
    own_call = Call(
        event="PermissionRequest",
        tool="Bash",
        input=COMMAND,
        permission=UNSET,
        **call,  # type: ignore[arg-type]
    )
    return claude.simulate(own_call, [run])


def decision(behavior: str, **fields: object) -> HookRun:
    answer = own("PermissionRequest", decision={"behavior": behavior, **fields})
    return hook(answer, finished_at=1)


def test_permission_requests_reach_hooks_headless_in_the_newer_version() -> None:
    assert request(NEW, decision("allow")).ran is True
    old = request(OLD, decision("allow"))
    assert (old.fired, old.ran) == (False, False)
    assert request(OLD, decision("allow"), approver=Approver()).ran is True
    assert request(NEW, decision("allow"), permission_mode="dontAsk").fired is False


def test_a_permission_request_is_answered_in_its_own_words() -> None:
    rewritten = request(NEW, decision("allow", updatedInput={"command": "x"}))
    assert rewritten.input == {"command": "x"}
    assert saw(request(NEW, decision("deny", message="no"))) == "no"
    interrupted = request(NEW, decision("deny", message="no", interrupt=True))
    assert interrupted.ended is Ending.SESSION
    assert saw(request(NEW, decision("deny"))) == "Permission denied by hook"
    invalid = request(NEW, decision("allow", updatedInput={"command": 5}))
    assert "PermissionRequest hook for Bash returned" in saw(invalid)


@pytest.mark.parametrize(
    "run",
    [
        hook(verdict("deny")),
        hook(exit_code=2, stderr="why"),
        hook({"decision": "block", "reason": "why"}),
        hook(STOP),
        hook(own("PermissionRequest")),
        hook(own("PermissionRequest", decision={"behavior": "maybe"})),
    ],
)
def test_nothing_but_a_decision_answers_a_permission_request(run: HookRun) -> None:
    host = Approver(person=False, allows=True, answers_at=9)
    assert request(NEW, run, approver=host).asked is True
    assert request(NEW, run).ran is False


def test_the_first_hook_to_decide_on_a_permission_request_counts() -> None:
    call = Call(event="PermissionRequest", tool="Bash", permission=UNSET)
    allow, deny = decision("allow"), replace(decision("deny"), finished_at=2)
    assert NEW.simulate(call, [allow, deny]).ran is True
    assert NEW.simulate(call, [replace(allow, finished_at=3), deny]).ran is False
    crash = hook(exit_code=1, on_failure="block")
    assert "onFailure" in saw(request(NEW, crash))


def test_a_fast_host_beats_a_hooks_denial() -> None:
    fast = Approver(person=False, allows=True, answers_at=0.5)
    slow = Approver(person=False, allows=True, answers_at=5)
    assert request(NEW, decision("deny"), approver=fast).ran is True
    assert request(NEW, decision("deny"), approver=slow).ran is False


def skill(claude: ClaudeCodeSimulator, run: HookRun) -> Outcome:
    call = Call(event="PreSkillShellCommand", tool="Bash", input=COMMAND)
    return claude.simulate(call, [run])


def test_inline_shell_of_skills_is_hooked_in_the_newer_version_only() -> None:
    for answer in ("deny", "ask", "defer"):
        fields = {"permissionDecision": answer, "permissionDecisionReason": "why"}
        run = hook(own("PreSkillShellCommand", **fields))
        assert "not run: blocked by hook: why" in saw(skill(NEW, run))
        assert skill(OLD, run).ran is True
    assert skill(NEW, hook(exit_code=1)).ran is True


@pytest.mark.parametrize(
    ("run", "reason"),
    [
        (hook({"decision": "block", "reason": "why"}), "why"),
        (hook(exit_code=2, stderr="why\n"), "why"),
        (hook(exit_code=1, on_failure="block"), "[guard]: failed"),
        (
            hook(own("PreSkillShellCommand", permissionDecision="ask")),
            "the hook asked for approval",
        ),
        (
            hook(own("PreSkillShellCommand", updatedInput={"command": "x"})),
            "the hook changed the command",
        ),
    ],
)
def test_inline_shell_is_not_run_and_the_prompt_says_why(
    run: HookRun, reason: str
) -> None:
    outcome = skill(NEW, run)
    assert outcome.ran is False
    assert f"[not run: blocked by hook: {reason}" in saw(outcome)
