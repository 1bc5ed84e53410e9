"""What a harness honours at an event, and what becomes of a decision there.

:func:`degrade` is the only place that knows: ``can(x)`` is ``degrade(x) == x``, and
an encoder renders nothing but what ``degrade`` returned.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ringfence.decisions import (
    UNSET,
    Decision,
    Gate,
    Observe,
    PromptAnswer,
    Result,
    StopAnswer,
    allow,
    ask,
    block_prompt,
    continue_with,
    deny,
    flag_output,
    neutral,
    replace_output,
    rewrite,
)
from ringfence.events import EventKind
from ringfence.verdicts import Judgement, Kind


class Capability(StrEnum):
    """The things a decision may ask of a harness."""

    DENY = "deny"
    ASK = "ask"
    ALLOW = "allow"
    UPDATE_INPUT = "update-input"
    ADD_CONTEXT = "add-context"
    FLAG_OUTPUT = "flag-output"
    REPLACE_OUTPUT = "replace-output"
    CONTINUE_AGENT = "continue-agent"
    STOP_AGENT = "stop-agent"
    SYSTEM_MESSAGE = "system-message"


class Support(StrEnum):
    """How far a harness honours a capability.

    ``degraded``: the intent is reached by other means, such as a deny for an ask.
    """

    YES = "yes"
    DEGRADED = "degraded"
    NO = "no"


SUPPORT_ORDER = (Support.NO, Support.DEGRADED, Support.YES)


class AskFallback(StrEnum):
    """What an ask becomes where nobody can be asked."""

    DENY = "deny"
    NO_DECISION = "no_decision"


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing a decision asked for and a harness does not honour."""

    capability: Capability
    became: str

    def __str__(self) -> str:
        return f"{self.capability.value} is not honoured here: {self.became}"


@dataclass(frozen=True, slots=True)
class Degraded:
    """What is left of a decision, and what was lost on the way."""

    decision: Decision
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What one harness, in one version, honours at one native event.

    Capabilities that ``support`` leaves out are not honoured. ``extrapolated`` says
    that the version was never measured and the safest known answer is given.
    """

    kind: EventKind
    support: Mapping[Capability, Support] = field(default_factory=dict)
    extrapolated: bool = False

    def supports(self, capability: Capability) -> bool:
        """Tell whether a capability is honoured as it is."""
        return self.support.get(capability, Support.NO) is Support.YES

    def can(self, wanted: Capability | Decision) -> bool:
        """Tell whether a decision passes :func:`degrade` unchanged.

        For a capability, the plainest decision that needs it is tried. False for a
        decision of another family than the event's.
        """
        decision = wanted
        if isinstance(decision, Capability):
            plain = plainest(decision, self.kind)
            if plain is None:
                return False
            decision = plain
        if type(decision) is not type(neutral(self.kind)):
            return False
        return degrade(decision, self).decision == decision


_PLAIN: Mapping[Capability, Callable[[], Decision]] = {
    Capability.ASK: lambda: ask("why"),
    Capability.ALLOW: allow,
    Capability.UPDATE_INPUT: lambda: rewrite({"key": 1}),
    Capability.FLAG_OUTPUT: lambda: flag_output("why"),
    Capability.REPLACE_OUTPUT: lambda: replace_output("text"),
    Capability.CONTINUE_AGENT: lambda: continue_with("go on"),
}


def plainest(capability: Capability, kind: EventKind) -> Decision | None:
    """Return the plainest decision that needs a capability at an event kind.

    ``None`` where no decision of that kind's family can ask for it.
    """
    blank = neutral(kind)
    made: Decision
    if capability is Capability.ADD_CONTEXT:
        return blank.with_context("text")
    if capability is Capability.SYSTEM_MESSAGE:
        return blank.with_system_message("text")
    if capability is Capability.STOP_AGENT:
        return blank.with_stop_agent("why")
    if capability is Capability.DENY:
        made = block_prompt("why") if isinstance(blank, PromptAnswer) else deny("why")
    elif capability is Capability.UPDATE_INPUT and kind is EventKind.PERMISSION:
        made = allow().with_updated_input({"key": 1})
    else:
        made = _PLAIN[capability]()
    return made if type(made) is type(blank) else None


def degrade(
    decision: Decision,
    capabilities: Capabilities,
    *,
    ask_fallback: AskFallback = AskFallback.DENY,
) -> Degraded:
    """Map a decision to the nearest one that the harness honours.

    Never loosens where it can help it: an ask becomes what ``ask_fallback`` says, a
    rewrite that can't be made becomes a deny that names it. What is lost is listed.
    """
    losses: list[Loss] = []

    def lost(capability: Capability, became: str) -> None:
        losses.append(Loss(capability, became))

    if isinstance(decision, Gate):
        decision = _gate(decision, capabilities, ask_fallback, lost)
    elif isinstance(decision, PromptAnswer):
        decision = _prompt(decision, capabilities, lost)
    elif isinstance(decision, Result):
        decision = _result(decision, capabilities, lost)
    elif isinstance(decision, StopAnswer):
        decision = _stop(decision, capabilities, lost)
    decision = _modifiers(decision, capabilities, lost)
    return Degraded(decision, tuple(losses))


_Lost = Callable[[Capability, str], None]


def _gate(gate: Gate, can: Capabilities, fallback: AskFallback, lost: _Lost) -> Gate:
    if gate.kind is Kind.ASK and not can.supports(Capability.ASK):
        gate = _nobody_to_ask(gate, fallback)
        lost(Capability.ASK, f"the call gets {gate.kind.value}")
    if gate.updated_input is not None and gate.kind is Kind.DENY:
        # A call that does not run has no input; nothing is lost.
        gate = replace(gate, updated_input=None)
    if gate.updated_input is not None and not _rewritable(gate, can):
        lost(Capability.UPDATE_INPUT, "the call is denied, for it would run unchanged")
        reason = "this call has to be changed before it may run"
        judgement = Judgement(Kind.DENY, gate.reason or reason, gate.rule, gate.suggest)
        gate = replace(gate, judgement=judgement, updated_input=None)
    if gate.kind is Kind.ALLOW and not can.supports(Capability.ALLOW):
        lost(Capability.ALLOW, "the harness decides by itself")
        gate = replace(gate, judgement=Judgement(Kind.NO_DECISION))
    if gate.kind is Kind.DENY and not can.supports(Capability.DENY):
        lost(Capability.DENY, "the call can't be stopped here")
        gate = replace(gate, judgement=Judgement(Kind.NO_DECISION))
    return gate


def _rewritable(gate: Gate, can: Capabilities) -> bool:
    """Tell whether a rewrite is sure to reach the call.

    Beside a question it is not: harnesses drop it when a person says yes. A
    permission request takes another input with an allow only.
    """
    if gate.kind is Kind.ASK:
        return False
    if can.kind is EventKind.PERMISSION and gate.kind is not Kind.ALLOW:
        return False
    return can.supports(Capability.UPDATE_INPUT)


def _nobody_to_ask(gate: Gate, fallback: AskFallback) -> Gate:
    if fallback is AskFallback.NO_DECISION:
        return replace(gate, judgement=Judgement(Kind.NO_DECISION))
    reason = gate.reason or "a person has to confirm this call"
    told = f"{reason} (nobody can be asked here, so the call is denied)"
    return replace(gate, judgement=replace(gate.judgement, kind=Kind.DENY, reason=told))


def _prompt(answer: PromptAnswer, can: Capabilities, lost: _Lost) -> PromptAnswer:
    if answer.kind is Kind.BLOCK and not can.supports(Capability.DENY):
        lost(Capability.DENY, "the prompt can't be stopped here")
        return replace(answer, judgement=Judgement(Kind.ACCEPT))
    return answer


def _result(result: Result, can: Capabilities, lost: _Lost) -> Result:
    if result.replaces and not can.supports(Capability.REPLACE_OUTPUT):
        became = "the model sees the result"
        flag = result.flag
        if can.supports(Capability.FLAG_OUTPUT):
            became += ", with a note not to use it"
            note = "part of this result is withheld by policy: do not use or repeat it"
            grounds = (result.withheld.reason or note, result.flag.reason)
            told = "; ".join(text for text in grounds if text)
            flag = Judgement(Kind.FLAG, told, result.rule)
        lost(Capability.REPLACE_OUTPUT, became)
        result = replace(
            result,
            flag=flag,
            redactions=frozenset(),
            redacted_by=(),
            replaced_output=UNSET,
            withheld=Judgement(Kind.OBSERVED),
        )
    if result.flag.kind is Kind.FLAG and not can.supports(Capability.FLAG_OUTPUT):
        lost(Capability.FLAG_OUTPUT, "the model is not told")
        result = replace(result, flag=Judgement(Kind.OBSERVED))
    return result


def _stop(answer: StopAnswer, can: Capabilities, lost: _Lost) -> StopAnswer:
    if answer.kind is Kind.CONTINUE and not can.supports(Capability.CONTINUE_AGENT):
        lost(Capability.CONTINUE_AGENT, "the agent finishes")
        return replace(answer, instructions=())
    return answer


def _modifiers(decision: Decision, can: Capabilities, lost: _Lost) -> Decision:
    if isinstance(decision, Observe) and decision.native is not None:
        # The harness's own words are the author's affair, and stand alone.
        can = replace(can, support={})
    if decision.contexts and not can.supports(Capability.ADD_CONTEXT):
        lost(Capability.ADD_CONTEXT, "the model does not read it")
        decision = replace(decision, contexts=())
    if decision.system_messages and not can.supports(Capability.SYSTEM_MESSAGE):
        lost(Capability.SYSTEM_MESSAGE, "the person does not read it")
        decision = replace(decision, system_messages=())
    if decision.stop_agent is not None and not can.supports(Capability.STOP_AGENT):
        lost(Capability.STOP_AGENT, "the turn goes on")
        decision = replace(decision, stop_agent=None)
    return decision
