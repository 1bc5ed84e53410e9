"""What guards answer: one type for each family of event, and how answers join.

A decision says what is wanted; what a harness can do of it is settled by
:mod:`ringfence.capabilities`. Decisions are values: a modifier returns a new one.

Joining takes the most restrictive verdict and keeps every context, in order.
For the whole of a decision, joining is associative, leaves a decision joined with
itself or with the neutral one as it was, and never yields less than either side.
The order of two decisions shows in nothing but the order of their texts, and in
whose reason is told where both are equally strict.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

from ringfence.events import EventKind
from ringfence.verdicts import ACCEPTED, PASSED, RANK, UNDECIDED, Judgement, Kind


def _union(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    """Join two ordered sets."""
    return first + tuple(item for item in second if item not in first)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What all families share: the modifiers that any decision may carry.

    ``contexts`` are texts for the model, ``system_messages`` notes for the person,
    ``stop_agent`` a reason to end the agent's turn (``None``: don't).
    """

    contexts: tuple[str, ...] = ()
    system_messages: tuple[str, ...] = ()
    stop_agent: str | None = None

    @property
    def kind(self) -> Kind:
        """The verdict."""
        return Kind.OBSERVE

    @property
    def reason(self) -> str:
        """Why, in the words of whoever decided; empty where there is no reason."""
        return ""

    @property
    def rule(self) -> str:
        """The id of the rule that decided; empty where none did."""
        return ""

    @property
    def context(self) -> str:
        """The texts for the model, as one."""
        return "\n".join(self.contexts)

    @property
    def system_message(self) -> str:
        """The notes for the person, as one."""
        return "\n".join(self.system_messages)

    @property
    def blocks(self) -> bool:
        """Whether the intent is that the action does not happen."""
        return self.kind in (Kind.DENY, Kind.BLOCK)

    @property
    def neutral(self) -> bool:
        """Whether this says nothing at all."""
        return self == type(self)()

    @property
    def conflict(self) -> bool:
        """Whether two guards wanted different rewrites of the same thing."""
        return False

    def with_context(self, *texts: str) -> Self:
        """Add texts that the model is to read."""
        return replace(self, contexts=_union(self.contexts, _texts(texts)))

    def with_system_message(self, *texts: str) -> Self:
        """Add notes that the person is to read."""
        messages = _union(self.system_messages, _texts(texts))
        return replace(self, system_messages=messages)

    def with_stop_agent(self, reason: str) -> Self:
        """Ask that the agent's turn end, whatever else is decided."""
        return replace(self, stop_agent=reason)

    def join(self, other: Decision) -> Self:
        """Return the join of two decisions of one family.

        Raises :class:`TypeError` for decisions of different families.
        """
        if type(other) is not type(self):
            raise TypeError(
                f"a {type(other).__name__} cannot answer where a "
                f"{type(self).__name__} is wanted"
            )
        stop = self.stop_agent if self.stop_agent is not None else other.stop_agent
        return replace(
            self,
            contexts=_union(self.contexts, other.contexts),
            system_messages=_union(self.system_messages, other.system_messages),
            stop_agent=stop,
        )


def _texts(texts: Iterable[str]) -> tuple[str, ...]:
    """Drop empty texts and repetitions."""
    return tuple(dict.fromkeys(text for text in texts if text))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged(Decision):
    """A decision whose verdict is one judgement."""

    judgement: Judgement

    @property
    def kind(self) -> Kind:
        return self.judgement.kind

    @property
    def reason(self) -> str:
        return self.judgement.reason

    @property
    def rule(self) -> str:
        return self.judgement.rule

    @property
    def suggest(self) -> str:
        """What would pass instead, empty where nobody said."""
        return self.judgement.suggest

    def with_rule(self, rule: str) -> Self:
        """Name the rule behind the verdict; a neutral decision stays neutral."""
        if RANK[self.kind] == 0:
            return self
        return replace(self, judgement=replace(self.judgement, rule=rule))

    def with_block_reason(self, *candidates: str) -> Self:
        """Set what the person is told: the first candidate that isn't empty.

        A decision that stops nothing is returned as it is.
        """
        text = next((text for text in candidates if text), "")
        if not text or not self.blocks:
            return self
        return replace(self, judgement=replace(self.judgement, block_reason=text))

    @property
    def block_reason(self) -> str:
        """What the person is told: the block reason, else the reason."""
        return self.judgement.block_reason or self.judgement.reason

    def join(self, other: Decision) -> Self:
        joined = super(_Judged, self).join(other)
        assert isinstance(other, _Judged)
        judgement = self.judgement.stricter(other.judgement)
        return replace(joined, judgement=judgement)


# -- before a call ------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate(_Judged):
    """The answer before a tool call, and to a permission request."""

    judgement: Judgement = UNDECIDED
    updated_input: Mapping[str, object] | None = None
    conflicting: bool = False

    @property
    def conflict(self) -> bool:
        return self.conflicting

    def with_updated_input(self, tool_input: Mapping[str, object]) -> Self:
        """Ask that the call run with another input: the whole of it, not a patch."""
        return replace(self, updated_input=dict(tool_input))

    def join(self, other: Decision) -> Self:
        joined = super(Gate, self).join(other)
        assert isinstance(other, Gate)
        updated, conflict = _one_of(self.updated_input, other.updated_input)
        return replace(
            joined,
            updated_input=updated,
            conflicting=conflict or self.conflicting or other.conflicting,
        )


def _one_of(
    first: Mapping[str, object] | None, second: Mapping[str, object] | None
) -> tuple[Mapping[str, object] | None, bool]:
    """Return the one rewrite there is; of two different ones the first, and True."""
    if first is None or second is None:
        return (second if first is None else first), False
    return first, not _same(first, second)


def _same(first: object, second: object) -> bool:
    """Compare JSON values; unlike ``==``, ``True`` is not the number one."""
    if first is second:
        return True
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(
            _same(first[key], second[key]) for key in first
        )
    if isinstance(first, (list, tuple)) and isinstance(second, (list, tuple)):
        return len(first) == len(second) and all(map(_same, first, second))
    return isinstance(first, bool) is isinstance(second, bool) and first == second


def no_decision() -> Gate:
    """Leave the call to the harness's own permission flow. Never an allow."""
    return Gate()


def allow(reason: str = "") -> Gate:
    """Skip the harness's question, where a harness lets a hook do so.

    Never loosens what the harness itself denies.
    """
    return Gate(judgement=Judgement(Kind.ALLOW, reason))


def ask(reason: str, *, suggest: str = "") -> Gate:
    """Have a person confirm the call."""
    return Gate(judgement=Judgement(Kind.ASK, reason, suggest=suggest))


def deny(reason: str, *, suggest: str = "") -> Gate:
    """Stop the call and tell the model why, and what would pass instead."""
    return Gate(judgement=Judgement(Kind.DENY, reason, suggest=suggest))


def rewrite(tool_input: Mapping[str, object]) -> Gate:
    """Have the call run with another input, if the harness lets it run at all."""
    return Gate().with_updated_input(tool_input)


# -- prompts ------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptAnswer(_Judged):
    """The answer to a text on its way to the model."""

    judgement: Judgement = ACCEPTED


def accept_prompt() -> PromptAnswer:
    """Let the prompt pass."""
    return PromptAnswer()


def block_prompt(reason: str) -> PromptAnswer:
    """Keep the prompt from the model."""
    return PromptAnswer(judgement=Judgement(Kind.BLOCK, reason))


# -- after a call -------------------------------------------------------------


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of a string inside a result, to be covered by ``label``.

    ``path`` leads to the string (keys and indexes written as strings; empty for a
    result that is a string itself); ``start`` and ``end`` count characters.
    """

    path: tuple[str, ...]
    start: int
    end: int
    label: str = "redacted"


class _Unset:
    """The absence of a replacement, where ``None`` would be one."""

    _instance: _Unset | None = None

    def __new__(cls) -> Self:
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance  # type: ignore[return-value]

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Result(Decision):
    """The answer after a call: what the model may see of the result.

    The parts add up: ``flag`` is feedback beside the result, ``redactions`` cover
    spans of it (``redacted_by`` names the rules), ``replaced_output`` stands in for
    it, ``withheld`` (a reason) keeps all of it back. Spans count in the original
    result; where there is also a replacement, what they cover is covered there too.
    """

    flag: Judgement = PASSED
    redactions: frozenset[Span] = frozenset()
    redacted_by: tuple[str, ...] = ()
    replaced_output: object = UNSET
    withheld: Judgement = PASSED
    conflicting: bool = False

    @property
    def kind(self) -> Kind:
        return Kind.REPLACE if self.replaces else self.flag.kind

    @property
    def replaces(self) -> bool:
        """Whether the model shall see something else than the result."""
        return self.shows_other or self.withheld.kind is Kind.REPLACE

    @property
    def shows_other(self) -> bool:
        """Whether there is something to show in the result's stead."""
        return bool(self.redactions) or self.replaced_output is not UNSET

    @property
    def reason(self) -> str:
        return self.withheld.reason or self.flag.reason

    @property
    def rule(self) -> str:
        redacting = self.redacted_by[0] if self.redacted_by else ""
        return self.withheld.rule or redacting or self.flag.rule

    @property
    def conflict(self) -> bool:
        return self.conflicting

    def with_rule(self, rule: str) -> Self:
        """Name the rule behind the verdict; a neutral decision stays neutral."""
        answer = self
        if answer.flag.kind is not Kind.OBSERVED:
            answer = replace(answer, flag=replace(answer.flag, rule=rule))
        if answer.withheld.kind is not Kind.OBSERVED:
            answer = replace(answer, withheld=replace(answer.withheld, rule=rule))
        if answer.redactions or answer.replaced_output is not UNSET:
            answer = replace(answer, redacted_by=(rule,))
        return answer

    def join(self, other: Decision) -> Self:
        joined = super(Result, self).join(other)
        assert isinstance(other, Result)
        mine, theirs = self.replaced_output, other.replaced_output
        both = mine is not UNSET and theirs is not UNSET
        conflict = both and not _same(mine, theirs)
        return replace(
            joined,
            flag=self.flag.stricter(other.flag),
            redactions=self.redactions | other.redactions,
            redacted_by=_union(self.redacted_by, other.redacted_by),
            replaced_output=theirs if mine is UNSET else mine,
            withheld=self.withheld.stricter(other.withheld),
            conflicting=conflict or self.conflicting or other.conflicting,
        )


def observed() -> Result:
    """Let the result pass as it is."""
    return Result()


def flag_output(reason: str) -> Result:
    """Let the result pass and tell the model what to heed about it."""
    return Result(flag=Judgement(Kind.FLAG, reason))


def replace_output(output: object) -> Result:
    """Show the model something else, in the result's own shape."""
    return Result(replaced_output=output)


def redact_spans(spans: Iterable[Span]) -> Result:
    """Cover spans of the result."""
    return Result(redactions=frozenset(spans))


def withhold(reason: str) -> Result:
    """Keep the whole result from the model."""
    return Result(withheld=Judgement(Kind.REPLACE, reason))


# -- the end of a turn --------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class StopAnswer(Decision):
    """The answer when an agent wants to finish."""

    instructions: tuple[str, ...] = ()

    @property
    def kind(self) -> Kind:
        return Kind.CONTINUE if self.instructions else Kind.FINISH

    @property
    def instruction(self) -> str:
        """What the agent is told to go on with."""
        return "\n".join(self.instructions)

    @property
    def reason(self) -> str:
        return self.instruction

    def join(self, other: Decision) -> Self:
        joined = super(StopAnswer, self).join(other)
        assert isinstance(other, StopAnswer)
        instructions = _union(self.instructions, other.instructions)
        return replace(joined, instructions=instructions)


def finish() -> StopAnswer:
    """Let the agent finish."""
    return StopAnswer()


def continue_with(instruction: str) -> StopAnswer:
    """Have the agent go on; the instruction must not be empty."""
    if not instruction:
        raise ValueError("continue_with() needs an instruction for the agent")
    return StopAnswer(instructions=(instruction,))


# -- everything else ----------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Observe(Decision):
    """The answer to an event that has no verdict of ours.

    ``native`` is an answer in the harness's own words, handed on as it is.
    """

    native: Mapping[str, object] | None = None
    conflicting: bool = False

    @property
    def conflict(self) -> bool:
        return self.conflicting

    def join(self, other: Decision) -> Self:
        joined = super(Observe, self).join(other)
        assert isinstance(other, Observe)
        native, conflict = _one_of(self.native, other.native)
        return replace(
            joined,
            native=native,
            conflicting=conflict or self.conflicting or other.conflicting,
        )


def observe() -> Observe:
    """Say nothing."""
    return Observe()


def answer_natively(answer: Mapping[str, object]) -> Observe:
    """Answer an event that has no verdict of ours in the harness's own words."""
    return Observe(native=dict(answer))


FAMILIES: Mapping[EventKind, type[Decision]] = {
    kind: {
        EventKind.TOOL_PRE: Gate,
        EventKind.PERMISSION: Gate,
        EventKind.PROMPT: PromptAnswer,
        EventKind.TOOL_POST: Result,
        EventKind.TOOL_ERROR: Result,
        EventKind.STOP: StopAnswer,
        EventKind.SUBAGENT_STOP: StopAnswer,
    }.get(kind, Observe)
    for kind in EventKind
}


def neutral(kind: EventKind) -> Decision:
    """Return the decision of an event kind that says nothing."""
    return FAMILIES[kind]()


def join(decisions: Iterable[Decision], kind: EventKind) -> Decision:
    """Join decisions about one event of the given kind, in guard order.

    Raises :class:`TypeError` if one is of another family.
    """
    return reduce(lambda a, b: a.join(b), decisions, neutral(kind))
