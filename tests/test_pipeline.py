"""Guards in their order, and one decision of them all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.decisions import (
    Decision,
    allow,
    answer_natively,
    ask,
    block_prompt,
    continue_with,
    deny,
    flag_output,
    join,
    no_decision,
    observed,
    rewrite,
)
from ringfence.errors import ConflictError, GuardError
from ringfence.events import BeforeTool, Event, EventKind, ToolEvent
from ringfence.failure import FailurePolicy
from ringfence.matchers import tools
from ringfence.pipeline import (
    Guard,
    Outcome,
    Pending,
    Pipeline,
    Stage,
    all_of,
    any_of,
    when,
)
from ringfence.verdicts import Kind
from tests.strategies import event, gates

PRE = event(EventKind.TOOL_PRE)
CLOSED, OPEN = FailurePolicy(), FailurePolicy(fail="open")
SECRET = "sk-" + "live-" + "0123456789"


def saying(decision: object) -> Guard:
    return lambda _: decision  # type: ignore[return-value]


def raising(error: BaseException) -> Guard:
    def guard(_event: Event) -> None:
        raise error

    return guard


def reading(decision: object) -> Guard:
    """A guard that needs I/O for its answer."""
    return lambda _: Pending(lambda: decision, lambda value: value)


def failing_to_read(error: Exception) -> Guard:
    def call() -> object:
        raise error

    return lambda _: Pending(call, lambda value: value)


def awaiting(decision: object) -> Guard:
    async def guard(_event: Event) -> object:
        await asyncio.sleep(0)
        return decision

    return guard


def handled(
    *handlers: Guard,
    guards: tuple[Guard, ...] = (),
    failure: FailurePolicy = CLOSED,
    kind: EventKind = EventKind.TOOL_PRE,
    exhaustive: bool = False,
) -> Outcome:
    """What handlers decide by the sync driver."""
    pipeline = Pipeline(guards, failure=failure)
    for handler in handlers:
        pipeline.add(Stage("handler", handler))
    return pipeline.decide(event(kind), exhaustive=exhaustive)


class TestGuards:
    def test_they_are_asked_in_order_before_the_handlers_until_one_denies(self) -> None:
        asked: list[str] = []

        def noting(name: str, decision: Decision | None = None) -> Guard:
            def guard(_event: Event) -> Decision | None:
                asked.append(name)
                return decision

            return guard

        outcome = handled(
            noting("handler"),
            guards=(noting("one"), noting("two", deny("no")), noting("three")),
        )
        assert asked == ["one", "two"]
        assert outcome.decision == deny("no")

    def test_every_one_is_heard_where_all_are_wanted(self) -> None:
        outcome = handled(
            saying(ask("sure?")),
            guards=(saying(deny("first")), saying(deny("second").with_context("c"))),
            exhaustive=True,
        )
        assert [view.decision and view.decision.kind for view in outcome.views] == [
            Kind.DENY,
            Kind.DENY,
            Kind.ASK,
        ]
        assert outcome.decision == deny("first").with_context("c")

    def test_stacked_handlers_are_joined_in_whatever_order_they_stand(self) -> None:
        outcome = handled(saying(allow("fine")), saying(ask("sure?")), saying(None))
        assert outcome.decision == ask("sure?")
        outcome = handled(saying(ask("sure?")), saying(allow("fine")))
        assert outcome.decision == ask("sure?")

    def test_a_handler_may_answer_with_several_decisions(self) -> None:
        answers = [no_decision().with_context("a"), None, deny("no")]
        assert handled(saying(answers)).decision == deny("no").with_context("a")

    def test_no_guard_at_all_is_no_decision(self) -> None:
        outcome = handled()
        assert outcome.decision == no_decision()
        assert not outcome.failed

    def test_a_handler_is_asked_about_the_kinds_it_was_registered_for(self) -> None:
        pipeline = Pipeline()
        pipeline.add(
            Stage("handler", saying(deny("no")), frozenset({EventKind.TOOL_PRE}))
        )
        assert pipeline.decide(PRE).decision.blocks
        assert pipeline.decide(event(EventKind.PROMPT)).decision.neutral

    @given(st.lists(gates, max_size=4))
    def test_neutral_ones_between_them_change_nothing(
        self, decisions: list[Decision]
    ) -> None:
        plain = handled(*map(saying, decisions), exhaustive=True)
        padded = [one for pair in decisions for one in (None, pair, no_decision())]
        assert handled(*map(saying, padded), exhaustive=True).decision == plain.decision


class TestTrouble:
    @pytest.mark.parametrize(
        "error",
        [
            ValueError("x"),
            RecursionError(),
            MemoryError(),
            SystemExit(0),
            AssertionError(),
            ExceptionGroup("several", [ValueError("x")]),
        ],
        ids=lambda error: type(error).__name__,
    )
    def test_a_guard_that_raises_denies_under_closed(
        self, error: BaseException
    ) -> None:
        for outcome in (
            handled(raising(error)),
            handled(guards=(raising(error),)),
        ):
            assert outcome.decision.blocks
            assert type(error).__name__ in outcome.decision.reason
            assert outcome.failed

    def test_an_interrupt_is_the_persons(self) -> None:
        with pytest.raises(KeyboardInterrupt):
            handled(raising(KeyboardInterrupt()))

    def test_the_others_are_still_asked(self) -> None:
        outcome = handled(raising(ValueError()), saying(deny("no")))
        assert outcome.decision == deny("no")
        assert [view.error for view in outcome.views] != ["", ""]

    @pytest.mark.parametrize(
        "broken",
        [raising(ValueError("x")), failing_to_read(OSError("x")), saying("nonsense")],
        ids=["raising", "failing to read", "answering nonsense"],
    )
    def test_open_keeps_what_the_others_said(self, broken: Guard) -> None:
        for handlers in (
            [broken, saying(deny("no"))],
            [saying(deny("no")), broken],
            [all_of(broken, saying(deny("no")))],
            [all_of(saying(deny("no")), broken)],
            [any_of(broken, saying(deny("no")))],
            [all_of(any_of(broken), all_of(saying(deny("no")), broken))],
        ):
            outcome = handled(*handlers, failure=OPEN)
            assert outcome.decision == deny("no")
            if len(handlers) == 1 or handlers[0] is broken:
                assert outcome.failed

    def test_open_lets_a_call_pass_that_nothing_else_stops(self) -> None:
        outcome = handled(raising(ValueError()), failure=OPEN)
        assert outcome.decision == no_decision()
        assert outcome.failed

    def test_open_keeps_the_good_ones_of_several_decisions(self) -> None:
        outcome = handled(saying([deny("no"), block_prompt("x")]), failure=OPEN)
        assert outcome.decision == deny("no")
        assert outcome.failed

    @pytest.mark.parametrize(
        "wrong", [block_prompt("no"), "deny", True, {"decision": "deny"}, deny]
    )
    def test_an_answer_of_another_family_is_trouble(self, wrong: object) -> None:
        outcome = handled(saying(wrong))
        assert outcome.decision.blocks
        assert "which takes a Gate" in outcome.decision.reason

    def test_an_error_never_carries_what_a_payload_said(self) -> None:
        outcome = handled(
            raising(ValueError(SECRET)),
            all_of(raising(ExceptionGroup(SECRET, [ValueError(SECRET)]))),
            any_of(failing_to_read(KeyError(SECRET))),
            saying(SECRET),
        )
        told = [outcome.decision.reason]
        told += [view.error for view in outcome.views]
        told += map(str, outcome.errors)
        assert len(outcome.errors) == 4
        assert SECRET not in " ".join(told)

    def test_different_rewrites_of_one_call_are_a_conflict(self) -> None:
        handlers = saying(rewrite({"command": "a"})), saying(rewrite({"command": "b"}))
        outcome = handled(*handlers)
        assert outcome.decision.blocks
        assert isinstance(outcome.errors[0], ConflictError)
        assert not handled(*handlers, failure=OPEN).decision.blocks
        assert not handled(handlers[0], handlers[0]).failed

    def test_at_a_stop_trouble_lets_the_agent_finish(self) -> None:
        outcome = handled(
            saying(continue_with("test")), raising(ValueError()), kind=EventKind.STOP
        )
        assert outcome.decision.kind is Kind.FINISH
        assert outcome.failed

    def test_after_a_call_trouble_withholds_the_result(self) -> None:
        outcome = handled(
            saying(flag_output("hm")), raising(ValueError()), kind=EventKind.TOOL_POST
        )
        assert outcome.decision.kind is Kind.REPLACE

    def test_what_trouble_means_may_depend_on_the_event(self) -> None:
        lenient = FailurePolicy(
            fail=lambda event: "open" if event.kind is EventKind.PROMPT else "closed"
        )
        broken = raising(ValueError())
        assert handled(broken, failure=lenient).decision.blocks
        asked = handled(broken, failure=lenient, kind=EventKind.PROMPT)
        assert not asked.decision.blocks


class TestTime:
    hasty = FailurePolicy(timeout=0.02)

    def test_a_guard_that_comes_too_late_is_trouble(self) -> None:
        def slow(_event: Event) -> None:
            time.sleep(0.04)

        outcome = handled(slow, saying(allow()), failure=self.hasty)
        assert outcome.decision.blocks
        assert "slow: took longer than its deadline" in outcome.decision.reason
        assert len(outcome.errors) == 1

    def test_a_deny_that_comes_too_late_is_a_deny(self) -> None:
        def slow(_event: Event) -> Decision:
            time.sleep(0.04)
            return deny("no")

        assert handled(slow, failure=self.hasty).decision == deny("no")
        lenient = replace(self.hasty, fail="open")
        assert handled(slow, failure=lenient).decision == deny("no")

    def test_what_never_comes_is_given_up(self) -> None:
        async def forever(_event: Event) -> None:
            await asyncio.Event().wait()

        pipeline = Pipeline(failure=self.hasty)
        pipeline.add(Stage("handler", forever))
        began = time.monotonic()
        outcomes = [
            pipeline.decide(PRE),
            asyncio.run(pipeline.decide_async(PRE)),
        ]
        assert time.monotonic() - began < 5
        for outcome in outcomes:
            assert outcome.decision.blocks
            assert "forever: took longer" in outcome.decision.reason

    def test_in_a_loop_so_is_io_that_blocks_its_thread(self) -> None:
        stuck = time.monotonic() + 0.3
        pipeline = Pipeline(failure=self.hasty)
        pipeline.add(
            Stage("handler", lambda _: Pending(lambda: time.sleep(0.3), lambda _: None))
        )

        async def decided() -> tuple[Outcome, float]:
            outcome = await pipeline.decide_async(PRE)
            return outcome, time.monotonic()

        outcome, at = asyncio.run(decided())
        assert at < stuck
        assert outcome.decision.blocks


class TestInputOutput:
    @pytest.mark.parametrize("kind_of", [saying, reading, awaiting])
    def test_a_guard_may_wait_for_its_answer(
        self, kind_of: Callable[[object], Guard]
    ) -> None:
        pipeline = Pipeline()
        pipeline.add(Stage("handler", kind_of(deny("no"))))
        assert pipeline.decide(PRE).decision == deny("no")
        assert asyncio.run(pipeline.decide_async(PRE)).decision == deny("no")

    def test_it_may_ask_for_more_after_it_got_some(self) -> None:
        def guard(_event: Event) -> Pending:
            return Pending(
                lambda: 1,
                lambda one: Pending(lambda: 2, lambda two: deny(f"{one}{two}")),
            )

        assert handled(guard).decision == deny("12")

    def test_io_that_fails_is_the_guards_trouble(self) -> None:
        outcome = handled(failing_to_read(OSError("x")))
        assert outcome.decision.blocks
        assert "raised OSError" in outcome.decision.reason

    def test_the_call_may_be_a_coroutine_function(self) -> None:
        async def fetch() -> str:
            await asyncio.sleep(0)
            return "no"

        pipeline = Pipeline()
        pipeline.add(Stage("handler", lambda _: Pending(fetch, deny)))  # type: ignore[arg-type]
        assert pipeline.decide(PRE).decision == deny("no")
        assert asyncio.run(pipeline.decide_async(PRE)).decision == deny("no")

    def test_a_loop_goes_on_while_io_blocks(self) -> None:
        ticks = 0

        async def scene() -> Outcome:
            nonlocal ticks
            pipeline = Pipeline()
            pipeline.add(
                Stage(
                    "handler",
                    lambda _: Pending(lambda: time.sleep(0.1), lambda _: None),
                )
            )
            deciding = asyncio.ensure_future(pipeline.decide_async(PRE))
            while not deciding.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return deciding.result()

        assert not asyncio.run(scene()).failed
        assert ticks > 3


class TestCombinators:
    def test_any_of_stops_at_the_first_that_says_anything(self) -> None:
        asked: list[str] = []

        def noting(name: str, decision: Decision | None) -> Guard:
            def guard(_event: Event) -> Decision | None:
                asked.append(name)
                return decision

            return guard

        outcome = handled(
            any_of(
                noting("a", None),
                noting("b", no_decision()),
                noting("c", allow("fine")),
                noting("d", deny("no")),
            )
        )
        assert outcome.decision == allow("fine")
        assert asked == ["a", "b", "c"]

    def test_all_of_asks_every_one_and_joins(self) -> None:
        outcome = handled(
            all_of(saying(deny("no")), saying(ask("?").with_context("c")))
        )
        assert outcome.decision == deny("no").with_context("c")

    def test_all_of_joins_the_errors_of_those_that_fail(self) -> None:
        def one(_event: Event) -> None:
            raise KeyError

        async def two(_event: Event) -> None:
            raise OSError

        outcome = handled(all_of(one, two, failing_to_read(ValueError())))
        names = [str(error).rpartition(" ")[2] for error in outcome.errors]
        assert names == ["KeyError", "OSError", "ValueError"]
        assert "one: raised KeyError; guard" in outcome.decision.reason

    def test_when_asks_about_the_calls_that_match(self) -> None:
        guard = when(tools("shell"), saying(deny("no")))
        assert handled(guard).decision.blocks
        assert handled(when(tools("mcp"), saying(deny("no")))).decision.neutral
        assert handled(guard, kind=EventKind.PROMPT).decision.neutral

    @pytest.mark.parametrize("waiting", [reading, awaiting])
    def test_they_combine_guards_that_wait(
        self, waiting: Callable[[object], Guard]
    ) -> None:
        nested = all_of(
            any_of(waiting(None), waiting(ask("sure?"))),
            when(tools("shell"), waiting(no_decision().with_context("c"))),
        )
        pipeline = Pipeline([nested])
        wanted = ask("sure?").with_context("c")
        assert pipeline.decide(PRE).decision == wanted
        assert asyncio.run(pipeline.decide_async(PRE)).decision == wanted

    def test_their_names_tell_what_they_combine(self) -> None:
        def first(_event: Event) -> None: ...
        def second(_event: Event) -> None: ...

        stage = Stage("guard", any_of(first, all_of(second)))
        assert stage.name.startswith("any_of(")
        assert "first, all_of(" in stage.name


class TestMiddleware:
    @staticmethod
    def wrapped(
        *layers: Callable[[Event], Generator[object, object, Decision | None]],
        handlers: tuple[Guard, ...] = (),
        guards: tuple[Guard, ...] = (),
        failure: FailurePolicy = CLOSED,
    ) -> Outcome:
        pipeline = Pipeline(guards, failure=failure)
        for layer in layers:
            pipeline.add(Stage("middleware", layer))
        for handler in handlers:
            pipeline.add(Stage("handler", handler))
        outcome = pipeline.decide(PRE)
        later = asyncio.run(pipeline.decide_async(PRE))
        assert later.decision == outcome.decision
        return outcome

    def test_it_hands_on_and_keeps_what_lies_within(self) -> None:
        def layer(event: Event) -> Generator[object, object, None]:
            decision = yield event
            assert decision == ask("sure?")

        assert self.wrapped(layer, handlers=(saying(ask("sure?")),)).decision == ask(
            "sure?"
        )

    def test_it_may_answer_something_else_afterwards(self) -> None:
        def layer(event: Event) -> Generator[object, object, Decision]:
            decision = yield event
            assert isinstance(decision, Decision)
            return decision.with_context("more")

        outcome = self.wrapped(layer, handlers=(saying(ask("sure?")),))
        assert outcome.decision == ask("sure?").with_context("more")

    def test_it_may_answer_without_handing_on(self) -> None:
        def layer(event: Event) -> Generator[object, object, Decision]:
            return deny("closed today")
            yield event

        outcome = self.wrapped(layer, handlers=(raising(ValueError()),))
        assert outcome.decision == deny("closed today")
        assert not outcome.failed

    def test_it_may_change_what_the_handlers_see_but_not_the_payload(self) -> None:
        seen: list[object] = []

        def layer(event: Event) -> Generator[object, object, None]:
            assert isinstance(event, ToolEvent)
            yield event.with_input({"command": "normalized"})

        def handler(event: Event) -> None:
            assert isinstance(event, BeforeTool)
            seen.append(event.tool.input["command"])

        assert not self.wrapped(layer, handlers=(handler,)).failed
        assert set(seen) == {"normalized"}

    @pytest.mark.parametrize(
        "change",
        [
            {"raw": b"{ }"},
            {"native": {"other": 1}},
            {"kind": EventKind.PERMISSION},
            {"native_name": "Another"},
        ],
        ids=lambda change: next(iter(change)),
    )
    def test_to_change_the_payload_is_trouble(self, change: dict[str, object]) -> None:
        def layer(event: Event) -> Generator[object, object, None]:
            yield replace(event, **change)  # type: ignore[arg-type]

        outcome = self.wrapped(layer)
        assert outcome.decision.blocks
        assert "layer: " in outcome.decision.reason

    def test_to_hand_on_twice_is_trouble_that_loses_no_verdict(self) -> None:
        asked: list[Event] = []

        def layer(event: Event) -> Generator[object, object, None]:
            yield event
            yield event

        def handler(event: Event) -> Decision:
            asked.append(event)
            return deny("no")

        outcome = self.wrapped(layer, handlers=(handler,), failure=OPEN)
        assert outcome.decision == deny("no")
        assert "handed the event on twice" in str(outcome.errors)
        assert len(asked) == 2  # once by each driver

    def test_to_fail_afterwards_loses_no_verdict_either(self) -> None:
        def layer(event: Event) -> Generator[object, object, None]:
            yield event
            raise ValueError(SECRET)

        outcome = self.wrapped(layer, handlers=(saying(deny("no")),), failure=OPEN)
        assert outcome.decision == deny("no")
        assert outcome.failed
        assert SECRET not in str(outcome.errors)

    @pytest.mark.parametrize("failure", [CLOSED, OPEN])
    def test_to_fail_at_once_follows_the_failure_policy(
        self, failure: FailurePolicy
    ) -> None:
        def layer(event: Event) -> Generator[object, object, None]:
            raise ValueError
            yield event

        assert self.wrapped(layer, failure=failure).decision.blocks is (
            failure is CLOSED
        )

    def test_to_yield_anything_else_is_trouble(self) -> None:
        def layer(_event: Event) -> Generator[object, object, None]:
            yield "event"

        assert "neither an event nor" in self.wrapped(layer).decision.reason

    def test_an_answer_of_another_family_is_trouble(self) -> None:
        def layer(event: Event) -> Generator[object, object, Decision]:
            yield event
            return block_prompt("no")

        assert "which takes a Gate" in self.wrapped(layer).decision.reason

    def test_the_first_registered_is_the_outermost(self) -> None:
        order: list[str] = []

        def named(
            name: str,
        ) -> Callable[[Event], Generator[object, object, Decision | None]]:
            def layer(event: Event) -> Generator[object, object, None]:
                order.append(f"{name} in")
                yield event
                order.append(f"{name} out")

            return layer

        pipeline = Pipeline()
        pipeline.add(Stage("middleware", named("a")))
        pipeline.add(Stage("middleware", named("b")))
        pipeline.add(Stage("handler", lambda _: order.append("handler")))
        pipeline.decide(PRE)
        assert order == ["a in", "b in", "handler", "b out", "a out"]

    def test_it_may_do_io_and_mend_its_failure(self) -> None:
        def layer(event: Event) -> Generator[object, object, Decision]:
            got = yield Pending(lambda: "one", lambda value: value)
            try:
                yield Pending(lambda: 1 // 0, lambda value: value)
            except ZeroDivisionError:
                got = f"{got}, mended"
            yield event
            return ask(str(got))

        assert self.wrapped(layer).decision == ask("one, mended")

    def test_it_never_stands_before_the_guards(self) -> None:
        def layer(_event: Event) -> Generator[object, object, Decision]:
            return allow("skip everything")
            yield

        outcome = self.wrapped(layer, guards=(saying(ask("policy")),))
        assert outcome.decision == ask("policy")

    def test_its_last_words_are_said_whatever_happens(self) -> None:
        closed: list[bool] = []

        def layer(event: Event) -> Generator[object, object, None]:
            try:
                yield event
                yield event
            finally:
                closed.append(True)

        self.wrapped(layer)
        assert closed == [True, True]

    def test_a_function_that_hands_nothing_on_is_refused_at_once(self) -> None:
        with pytest.raises(TypeError, match="has to yield"):
            Pipeline().add(Stage("middleware", saying(None)))


class TestObservers:
    @pytest.mark.parametrize("kind", EventKind)
    def test_they_see_every_event_and_never_gate(self, kind: EventKind) -> None:
        seen: list[Event] = []

        def observer(event: Event) -> Decision:
            seen.append(event)
            return deny("an observer has no say")

        pipeline = Pipeline([raising(ValueError())])
        pipeline.add(Stage("observer", observer))
        given_event = event(kind)
        outcome = pipeline.decide(given_event)
        assert seen == [given_event]
        assert outcome.decision.reason != "an observer has no say"

    @pytest.mark.parametrize("error", [ValueError(SECRET), SystemExit(1)])
    def test_one_that_fails_is_reported_and_gates_nothing(
        self, error: BaseException
    ) -> None:
        pipeline = Pipeline()
        pipeline.add(Stage("observer", raising(error)))
        outcome = pipeline.decide(PRE)
        assert outcome.decision == no_decision()
        assert not outcome.failed
        assert len(outcome.observer_errors) == 1
        assert SECRET not in str(outcome.observer_errors)

    def test_an_event_may_be_shown_to_them_alone(self) -> None:
        seen: list[Event] = []
        pipeline = Pipeline([raising(AssertionError())])
        pipeline.add(Stage("observer", seen.append))
        pipeline.add(Stage("observer", raising(ValueError())))
        (error,) = pipeline.observe(PRE)
        assert isinstance(error, GuardError)
        assert seen == [PRE]

    def test_they_may_wait(self) -> None:
        seen: list[Event] = []

        async def observer(event: Event) -> None:
            await asyncio.sleep(0)
            seen.append(event)

        pipeline = Pipeline()
        pipeline.add(Stage("observer", observer))
        pipeline.decide(PRE)
        asyncio.run(pipeline.decide_async(PRE))
        pipeline.observe(PRE)
        assert seen == [PRE] * 3


class TestNativeEvents:
    def test_a_handler_may_be_about_one_native_event(self) -> None:
        pipeline = Pipeline()
        answer = answer_natively({"path": "/x"})
        pipeline.add(Stage("handler", saying(answer), native_name="WorktreeCreate"))
        other = event(EventKind.OTHER)
        assert pipeline.decide(other).decision.neutral
        named = replace(other, native_name="WorktreeCreate")
        assert pipeline.decide(named).decision == answer


class TestWalking:
    def test_stages_are_visited_as_an_event_meets_them(self) -> None:
        def layer(event: Event) -> Generator[object, object, None]:
            yield event

        pipeline = Pipeline([saying(None)])
        pipeline.add(Stage("handler", saying(None)))
        pipeline.add(Stage("middleware", layer))
        pipeline.add(Stage("observer", saying(None)))
        roles = [stage.role for stage in pipeline.walk()]
        assert roles == ["observer", "guard", "middleware", "handler"]

    def test_a_stage_says_its_name_and_where_it_stands(self) -> None:
        def named(_event: Event) -> None: ...

        stage = Stage("handler", named)
        assert stage.name.endswith("named")
        assert stage.where.startswith(__file__)
        named.name = "no-force-push"  # type: ignore[attr-defined]
        assert stage.name == "no-force-push"

    def test_also_one_that_is_no_function(self) -> None:
        class Checker:
            def __call__(self, _event: Event) -> None: ...

        stage = Stage("handler", Checker())
        assert stage.name.endswith("Checker")
        assert stage.where == ""


# -- both drivers ----------------------------------------------------------------

simple_guards = st.one_of(
    gates.map(saying),
    gates.map(reading),
    gates.map(awaiting),
    st.sampled_from(
        [
            saying(None),
            saying(observed()),
            raising(ValueError()),
            raising(SystemExit(0)),
            failing_to_read(OSError()),
        ]
    ),
)
any_guards = st.recursive(
    simple_guards,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda guards: any_of(*guards)),
        st.lists(inner, max_size=3).map(lambda guards: all_of(*guards)),
        inner.map(lambda guard: when(tools("shell"), guard)),
    ),
    max_leaves=5,
)


@given(
    st.lists(any_guards, max_size=3),
    st.lists(any_guards, max_size=3),
    st.sampled_from([CLOSED, OPEN]),
    st.booleans(),
)
def test_both_drivers_decide_the_same(
    guards: list[Guard],
    handlers: list[Guard],
    failure: FailurePolicy,
    exhaustive: bool,
) -> None:
    pipeline = Pipeline(guards, failure=failure)
    for handler in handlers:
        pipeline.add(Stage("handler", handler))
    now = pipeline.decide(PRE, exhaustive=exhaustive)
    later = asyncio.run(pipeline.decide_async(PRE, exhaustive=exhaustive))
    assert now.decision == later.decision
    assert now.views == later.views
    assert list(map(str, now.errors)) == list(map(str, later.errors))


@given(st.lists(gates, max_size=4))
def test_the_decision_is_the_join_of_what_was_said(decisions: list[Decision]) -> None:
    outcome = handled(*map(saying, decisions), failure=OPEN, exhaustive=True)
    assert outcome.decision == join(decisions, EventKind.TOOL_PRE)
