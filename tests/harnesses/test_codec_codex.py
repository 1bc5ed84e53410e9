"""What Codex is told for each decision, word by word: one key too many voids it."""

from __future__ import annotations

import json

import pytest

from ringfence.capabilities import AskFallback, Capability
from ringfence.decisions import (
    Decision,
    accept_prompt,
    allow,
    ask,
    block_prompt,
    continue_with,
    deny,
    finish,
    flag_output,
    no_decision,
    observe,
    replace_output,
    rewrite,
    withhold,
)
from ringfence.errors import UnsupportedDecisionError
from ringfence.events import Event
from ringfence.failure import Settings
from ringfence.harnesses import registry
from ringfence.harnesses.base import WireAnswer
from tests.wire import altered, answer, captured_event, decoded, said

CODEC = registry.codec("codex")


def event(name: str) -> Event:
    return captured_event("codex", name)


PRE, POST = event("PreToolUse-Bash"), event("PostToolUse-Bash")
MCP = event("PreToolUse-mcp-rig-echo")
PERMISSION = event("PermissionRequest-Bash")


def gate(event_name: str = "PreToolUse", **specific: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event_name, **specific}}


DENIED = gate(permissionDecision="deny", permissionDecisionReason="no")


class TestBeforeACall:
    @pytest.mark.parametrize(
        "name", ["PreToolUse-Bash", "PreToolUse-apply_patch", "PreToolUse-mcp-rig-echo"]
    )
    def test_a_deny_has_the_exact_keys(self, name: str) -> None:
        assert said(event(name), deny("no")) == DENIED

    @pytest.mark.parametrize("reason", ["", " ", "\n"])
    def test_a_deny_always_has_a_reason(self, reason: str) -> None:
        wire = said(PRE, deny(reason))
        assert wire["hookSpecificOutput"]["permissionDecisionReason"].strip()

    def test_a_deny_is_not_lost_beside_anything_else(self) -> None:
        loud = deny("no").with_stop_agent("enough").with_updated_input({"command": "x"})
        assert said(PRE, loud) == DENIED
        assert said(PRE, deny("no").with_context("c")) == gate(
            permissionDecision="deny",
            permissionDecisionReason="no",
            additionalContext="c",
        )

    def test_a_deny_is_whole_characters(self) -> None:
        wire = answer(PRE, deny("no \ud800 here")).stdout
        assert "\\ud800" not in wire
        assert json.loads(wire)

    def test_an_ask_is_a_deny_for_codex_can_not_ask(self) -> None:
        specific = said(PRE, ask("sure?"))["hookSpecificOutput"]
        assert specific["permissionDecision"] == "deny"
        assert specific["permissionDecisionReason"].startswith("sure? (nobody can")
        fallback = Settings(ask_fallback=AskFallback.NO_DECISION)
        assert answer(PRE, ask("sure?"), fallback) == CODEC.silence

    def test_an_allow_is_silence_for_codex_would_void_it(self) -> None:
        assert answer(PRE, allow("fine")) == CODEC.silence
        assert not PRE.can(Capability.ALLOW)

    def test_a_rewrite_stands_beside_an_allow_and_holds_the_command_alone(self) -> None:
        wanted = {"command": "ls -l", "description": "d"}
        assert said(PRE, rewrite(wanted)) == gate(
            permissionDecision="allow", updatedInput={"command": "ls -l"}
        )

    def test_a_command_word_by_word_is_quoted(self) -> None:
        wanted = {"command": ["echo", "two words"]}
        specific = said(PRE, rewrite(wanted))["hookSpecificOutput"]
        assert specific["updatedInput"] == {"command": "echo 'two words'"}

    def test_an_mcp_tool_takes_the_whole_of_its_input(self) -> None:
        wanted = {"text": "x", "more": [1]}
        specific = said(MCP, rewrite(wanted))["hookSpecificOutput"]
        assert specific["updatedInput"] == wanted

    def test_an_input_deeper_than_codex_reads_is_an_error(self) -> None:
        deep: object = "x"
        for _ in range(200):
            deep = [deep]
        with pytest.raises(UnsupportedDecisionError, match="deeper"):
            answer(MCP, rewrite({"text": deep}))

    def test_no_decision_is_silence(self) -> None:
        assert answer(PRE, no_decision()) == WireAnswer("", "", 0)


class TestPermissionRequests:
    def test_they_have_an_answer_of_their_own(self) -> None:
        assert said(PERMISSION, deny("no")) == gate(
            "PermissionRequest", decision={"behavior": "deny", "message": "no"}
        )
        assert said(PERMISSION, allow()) == gate(
            "PermissionRequest", decision={"behavior": "allow"}
        )
        assert answer(PERMISSION, ask("sure?")) == CODEC.silence

    def test_a_rewrite_is_not_taken_there(self) -> None:
        wanted = allow().with_updated_input({"command": "ls"})
        wire = said(PERMISSION, wanted)
        assert wire["hookSpecificOutput"]["decision"]["behavior"] == "deny"


class TestAfterACall:
    def test_a_block_replaces_the_result(self) -> None:
        assert said(POST, replace_output("[redacted]")) == {
            "decision": "block",
            "reason": "[redacted]",
        }

    def test_an_mcp_result_is_shown_as_its_text(self) -> None:
        echo = event("PostToolUse-mcp-rig-echo")
        content = {
            "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
        }
        assert said(echo, replace_output(content))["reason"] == "a\nb"

    def test_a_flag_is_context_for_a_block_would_hide_the_result(self) -> None:
        assert said(POST, flag_output("untrusted").with_context("c")) == gate(
            "PostToolUse", additionalContext="untrusted\nc"
        )

    def test_both_are_one_answer(self) -> None:
        both = flag_output("untrusted").join(replace_output("[redacted]"))
        assert said(POST, both) == {
            "decision": "block",
            "reason": "[redacted]",
            **gate("PostToolUse", additionalContext="untrusted"),
        }

    @pytest.mark.parametrize("empty", ["", "  \n"])
    def test_an_empty_replacement_still_replaces(self, empty: str) -> None:
        assert said(POST, replace_output(empty))["reason"].strip()

    def test_a_text_over_the_cut_is_withheld_and_never_cut(self) -> None:
        for size, whole in ((8_900, True), (9_100, False), (200_000, False)):
            reason = said(POST, replace_output("x" * size))["reason"]
            assert (reason == "x" * size) is whole
            assert whole or reason.startswith("[withheld by policy")

    def test_the_cut_counts_bytes(self) -> None:
        reason = said(POST, replace_output("é" * 5_000))["reason"]
        assert reason.startswith("[withheld by policy")

    def test_a_withheld_result_says_why(self) -> None:
        assert said(POST, withhold("a secret"))["reason"] == (
            "[withheld by policy: a secret]"
        )


class TestEverythingElse:
    def test_a_prompt_is_blocked(self) -> None:
        prompt = event("UserPromptSubmit")
        assert said(prompt, block_prompt("no")) == {"decision": "block", "reason": "no"}
        assert answer(prompt, accept_prompt()) == CODEC.silence

    @pytest.mark.parametrize("name", ["Stop", "SubagentStop"])
    def test_an_agent_is_sent_on(self, name: str) -> None:
        wire = said(event(name), continue_with("run the tests"))
        assert wire == {"decision": "block", "reason": "run the tests"}
        assert answer(event(name), finish()) == CODEC.silence

    def test_a_session_that_starts_takes_context(self) -> None:
        assert said(event("SessionStart"), observe().with_context("c")) == gate(
            "SessionStart", additionalContext="c"
        )

    @pytest.mark.parametrize("name", sorted(CODEC.facts.events))
    def test_what_can_not_be_read_is_refused_by_the_harness_own_means(
        self, name: str
    ) -> None:
        refused = CODEC.refuse(name, "why")
        if CODEC.facts.events[name].closed in ("none", "finish"):
            assert refused == CODEC.silence
        else:
            assert refused.exit_code == 0
            assert "why" in refused.stdout
            assert "continue" not in refused.stdout

    def test_a_refusal_always_has_a_reason(self) -> None:
        for name in ("PreToolUse", "PostToolUse", "UserPromptSubmit"):
            assert "blocked by policy" in CODEC.refuse(name, "").stdout
        assert CODEC.refuse("NextYear", "").stderr.strip()

    @pytest.mark.parametrize(
        "decision", [deny("no"), ask("sure?"), rewrite({"command": "x"}), allow()]
    )
    def test_a_call_of_any_tool_gets_known_keys_only(self, decision: Decision) -> None:
        known = {
            "hookEventName",
            "permissionDecision",
            "permissionDecisionReason",
            "updatedInput",
            "additionalContext",
        }
        for tool in ("Bash", "apply_patch", "mcp__x__y", "next_years_tool"):
            given = {"command": "ls"}
            raw = altered("codex", "PreToolUse-Bash", tool_name=tool, tool_input=given)
            given_answer = answer(decoded("codex", raw), decision)
            if given_answer.stdout:
                document = json.loads(given_answer.stdout)
                assert set(document) == {"hookSpecificOutput"}
                assert set(document["hookSpecificOutput"]) <= known


@pytest.mark.parametrize(
    "wanted", [{"cmd": "echo safe"}, {"timeout": 5}, {"workdir": "/safe"}]
)
def test_a_rewrite_that_leaves_the_command_as_it_is_can_not_be_made(
    wanted: dict[str, object],
) -> None:
    event = captured_event("codex", "PreToolUse-Bash")
    with pytest.raises(UnsupportedDecisionError, match="would run unchanged"):
        answer(event, rewrite({**event.tool.input, **wanted}))  # type: ignore[attr-defined]
