"""Reads and answers the hooks of Claude Code.

Wire facts: the notes on 2.1.197 and 2.1.332, the observed cases in
``tests/observations``, and ``facts/quirks.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ringfence.decisions import UNSET, Decision, Gate, Result
from ringfence.events import AfterTool, Event
from ringfence.harnesses._dialects import answers
from ringfence.harnesses._dialects.answers import Body
from ringfence.harnesses._dialects.claude_json import Surroundings
from ringfence.harnesses._dialects.codec import NearClaudeCodec
from ringfence.harnesses.claude_code import shapes
from ringfence.harnesses.claude_code._table import FACTS
from ringfence.harnesses.facts import EventFact
from ringfence.verdicts import Kind

_AGENT = re.compile(r"claude-code[_/](\d+(?:[-.]\d+)+)")


def version_from(environment: Mapping[str, str]) -> str:
    """Return the version that ``AI_AGENT=claude-code_2-1-332_harness`` tells."""
    found = _AGENT.match(environment.get("AI_AGENT", ""))
    return found.group(1).replace("-", ".") if found else ""


def variant_from(environment: Mapping[str, str]) -> str:
    """Return how the agent is run: ``remote``, else its entry point's name."""
    if environment.get("CLAUDE_CODE_REMOTE"):
        return "remote"
    return environment.get("CLAUDE_CODE_ENTRYPOINT", "")


def attended_from(environment: Mapping[str, str]) -> bool | None:
    """Tell whether a person sits before the session; 2.1.332 and later say so."""
    said = environment.get("CLAUDE_CODE_SESSION_ATTENDED", "")
    return said not in ("0", "false") if said else None


class ClaudeCodeCodec(NearClaudeCodec):
    """The codec of Claude Code."""

    def surroundings(self, environment: Mapping[str, str]) -> Surroundings:
        return Surroundings(
            version=version_from(environment),
            variant=variant_from(environment),
            attended=attended_from(environment),
        )

    def fill(
        self, body: Body, fact: EventFact, event: Event, decision: Decision
    ) -> None:
        _SHAPES[fact.answer](body, decision)
        if isinstance(decision, Result):
            _replacement(body, event, decision)
        answers.context(body, decision.contexts)
        answers.common(body, decision)

    def keep_back(self, body: Body, reason: str) -> None:
        # It can't be replaced: end the turn before the model reads it.
        body.top.update({"continue": False, "stopReason": reason})


def _gate(body: Body, decision: Decision) -> None:
    assert isinstance(decision, Gate)
    if decision.kind is not Kind.NO_DECISION:
        reason = decision.reason if decision.kind is Kind.ALLOW else ""
        answers.verdict(body, decision.kind.value, reason or answers.told(decision))
    if decision.updated_input is not None:
        body.specific["updatedInput"] = dict(decision.updated_input)


def _flag(body: Body, decision: Decision) -> None:
    assert isinstance(decision, Result)
    if decision.flag.kind is Kind.FLAG:
        answers.block(body, decision.flag.reason)


def _replacement(body: Body, event: Event, result: Result) -> None:
    if not result.replaces:
        return
    assert isinstance(event, AfterTool)
    fact = FACTS.tools.get(event.tool.name)
    texts = fact.text if fact is not None else ()
    if result.withheld.kind is Kind.REPLACE:
        notice = answers.WITHHELD.format(answers.clip(result.withheld.reason))
        shown = shapes.with_text(event.output, notice, texts)
    else:
        assert result.replaced_output is not UNSET, "redactions are settled before"
        shown = shapes.fit(event.output, result.replaced_output, texts)
    body.specific["updatedToolOutput"] = shown


_SHAPES: Mapping[str, Callable[[Body, Decision], None]] = {
    "gate": _gate,
    "permission": answers.permission,
    "prompt": answers.prompt,
    "result": _flag,
    "stop": answers.stop,
    "observe": answers.nothing,
}

CODEC = ClaudeCodeCodec(FACTS)
