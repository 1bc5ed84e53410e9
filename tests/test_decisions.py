"""How decisions are made, read, and joined."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given

from ringfence.decisions import (
    FAMILIES,
    UNSET,
    Decision,
    Gate,
    Observe,
    PromptAnswer,
    Result,
    Span,
    StopAnswer,
    accept_prompt,
    allow,
    answer_natively,
    ask,
    block_prompt,
    continue_with,
    deny,
    finish,
    flag_output,
    join,
    neutral,
    no_decision,
    observe,
    observed,
    redact_spans,
    replace_output,
    rewrite,
    withhold,
)
from ringfence.events import EventKind
from ringfence.verdicts import Judgement, Kind
from tests.strategies import gates, observations, results, several, stop_answers

STRICTNESS = [
    [Kind.NO_DECISION, Kind.ALLOW, Kind.ASK, Kind.DENY],
    [Kind.ACCEPT, Kind.BLOCK],
    [Kind.OBSERVED, Kind.FLAG, Kind.REPLACE],
    [Kind.FINISH, Kind.CONTINUE],
    [Kind.OBSERVE],
]
"""The verdicts of each family, loosest first: stated here once more on purpose."""


def rank(decision: Decision) -> int:
    return next(
        family.index(decision.kind) for family in STRICTNESS if decision.kind in family
    )


def ordered_union(*parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for part in parts for text in part))


class TestLawsOfJoining:
    @given(several(3))
    def test_it_is_associative(self, three: tuple[Decision, ...]) -> None:
        a, b, c = three
        assert a.join(b).join(c) == a.join(b.join(c))

    @given(several(1))
    def test_a_decision_joined_with_itself_is_itself(
        self, one: tuple[Decision, ...]
    ) -> None:
        (a,) = one
        assert a.join(a) == a

    @given(several(1))
    def test_the_neutral_decision_changes_nothing_on_either_side(
        self, one: tuple[Decision, ...]
    ) -> None:
        (a,) = one
        blank = type(a)()
        assert blank.join(a) == a
        assert a.join(blank) == a

    @given(several(2))
    def test_the_strictest_verdict_stands(self, two: tuple[Decision, ...]) -> None:
        a, b = two
        assert rank(a.join(b)) == max(rank(a), rank(b))

    @given(several(3))
    def test_no_order_of_guards_changes_the_verdict(
        self, three: tuple[Decision, ...]
    ) -> None:
        kinds = {
            (one.kind, one.conflict, one.stop_agent is None)
            for a, b, c in permutations(three)
            for one in [a.join(b).join(c)]
        }
        assert len(kinds) == 1

    @given(several(2))
    def test_every_text_is_kept_once_and_in_order(
        self, two: tuple[Decision, ...]
    ) -> None:
        a, b = two
        joined = a.join(b)
        assert joined.contexts == ordered_union(a.contexts, b.contexts)
        assert joined.system_messages == ordered_union(
            a.system_messages, b.system_messages
        )

    @given(several(2))
    def test_an_end_of_the_turn_that_either_wants_is_kept(
        self, two: tuple[Decision, ...]
    ) -> None:
        a, b = two
        wanted = [one.stop_agent for one in two if one.stop_agent is not None]
        assert a.join(b).stop_agent == (wanted[0] if wanted else None)

    @given(several(2))
    def test_the_reason_is_that_of_the_stricter_one(
        self, two: tuple[Decision, ...]
    ) -> None:
        a, b = two
        if isinstance(a, (Gate, PromptAnswer)):
            assert isinstance(b, (Gate, PromptAnswer))
            stricter = b if rank(b) > rank(a) else a
            assert a.join(b).judgement == stricter.judgement

    @given(gates, gates)
    def test_two_gates_conflict_where_they_rewrite_differently(
        self, a: Gate, b: Gate
    ) -> None:
        joined = a.join(b)
        rewrites = [g.updated_input for g in (a, b) if g.updated_input is not None]
        differ = len(rewrites) == 2 and rewrites[0] != rewrites[1]
        assert joined.conflict is (differ or a.conflict or b.conflict)
        assert joined.updated_input == (rewrites[0] if rewrites else None)

    @given(results, results)
    def test_two_results_conflict_where_they_replace_differently(
        self, a: Result, b: Result
    ) -> None:
        joined = a.join(b)
        replaced = [r.replaced_output for r in (a, b) if r.replaced_output is not UNSET]
        differ = len(replaced) == 2 and replaced[0] != replaced[1]
        assert joined.conflict is (differ or a.conflict or b.conflict)
        assert joined.replaced_output == (replaced[0] if replaced else UNSET)

    @given(results, results)
    def test_everything_that_either_covers_is_covered(
        self, a: Result, b: Result
    ) -> None:
        assert a.join(b).redactions == a.redactions | b.redactions
        assert a.join(b).redacted_by == ordered_union(a.redacted_by, b.redacted_by)

    @given(observations, observations)
    def test_two_native_answers_conflict_where_they_differ(
        self, a: Observe, b: Observe
    ) -> None:
        differ = None not in (a.native, b.native) and a.native != b.native
        assert a.join(b).conflict is (differ or a.conflict or b.conflict)

    @given(stop_answers, stop_answers)
    def test_an_agent_is_told_everything_it_is_to_go_on_with(
        self, a: StopAnswer, b: StopAnswer
    ) -> None:
        assert a.join(b).instructions == ordered_union(a.instructions, b.instructions)

    @pytest.mark.parametrize("kind", EventKind)
    def test_joining_nothing_is_neutral(self, kind: EventKind) -> None:
        assert join([], kind) == neutral(kind) == FAMILIES[kind]()
        assert neutral(kind).neutral

    def test_families_do_not_mix(self) -> None:
        with pytest.raises(TypeError, match="PromptAnswer cannot answer where a Gate"):
            deny("no").join(block_prompt("no"))
        with pytest.raises(TypeError):
            join([block_prompt("no")], EventKind.TOOL_PRE)

    def test_one_and_true_are_two_different_rewrites(self) -> None:
        assert rewrite({"background": 1}).join(rewrite({"background": True})).conflict
        assert replace_output(0).join(replace_output(False)).conflict
        assert not rewrite({"n": 1}).join(rewrite({"n": 1})).conflict

    def test_a_replacement_that_equals_nothing_does_not_conflict_with_itself(
        self,
    ) -> None:
        odd = replace_output(float("nan"))
        assert not odd.join(odd).conflict


class TestMaking:
    def test_saying_nothing_is_not_allowing(self) -> None:
        assert no_decision().kind is Kind.NO_DECISION
        assert no_decision() != allow()
        assert not no_decision().join(allow()).neutral

    def test_a_deny_blocks_and_says_why(self) -> None:
        decision = deny("force pushes need a person", suggest="git push")
        assert decision.kind is Kind.DENY
        assert decision.blocks
        assert decision.reason == "force pushes need a person"
        assert decision.suggest == "git push"

    @pytest.mark.parametrize(
        "decision", [no_decision(), allow(), ask("sure?"), accept_prompt(), observed()]
    )
    def test_nothing_else_before_a_call_blocks(self, decision: Decision) -> None:
        assert not decision.blocks

    def test_a_blocked_prompt_blocks(self) -> None:
        assert block_prompt("no").blocks
        assert block_prompt("no").kind is Kind.BLOCK

    def test_a_rewrite_is_the_whole_input_and_a_copy(self) -> None:
        wanted = {"command": "ls"}
        decision = rewrite(wanted)
        wanted["command"] = "pwd"
        assert decision.updated_input == {"command": "ls"}
        assert decision.kind is Kind.NO_DECISION

    def test_a_flag_leaves_the_result_and_a_replacement_does_not(self) -> None:
        assert flag_output("untrusted").kind is Kind.FLAG
        assert not flag_output("untrusted").replaces
        for decision in (
            replace_output(None),
            redact_spans([Span((), 0, 3)]),
            withhold("secret"),
        ):
            assert decision.kind is Kind.REPLACE
            assert decision.replaces

    def test_redacting_nothing_is_neutral(self) -> None:
        assert redact_spans([]).neutral

    def test_an_agent_that_goes_on_is_told_with_what(self) -> None:
        assert continue_with("run the tests").instruction == "run the tests"
        assert continue_with("run the tests").kind is Kind.CONTINUE
        assert finish().kind is Kind.FINISH
        with pytest.raises(ValueError, match="instruction"):
            continue_with("")

    def test_a_native_answer_is_handed_on(self) -> None:
        assert answer_natively({"path": "/x"}).native == {"path": "/x"}
        assert observe().neutral

    def test_a_verdict_that_says_nothing_has_no_grounds(self) -> None:
        with pytest.raises(ValueError, match="no grounds"):
            Judgement(Kind.NO_DECISION, "because")

    def test_a_decision_cannot_be_changed(self) -> None:
        with pytest.raises(AttributeError):
            deny("no").contexts = ("x",)  # type: ignore[misc]


class TestModifiers:
    @given(several(1))
    def test_they_never_change_the_verdict(self, one: tuple[Decision, ...]) -> None:
        (decision,) = one
        changed = (
            decision.with_context("read this")
            .with_system_message("see this")
            .with_stop_agent("enough")
        )
        assert changed.kind is decision.kind
        assert changed.reason == decision.reason
        assert "read this" in changed.contexts
        assert "see this" in changed.system_messages
        assert changed.stop_agent == "enough"

    def test_texts_are_read_as_one(self) -> None:
        decision = no_decision().with_context("one", "", "two").with_context("one")
        assert decision.contexts == ("one", "two")
        assert decision.context == "one\ntwo"
        told = no_decision().with_system_message("a").with_system_message("b")
        assert told.system_message == "a\nb"

    def test_a_rule_is_named_only_where_there_is_a_verdict(self) -> None:
        assert deny("no").with_rule("r1").rule == "r1"
        assert no_decision().with_rule("r1").neutral
        assert observed().with_rule("r1").neutral
        assert withhold("no").with_rule("r1").rule == "r1"
        assert flag_output("hm").with_rule("r1").rule == "r1"
        assert redact_spans([Span((), 0, 1)]).with_rule("r1").rule == "r1"

    def test_the_first_block_reason_that_says_something_is_told(self) -> None:
        decision = deny("for the model").with_block_reason("", "for the person", "x")
        assert decision.block_reason == "for the person"
        assert decision.reason == "for the model"

    def test_without_a_block_reason_the_reason_is_told(self) -> None:
        assert deny("no").with_block_reason("", "").block_reason == "no"
        assert block_prompt("no").block_reason == "no"

    def test_what_stops_nothing_takes_no_block_reason(self) -> None:
        for decision in (no_decision(), allow("fine"), ask("sure?"), accept_prompt()):
            assert decision.with_block_reason("stop") == decision
