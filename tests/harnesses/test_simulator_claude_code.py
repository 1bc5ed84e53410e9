"""Claude Code's rules: which answers count, and how a denial reads.

Where two versions differ, both are told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.harnesses.claude_code.simulation.answers import compact
from ringfence.harnesses.claude_code.simulator import RULES, ClaudeCodeSimulator
from ringfence.harnesses.simulation import (
    Call,
    Carrier,
    Done,
    Ending,
    HookRun,
)
from tests.harnesses.claude_code_hooks import (
    BOTH,
    COMMAND,
    DENY,
    DENY_TEXT,
    NEW,
    OLD,
    PLAIN,
    before,
    hook,
    own,
    saw,
    verdict,
)

# -- what counts as an answer -------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    "stdout",
    [
        DENY_TEXT,
        f"\n \n{json.dumps(DENY, indent=2)}\n\n",
        "\ufeff" + DENY_TEXT,
        json.dumps({**DENY, "unknown": {"a": 1}}),
        json.dumps({**DENY, "suppressOutput": True, "systemMessage": "note"}),
        json.dumps({**DENY, "async": "true"}),
        json.dumps(verdict("deny", more=1)),
        '{"decision": "approve", "decision": "block", "reason": "why"}',
    ],
)
def test_one_json_object_with_the_right_event_name_counts(
    claude: ClaudeCodeSimulator, stdout: str
) -> None:
    assert before(claude, hook(stdout)).ran is False
    # Even where the hook ended with another code than 0 or 2.
    assert before(claude, hook(stdout, exit_code=1)).ran is False


@BOTH
@pytest.mark.parametrize(
    "stdout",
    [
        "",
        "{}",
        "just text",
        DENY_TEXT[:-1],
        f"noise\n{DENY_TEXT}",
        f"{DENY_TEXT}\nnoise",
        f"{{}}\n{DENY_TEXT}",
        f"[{DENY_TEXT}]",
        json.dumps(DENY_TEXT),
        DENY_TEXT + "\0",
        '{"decision": "block", "reason": "why", "x": NaN}',
        json.dumps({**DENY, "async": True}),
        json.dumps({**DENY, "continue": "yes"}),
        json.dumps({**DENY, "systemMessage": None}),
        json.dumps({**DENY, "decision": "deny"}),
        json.dumps(verdict("maybe")),
        json.dumps(verdict("Deny")),
        json.dumps(verdict("deny", 5)),  # type: ignore[arg-type]
        json.dumps(verdict("deny", additionalContext=None)),
        json.dumps(verdict("deny", updatedInput=["x"])),
        json.dumps(own("PostToolUse", permissionDecision="deny")),
        json.dumps({"hookSpecificOutput": {"permissionDecision": "deny"}}),
        json.dumps({"decision": "block", "hookSpecificOutput": None}),
        json.dumps({"decision": "block", "hookSpecificOutput": {}}),
    ],
)
def test_anything_else_is_as_if_there_were_no_hook(
    claude: ClaudeCodeSimulator, stdout: str
) -> None:
    assert before(claude, hook(stdout)).ran is True


@BOTH
@pytest.mark.parametrize(
    "run",
    [
        hook(exit_code=1, stderr="crash"),
        hook(exit_code=127),
        hook(signal=9),
        hook(DENY, timed_out=True),
        hook(DENY, is_async=True),
        hook(failure="connect ECONNREFUSED", carrier=Carrier.HTTP),
        hook("plain text", carrier=Carrier.HTTP),
        hook(failure="not connected", carrier=Carrier.MCP_TOOL),
        hook("no verdict", carrier=Carrier.PROMPT),
    ],
)
def test_a_hook_that_fails_is_open_and_says_why(
    claude: ClaudeCodeSimulator, run: HookRun
) -> None:
    outcome = before(claude, run)
    assert outcome.ran is True
    assert outcome.dropped != ("",)


@BOTH
def test_a_models_verdict_keeps_a_call_back_and_ends_the_turn(
    claude: ClaudeCodeSimulator,
) -> None:
    no = '{"ok": false, "reason": "why"}'
    assert before(claude, hook(no, carrier=Carrier.PROMPT)).ran is False
    assert before(NEW, hook(no, carrier=Carrier.PROMPT)).ended is Ending.TURN
    assert before(claude, hook('{"ok": true}', carrier=Carrier.PROMPT)).ran is True


@BOTH
def test_a_child_that_holds_the_output_open_does_no_harm(
    claude: ClaudeCodeSimulator,
) -> None:
    assert before(claude, hook(DENY, stdout_held=True)).ran is False


def test_a_block_survives_another_events_name_in_the_newer_version() -> None:
    answer = {"decision": "block", "reason": "why", **own("PostToolUse")}
    assert before(NEW, hook(answer)).ran is False
    assert before(OLD, hook(answer)).ran is True
    assert before(NEW, hook({**answer, "continue": False})).ended is Ending.TURN


# -- exit 2 -------------------------------------------------------------------


@BOTH
def test_exit_2_shows_the_command_line_and_stderr(claude: ClaudeCodeSimulator) -> None:
    outcome = before(claude, hook(exit_code=2, stderr="not so"))
    assert outcome.ran is False
    assert saw(outcome) == "PreToolUse:Bash hook error: [guard]: not so"
    silent = before(claude, hook(exit_code=2))
    assert saw(silent) == "PreToolUse:Bash hook error: [guard]: No stderr output"


@BOTH
def test_exit_2_wins_over_json_that_lets_pass(claude: ClaudeCodeSimulator) -> None:
    for answer in (verdict("allow"), verdict("ask"), {}, {"decision": "approve"}):
        outcome = before(claude, hook(answer, exit_code=2, stderr="not so"))
        assert "[guard]: not so" in saw(outcome)


@BOTH
def test_a_denial_in_json_is_shown_before_exit_2(claude: ClaudeCodeSimulator) -> None:
    assert "why" in saw(before(claude, hook(DENY, exit_code=2, stderr="not so")))


@BOTH
def test_json_that_declares_itself_async_undoes_exit_2(
    claude: ClaudeCodeSimulator,
) -> None:
    assert before(claude, hook({"async": True}, exit_code=2, stderr="x")).ran is True


@pytest.mark.parametrize("answer", [{"decision": "no"}, own("Stop")])
def test_bad_json_undoes_exit_2_in_the_older_version(
    answer: Mapping[str, object],
) -> None:
    assert before(OLD, hook(answer, exit_code=2, stderr="x")).ran is True
    assert before(NEW, hook(answer, exit_code=2, stderr="x")).ran is False


# -- what the model reads of a denial -----------------------------------------

PREFIX = "PreToolUse:Bash hook error: "
DENIED = "Hook PreToolUse:Bash denied this tool"


@pytest.mark.parametrize(
    ("answer", "new", "old"),
    [
        (verdict("deny", "why"), PREFIX + "why", "why"),
        (verdict("deny", " a\nb\n"), PREFIX + " a\nb", " a\nb\n"),
        (verdict("deny", ""), PREFIX + "Blocked by hook", DENIED),
        (own(permissionDecision="deny"), PREFIX + "Blocked by hook", DENIED),
        (
            {"reason": "top", **own(permissionDecision="deny")},
            PREFIX + "top",
            DENIED,
        ),
        ({"decision": "block", "reason": "why"}, PREFIX + "why", "why"),
        ({"decision": "block"}, PREFIX + "Blocked by hook", DENIED),
        ({"decision": "block", "reason": "top", **DENY}, PREFIX + "why", "why"),
        (
            {"decision": "block", "reason": "top", **verdict("allow")},
            PREFIX + "top",
            PREFIX + "top",
        ),
        (
            {"decision": "block", "reason": "top", **own(additionalContext="c")},
            PREFIX + "top",
            DENIED,
        ),
    ],
)
def test_a_denial_reads_differently_in_each_version(
    answer: Mapping[str, object], new: str, old: str
) -> None:
    assert saw(before(NEW, hook(answer))) == new
    assert saw(before(OLD, hook(answer))) == old


def test_a_managed_hooks_denial_is_wrapped_in_the_newer_version() -> None:
    wrapped = f"<tool_use_error>{PREFIX}why</tool_use_error>"
    assert saw(before(NEW, hook(DENY, managed=True))) == wrapped
    assert saw(before(OLD, hook(DENY, managed=True))) == "why"


def test_the_monitor_tool_still_reads_as_before() -> None:
    assert saw(before(NEW, hook(DENY), tool="Monitor")) == "why"


def test_a_very_long_reason_is_shortened_in_the_newer_version() -> None:
    reason = "begin " + "x" * 60_000 + " end"
    new = before(NEW, hook(verdict("deny", reason))).result
    assert new is not None
    assert not new.exact
    assert new.matches(f"{PREFIX}begin {'x' * 2_000} … {'x' * 2_000} end")
    assert saw(before(OLD, hook(verdict("deny", reason)))) == reason


# -- onFailure ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("run", "shown"),
    [
        (
            {"exit_code": 1, "stderr": "crash"},
            'failed; blocking because onFailure is "block"\ncrash',
        ),
        ({"exit_code": 127}, "No stderr output"),
        ({"signal": 9}, "Killed"),
        ({"timed_out": True}, 'timed out; blocking because onFailure is "block"'),
        ({"answer": verdict("maybe")}, "Hook JSON output validation failed"),
        ({"answer": own("Stop")}, "incorrect event name"),
        ({"answer": verdict("allow"), "exit_code": 1}, "No stderr output"),
        ({"answer": "text", "carrier": Carrier.HTTP}, "must return JSON"),
        ({"failure": "HTTP 500", "carrier": Carrier.HTTP}, "HTTP 500"),
        ({"failure": "gone", "carrier": Carrier.MCP_TOOL}, "no usable answer"),
        ({"answer": "text", "carrier": Carrier.MCP_TOOL}, "no usable answer"),
    ],
)
def test_on_failure_block_blocks_where_a_hook_fails(
    run: Mapping[str, object], shown: str
) -> None:
    fields = {"on_failure": "block", **run}
    answer = fields.pop("answer", "")
    outcome = before(NEW, hook(answer, **fields))  # type: ignore[arg-type]
    assert outcome.ran is False
    assert shown in saw(outcome)
    assert before(OLD, hook(answer, **fields)).ran is True  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "run",
    [
        {"answer": "not JSON"},
        {"answer": "[1]"},
        {"answer": DENY_TEXT[:-1]},
        {"answer": ""},
        {"answer": {}},
        {"answer": {"unknown": 1}},
        {"answer": DENY, "is_async": True},
        {"answer": "garbage", "carrier": Carrier.PROMPT},
    ],
)
def test_on_failure_block_leaves_some_doors_open(run: Mapping[str, object]) -> None:
    fields = {"on_failure": "block", **run}
    answer = fields.pop("answer")
    assert before(NEW, hook(answer, **fields)).ran is True  # type: ignore[arg-type]


def test_on_failure_is_known_from_2_1_295_on() -> None:
    crash = hook(exit_code=1, on_failure="block")
    assert before(ClaudeCodeSimulator("2.1.294"), crash).ran is True
    assert before(ClaudeCodeSimulator("2.1.295"), crash).ran is False
    assert before(ClaudeCodeSimulator("3.0.0"), crash).ran is False


def test_json_that_nests_too_deep_for_us_has_no_text() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert compact(deep) is None
    assert compact({"a": [1, "ü"]}) == '{"a":[1,"ü"]}'


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
        *("continue", "stopReason", "suppressOutput", "systemMessage", "async"),
        *("decision", "reason", "hookSpecificOutput", "hookEventName"),
        *("permissionDecision", "permissionDecisionReason", "updatedInput"),
        *("updatedToolOutput", "updatedMCPToolOutput", "additionalContext"),
    ]
)
VALUES = JSON | st.sampled_from(["block", "approve", "deny", "allow", "ask", *RULES])
OBJECTS = st.dictionaries(
    KEYS, VALUES | st.dictionaries(KEYS, VALUES, max_size=5), max_size=5
)


@given(
    event=st.sampled_from([*RULES, "SessionEnd", ""]),
    stdout=st.text() | OBJECTS.map(json.dumps) | st.integers(1, 3000).map("[".__mul__),
    stderr=st.text(max_size=5),
    exit_code=st.integers(-1, 256),
    signal=st.none() | st.integers(-1, 200),
    on_failure=st.sampled_from(["continue", "block", ""]),
    carrier=st.sampled_from(Carrier),
    tool=st.sampled_from(["Bash", "Read", "Grep", "mcp__a__b", "Agent", ""]),
    claude=st.sampled_from([NEW, OLD]),
)
def test_no_answer_makes_it_raise(
    event: str,
    stdout: str,
    stderr: str,
    exit_code: int,
    signal: int | None,
    on_failure: str,
    carrier: Carrier,
    tool: str,
    claude: ClaudeCodeSimulator,
) -> None:
    run = HookRun(
        stdout=stdout,
        stderr=stderr,
        exit_code=exit_code,
        signal=signal,
        on_failure=on_failure,
        carrier=carrier,
    )
    call = Call(event=event, tool=tool, input=COMMAND, result=Done(PLAIN))
    outcome = claude.simulate(call, [run, HookRun()])
    assert len(outcome.dropped) in (0, 2)
    assert outcome.result is None or outcome.result.matches(str(outcome.result))
