"""Evaluating a plan: one decision for every rule that matches.

Every matching rule answers; which of them wins is settled by joining, where the most
restrictive verdict does. So neither the order of rules nor their source decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from ringfence.calls import ToolCall
from ringfence.decisions import (
    Decision,
    Gate,
    Result,
    Span,
    accept_prompt,
    allow,
    ask,
    block_prompt,
    deny,
    flag_output,
    no_decision,
    redact_spans,
    withhold,
)
from ringfence.events import AfterTool, BeforeTool, Event, Prompt, ToolEvent
from ringfence.matchers import Matcher, tools
from ringfence.policy.matching import View, holds, result_of, unaided
from ringfence.policy.plan import Phase, Plan, Rule, Verdict
from ringfence.policy.rewriting import rewritten
from ringfence.policy.spans import Covered, find

# The rule that decides where no rule of an allowlist does.
DEFAULT_RULE = "tool_policy.default"
DEFAULT_REASON = (
    "No rule of the policy is about this call; use what the policy allows, or ask the "
    "user to extend it."
)


@dataclass(frozen=True, slots=True)
class Match:
    """A rule that matched, and what it answers."""

    rule: Rule
    decision: Decision


@cache
def _matcher(names: tuple[str, ...]) -> Matcher:
    return tools(*names)


class PolicyGuard:
    """The guard that a plan makes.

    Calling it answers a sequence of decisions, one for each rule that matched;
    :meth:`matches` names the rules as well.
    """

    name = "policy"

    def __init__(self, plan: Plan) -> None:
        """Take the plan to evaluate."""
        self.plan = plan

    def __call__(self, event: Event) -> list[Decision]:
        """Return a decision for every rule that matches the event."""
        return [match.decision for match in self.matches(event)]

    def matches(self, event: Event) -> list[Match]:
        """Return every rule that matches the event, in the plan's order."""
        if isinstance(event, BeforeTool):
            return self._before(event)
        if isinstance(event, AfterTool):
            return list(self._after(event))
        if isinstance(event, Prompt):
            return list(self._prompt(event))
        return []

    def _rules(self, phase: Phase, event: Event) -> Iterator[Rule]:
        for rule in self.plan.by_phase[phase]:
            if self._is_about(rule, event):
                yield rule

    def _is_about(self, rule: Rule, event: Event) -> bool:
        allows = rule.decision is Verdict.ALLOW
        if isinstance(event, ToolEvent):
            if rule.tools and not _matcher(rule.tools)(event.tool):
                return False
            if allows and not _understood(event.tool):
                return False
            if allows and not _allows_shell(rule, event.tool):
                return False
        return holds(rule.when, View(event, every=allows))

    def _before(self, event: BeforeTool) -> list[Match]:
        rules = list(self._rules(Phase.BEFORE, event))
        inputs = rewritten(event.tool.input, rules)
        found = [Match(rule, _gate(rule, inputs.get(rule.id))) for rule in rules]
        if not any(map(_settles, rules)):
            found += self._by_default(event)
        return found

    def _by_default(self, event: BeforeTool) -> Iterator[Match]:
        verdict = self.plan.default
        if verdict is Verdict.DEFER:
            return
        if verdict is Verdict.ALLOW and not _understood(event.tool):
            return
        rule = Rule(id=DEFAULT_RULE, decision=verdict, reason=DEFAULT_REASON)
        yield Match(rule, _gate(rule, None))

    def _after(self, event: AfterTool) -> Iterator[Match]:
        covered = Covered()
        result = result_of(event)
        for rule in self._rules(Phase.AFTER, event):
            spans: frozenset[Span] = frozenset()
            if rule.redact:
                spans = find(result, rule.redact, covered=covered)
                if not spans:
                    continue
            yield Match(rule, _result(rule, spans))

    def _prompt(self, event: Prompt) -> Iterator[Match]:
        for rule in self._rules(Phase.PROMPT, event):
            answer = accept_prompt()
            if rule.decision is Verdict.BLOCK:
                answer = block_prompt(rule.reason).with_rule(rule.id)
            yield Match(rule, answer.with_context(rule.context))


def _understood(call: ToolCall) -> bool:
    """Tell whether a call runs no shell, or one whose every command is known."""
    program = call.shell
    if program is None:
        return True
    return bool(
        not program.problem
        and program.commands
        and all(command.program for command in program.commands)
    )


def _allows_shell(rule: Rule, call: ToolCall) -> bool:
    """Tell whether an allow is about the commands of a shell call, and no more.

    One that only speaks of paths or hosts says nothing of what is done with them, and
    one that names a program does not mean it under sudo, or from another place.
    """
    program = call.shell
    if program is None or rule.when is None:
        return True
    kinds = set(_conditions(rule.when))
    return "segments" in kinds or ("command" in kinds and unaided(program))


def _conditions(when: object) -> Iterator[str]:
    """Yield the kinds of all conditions, those within others too."""
    if isinstance(when, Mapping):
        for key, value in when.items():
            yield str(key)
            if key in ("all", "any"):
                yield from _conditions(value)
    elif isinstance(when, (list, tuple)):
        for one in when:
            yield from _conditions(one)


def _settles(rule: Rule) -> bool:
    """Tell whether a rule takes a call off the default's hands.

    One that may not allow can't lift the default's deny by deferring.
    """
    if rule.decision is None:
        return False
    return rule.layer.may_allow or rule.decision in (Verdict.ASK, Verdict.DENY)


_GATES: Mapping[Verdict | None, Callable[[Rule], Gate]] = {
    Verdict.DENY: lambda rule: deny(rule.reason, suggest=rule.suggest),
    Verdict.ASK: lambda rule: ask(rule.reason, suggest=rule.suggest),
    Verdict.ALLOW: lambda rule: allow(rule.reason),
    Verdict.DEFER: lambda rule: no_decision(),  # noqa: ARG005
    None: lambda rule: no_decision(),  # noqa: ARG005
}


def _gate(rule: Rule, tool_input: Mapping[str, object] | None) -> Gate:
    gate = _GATES[rule.decision](rule).with_rule(rule.id).with_context(rule.context)
    return gate if tool_input is None else gate.with_updated_input(tool_input)


def _result(rule: Rule, spans: Iterable[Span]) -> Result:
    answer: Result = redact_spans(spans)
    if rule.flag:
        answer = answer.join(flag_output(rule.flag))
    if rule.withhold:
        answer = answer.join(withhold(rule.withhold))
    return answer.with_rule(rule.id).with_context(rule.context)
