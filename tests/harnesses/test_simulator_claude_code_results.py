"""Claude Code's rules after a call, and around calls."""

from __future__ import annotations

import json
from collections.abc import Mapping

import pytest

from ringfence.harnesses.claude_code.simulator import ClaudeCodeSimulator
from ringfence.harnesses.simulation import (
    Call,
    Done,
    Ending,
    Failed,
    HookRun,
    Outcome,
    Text,
    play,
)
from tests.harnesses.claude_code_hooks import (
    BOTH,
    COMMAND,
    DENY,
    NEW,
    OLD,
    PLAIN,
    STOP,
    hook,
    own,
    rewrite,
    saw,
    texts,
)

READ = {
    "type": "text",
    "file": {
        "filePath": "/p/a.txt",
        "content": "one\ntwo",
        "numLines": 2,
        "startLine": 1,
        "totalLines": 2,
    },
}
WRITE = {"type": "create", "filePath": "/p", "content": "x", "structuredPatch": []}
GLOB = {"filenames": ["a"], "durationMs": 1, "numFiles": 1, "truncated": False}
GREP = {"mode": "content", "numFiles": 0, "filenames": [], "content": "a:1:x"}


def after(
    claude: ClaudeCodeSimulator,
    *runs: HookRun,
    tool: str = "Bash",
    response: object = PLAIN,
) -> Outcome:
    call = Call(event="PostToolUse", tool=tool, input=COMMAND, result=Done(response))
    return claude.simulate(call, runs)


def replaced(value: object) -> HookRun:
    return hook(own("PostToolUse", updatedToolOutput=value))


def failed(claude: ClaudeCodeSimulator, run: HookRun) -> Outcome:
    result = Failed("Exit code 3\nsecret")
    call = Call(event="PostToolUseFailure", tool="Bash", input=COMMAND, result=result)
    return claude.simulate(call, [run])


# -- replacing a result -------------------------------------------------------


@BOTH
@pytest.mark.parametrize(
    ("tool", "value", "shown"),
    [
        ("Bash", {**PLAIN, "stdout": "new"}, "new"),
        ("Bash", {**PLAIN, "stdout": "new", "more": 1}, "new"),
        ("Bash", {**PLAIN, "stdout": "new", "stderr": "warned"}, "new\nwarned"),
        ("Bash", {**PLAIN, "stdout": ""}, "(Bash completed with no output)"),
        ("Read", READ, "1\tone\n2\ttwo"),
        ("Read", {**READ, "file": {**READ["file"], "startLine": 5}}, "5\tone\n6\ttwo"),  # type: ignore[dict-item]
        ("Glob", GLOB, "a"),
        ("Glob", {**GLOB, "filenames": []}, "No files found"),
        ("Grep", GREP, "a:1:x"),
        ("Grep", {"numFiles": 2, "filenames": ["a", "b"]}, "Found 2 files\na\nb"),
        (
            "Grep",
            {**GREP, "mode": "count", "numFiles": 1, "numMatches": 2},
            "a:1:x\n\nFound 2 total occurrences across 1 file.",
        ),
        ("Grep", {"numFiles": 0, "filenames": []}, "No files found"),
        ("Glob", {**GLOB, "truncated": True}, "a\n(Results are truncated."),
        ("TaskCreate", {"task": {"id": "9", "subject": "s"}}, "Task #9 created"),
        ("mcp__a__b", "new", "new"),
        ("mcp__a__b", [{"type": "text", "text": "new"}], "new"),
        ("mcp__a__b", None, "(mcp__a__b completed with no output)"),
    ],
)
def test_a_result_is_replaced_in_the_tools_own_shape(
    claude: ClaudeCodeSimulator, tool: str, value: object, shown: str
) -> None:
    outcome = after(claude, replaced(value), tool=tool, response=value)
    assert saw(outcome).startswith(shown)
    assert outcome.is_error is False


@BOTH
def test_an_interrupted_command_is_an_error(claude: ClaudeCodeSimulator) -> None:
    note = "<error>Command was aborted before completion</error>"
    for stdout, shown in (("some", f"some\n{note}"), ("", note)):
        run = replaced({**PLAIN, "stdout": stdout, "interrupted": True})
        outcome = after(claude, run)
        assert (saw(outcome), outcome.is_error) == (shown, True)


@BOTH
@pytest.mark.parametrize(
    ("tool", "response"),
    [
        ("Read", {"type": "notebook", "file": {"cells": []}}),
        ("mcp__a__b", [{"type": "image", "data": ""}]),
        ("WebSearch", {"results": []}),
    ],
)
def test_of_some_results_it_is_not_said_how_they_read(
    claude: ClaudeCodeSimulator, tool: str, response: object
) -> None:
    assert after(claude, tool=tool, response=response).result == Text()
    same = after(claude, replaced(response), tool=tool, response=response)
    assert same.result == Text()


def test_of_a_background_command_only_the_start_is_known() -> None:
    outcome = after(NEW, response={**PLAIN, "backgroundTaskId": "b1"})
    assert saw(outcome) == "Command running in background with ID: b1"


@BOTH
@pytest.mark.parametrize(
    ("tool", "original", "value"),
    [
        ("Bash", PLAIN, "new"),
        ("Bash", PLAIN, [{"type": "text", "text": "new"}]),
        ("Bash", PLAIN, {"stdout": "new"}),
        ("Bash", PLAIN, {**PLAIN, "stdout": 5}),
        ("Bash", PLAIN, {**PLAIN, "isImage": "no"}),
        ("Bash", PLAIN, None),
        ("Read", READ, "new"),
        ("Read", READ, {"type": "text", "file": {"content": "new"}}),
        ("Read", READ, {"file": READ["file"]}),
        ("Write", WRITE, {"filePath": "/new"}),
        ("Write", WRITE, {**WRITE, "type": "other"}),
        ("Read", READ, {**READ, "type": "other"}),
        ("Unknown", "a text", ["a list"]),
        ("Glob", GLOB, {"filenames": ["new"]}),
        ("Grep", GREP, {"mode": "content", "content": "new"}),
        ("Unknown", {"a": 1}, {"b": 1}),
    ],
)
def test_any_other_shape_is_ignored_in_silence(
    claude: ClaudeCodeSimulator, tool: str, original: object, value: object
) -> None:
    outcome = after(claude, replaced(value), tool=tool, response=original)
    untouched = after(claude, tool=tool, response=original)
    assert outcome.result == untouched.result


def test_an_object_breaks_an_mcp_result_in_the_older_version() -> None:
    value = {"content": [{"type": "text", "text": "new"}]}
    assert saw(after(NEW, replaced(value), tool="mcp__a__b")) == json.dumps(
        value, separators=(",", ":")
    )
    run = hook(own("PostToolUse", updatedToolOutput=value, additionalContext="context"))
    old = after(OLD, run, tool="mcp__a__b")
    assert old.is_error is True
    assert old.contexts == ()


@BOTH
def test_the_last_replacement_to_finish_counts_even_if_it_is_ignored(
    claude: ClaudeCodeSimulator,
) -> None:
    good = replaced({**PLAIN, "stdout": "new"})
    bad = replaced("a text")
    assert saw(after(claude, bad, good)) == "new"
    assert saw(after(claude, good, bad)) == "ran"


@BOTH
def test_the_older_key_is_for_mcp_tools(claude: ClaudeCodeSimulator) -> None:
    run = hook(own("PostToolUse", updatedMCPToolOutput="new"))
    assert saw(after(claude, run, tool="mcp__a__b", response="old")) == "new"
    assert saw(after(claude, run)) == "ran"


@BOTH
def test_a_long_replacement_becomes_a_file_and_a_preview(
    claude: ClaudeCodeSimulator,
) -> None:
    outcome = after(claude, replaced({**PLAIN, "stdout": "new " + "x" * 100_000}))
    assert outcome.result is not None
    assert "persisted-output" in outcome.result


# -- remarks ------------------------------------------------------------------

BLOCK = {"decision": "block", "reason": "why"}


@BOTH
def test_a_block_leaves_the_result_and_adds_a_remark(
    claude: ClaudeCodeSimulator,
) -> None:
    remark = 'PostToolUse:Bash hook blocking error from command: "guard": '
    outcome = after(claude, hook(BLOCK))
    assert saw(outcome) == "ran"
    assert texts(outcome) == [remark + "why"]
    by_exit = after(claude, hook(exit_code=2, stderr="why"))
    assert texts(by_exit) == [remark + "[guard]: why"]
    silent = after(claude, hook({"decision": "block"}))
    assert texts(silent) == [remark + "Blocked by hook"]


@BOTH
def test_remarks_stand_in_the_order_of_finishing(claude: ClaudeCodeSimulator) -> None:
    slow = hook(BLOCK, finished_at=2)
    fast = hook(own("PostToolUse", additionalContext="context"), finished_at=1)
    shown = texts(after(claude, slow, fast))
    assert "additional context" in shown[0]
    assert "blocking error" in shown[1]


def test_on_failure_block_adds_a_remark_and_the_result_still_reaches_the_model() -> (
    None
):
    outcome = after(NEW, hook(exit_code=1, on_failure="block"))
    assert saw(outcome) == "ran"
    assert "onFailure" in texts(outcome)[0]


@BOTH
def test_continue_false_keeps_the_result_from_the_model(
    claude: ClaudeCodeSimulator,
) -> None:
    outcome = after(claude, hook(STOP))
    assert (outcome.result, outcome.ended) == (None, Ending.TURN)


@BOTH
@pytest.mark.parametrize(
    "answer",
    [
        own("PostToolUseFailure", updatedToolOutput="new"),
        own("PostToolUseFailure", updatedToolOutput=PLAIN, error="new"),
        {"suppressOutput": True},
        STOP,
        BLOCK,
    ],
)
def test_nothing_replaces_the_error_of_a_failed_call(
    claude: ClaudeCodeSimulator, answer: Mapping[str, object]
) -> None:
    outcome = failed(claude, hook(answer))
    assert saw(outcome) == "Exit code 3\nsecret"
    assert outcome.ended is Ending.NOTHING
    assert outcome.is_error is True


@BOTH
@pytest.mark.parametrize("run", [hook(BLOCK), hook(STOP), hook(exit_code=2)])
def test_a_batch_that_is_blocked_ends_the_turn(
    claude: ClaudeCodeSimulator, run: HookRun
) -> None:
    outcome = claude.simulate(Call(event="PostToolBatch"), [run])
    assert (outcome.result, outcome.ended) == (None, Ending.TURN)


# -- a call under hooks on several events -------------------------------------


@BOTH
def test_play_takes_a_call_through_all_its_hooks(claude: ClaudeCodeSimulator) -> None:
    def shell(given: Mapping[str, object]) -> Done:
        return Done({**PLAIN, "stdout": f"ran {given['command']}"})

    call = Call(event="", tool="Bash", input=COMMAND, result=shell)
    hooks = {
        "PreToolUse": [hook(rewrite({"command": "safe"}))],
        "PostToolUse": [hook(own("PostToolUse", additionalContext="one"))],
        "PostToolBatch": [hook(own("PostToolBatch", additionalContext="two"))],
    }
    outcome = play(claude, call, hooks)
    assert outcome.ran is True
    assert saw(outcome) == "ran safe"
    assert [text.split(": ")[1] for text in texts(outcome)] == ["one", "two"]
    hooks["PreToolUse"] = [hook(DENY)]
    assert play(claude, call, hooks).ran is False
    hooks["PreToolUse"] = [hook(STOP)]
    assert play(claude, call, hooks).result is None


# -- prompts, starts, ends ----------------------------------------------------


def event(
    claude: ClaudeCodeSimulator, name: str, *runs: HookRun, **rest: int
) -> Outcome:
    return claude.simulate(Call(event=name, **rest), runs)  # type: ignore[arg-type]


@BOTH
@pytest.mark.parametrize(
    ("run", "message"),
    [
        (hook(BLOCK), "UserPromptSubmit operation blocked by hook:\nwhy"),
        (hook(exit_code=2, stderr="why"), "blocked by hook:\n[guard]: why"),
        (hook(STOP), "Operation stopped by hook: enough"),
        (hook({"continue": False}), "Operation stopped by hook"),
    ],
)
def test_a_prompt_can_be_blocked(
    claude: ClaudeCodeSimulator, run: HookRun, message: str
) -> None:
    outcome = event(claude, "UserPromptSubmit", run)
    assert outcome.blocked is True
    assert outcome.message.endswith(message)


@BOTH
@pytest.mark.parametrize(
    ("run", "shown"),
    [
        (hook("said\n"), "UserPromptSubmit hook success: said"),
        (hook('["said"]'), 'UserPromptSubmit hook success: ["said"]'),
        (hook('{"said":'), 'UserPromptSubmit hook success: {"said":'),
        (
            hook(own("UserPromptSubmit", additionalContext="c")),
            "UserPromptSubmit hook additional context: c",
        ),
    ],
)
def test_what_is_printed_at_a_prompt_is_read_by_the_model(
    claude: ClaudeCodeSimulator, run: HookRun, shown: str
) -> None:
    outcome = event(claude, "UserPromptSubmit", run)
    assert outcome.blocked is False
    assert texts(outcome) == [shown]
    assert outcome.dropped == ("",)


@BOTH
@pytest.mark.parametrize(
    "run",
    [
        hook("said", exit_code=1),
        hook(own("UserPromptSubmit", updatedPrompt="other")),
        hook({"decision": "approve"}),
        hook({}),
    ],
)
def test_a_prompt_passes_untouched_otherwise(
    claude: ClaudeCodeSimulator, run: HookRun
) -> None:
    outcome = event(claude, "UserPromptSubmit", run)
    assert (outcome.blocked, outcome.contexts) == (False, ())


@BOTH
def test_a_block_or_a_context_keeps_a_turn_going(claude: ClaudeCodeSimulator) -> None:
    for run in (
        hook(BLOCK),
        hook(BLOCK, exit_code=1),
        hook(exit_code=2, stderr="why"),
        hook(own("Stop", additionalContext="c")),
    ):
        assert event(claude, "Stop", run).continued is True
    for run in (hook(), hook("said"), hook(exit_code=1), hook({**STOP, **BLOCK})):
        assert event(claude, "Stop", run).continued is False
    assert event(claude, "Stop", hook(BLOCK), continuations=7).continued is True
    assert event(claude, "Stop", hook(BLOCK), continuations=8).continued is False
    lame = hook(exit_code=1, on_failure="block")
    assert event(claude, "Stop", lame).continued is False


@BOTH
def test_nothing_blocks_the_start_of_a_session(claude: ClaudeCodeSimulator) -> None:
    for run in (hook(exit_code=2, stderr="why"), hook(STOP), hook(BLOCK)):
        outcome = event(claude, "SessionStart", run)
        assert (outcome.blocked, outcome.ended) == (False, Ending.NOTHING)
    said = event(claude, "SessionStart", hook("said"))
    assert texts(said) == ["SessionStart:startup hook success: said"]


@BOTH
def test_a_change_of_settings_can_be_kept_back(claude: ClaudeCodeSimulator) -> None:
    for run in (hook(BLOCK), hook(exit_code=2, stderr="why")):
        assert event(claude, "ConfigChange", run).blocked is True
    assert event(claude, "ConfigChange", hook(exit_code=1)).blocked is False
    assert event(claude, "SessionEnd", hook(BLOCK)).blocked is False


def test_a_blocked_compaction_fails_the_run_in_the_newer_version() -> None:
    assert event(NEW, "PreCompact", hook(BLOCK)).ended is Ending.SESSION
    assert event(OLD, "PreCompact", hook(BLOCK)).ended is Ending.NOTHING


def test_reading_takes_reminders_off_a_result() -> None:
    text = (
        "ran\n\n<system-reminder>\nPostToolUse:Bash hook additional context: c\n"
        "</system-reminder>\n\n<system-reminder>\n<total_tokens>1</total_tokens>\n"
        "</system-reminder>"
    )
    reading = NEW.read(text)
    assert reading.result == "ran"
    assert reading.reminders == (
        "PostToolUse:Bash hook additional context: c",
        "<total_tokens>1</total_tokens>",
    )
    blocks = [{"type": "text", "text": "a\n"}, {"type": "text", "text": "b"}]
    assert NEW.read(blocks).result == "a\nb"
    assert NEW.read(None).result == ""
