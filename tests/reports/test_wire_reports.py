"""What people reported about answers that a harness did not take.

One test a report, named by its number; the agent's own rules say what happens. The
report's answer first, to show that the agent does what was reported; then ours.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ringfence.api import Ringfence
from ringfence.capabilities import Capability
from ringfence.content.redaction import redact
from ringfence.decisions import (
    Decision,
    allow,
    ask,
    deny,
    no_decision,
    replace_output,
    rewrite,
)
from ringfence.events import AfterTool, BeforeTool
from ringfence.harnesses.base import WireAnswer
from ringfence.harnesses.simulation import Approver, Outcome, Permission
from tests.edge.desks import answered, desk
from tests.edge.processes import Program
from tests.harnesses.quirks.playing import (
    CLAUDE,
    CODEX,
    OLD_CLAUDE,
    Agent,
    every_agent,
    every_claude,
    read_by_model,
)

SECRET = "sk-secret-" + "12345"


def said(document: object, exit_code: int = 0) -> WireAnswer:
    """An answer as the report has it."""
    return WireAnswer(stdout=json.dumps(document), exit_code=exit_code)


def ours(
    agent: Agent, name: str, fence: Ringfence, folder: Path, **changes: object
) -> Outcome:
    """What the agent does after our answer to a payload."""
    native = {**json.loads(agent.payload(name)), **changes}
    raw = json.dumps(native).encode()
    answer = answered(desk(agent, fence, folder), agent, name.partition("-")[0], raw)
    return agent.after(agent.decoded(raw), answer)


def redacting() -> Ringfence:
    fence = Ringfence()
    fence.after_tool(lambda event: redact(event, r"sk-secret-\d+"))
    return fence


RESULTS = [
    (CLAUDE, name)
    for name in (
        "PostToolUse-Bash",
        "PostToolUse-Read",
        "PostToolUse-Grep",
        "PostToolUse-mcp-rig-echo",
        "PostToolUse-mcp-rig-structured",
        "PostToolUse-ToolSearch",
    )
] + [
    (OLD_CLAUDE, "PostToolUse-Bash"),
    (OLD_CLAUDE, "PostToolUse-Read"),
    (OLD_CLAUDE, "PostToolUse-mcp-rig-echo"),
]


def secretive(agent: Agent, name: str) -> object:
    """The captured result of a tool, each of its texts with a secret in it."""
    response = json.loads(agent.payload(name))["tool_response"]

    def spoiled(value: object, key: str = "") -> object:
        if isinstance(value, str) and key not in ("type", "mode", "filePath"):
            return f"{value} {SECRET}" if not value.startswith("{") else value
        if isinstance(value, dict):
            return {k: spoiled(v, k) for k, v in value.items()}
        if isinstance(value, list):
            return [spoiled(item) for item in value]
        return value

    return spoiled(response)


@pytest.mark.parametrize(
    ("agent", "name"), RESULTS, ids=[f"{a.version}-{n}" for a, n in RESULTS]
)
def test_w01_a_redacted_result_keeps_the_shape_of_its_tool(
    agent: Agent, name: str, tmp_path: Path
) -> None:
    before = secretive(agent, name)
    outcome = ours(agent, name, redacting(), tmp_path, tool_response=before)
    assert SECRET not in read_by_model(outcome)
    assert outcome.dropped in ((), ("",))


def test_w01_a_text_in_place_of_a_shape_is_dropped() -> None:
    event = CLAUDE.event("PostToolUse-Bash")
    specific = {"hookEventName": "PostToolUse", "updatedToolOutput": "[REDACTED]"}
    reported = CLAUDE.after(event, said({"hookSpecificOutput": specific}))
    assert "hello-from-tool" in read_by_model(reported)
    outcome = CLAUDE.play(event, replace_output("[REDACTED]"))
    assert read_by_model(outcome).strip() == "[REDACTED]"


@every_claude
def test_w02_a_verdict_on_a_call_that_ran_can_not_be_made(
    agent: Agent, tmp_path: Path
) -> None:
    event = agent.event("PostToolUse-Bash")
    specific = {"hookEventName": "PostToolUse", "permissionDecision": "deny"}
    text = event.lookup("tool_response.stdout")
    assert isinstance(text, str)
    reported = agent.after(event, said({"hookSpecificOutput": specific}))
    assert text in read_by_model(reported)
    assert not event.can(deny("no"))
    assert not event.can(Capability.DENY)
    fence = Ringfence()
    fence.after_tool(lambda _: deny("no"))
    result = {**event.native["tool_response"], "stdout": SECRET}  # type: ignore[dict-item]
    name = "PostToolUse-Bash"
    outcome = ours(agent, name, fence, tmp_path, tool_response=result)
    assert "which takes a Result" in read_by_model(outcome)
    assert SECRET not in read_by_model(outcome)


@pytest.mark.parametrize("key", ["updatedToolOutput", "updatedMCPToolOutput"])
@pytest.mark.parametrize("name", ["PostToolUse-Bash", "PostToolUse-mcp-rig-echo"])
def test_w03_codex_is_redacted_by_a_block(key: str, name: str, tmp_path: Path) -> None:
    event = CODEX.event(name)
    specific = {"hookEventName": "PostToolUse", key: "[REDACTED]"}
    reported = CODEX.after(event, said({"hookSpecificOutput": specific}))
    assert "[REDACTED]" not in read_by_model(reported)
    text = f"TOKEN={SECRET}"
    response = (
        text if name.endswith("Bash") else {"content": [{"type": "text", "text": text}]}
    )
    outcome = ours(CODEX, name, redacting(), tmp_path, tool_response=response)
    assert SECRET not in read_by_model(outcome)
    assert "TOKEN=[redacted" in read_by_model(outcome)


@every_agent
def test_w06_a_deny_carries_the_name_of_its_event(agent: Agent) -> None:
    event = agent.event("PreToolUse-Bash")
    specific = {"permissionDecision": "deny", "permissionDecisionReason": "no"}
    for void in (specific, {"hookSpecificOutput": specific}):
        assert agent.after(event, said(void)).ran
    assert agent.play(event, deny("no")).ran is False
    answer = agent.encode(event, deny("no")).answer
    document = json.loads(answer.stdout)
    assert document["hookSpecificOutput"]["hookEventName"] == "PreToolUse"


@every_agent
@pytest.mark.parametrize(
    "decision", [deny("no"), ask("sure?"), allow("x"), rewrite({"command": "ls"})]
)
def test_w07_one_channel_speaks_at_a_time(agent: Agent, decision: Decision) -> None:
    answer = agent.encode(agent.event("PreToolUse-Bash"), decision).answer
    assert answer.exit_code == 0
    assert answer.stderr == ""
    if answer.stdout:
        assert set(json.loads(answer.stdout)) == {"hookSpecificOutput"}
    by_exit = agent.codec.refuse("NextYear", "no")
    assert (by_exit.stdout, by_exit.exit_code) == ("", 2)


@every_agent
def test_w08_to_say_nothing_is_to_print_nothing(agent: Agent, tmp_path: Path) -> None:
    for name in ("PreToolUse-Bash", "PostToolUse-Bash", "UserPromptSubmit", "Stop"):
        place = desk(agent, Ringfence(), tmp_path)
        answer = answered(place, agent, name.partition("-")[0], agent.payload(name))
        assert answer == WireAnswer("", "", 0)


@every_agent
@pytest.mark.parametrize("end", ["sys.exit(1)", "os._exit(1)", "raise ValueError"])
def test_w09_no_error_ends_as_an_exit_code_that_passes(
    agent: Agent, end: str, tmp_path: Path
) -> None:
    event = agent.event("PreToolUse-Bash")
    assert agent.after(event, WireAnswer(stderr="boom", exit_code=1)).ran
    body = f"fence = Ringfence()\n@fence.before_tool\ndef guard(event):\n    {end}"
    said_by_hook = Program(tmp_path, body).say(event.raw, agent.harness, "PreToolUse")
    answer = WireAnswer(
        said_by_hook.stdout, said_by_hook.stderr, said_by_hook.exit_code
    )
    assert agent.after(event, answer).ran is False


@every_agent
def test_w13_a_rewrite_is_the_whole_input(agent: Agent) -> None:
    event = agent.event("PreToolUse-Bash")
    assert isinstance(event, BeforeTool)
    wanted = {**event.tool.input, "command": "echo safe"}
    outcome = agent.play(event, rewrite(wanted))
    assert outcome.ran
    assert outcome.input is not None
    assert outcome.input["command"] == "echo safe"
    if agent.harness == "claude-code":
        assert outcome.input == wanted


@every_agent
def test_w15_a_rewrite_beside_a_question_is_a_deny(
    agent: Agent, tmp_path: Path
) -> None:
    fence = Ringfence()
    fence.before_tool(lambda _: rewrite({"command": "echo safe"}))
    fence.before_tool(lambda _: ask("sure?"))
    assert ours(agent, "PreToolUse-Bash", fence, tmp_path).ran is False


@every_agent
def test_w16_after_a_call_the_input_before_its_rewrite_is_known(
    agent: Agent, tmp_path: Path
) -> None:
    seen: list[tuple[object, object]] = []
    fence = Ringfence()
    fence.before_tool(lambda _: rewrite({"command": "echo safe"}))

    @fence.after_tool
    def look(event: AfterTool) -> None:
        seen.append((event.tool.input["command"], event.original_input))

    before = json.loads(agent.payload("PreToolUse-Bash"))
    after = json.loads(agent.payload("PostToolUse-Bash"))
    after |= {
        "tool_use_id": before["tool_use_id"],
        "tool_input": {"command": "echo safe"},
    }
    for native in (before, after):
        place = desk(agent, fence, tmp_path)  # another process each time
        raw = json.dumps(native).encode()
        answered(place, agent, native["hook_event_name"], raw)
    assert seen == [("echo safe", before["tool_input"])]


@pytest.mark.parametrize("word", ["allow", "ask"])
def test_w21_codex_is_never_told_a_word_that_voids_the_answer(
    word: str, tmp_path: Path
) -> None:
    event = CODEX.event("PreToolUse-Bash")
    specific = {"hookEventName": "PreToolUse", "permissionDecision": word}
    reported = CODEX.after(event, said({"hookSpecificOutput": specific}))
    assert reported.ran
    assert reported.dropped != ("",)
    asked = CODEX.play(event, ask("sure?"))
    assert asked.ran is False
    allowed = CODEX.encode(event, allow("fine")).answer
    assert allowed == CODEX.codec.silence


@every_agent
def test_w27_a_byte_order_mark_is_no_error(agent: Agent, tmp_path: Path) -> None:
    fence = Ringfence()
    fence.before_tool(lambda _: deny("no"))
    raw = b"\xef\xbb\xbf" + agent.payload("PreToolUse-Bash")
    answer = answered(desk(agent, fence, tmp_path), agent, "PreToolUse", raw)
    outcome = agent.after(agent.event("PreToolUse-Bash"), answer)
    assert outcome.ran is False
    assert outcome.result is not None
    assert "no" in str(outcome.result)
    assert "fails closed" not in str(outcome.result)


@every_agent
def test_w31_a_guard_that_hangs_is_answered_before_the_harness_gives_up(
    agent: Agent, tmp_path: Path
) -> None:
    body = "fence = Ringfence()\nfence.before_tool(lambda event: time.sleep(60))"
    event = agent.event("PreToolUse-Bash")
    own = Program(tmp_path, body)
    said_by_hook = own.say(event.raw, agent.harness, "PreToolUse", "--timeout", "0.6")
    assert said_by_hook.seconds < 5
    answer = WireAnswer(said_by_hook.stdout, said_by_hook.stderr)
    assert agent.after(event, answer).ran is False


@pytest.mark.parametrize(
    "mode", ["bypassPermissions", "auto", "dontAsk", "default", "acceptEdits"]
)
@every_claude
def test_w33_a_question_is_no_enforcement_where_it_may_be_skipped(
    agent: Agent, mode: str
) -> None:
    native = {**json.loads(agent.payload("PreToolUse-Bash")), "permission_mode": mode}
    event = agent.decoded(json.dumps(native).encode())
    skipped = mode in ("bypassPermissions", "auto", "dontAsk")
    assert event.can(Capability.ASK) is not skipped
    encoded = agent.encode(event, ask("sure?"))
    assert encoded.decision.blocks is skipped
    assert bool(encoded.losses) is skipped


def test_w34_a_headless_run_is_told_by_us_that_nobody_can_be_asked() -> None:
    event = CLAUDE.event("PreToolUse-Bash", CLAUDE_CODE_SESSION_ATTENDED="0")
    outcome = CLAUDE.play(event, ask("deploys need a person", suggest="--dry-run"))
    assert outcome.ran is False
    told = str(outcome.result)
    assert "deploys need a person (nobody can be asked here" in told
    assert "Instead: --dry-run" in told


@every_claude
def test_w35_silence_leaves_the_harness_own_rules_alone(
    agent: Agent, tmp_path: Path
) -> None:
    event = agent.event("PreToolUse-Bash")
    for decision in (no_decision(), no_decision().with_context("c")):
        answer = agent.encode(event, decision).answer
        assert "permissionDecision" not in answer.stdout
        outcome = agent.after(event, answer, permission=Permission.DENIED)
        assert outcome.ran is False
    quiet = desk(agent, Ringfence(), tmp_path)
    answer = answered(quiet, agent, "PreToolUse", agent.payload("PreToolUse-Bash"))
    assert answer == agent.codec.silence


@every_claude
def test_w36_an_allow_is_not_above_a_rule_that_asks(agent: Agent) -> None:
    event = agent.event("PreToolUse-Bash")
    refuses = Approver(allows=False)
    outcome = agent.play(
        event, allow("fine"), permission=Permission.ASK, approver=refuses
    )
    assert outcome.asked
    assert outcome.ran is False
    # Who wants to answer the harness's own question answers the request itself.
    request = agent.event("PermissionRequest-Bash")
    assert request.can(allow())
    document = json.loads(agent.encode(request, allow()).answer.stdout)
    assert document["hookSpecificOutput"]["decision"] == {"behavior": "allow"}
