"""Quirks of Codex, where one key too many lets a denied call run."""

from __future__ import annotations

import json

import pytest

from ringfence.capabilities import Capability
from ringfence.decisions import (
    Gate,
    Result,
    allow,
    ask,
    deny,
    flag_output,
    observed,
    replace_output,
    rewrite,
)
from ringfence.errors import UnsupportedDecisionError
from ringfence.harnesses.simulation import Approver, Ending
from ringfence.verdicts import Judgement, Kind
from tests.harnesses.quirks.playing import CODEX, read_by_model

SECRET = "sk-" + "live-" + "0123456789"
BASH = "PreToolUse-Bash"
AFTER = "PostToolUse-Bash"


def result_with_secret() -> str:
    native = json.loads(CODEX.payload(AFTER))
    return json.dumps({**native, "tool_response": f"TOKEN={SECRET}"})


def test_a_deny_without_a_reason_still_denies() -> None:
    silent = Gate(judgement=Judgement(Kind.DENY))
    assert CODEX.play(CODEX.event(BASH), silent).ran is False


def test_an_answer_holds_no_key_that_voids_it() -> None:
    assert CODEX.play(CODEX.event(BASH), deny("no")).ran is False


def test_an_ask_does_not_let_the_call_run() -> None:
    outcome = CODEX.play(CODEX.event(BASH), ask("deploys need a person"))
    assert outcome.ran is False
    assert "deploys need a person" in read_by_model(outcome)


def test_what_stands_beside_an_allow_is_read() -> None:
    outcome = CODEX.play(CODEX.event(BASH), allow().with_context("mind the step"))
    assert outcome.ran is True
    assert "mind the step" in read_by_model(outcome)


def test_an_end_of_the_turn_does_not_undo_a_deny() -> None:
    decision = deny("no").with_stop_agent("enough")
    assert CODEX.play(CODEX.event(BASH), decision).ran is False


def test_a_rewrite_is_what_runs() -> None:
    outcome = CODEX.play(CODEX.event(BASH), rewrite({"command": "ls"}))
    assert outcome.input == {"command": "ls"}


def test_a_rewrite_in_words_is_one_command() -> None:
    words = {"command": ["ls", "a file"], "timeout": 5}
    outcome = CODEX.play(CODEX.event(BASH), rewrite(words))
    assert outcome.ran is True
    assert outcome.input == {"command": "ls 'a file'"}


def test_a_rewrite_that_nests_too_deep_is_refused() -> None:
    def nested(levels: int) -> dict[str, object]:
        value: dict[str, object] = {"text": "harmless"}
        for _ in range(levels - 1):
            value = {"in": value}
        return value

    event = CODEX.event("PreToolUse-mcp-rig-echo")
    deepest = CODEX.play(event, rewrite(nested(125)))
    assert deepest.input == nested(125)
    with pytest.raises(UnsupportedDecisionError, match="deeper"):
        CODEX.encode(event, rewrite(nested(126)))


def test_a_permission_request_is_not_granted_with_a_rewrite() -> None:
    event = CODEX.event("PermissionRequest-Bash")
    decision = allow().with_updated_input({"command": "ls"})
    outcome = CODEX.play(event, decision, approver=Approver(allows=True))
    assert outcome.ran is False
    assert not event.can(decision)


def shown(decision: Result) -> str:
    event = CODEX.decoded(result_with_secret().encode())
    return read_by_model(CODEX.play(event, decision))


def test_a_replaced_result_reaches_the_model() -> None:
    assert shown(replace_output("TOKEN=[gone]")) == "TOKEN=[gone]"


def test_feedback_leaves_the_result() -> None:
    seen = shown(flag_output("mind the step"))
    assert SECRET in seen
    assert "mind the step" in seen


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_a_result_can_be_replaced_by_nothing(nothing: str) -> None:
    assert SECRET not in shown(replace_output(nothing))


def test_a_long_replacement_is_withheld_not_cut() -> None:
    seen = shown(replace_output("é" * 6_000))
    assert "withheld" in seen
    assert "saved to" not in seen


def test_an_end_of_the_turn_after_a_call_is_not_claimed() -> None:
    event = CODEX.event(AFTER)
    decision = observed().with_stop_agent("enough")
    outcome = CODEX.play(event, decision)
    assert event.can(Capability.STOP_AGENT) is (outcome.ended is Ending.TURN)
