"""What Claude Code is told for each decision, word by word."""

from __future__ import annotations

import pytest

from ringfence.capabilities import AskFallback, Capability
from ringfence.decisions import (
    Decision,
    accept_prompt,
    allow,
    answer_natively,
    ask,
    block_prompt,
    continue_with,
    deny,
    finish,
    flag_output,
    no_decision,
    observe,
    observed,
    replace_output,
    rewrite,
    withhold,
)
from ringfence.errors import UnsupportedDecisionError
from ringfence.events import AfterTool, Event, EventKind
from ringfence.failure import Settings, Unsupported
from ringfence.harnesses import registry
from ringfence.harnesses.base import Context, WireAnswer
from ringfence.testing import payload
from tests.wire import altered, answer, captured_event, decoded, said

CODEC = registry.codec("claude-code")


def event(name: str, version: str = "") -> Event:
    return captured_event("claude-code", name, version)


PRE, POST, FAILED = map(
    event, ("PreToolUse-Bash", "PostToolUse-Bash", "PostToolUseFailure-Bash")
)
PERMISSION = event("PermissionRequest-Bash")


def gate(event_name: str = "PreToolUse", **specific: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event_name, **specific}}


class TestBeforeACall:
    @pytest.mark.parametrize(
        ("decision", "wire"),
        [
            (
                deny("no"),
                gate(permissionDecision="deny", permissionDecisionReason="no"),
            ),
            (
                deny("no", suggest="git push"),
                gate(
                    permissionDecision="deny",
                    permissionDecisionReason="no. Instead: git push",
                ),
            ),
            (
                ask("sure?"),
                gate(permissionDecision="ask", permissionDecisionReason="sure?"),
            ),
            (
                allow("fine"),
                gate(permissionDecision="allow", permissionDecisionReason="fine"),
            ),
            (
                rewrite({"command": "ls -l", "description": "d"}),
                gate(updatedInput={"command": "ls -l", "description": "d"}),
            ),
            (
                allow("fine").with_updated_input({"command": "ls"}),
                gate(
                    permissionDecision="allow",
                    permissionDecisionReason="fine",
                    updatedInput={"command": "ls"},
                ),
            ),
            (
                no_decision().with_context("a", "b"),
                gate(additionalContext="a\nb"),
            ),
            (
                no_decision().with_system_message("for you"),
                {"systemMessage": "for you"},
            ),
            (
                deny("no").with_stop_agent("enough"),
                {
                    **gate(permissionDecision="deny", permissionDecisionReason="no"),
                    "continue": False,
                    "stopReason": "enough",
                },
            ),
        ],
        ids=[
            "deny",
            "deny with a way out",
            "ask",
            "allow",
            "rewrite",
            "allow and rewrite",
            "context",
            "note",
            "deny and stop",
        ],
    )
    def test_each_decision_has_its_answer(
        self, decision: Decision, wire: dict[str, object]
    ) -> None:
        assert said(PRE, decision) == wire

    def test_no_decision_is_silence(self) -> None:
        assert answer(PRE, no_decision()) == WireAnswer("", "", 0)

    def test_a_deny_without_a_reason_has_one(self) -> None:
        wire = said(PRE, deny(""))
        assert wire["hookSpecificOutput"]["permissionDecisionReason"]

    def test_a_long_reason_is_shortened_in_its_middle(self) -> None:
        reason = said(PRE, deny("a" * 50_000 + "z"))["hookSpecificOutput"][
            "permissionDecisionReason"
        ]
        assert len(reason) < 10_000
        assert reason.startswith("aaa")
        assert reason.endswith("z")
        assert "…" in reason

    def test_the_older_version_goes_on_after_a_deny_that_ends_the_turn(self) -> None:
        old = event("PreToolUse-Bash", "2.1.197")
        encoded = CODEC.encode(old, deny("no").with_stop_agent("enough"))
        assert encoded.decision == deny("no")
        assert [loss.capability for loss in encoded.losses] == [Capability.STOP_AGENT]

    @pytest.mark.parametrize("mode", ["bypassPermissions", "auto", "dontAsk"])
    def test_a_question_that_would_be_skipped_is_a_deny(self, mode: str) -> None:
        raw = altered("claude-code", "PreToolUse-Bash", permission_mode=mode)
        skipped = decoded("claude-code", raw, version="2.1.332")
        specific = said(skipped, ask("sure?"))["hookSpecificOutput"]
        assert specific["permissionDecision"] == "deny"
        assert specific["permissionDecisionReason"].startswith("sure? (nobody can")

    def test_so_is_one_that_nobody_sits_before(self) -> None:
        context = Context(environment={"CLAUDE_CODE_SESSION_ATTENDED": "0"})
        alone = CODEC.decode(payload("claude-code", "PreToolUse-Bash"), context)
        assert not alone.can(Capability.ASK)
        assert answer(alone, ask("sure?")).stdout.count('"deny"') == 1

    def test_or_nothing_where_the_fallback_says_so(self) -> None:
        raw = altered("claude-code", "PreToolUse-Bash", permission_mode="auto")
        settings = Settings(ask_fallback=AskFallback.NO_DECISION)
        skipped = decoded("claude-code", raw)
        assert answer(skipped, ask("sure?"), settings) == CODEC.silence

    def test_the_inline_shell_of_a_skill_is_denied_as_any_call(self) -> None:
        skill = event("PreSkillShellCommand")
        denied = gate(
            "PreSkillShellCommand",
            permissionDecision="deny",
            permissionDecisionReason="no",
        )
        assert said(skill, deny("no")) == denied
        assert not skill.can(Capability.ASK)
        assert not skill.can(Capability.UPDATE_INPUT)

    def test_an_mcp_call_is_denied_as_any_call(self) -> None:
        assert said(event("PreToolUse-mcp-rig-echo"), deny("no")) == said(
            PRE, deny("no")
        )


class TestPermissionRequests:
    def test_they_have_an_answer_of_their_own(self) -> None:
        assert said(PERMISSION, deny("no")) == gate(
            "PermissionRequest", decision={"behavior": "deny", "message": "no"}
        )
        assert said(PERMISSION, allow()) == gate(
            "PermissionRequest", decision={"behavior": "allow"}
        )

    def test_an_ask_is_silence_for_somebody_is_being_asked(self) -> None:
        assert answer(PERMISSION, ask("sure?")) == CODEC.silence
        assert PERMISSION.can(Capability.ASK)

    def test_a_rewrite_alone_is_not_dropped_in_silence(self) -> None:
        wire = said(PERMISSION, rewrite({"command": "ls"}))
        assert wire["hookSpecificOutput"]["decision"]["behavior"] == "deny"


class TestAfterACall:
    def test_a_flag_stands_beside_the_result(self) -> None:
        assert said(POST, flag_output("untrusted")) == {
            "decision": "block",
            "reason": "untrusted",
        }

    def test_a_replacement_keeps_the_tools_own_shape(self) -> None:
        assert isinstance(POST, AfterTool)
        wanted = {**POST.output, "stdout": "[redacted]"}  # type: ignore[dict-item]
        assert said(POST, replace_output(wanted)) == gate(
            "PostToolUse", updatedToolOutput=wanted
        )

    def test_a_text_is_put_where_the_tools_text_stands(self) -> None:
        shown = said(POST, replace_output("gone"))["hookSpecificOutput"]
        assert shown["updatedToolOutput"] == {
            "stdout": "gone",
            "stderr": "",
            "interrupted": False,
            "isImage": False,
            "noOutputExpected": False,
        }

    def test_a_withheld_result_says_why_and_nothing_else(self) -> None:
        read = event("PostToolUse-Read")
        shown = said(read, withhold("a secret"))["hookSpecificOutput"]
        file = shown["updatedToolOutput"]["file"]
        assert file["content"] == "[withheld by policy: a secret]"
        assert "TOKEN" not in str(shown)

    def test_an_mcp_result_is_a_list_of_contents(self) -> None:
        echo = event("PostToolUse-mcp-rig-echo")
        for wanted in (
            "gone",
            [{"type": "text", "text": "gone"}],
            {"content": [{"type": "text", "text": "gone"}]},
        ):
            shown = said(echo, replace_output(wanted))["hookSpecificOutput"]
            assert shown["updatedToolOutput"] == [{"type": "text", "text": "gone"}]

    def test_an_object_that_is_no_mcp_result_does_not_let_the_result_through(
        self,
    ) -> None:
        echo = event("PostToolUse-mcp-rig-echo")
        shown = said(echo, replace_output({"text": "gone"}))["hookSpecificOutput"]
        assert isinstance(shown["updatedToolOutput"], list)
        assert "TOKEN" not in str(shown)

    def test_a_flag_and_a_replacement_are_one_answer(self) -> None:
        both = flag_output("untrusted").join(replace_output("gone"))
        wire = said(POST, both.with_context("c"))
        assert wire["decision"] == "block"
        assert wire["hookSpecificOutput"]["updatedToolOutput"]["stdout"] == "gone"
        assert wire["hookSpecificOutput"]["additionalContext"] == "c"

    def test_a_failed_call_can_not_be_redacted_so_the_model_is_told(self) -> None:
        assert not FAILED.can(Capability.REPLACE_OUTPUT)
        encoded = CODEC.encode(FAILED, withhold("a secret"))
        assert [loss.capability for loss in encoded.losses] == [
            Capability.REPLACE_OUTPUT
        ]
        assert said(FAILED, withhold("a secret")) == {
            "decision": "block",
            "reason": "a secret",
        }

    def test_what_is_observed_is_silence(self) -> None:
        assert answer(POST, observed()) == CODEC.silence


class TestPromptsAndStops:
    @pytest.mark.parametrize(
        "name", ["UserPromptSubmit", "UserPromptSubmit-task-notification-monitor"]
    )
    def test_a_prompt_is_blocked_whoever_wrote_it(self, name: str) -> None:
        assert said(event(name), block_prompt("no")) == {
            "decision": "block",
            "reason": "no",
        }
        assert answer(event(name), accept_prompt()) == CODEC.silence

    @pytest.mark.parametrize("name", ["Stop", "SubagentStop-subagent"])
    def test_an_agent_is_sent_on_by_a_block(self, name: str) -> None:
        assert said(event(name), continue_with("run the tests")) == {
            "decision": "block",
            "reason": "run the tests",
        }
        assert answer(event(name), finish()) == CODEC.silence

    def test_a_context_at_a_stop_would_send_the_agent_on(self) -> None:
        assert answer(event("Stop"), finish().with_context("c")) == CODEC.silence


class TestEverythingElse:
    def test_a_session_that_starts_takes_context(self) -> None:
        assert said(event("SessionStart"), observe().with_context("c")) == gate(
            "SessionStart", additionalContext="c"
        )

    def test_an_event_without_a_verdict_of_ours_is_answered_natively(self) -> None:
        blocked = {"decision": "block", "reason": "no"}
        assert said(event("ConfigChange-user_settings"), answer_natively(blocked)) == (
            blocked
        )

    def test_what_is_no_json_is_no_answer(self) -> None:
        for odd in (float("nan"), {1, 2}, b"x"):
            with pytest.raises(UnsupportedDecisionError, match="JSON"):
                answer(event("ConfigChange-user_settings"), answer_natively({"x": odd}))

    def test_strictly_what_is_not_honoured_is_an_error(self) -> None:
        settings = Settings(unsupported=Unsupported.STRICT)
        with pytest.raises(UnsupportedDecisionError, match="replace-output"):
            answer(FAILED, withhold("a secret"), settings)
        assert answer(PRE, deny("no"), settings).stdout

    @pytest.mark.parametrize("name", sorted(CODEC.facts.events))
    def test_what_can_not_be_read_is_refused_by_the_harness_own_means(
        self, name: str
    ) -> None:
        fact = CODEC.facts.events[name]
        refused = CODEC.refuse(name, "why")
        if fact.closed in ("none", "finish"):
            assert refused == CODEC.silence
        else:
            assert refused.exit_code == 0
            assert "why" in refused.stdout

    def test_an_unknown_one_by_exit_code(self) -> None:
        for name in ("", "NextYear"):
            assert CODEC.refuse(name, "why") == WireAnswer("", "why\n", 2)

    def test_an_unknown_version_gets_what_every_known_one_honours(self) -> None:
        stopping = deny("no").with_stop_agent("enough")
        raw = payload("claude-code", "PreToolUse-Bash")
        for version in ("", "2.1.250", "1.0", "9.9"):
            assert not decoded("claude-code", raw, version=version).can(stopping)
        assert decoded("claude-code", raw, version="2.1.332").can(stopping)

    def test_kinds_are_those_of_the_facts(self) -> None:
        assert event("PreSkillShellCommand").kind is EventKind.TOOL_PRE
        assert event("PostToolBatch").kind is EventKind.OTHER


def test_a_replacement_of_another_shape_stands_as_text_where_the_text_stood() -> None:
    event = captured_event("claude-code", "PostToolUse-Bash")
    shown = said(event, replace_output({"a": 1}))["hookSpecificOutput"]
    assert shown["updatedToolOutput"]["stdout"] == '{"a": 1}'
    assert shown["updatedToolOutput"].keys() == event.lookup("tool_response").keys()  # type: ignore[attr-defined]
