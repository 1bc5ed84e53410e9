"""What becomes of decisions where a harness does not honour them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.capabilities import (
    AskFallback,
    Capabilities,
    Capability,
    Support,
    degrade,
    plainest,
)
from ringfence.decisions import (
    FAMILIES,
    Decision,
    Gate,
    Result,
    Span,
    allow,
    answer_natively,
    ask,
    block_prompt,
    continue_with,
    deny,
    flag_output,
    neutral,
    no_decision,
    redact_spans,
    replace_output,
    rewrite,
    withhold,
)
from ringfence.events import EventKind
from ringfence.verdicts import Kind
from tests.strategies import BY_FAMILY, gates, supports

RANK = [Kind.NO_DECISION, Kind.ALLOW, Kind.ASK, Kind.DENY]
fallbacks = st.sampled_from(AskFallback)


@st.composite
def met(draw: st.DrawFn) -> tuple[Decision, Capabilities]:
    """A decision of any family, and what is honoured where it is made."""
    kind = draw(st.sampled_from(EventKind))
    decision = draw(BY_FAMILY[FAMILIES[kind]])
    return decision, Capabilities(kind, draw(supports))


def honouring(kind: EventKind, *capabilities: Capability) -> Capabilities:
    return Capabilities(kind, dict.fromkeys(capabilities, Support.YES))


def can_deny(support: dict[Capability, Support]) -> Capabilities:
    return Capabilities(EventKind.TOOL_PRE, {**support, Capability.DENY: Support.YES})


def everything(kind: EventKind) -> Capabilities:
    return honouring(kind, *Capability)


class TestLaws:
    @given(met())
    def test_a_decision_is_honoured_where_it_is_left_as_it_was(
        self, made: tuple[Decision, Capabilities]
    ) -> None:
        decision, capabilities = made
        assert capabilities.can(decision) is (
            degrade(decision, capabilities).decision == decision
        )

    @given(met(), fallbacks)
    def test_what_is_left_is_honoured(
        self, made: tuple[Decision, Capabilities], fallback: AskFallback
    ) -> None:
        decision, capabilities = made
        once = degrade(decision, capabilities, ask_fallback=fallback)
        twice = degrade(once.decision, capabilities, ask_fallback=fallback)
        assert twice.decision == once.decision
        assert twice.losses == ()
        assert capabilities.can(once.decision)

    @given(met(), fallbacks)
    def test_nothing_is_lost_in_silence(
        self, made: tuple[Decision, Capabilities], fallback: AskFallback
    ) -> None:
        decision, capabilities = made
        left = degrade(decision, capabilities, ask_fallback=fallback)
        if not left.losses:
            input_of_a_denied_call = isinstance(decision, Gate) and decision.blocks
            assert left.decision == decision or input_of_a_denied_call

    @given(st.sampled_from(EventKind), st.data())
    def test_a_neutral_decision_is_honoured_everywhere(
        self, kind: EventKind, data: st.DataObject
    ) -> None:
        assert Capabilities(kind, data.draw(supports)).can(neutral(kind))

    @given(gates, supports)
    def test_a_verdict_before_a_call_is_never_loosened_where_it_can_be_helped(
        self, gate: Gate, support: dict[Capability, Support]
    ) -> None:
        left = degrade(gate, can_deny(support)).decision
        dropped_allow = gate.kind is Kind.ALLOW and left.kind is Kind.NO_DECISION
        assert dropped_allow or RANK.index(left.kind) >= RANK.index(gate.kind)

    @given(gates, supports, fallbacks)
    def test_an_allow_is_never_made_of_anything_else(
        self, gate: Gate, support: dict[Capability, Support], fallback: AskFallback
    ) -> None:
        capabilities = Capabilities(EventKind.TOOL_PRE, support)
        left = degrade(gate, capabilities, ask_fallback=fallback).decision
        assert left.kind is not Kind.ALLOW or gate.kind is Kind.ALLOW

    @given(gates, supports)
    def test_a_rewrite_reaches_the_call_or_the_call_does_not_run(
        self, gate: Gate, support: dict[Capability, Support]
    ) -> None:
        wanted = {"command": "true"}
        left = degrade(gate.with_updated_input(wanted), can_deny(support)).decision
        assert isinstance(left, Gate)
        assert left.updated_input == wanted or left.kind is Kind.DENY


class TestAsking:
    nobody = honouring(EventKind.TOOL_PRE, Capability.DENY)

    def test_where_nobody_can_be_asked_an_ask_is_a_deny_that_says_so(self) -> None:
        left = degrade(ask("production is asked for", suggest="--dry"), self.nobody)
        assert left.decision.kind is Kind.DENY
        assert left.decision.reason.startswith("production is asked for (")
        assert isinstance(left.decision, Gate)
        assert left.decision.suggest == "--dry"
        assert [loss.capability for loss in left.losses] == [Capability.ASK]

    def test_or_nothing_where_the_fallback_says_so(self) -> None:
        fallback = AskFallback.NO_DECISION
        left = degrade(ask("sure?"), self.nobody, ask_fallback=fallback)
        assert left.decision == no_decision()
        assert left.losses

    def test_a_degraded_support_is_no_support(self) -> None:
        support = {Capability.ASK: Support.DEGRADED, Capability.DENY: Support.YES}
        capabilities = Capabilities(EventKind.TOOL_PRE, support)
        assert not capabilities.can(Capability.ASK)
        assert degrade(ask("sure?"), capabilities).decision.kind is Kind.DENY

    def test_a_rewrite_beside_a_question_is_a_deny(self) -> None:
        asked = ask("sure?").with_updated_input({"command": "ls"})
        left = degrade(asked, everything(EventKind.TOOL_PRE))
        assert left.decision == deny("sure?")
        assert [loss.capability for loss in left.losses] == [Capability.UPDATE_INPUT]


class TestRewriting:
    def test_without_a_reason_the_deny_names_the_rewrite(self) -> None:
        capabilities = honouring(EventKind.TOOL_PRE, Capability.DENY)
        left = degrade(rewrite({"command": "ls"}), capabilities)
        assert left.decision.kind is Kind.DENY
        assert "changed before it may run" in left.decision.reason

    def test_a_permission_request_takes_an_input_with_an_allow_only(self) -> None:
        capabilities = everything(EventKind.PERMISSION)
        assert capabilities.can(allow().with_updated_input({"command": "ls"}))
        assert not capabilities.can(rewrite({"command": "ls"}))
        assert degrade(rewrite({"command": "ls"}), capabilities).decision.blocks

    def test_the_input_of_a_denied_call_is_no_loss(self) -> None:
        denied = deny("no").with_updated_input({"command": "ls"})
        left = degrade(denied, everything(EventKind.TOOL_PRE))
        assert left.decision == deny("no")
        assert left.losses == ()


class TestAllowing:
    def test_where_it_is_not_honoured_the_harness_decides(self) -> None:
        left = degrade(allow("fine"), honouring(EventKind.TOOL_PRE, Capability.DENY))
        assert left.decision == no_decision()
        assert [loss.capability for loss in left.losses] == [Capability.ALLOW]


class TestResults:
    flag_only = honouring(EventKind.TOOL_ERROR, Capability.FLAG_OUTPUT)

    @pytest.mark.parametrize(
        "decision",
        [
            withhold("a secret"),
            replace_output("other").join(flag_output("a secret")),
        ],
    )
    def test_what_can_not_be_replaced_is_flagged(self, decision: Decision) -> None:
        left = degrade(decision, self.flag_only)
        assert left.decision.kind is Kind.FLAG
        assert "a secret" in left.decision.reason
        assert [loss.capability for loss in left.losses] == [Capability.REPLACE_OUTPUT]

    def test_both_the_note_and_the_flag_are_told(self) -> None:
        both = withhold("a secret").join(flag_output("injected instructions"))
        assert degrade(both, self.flag_only).decision.reason == (
            "a secret; injected instructions"
        )

    def test_the_rule_that_redacted_is_still_named(self) -> None:
        covered = redact_spans([Span((), 0, 3)]).with_rule("secrets")
        left = degrade(covered, self.flag_only).decision
        assert left.rule == "secrets"
        assert "do not use or repeat" in left.reason
        assert isinstance(left, Result)
        assert not left.replaces

    def test_where_nothing_can_be_said_both_are_lost(self) -> None:
        left = degrade(withhold("a secret"), Capabilities(EventKind.TOOL_POST))
        assert left.decision == neutral(EventKind.TOOL_POST)
        assert left.losses


class TestOthers:
    def test_a_prompt_that_can_not_be_stopped_passes_and_is_a_loss(self) -> None:
        left = degrade(block_prompt("no"), Capabilities(EventKind.PROMPT))
        assert left.decision == neutral(EventKind.PROMPT)
        assert [loss.capability for loss in left.losses] == [Capability.DENY]

    def test_an_agent_that_can_not_be_sent_on_finishes(self) -> None:
        left = degrade(continue_with("test"), Capabilities(EventKind.STOP))
        assert left.decision.kind is Kind.FINISH
        assert [loss.capability for loss in left.losses] == [Capability.CONTINUE_AGENT]

    @pytest.mark.parametrize("kind", EventKind)
    def test_modifiers_that_are_not_honoured_are_listed(self, kind: EventKind) -> None:
        made = (
            neutral(kind)
            .with_context("a")
            .with_system_message("b")
            .with_stop_agent("c")
        )
        left = degrade(made, Capabilities(kind))
        assert left.decision == neutral(kind)
        assert [loss.capability for loss in left.losses] == [
            Capability.ADD_CONTEXT,
            Capability.SYSTEM_MESSAGE,
            Capability.STOP_AGENT,
        ]

    def test_a_native_answer_stands_alone(self) -> None:
        native = answer_natively({"path": "/x"})
        capabilities = everything(EventKind.OTHER)
        assert capabilities.can(native)
        left = degrade(native.with_context("more"), capabilities)
        assert left.decision == native
        assert [loss.capability for loss in left.losses] == [Capability.ADD_CONTEXT]

    def test_a_loss_can_be_read(self) -> None:
        left = degrade(continue_with("test"), Capabilities(EventKind.STOP))
        assert str(left.losses[0]) == (
            "continue-agent is not honoured here: the agent finishes"
        )


class TestCan:
    def test_a_decision_of_another_family_is_not_honoured(self) -> None:
        assert not everything(EventKind.TOOL_PRE).can(block_prompt("no"))
        assert not everything(EventKind.PROMPT).can(deny("no"))
        assert everything(EventKind.PROMPT).can(block_prompt("no"))

    @pytest.mark.parametrize("kind", EventKind)
    @pytest.mark.parametrize("capability", Capability)
    def test_a_capability_is_honoured_where_its_plainest_decision_is(
        self, kind: EventKind, capability: Capability
    ) -> None:
        plain = plainest(capability, kind)
        if plain is None:
            assert not everything(kind).can(capability)
        else:
            assert type(plain) is FAMILIES[kind]
            assert everything(kind).can(capability)
            assert not Capabilities(kind).can(capability)
            assert honouring(kind, capability, Capability.ALLOW).can(capability)
