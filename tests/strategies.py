"""Arbitrary decisions, events and payloads, for properties that hold for all."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import strategies as st

from ringfence.calls import ToolCall, ToolClass
from ringfence.capabilities import Capabilities, Capability, Support
from ringfence.decisions import (
    UNSET,
    Decision,
    Gate,
    Observe,
    PromptAnswer,
    Result,
    Span,
    StopAnswer,
)
from ringfence.events import EVENT_TYPES, AfterTool, BeforeTool, Event, EventKind
from ringfence.verdicts import Judgement, Kind

# A handful of words, so that equal ones meet often.
words = st.sampled_from(["a", "b", "c", "one\nline", "\u00e9"])
texts = st.one_of(words, st.text(max_size=12))
unique_words = st.lists(words, unique=True, max_size=3).map(tuple)

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)
json_objects = st.dictionaries(st.text(max_size=10), json_values, max_size=5)
inputs: st.SearchStrategy[Mapping[str, object]] = st.sampled_from(
    [{}, {"command": "ls"}, {"command": "pwd"}, {"deep": {"list": [1, 2]}}]
)


def judgements(*kinds: Kind) -> st.SearchStrategy[Judgement]:
    """Judgements of the given kinds, the first of which says nothing."""
    grounds = st.builds(
        Judgement,
        st.sampled_from(kinds[1:]),
        reason=texts,
        rule=words,
        suggest=texts,
        block_reason=texts,
    )
    return st.one_of(st.just(Judgement(kinds[0])), grounds)


_shared = {
    "contexts": unique_words,
    "system_messages": unique_words,
    "stop_agent": st.none() | texts,
}

gates = st.builds(
    Gate,
    judgement=judgements(Kind.NO_DECISION, Kind.ALLOW, Kind.ASK, Kind.DENY),
    updated_input=st.none() | inputs,
    conflicting=st.booleans(),
    **_shared,
)
prompt_answers = st.builds(
    PromptAnswer, judgement=judgements(Kind.ACCEPT, Kind.BLOCK), **_shared
)
spans = st.builds(
    Span,
    path=st.lists(words, max_size=2).map(tuple),
    start=st.integers(0, 5),
    end=st.integers(0, 9),
    label=words,
)
results = st.builds(
    Result,
    flag=judgements(Kind.OBSERVED, Kind.FLAG),
    redactions=st.frozensets(spans, max_size=3),
    redacted_by=unique_words,
    replaced_output=st.just(UNSET) | st.none() | words | inputs,
    withheld=judgements(Kind.OBSERVED, Kind.REPLACE),
    conflicting=st.booleans(),
    **_shared,
)
stop_answers = st.builds(StopAnswer, instructions=unique_words, **_shared)
observations = st.builds(
    Observe, native=st.none() | inputs, conflicting=st.booleans(), **_shared
)

BY_FAMILY: Mapping[type[Decision], st.SearchStrategy[Decision]] = {
    Gate: gates,
    PromptAnswer: prompt_answers,
    Result: results,
    StopAnswer: stop_answers,
    Observe: observations,
}
families = st.sampled_from(list(BY_FAMILY))


def several(count: int) -> st.SearchStrategy[tuple[Decision, ...]]:
    """As many decisions of one and the same family."""
    return families.flatmap(lambda family: st.tuples(*[BY_FAMILY[family]] * count))


supports = st.dictionaries(st.sampled_from(Capability), st.sampled_from(Support))
kinds = st.sampled_from(EventKind)
capabilities = st.builds(Capabilities, kinds, supports)


def call(
    name: str = "Bash",
    tool_input: Mapping[str, object] | None = None,
    tool_class: ToolClass = ToolClass.SHELL,
    **more: object,
) -> ToolCall:
    """A tool call, by default of a shell."""
    given = {"command": "ls"} if tool_input is None else tool_input
    return ToolCall(name, tool_class, given, id="toolu_1", **more)  # type: ignore[arg-type]


def event(kind: EventKind, **more: object) -> Event:
    """A plain event of a kind, as it came over no wire."""
    build = EVENT_TYPES[kind]
    given: dict[str, object] = {
        "harness": "anyone",
        "native_name": "Anything",
        "kind": kind,
        "raw": b"{}",
    }
    if issubclass(build, (BeforeTool, AfterTool)):
        given["tool"] = call()
    return build(**{**given, **more})  # type: ignore[arg-type]
