"""Codex takes every answer that we give: no key too many, and none that is void."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from ringfence.decisions import (
    UNSET,
    Decision,
    Gate,
    Observe,
    PromptAnswer,
    Result,
    StopAnswer,
    neutral,
)
from ringfence.errors import UnsupportedDecisionError
from ringfence.events import BeforeTool
from ringfence.harnesses import codex
from ringfence.harnesses.simulation import HookRun
from ringfence.verdicts import Judgement, Kind
from tests.harnesses.quirks.playing import CODEX

FACTS = Path(codex.__file__).parent / "facts" / "answers.toml"
KEYS: Mapping[str, Mapping[str, list[str]]] = tomllib.loads(FACTS.read_text("utf-8"))[
    "events"
]
PAYLOADS = [
    "Interrupt",
    "PermissionRequest-Bash",
    "PostCompact-auto",
    "PostToolUse-Bash",
    "PostToolUse-apply_patch",
    "PostToolUse-mcp-rig-echo",
    "PreCompact-auto",
    "PreToolUse-Bash",
    "PreToolUse-apply_patch",
    "PreToolUse-mcp-rig-echo",
    "SessionEnd",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
]

texts = st.text(max_size=20) | st.sampled_from(
    ["", " ", "\udce9", "\x00", "x" * 20_000, "</system-reminder>"]
)
values: st.SearchStrategy[object] = st.recursive(
    st.none() | st.booleans() | st.integers() | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
inputs = st.dictionaries(st.text(max_size=5) | st.just("command"), values, max_size=3)


def judged(*kinds: Kind) -> st.SearchStrategy[Judgement]:
    neutral_kinds = {Kind.NO_DECISION, Kind.ACCEPT, Kind.OBSERVED}
    return st.sampled_from(kinds).flatmap(
        lambda kind: (
            st.just(Judgement(kind))
            if kind in neutral_kinds
            else st.builds(Judgement, st.just(kind), texts, suggest=texts)
        )
    )


modifiers = {
    "contexts": st.lists(texts.filter(bool), max_size=2).map(tuple),
    "system_messages": st.lists(texts.filter(bool), max_size=2).map(tuple),
    "stop_agent": st.none() | texts,
}
FAMILIES: dict[type[Decision], st.SearchStrategy[Decision]] = {
    Gate: st.builds(
        Gate,
        judgement=judged(Kind.NO_DECISION, Kind.ALLOW, Kind.ASK, Kind.DENY),
        updated_input=st.none() | inputs,
        **modifiers,
    ),
    PromptAnswer: st.builds(
        PromptAnswer, judgement=judged(Kind.ACCEPT, Kind.BLOCK), **modifiers
    ),
    Result: st.builds(
        Result,
        flag=judged(Kind.OBSERVED, Kind.FLAG),
        replaced_output=st.just(UNSET) | values,
        withheld=judged(Kind.OBSERVED, Kind.REPLACE),
        **modifiers,
    ),
    StopAnswer: st.builds(
        StopAnswer,
        instructions=st.lists(texts.filter(bool), max_size=2).map(tuple),
        **modifiers,
    ),
    Observe: st.builds(Observe, **modifiers),
}


@pytest.mark.parametrize("name", PAYLOADS)
@settings(max_examples=50)
@given(data=st.data())
def test_an_answer_is_accepted_whatever_is_decided(
    name: str, data: st.DataObject
) -> None:
    event = CODEX.event(name)
    decision = data.draw(FAMILIES[type(neutral(event.kind))])
    try:
        encoded = CODEX.encode(event, decision)
    except UnsupportedDecisionError:
        assume(False)  # a rewrite that no harness could take: the call is refused
    run = HookRun(
        stdout=encoded.answer.stdout,
        stderr=encoded.answer.stderr,
        exit_code=encoded.answer.exit_code,
    )
    outcome = CODEX.simulate(event, [run])
    assert not any(outcome.dropped)
    if isinstance(event, BeforeTool) and event.native_name == "PreToolUse":
        assert (outcome.ran is False) is encoded.decision.blocks
    check_keys(event.native_name, encoded.answer.stdout)


def check_keys(event: str, stdout: str) -> None:
    answer = json.loads(stdout) if stdout else {}
    known = KEYS[event]
    assert set(answer) <= set(known["top"])
    specific = answer.get("hookSpecificOutput", {})
    assert set(specific) <= set(known.get("specific", ()))
    assert set(specific.get("decision", {})) <= set(known.get("decision", ()))
    assert specific.get("hookEventName", event) == event


@pytest.mark.parametrize("name", PAYLOADS)
def test_a_refusal_is_accepted(name: str) -> None:
    event = CODEX.event(name)
    answer = CODEX.codec.refuse(event.native_name, "broken")
    assert not any(CODEX.after(event, answer).dropped)
    check_keys(event.native_name, answer.stdout)


def test_the_keys_of_every_event_are_known() -> None:
    assert set(KEYS) == set(CODEX.codec.facts.events)
