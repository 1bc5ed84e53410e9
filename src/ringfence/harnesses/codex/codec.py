"""Reads and answers the hooks of Codex.

Its answers look like Claude Code's, but one key that an event does not know voids the
whole answer and the call runs: nothing but the exact keys is ever written. Wire
facts: the notes on 0.171.0, the observed cases in ``tests/observations``, and
``facts/quirks.toml``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ringfence.calls import ToolCall, ToolClass
from ringfence.decisions import UNSET, Decision, Gate, Result
from ringfence.errors import UnsupportedDecisionError
from ringfence.events import BeforeTool, Event
from ringfence.harnesses._dialects import answers
from ringfence.harnesses._dialects.answers import Body
from ringfence.harnesses._dialects.codec import NearClaudeCodec
from ringfence.harnesses.codex._table import FACTS
from ringfence.harnesses.facts import EventFact
from ringfence.harnesses.quirks import mitigated
from ringfence.verdicts import Kind

MAX_RESULT = 9_000
"""Bytes of a replaced result. Codex cuts a longer one at about 10 KB and writes the
whole of it to a file that the model may read."""

EMPTY = "[empty]"
TOO_LONG = "the redacted result is longer than Codex passes on whole"
MAX_DEPTH = 125
"""Levels of a rewritten input. Codex's parser gives up at 128 and drops the whole
answer; three of them are the answer's own."""


class CodexCodec(NearClaudeCodec):
    """The codec of Codex, which tells hooks nothing in their environment."""

    def fill(
        self, body: Body, fact: EventFact, event: Event, decision: Decision
    ) -> None:
        _SHAPES[fact.answer](body, decision)
        if fact.answer == "gate":
            _rewrite(body, event, decision)
        contexts = decision.contexts
        if isinstance(decision, Result):
            contexts = _result(body, decision)
        answers.context(body, contexts)
        answers.common(body, decision)
        if body.top or body.specific:
            _exact_keys(body)

    def keep_back(self, body: Body, reason: str) -> None:
        # A blocked result is replaced by the reason, whatever it was.
        answers.block(body, reason)


def _exact_keys(body: Body) -> None:
    """Leave out what Claude Code's hooks may say to keep their output off the screen.

    Codex voids the whole answer for it.
    """
    if not mitigated("codex-exact-keys"):
        body.top["suppressOutput"] = True


def _gate(body: Body, decision: Decision) -> None:
    assert isinstance(decision, Gate)
    if decision.kind is Kind.DENY:
        # A deny without a reason is void, and the call runs.
        empty_is_void = mitigated("codex-deny-needs-reason")
        reason = answers.told(decision) if empty_is_void else decision.reason
        answers.verdict(body, "deny", reason)
    elif decision.kind is not Kind.NO_DECISION:
        answers.verdict(body, decision.kind.value, decision.reason)


def _rewrite(body: Body, event: Event, gate: Decision) -> None:
    assert isinstance(event, BeforeTool)
    assert isinstance(gate, Gate)
    if gate.updated_input is None:
        return
    # Codex takes a rewrite beside an allow only. That word does not skip its own
    # approval: the call goes on to the normal checks.
    if mitigated("codex-rewrite-needs-allow"):
        answers.verdict(body, "allow", "")
    wanted = _exact_input(event.tool, gate.updated_input)
    if _depth(wanted) > MAX_DEPTH and mitigated("codex-deep-answer"):
        raise UnsupportedDecisionError(
            "the rewritten input nests deeper than Codex reads, so it would be dropped"
        )
    body.specific["updatedInput"] = wanted


def _depth(value: object) -> int:
    """Return how many lists and objects lie within each other."""
    deepest = 0
    open_values: list[tuple[object, int]] = [(value, 1)]
    while open_values:
        inner, level = open_values.pop()
        if isinstance(inner, Mapping):
            children = list(inner.values())
        elif isinstance(inner, (list, tuple)):
            children = list(inner)
        else:
            continue
        deepest = max(deepest, level)
        open_values += [(child, level + 1) for child in children]
    return deepest


def _exact_input(tool: ToolCall, wanted: Mapping[str, object]) -> dict[str, object]:
    """Reduce a rewrite to what Codex takes: ``command`` alone for its own tools."""
    takes_command = tool.tool_class in (ToolClass.SHELL, ToolClass.FILE_EDIT)
    if not takes_command or not mitigated("codex-rewrite-command-only"):
        return dict(wanted)
    command = wanted.get("command")
    if command is None or command == tool.input.get("command"):
        raise UnsupportedDecisionError(
            f"Codex changes nothing but the command of {tool.name}: the call would "
            "run unchanged"
        )
    if isinstance(command, list):
        import shlex  # noqa: PLC0415 - for the rare rewrite of a list

        command = shlex.join(map(str, command))
    if not isinstance(command, str):
        raise UnsupportedDecisionError(f"a rewrite of {tool.name} needs a text command")
    return {"command": command}


def _result(body: Body, result: Result) -> tuple[str, ...]:
    """Replace a result by a block with the wanted text; return feedback as context.

    A block alone would replace the result by the feedback.
    """
    contexts = result.contexts
    if result.flag.kind is Kind.FLAG:
        if mitigated("codex-block-replaces-result"):
            contexts = (result.flag.reason, *contexts)
        else:
            answers.block(body, result.flag.reason)
    if result.replaces and mitigated("codex-replacement-by-block"):
        body.top.update({"decision": "block", "reason": shown(result)})
    elif result.replaces:
        body.specific["updatedToolOutput"] = shown(result)
    return contexts


def shown(result: Result) -> str:
    """Return the text that stands in for a result, never a cut one."""
    if result.withheld.kind is Kind.REPLACE:
        return answers.WITHHELD.format(answers.clip(result.withheld.reason, 1_000))
    assert result.replaced_output is not UNSET, "redactions are settled before"
    text = as_text(result.replaced_output)
    if not text.strip() and mitigated("codex-empty-block"):
        return EMPTY
    size = len(text.encode("utf-8", "replace"))
    if size > MAX_RESULT and mitigated("codex-result-cut"):
        return answers.WITHHELD.format(TOO_LONG)
    return text


def as_text(output: object) -> str:
    """Return a result as the text that Codex shows: its own, or that of its parts."""
    if isinstance(output, str):
        return output
    if isinstance(output, Mapping) and isinstance(output.get("content"), list):
        parts = output["content"]
        if all(isinstance(part, Mapping) and "text" in part for part in parts):
            return "\n".join(str(part["text"]) for part in parts)
    return json.dumps(output)


_SHAPES: Mapping[str, Callable[[Body, Decision], None]] = {
    "gate": _gate,
    "permission": answers.permission,
    "prompt": answers.prompt,
    "result": answers.nothing,
    "stop": answers.stop,
    "observe": answers.nothing,
}

CODEC = CodexCodec(FACTS)
