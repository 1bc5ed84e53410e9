"""What trouble means."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from ringfence.capabilities import AskFallback
from ringfence.decisions import (
    Decision,
    StopAnswer,
    allow,
    ask,
    block_prompt,
    continue_with,
    deny,
    neutral,
    observed,
    withhold,
)
from ringfence.errors import GuardError
from ringfence.events import Event, EventKind
from ringfence.failure import (
    FailMode,
    FailurePolicy,
    Settings,
    Unsupported,
    failed,
    refusal,
)
from ringfence.verdicts import Kind
from tests.strategies import event

PRE = event(EventKind.TOOL_PRE)
BOOM = GuardError("no_touching", "raised ValueError")


class TestFailurePolicy:
    def test_it_is_closed_where_nothing_else_is_said(self) -> None:
        assert FailurePolicy().at(PRE) == Settings(
            fail=FailMode.CLOSED,
            unsupported=Unsupported.DEGRADE,
            ask_fallback=AskFallback.DENY,
            timeout=10.0,
            continuation_cap=5,
        )

    def test_each_part_may_be_a_function_of_the_event(self) -> None:
        def only(
            kind: EventKind, there: object, else_: object
        ) -> Callable[[Event], object]:
            return lambda event: there if event.kind is kind else else_

        policy = FailurePolicy(
            fail=only(EventKind.PROMPT, "open", "closed"),  # type: ignore[arg-type]
            unsupported=only(EventKind.PROMPT, "strict", "degrade"),  # type: ignore[arg-type]
            ask_fallback=only(EventKind.PROMPT, "no_decision", "deny"),  # type: ignore[arg-type]
            timeout=only(EventKind.PROMPT, 2, 20),  # type: ignore[arg-type]
            continuation_cap=only(EventKind.PROMPT, 1, 0),  # type: ignore[arg-type]
        )
        assert policy.at(event(EventKind.PROMPT)) == Settings(
            FailMode.OPEN, Unsupported.STRICT, AskFallback.NO_DECISION, 2.0, 1
        )
        assert policy.at(PRE) == Settings(timeout=20.0, continuation_cap=0)

    @pytest.mark.parametrize("answer", ["opne", None, 1, "", "OPEN"])
    def test_a_function_that_returns_nonsense_leaves_the_safe_default(
        self, answer: object
    ) -> None:
        policy = FailurePolicy(fail=lambda _: answer)  # type: ignore[arg-type,return-value]
        assert policy.at(PRE).fail is FailMode.CLOSED

    @pytest.mark.parametrize(
        "answer", [-1, math.nan, math.inf, "soon", None, 10**400, 0]
    )
    def test_so_does_one_that_returns_no_usable_time(self, answer: object) -> None:
        policy = FailurePolicy(timeout=lambda _: answer)  # type: ignore[arg-type,return-value]
        assert policy.at(PRE).timeout == 10.0

    @pytest.mark.parametrize("answer", [-1, math.nan, math.inf, "often", None])
    def test_so_does_one_that_returns_no_usable_count(self, answer: object) -> None:
        policy = FailurePolicy(continuation_cap=lambda _: answer)  # type: ignore[arg-type,return-value]
        assert policy.at(PRE).continuation_cap == 5

    def test_so_does_one_that_raises(self) -> None:
        def broken(_event: Event) -> str:
            raise RuntimeError

        policy = FailurePolicy(
            fail=broken,
            unsupported=broken,
            ask_fallback=broken,
            timeout=broken,  # type: ignore[arg-type]
            continuation_cap=broken,  # type: ignore[arg-type]
        )
        assert policy.at(PRE) == Settings()

    @pytest.mark.parametrize(
        "wrong",
        [
            {"fail": "opne"},
            {"unsupported": "lax"},
            {"ask_fallback": "allow"},
            {"timeout": 0},
            {"timeout": -1},
            {"timeout": math.inf},
            {"timeout": math.nan},
            {"continuation_cap": -1},
            {"continuation_cap": math.inf},
        ],
    )
    def test_a_value_that_is_none_is_refused_at_once(
        self, wrong: dict[str, object]
    ) -> None:
        with pytest.raises(ValueError, match=r" is not | lies between "):
            FailurePolicy(**wrong)  # type: ignore[arg-type]


class TestRefusal:
    @pytest.mark.parametrize(
        ("kind", "refused"),
        [
            (EventKind.TOOL_PRE, deny("why")),
            (EventKind.PERMISSION, deny("why")),
            (EventKind.PROMPT, block_prompt("why")),
            (EventKind.TOOL_POST, withhold("why")),
            (EventKind.TOOL_ERROR, withhold("why")),
        ],
    )
    def test_it_stops_what_can_be_stopped(
        self, kind: EventKind, refused: Decision
    ) -> None:
        assert refusal(event(kind), "why") == refused

    @pytest.mark.parametrize("kind", [EventKind.STOP, EventKind.SUBAGENT_STOP])
    def test_an_agent_that_wants_to_finish_is_let(self, kind: EventKind) -> None:
        assert refusal(event(kind), "why").kind is Kind.FINISH

    @pytest.mark.parametrize("kind", [EventKind.SESSION_START, EventKind.OTHER])
    def test_where_there_is_no_verdict_there_is_none(self, kind: EventKind) -> None:
        assert refusal(event(kind), "why").neutral


class TestFailed:
    closed = Settings()
    open = Settings(fail=FailMode.OPEN)

    @pytest.mark.parametrize(
        "reached", [neutral(EventKind.TOOL_PRE), allow("fine"), ask("sure?")]
    )
    def test_closed_refuses_and_says_what_happened(self, reached: Decision) -> None:
        decision = failed(reached, PRE, [BOOM], self.closed)
        assert decision.kind is Kind.DENY
        assert decision.reason == (
            "Ringfence could not check this and fails closed: "
            "guard no_touching: raised ValueError"
        )

    def test_closed_keeps_a_deny_that_was_reached_with_its_reason(self) -> None:
        assert failed(deny("no"), PRE, [BOOM], self.closed) == deny("no")

    def test_closed_keeps_what_was_to_be_told(self) -> None:
        reached = allow().with_context("read this")
        assert failed(reached, PRE, [BOOM], self.closed).contexts == ("read this",)

    def test_closed_withholds_a_result(self) -> None:
        decision = failed(observed(), event(EventKind.TOOL_POST), [BOOM], self.closed)
        assert decision.kind is Kind.REPLACE

    def test_closed_lets_an_agent_finish_even_one_that_was_to_go_on(self) -> None:
        decision = failed(
            continue_with("test"), event(EventKind.STOP), [BOOM], self.closed
        )
        assert decision == StopAnswer()

    def test_the_same_trouble_is_told_once(self) -> None:
        decision = failed(allow(), PRE, [BOOM, BOOM], self.closed)
        assert decision.reason.count("no_touching") == 1

    @pytest.mark.parametrize("reached", [allow("fine"), ask("sure?"), deny("no")])
    def test_open_leaves_what_was_reached(self, reached: Decision) -> None:
        assert failed(reached, PRE, [BOOM], self.open) == reached
