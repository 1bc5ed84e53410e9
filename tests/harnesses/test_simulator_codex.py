"""Codex's rules, one by one: it is strict, and what it does not take is open."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.harnesses.codex.simulator import RULES, CodexSimulator
from ringfence.harnesses.simulation import (
    Approver,
    Call,
    Carrier,
    Done,
    Ending,
    Failed,
    HookRun,
    Outcome,
    Text,
    play,
)

CODEX = CodexSimulator()
COMMAND = {"command": "touch RAN"}


def own(event: str = "PreToolUse", /, **fields: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def verdict(decision: str, reason: str = "why", **fields: object) -> dict[str, object]:
    reasons = {"permissionDecision": decision, "permissionDecisionReason": reason}
    return own(**reasons, **fields)


def rewrite(tool_input: object, **fields: object) -> dict[str, object]:
    return own(permissionDecision="allow", updatedInput=tool_input, **fields)


def hook(answer: Mapping[str, object] | str = "", **fields: object) -> HookRun:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return HookRun(stdout=text, command="guard", **fields)  # type: ignore[arg-type]


DENY = verdict("deny")
DENY_TEXT = json.dumps(DENY)
BLOCK = {"decision": "block", "reason": "why"}
STOP = {"continue": False, "stopReason": "enough"}


def before(*runs: HookRun, tool: str = "Bash", **given: object) -> Outcome:
    call = Call(event="PreToolUse", tool=tool, input=given or COMMAND)
    return CODEX.simulate(call, runs)


def after(*runs: HookRun, text: str = "secret\n") -> Outcome:
    call = Call(event="PostToolUse", tool="Bash", input=COMMAND, result=Done(text))
    return CODEX.simulate(call, runs)


def event(name: str, *runs: HookRun, approver: Approver | None = None) -> Outcome:
    call = Call(event=name, tool="Bash", input=COMMAND, approver=approver)
    return CODEX.simulate(call, runs)


def saw(outcome: Outcome) -> str:
    return str(outcome.result)


def texts(outcome: Outcome) -> list[str]:
    return [str(context) for context in outcome.contexts]


# -- before a call ------------------------------------------------------------


@pytest.mark.parametrize(
    "run",
    [
        hook(DENY),
        hook(BLOCK),
        hook(f"\n {DENY_TEXT}\n"),
        hook({**DENY, "systemMessage": "note"}),
        hook({**DENY, "systemMessage": None, "stopReason": None}),
        hook({**DENY, "continue": True, "suppressOutput": False}),
        hook({**DENY, "reason": "another"}),
        hook(verdict("deny", additionalContext=None, updatedInput=None)),
        hook({**BLOCK, "hookSpecificOutput": None}),
        hook(verdict("deny", hookEventName="PostToolUse")),
        hook('{"decision": "approve", "decision": "block", "reason": "why"}'),
        hook(exit_code=2, stderr="  why\n"),
        hook(verdict("allow"), exit_code=2, stderr="why"),
    ],
)
def test_a_denial_names_the_command(run: HookRun) -> None:
    outcome = before(run)
    assert outcome.ran is False
    assert saw(outcome) == (
        "Command blocked by PreToolUse hook: why. Command: touch RAN"
    )


def test_the_denial_of_another_tool_names_the_tool() -> None:
    outcome = before(hook(DENY), tool="mcp__a__b", text="x")
    assert saw(outcome) == (
        "Tool call blocked by PreToolUse hook: why. Tool: mcp__a__b"
    )


@pytest.mark.parametrize(
    "run",
    [
        hook(),
        hook("text"),
        hook(DENY_TEXT[:-1]),
        hook(f"noise\n{DENY_TEXT}"),
        hook(f"{DENY_TEXT}\nnoise"),
        hook(f"[{DENY_TEXT}]"),
        hook("\ufeff" + DENY_TEXT),
        hook('{"decision": "block", "reason": "why", "x": NaN}'),
        hook('{"decision": "block", "reason": "why \\ud800"}'),
        hook({**DENY, "unknown": 1}),
        hook({**DENY, **STOP}),
        hook({**DENY, "continue": False}),
        hook({**DENY, "continue": None}),
        hook({**DENY, "stopReason": "x"}),
        hook({**DENY, "suppressOutput": True}),
        hook(verdict("deny", "")),
        hook(verdict("deny", "  ")),
        hook(own(permissionDecision="deny")),
        hook(verdict("deny", 5)),  # type: ignore[arg-type]
        hook(verdict("deny", unknown=1)),
        hook(verdict("deny", updatedInput={"command": "x"})),
        hook(verdict("ask")),
        hook(verdict("defer")),
        hook(verdict("allow")),
        hook({"decision": "block"}),
        hook({"decision": "block", "reason": " "}),
        hook({"decision": "approve", "reason": "x"}),
        hook({**BLOCK, **own(permissionDecisionReason="x")}),
        hook({"hookSpecificOutput": {"permissionDecision": "deny"}}),
        hook({**BLOCK, "hookSpecificOutput": {}}),
        hook(exit_code=2),
        hook(BLOCK, exit_code=2, stderr=" \n"),
        hook(DENY, exit_code=1),
        hook(DENY, exit_code=3),
        hook(signal=9),
        hook(DENY, timed_out=True),
        hook(DENY, stdout_held=True),
        hook(DENY, is_async=True),
        hook(DENY, failure="server not connected", carrier=Carrier.MCP_TOOL),
    ],
)
def test_anything_else_is_open(run: HookRun) -> None:
    assert before(run).ran is True


def test_what_is_dropped_is_said() -> None:
    assert before(hook(verdict("ask"))).dropped == (
        "permissionDecision:ask is not supported",
    )
    assert "unknown key 'unknown'" in before(hook({**DENY, "unknown": 1})).dropped[0]


def test_a_rewrite_needs_an_allow() -> None:
    assert before(hook(rewrite({"command": "new"}))).input == {"command": "new"}
    assert before(hook(own(updatedInput={"command": "new"}))).input == COMMAND
    assert before(hook(rewrite({"command": "new", "more": 1}))).ran is True
    assert before(hook(rewrite({"a": 1})), tool="mcp__a__b").input == {"a": 1}


@pytest.mark.parametrize("value", [{}, {"cmd": "x"}, {"command": 5}, "x", []])
def test_a_rewrite_of_a_wrong_shape_is_closed(value: object) -> None:
    outcome = before(hook(rewrite(value)))
    assert outcome.ran is False
    assert saw(outcome) == "hook returned updatedInput without string field `command`"


def test_several_hooks() -> None:
    slow, fast = {"finished_at": 2}, {"finished_at": 1}
    # Of two denials the first in configuration order, of two rewrites the latest.
    denials = hook(verdict("deny", "one"), **slow), hook(verdict("deny", "two"), **fast)
    assert "one" in saw(before(*denials))
    rewrites = (
        hook(rewrite({"command": "one"}), **slow),
        hook(rewrite({"command": "two"}), **fast),
    )
    assert before(*rewrites).input == {"command": "one"}
    assert before(hook(DENY), *rewrites).ran is False
    contexts = [hook(own(additionalContext=text)) for text in ("one", "two")]
    assert texts(before(*contexts)) == ["one", "two"]


def test_a_context_counts_only_with_an_answer_that_counts() -> None:
    assert texts(before(hook(own(additionalContext="c")))) == ["c"]
    assert texts(before(hook(verdict("deny", additionalContext="c")))) == ["c"]
    assert texts(before(hook(rewrite(COMMAND, additionalContext="c")))) == ["c"]
    assert texts(before(hook(verdict("allow", additionalContext="c")))) == []
    json_with_exit_2 = hook(own(additionalContext="c"), exit_code=2, stderr="why")
    assert texts(before(json_with_exit_2)) == []


# -- after a call -------------------------------------------------------------


def test_a_block_takes_the_results_place() -> None:
    assert after(hook({"decision": "block", "reason": " as is \n"})).result == Text.of(
        " as is \n"
    )
    assert saw(after(hook(exit_code=2, stderr=" trimmed \n"))) == "trimmed"
    both = after(hook(BLOCK), hook({**STOP}))
    assert saw(both) == "why\n\nenough"
    with_context = after(hook({**BLOCK, **own("PostToolUse", additionalContext="c")}))
    assert (saw(with_context), texts(with_context)) == ("why", ["c"])


def test_continue_false_replaces_the_result_and_the_turn_goes_on() -> None:
    cases: list[tuple[Mapping[str, object], str]] = [
        (STOP, "enough"),
        ({**STOP, "reason": "why"}, "why"),
        ({"continue": False}, "PostToolUse hook stopped execution"),
        ({**STOP, "suppressOutput": True}, "enough"),
        ({"continue": False, "decision": "block"}, "PostToolUse hook stopped"),
    ]
    for answer, shown in cases:
        outcome = after(hook(answer))
        assert saw(outcome).startswith(shown)
        assert outcome.ended is Ending.NOTHING


@pytest.mark.parametrize(
    "run",
    [
        hook(),
        hook("text"),
        hook({"decision": "block"}),
        hook({"decision": "block", "reason": " "}),
        hook({"decision": "approve", "reason": "x"}),
        hook({"reason": "x"}),
        hook({**BLOCK, "unknown": 1}),
        hook({**BLOCK, "suppressOutput": True}),
        hook({**BLOCK, **own("PostToolUse", updatedToolOutput="new")}),
        hook({**BLOCK, **own("PostToolUse", updatedMCPToolOutput="new")}),
        hook({**BLOCK, **own("NoSuchEvent")}),
        hook(own("PostToolUse", updatedToolOutput="new")),
        hook(BLOCK, exit_code=1),
        hook(exit_code=2),
    ],
)
def test_otherwise_the_original_reaches_the_model(run: HookRun) -> None:
    assert saw(after(run)) == "secret\n"


def test_a_block_over_ten_kilobytes_is_cut() -> None:
    whole = after(hook({"decision": "block", "reason": "x" * 10_000})).result
    cut = after(hook({"decision": "block", "reason": "é" * 5_001})).result
    assert whole is not None
    assert cut is not None
    assert whole.exact
    assert "truncated" in cut
    assert cut.matches(
        "Warning: truncated output\n" + "é" * 2_000 + "\nFull hook output saved to: /x"
    )


def test_a_failed_call_has_no_event_after_it() -> None:
    call = Call(event="", tool="mcp__a__b", result=Failed("failed: secret"))
    outcome = play(CODEX, call, {"PostToolUse": [hook(BLOCK)]})
    assert saw(outcome) == "failed: secret"
    done = Call(event="", tool="Bash", input=COMMAND, result=Done("secret"))
    assert saw(play(CODEX, done, {"PostToolUse": [hook(BLOCK)]})) == "why"


# -- permission requests ------------------------------------------------------

REVIEWER = Approver(person=False, allows=False, message="review failed")


def decision(behavior: str, **fields: object) -> HookRun:
    return hook(own("PermissionRequest", decision={"behavior": behavior, **fields}))


def test_without_a_reviewer_no_permission_is_asked_for() -> None:
    outcome = event("PermissionRequest", decision("allow"))
    assert (outcome.fired, outcome.ran) == (False, False)
    assert "approval policy is Never" in saw(outcome)


def test_a_hook_may_answer_before_the_reviewer() -> None:
    def asked(*runs: HookRun) -> Outcome:
        return event("PermissionRequest", *runs, approver=REVIEWER)

    assert asked(decision("allow")).ran is True
    assert asked(decision("allow"), decision("deny")).ran is False
    assert 'Rejected(\\"no' in saw(asked(decision("deny", message="no")))
    assert "hook denied approval" in saw(asked(decision("deny")))
    assert "why" in saw(asked(hook(exit_code=2, stderr="why")))
    for run in (
        hook(exit_code=1),
        decision("allow", updatedInput=COMMAND),
        decision("allow", interrupt=True),
        decision("allow", updatedPermissions=[]),
        hook({"suppressOutput": True, **own("PermissionRequest")}),
        hook({"stopReason": "x", **own("PermissionRequest")}),
        hook({**STOP, **own("PermissionRequest")}),
    ):
        assert "review failed" in saw(asked(run))


def test_a_reviewer_who_has_not_answered_leaves_the_call_open() -> None:
    undecided = Approver(person=False)
    outcome = event("PermissionRequest", hook(), approver=undecided)
    assert (outcome.asked, outcome.ran) == (True, None)


# -- around calls -------------------------------------------------------------


def test_a_prompt_can_be_blocked() -> None:
    for run in (hook(BLOCK), hook(STOP), hook(exit_code=2, stderr="why")):
        assert event("UserPromptSubmit", run).blocked is True
    for run in (hook({"decision": "block"}), hook(exit_code=1), hook(exit_code=2)):
        assert event("UserPromptSubmit", run).blocked is False


def test_what_is_printed_at_a_prompt_or_start_is_read_by_the_model() -> None:
    for name in ("UserPromptSubmit", "SessionStart", "SubagentStart"):
        assert texts(event(name, hook("said\n"))) == ["said"]
        assert texts(event(name, hook(own(name, additionalContext="c")))) == ["c"]
        assert texts(event(name, hook('{"broken":'))) == []
        assert texts(event(name, hook("said", exit_code=1))) == []


def test_only_the_start_of_a_session_can_be_stopped() -> None:
    assert event("SessionStart", hook(STOP)).ended is Ending.SESSION
    assert event("SubagentStart", hook(STOP)).ended is Ending.NOTHING
    refused = event("SessionStart", hook(exit_code=2, stderr="why"))
    assert (refused.blocked, refused.contexts) == (False, ())


def test_a_block_keeps_a_turn_going_for_ever() -> None:
    for run in (hook(BLOCK), hook(exit_code=2, stderr="why")):
        outcome = CODEX.simulate(Call(event="Stop", continuations=500), [run])
        assert outcome.continued is True
        assert texts(outcome) == ["why"]
    for run in (
        hook(),
        hook("said"),
        hook(own("Stop", additionalContext="c")),
        hook({**STOP, **BLOCK}),
        hook({"decision": "block", "reason": ""}),
    ):
        assert event("Stop", run).continued is False


def test_a_compaction_can_be_stopped_and_with_it_the_run() -> None:
    assert event("PreCompact", hook(STOP)).ended is Ending.SESSION
    assert event("PreCompact", hook(exit_code=2, stderr="x")).blocked is False


# -- it never raises ----------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        *("continue", "stopReason", "suppressOutput", "systemMessage", "decision"),
        *("reason", "hookSpecificOutput", "hookEventName", "permissionDecision"),
        *("permissionDecisionReason", "updatedInput", "additionalContext"),
    ]
)
VALUES = JSON | st.sampled_from(["block", "approve", "deny", "allow", "ask", *RULES])
OBJECTS = st.dictionaries(
    KEYS, VALUES | st.dictionaries(KEYS, VALUES, max_size=5), max_size=5
)


@given(
    name=st.sampled_from([*RULES, "SessionEnd", ""]),
    stdout=st.text() | OBJECTS.map(json.dumps) | st.integers(1, 3000).map("[".__mul__),
    stderr=st.text(max_size=5),
    exit_code=st.integers(-1, 256),
    tool=st.sampled_from(["Bash", "apply_patch", "mcp__a__b", ""]),
)
def test_no_answer_makes_it_raise(
    name: str, stdout: str, stderr: str, exit_code: int, tool: str
) -> None:
    run = HookRun(stdout=stdout, stderr=stderr, exit_code=exit_code)
    call = Call(
        event=name,
        tool=tool,
        input=COMMAND,
        result=Done("x"),
        approver=REVIEWER,
    )
    outcome = CODEX.simulate(call, [run, HookRun()])
    assert len(outcome.dropped) in (0, 2)
    assert outcome.result is None or outcome.result.matches(str(outcome.result))
