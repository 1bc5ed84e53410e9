"""Reads and answers the hooks of Codex.

Its answers look like Claude Code's, but one key that an event does not know voids the
whole answer and the call runs: nothing but the exact keys is ever written. Wire
facts: the notes on 0.171.0, the observed cases in ``tests/observations``, and
``facts/quirks.toml``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from ringfence.decisions import UNSET, Decision, Gate, Kind, Observe, Result
from ringfence.events import BeforeTool, Event, ToolCall, ToolClass
from ringfence.failure import Settings
from ringfence.harnesses._dialects import answers, claude_json
from ringfence.harnesses._dialects.answers import Body
from ringfence.harnesses.base import Context, Encoded, WireAnswer
from ringfence.harnesses.codex._table import FACTS
from ringfence.harnesses.quirks import mitigated

MAX_RESULT = 9_000
"""Bytes of a replaced result. Codex cuts a longer one at about 10 KB and writes the
whole of it to a file that the model may read."""

WITHHELD = "[withheld by policy: {}]"
TOO_LONG = "the redacted result is longer than Codex passes on whole"


class CodexCodec:
    """The codec of Codex."""

    facts = FACTS
    silence = answers.SILENCE

    def decode(self, payload: bytes, context: Context) -> Event:
        """See :class:`ringfence.harnesses.base.Codec`."""
        return claude_json.decode(payload, context, self.facts)

    def encode(
        self, event: Event, decision: Decision, settings: Settings | None = None
    ) -> Encoded:
        """See :class:`ringfence.harnesses.base.Codec`."""
        left = answers.prepared(event, decision, self.facts, settings or Settings())
        answer = self._answer(event, left.decision)
        return Encoded(answer, left.decision, left.losses)

    def _answer(self, event: Event, decision: Decision) -> WireAnswer:
        if isinstance(decision, Observe) and decision.native is not None:
            return answers.document(decision.native)
        fact = self.facts.events.get(event.native_name)
        if fact is None:
            if decision.blocks:
                return answers.by_exit(answers.told(decision))
            return answers.SILENCE
        body = Body.of(event)
        _SHAPES[fact.answer](body, decision)
        if isinstance(event, BeforeTool) and isinstance(decision, Gate):
            _rewrite(body, event, decision)
        if isinstance(decision, Result):
            _result(body, decision)
        elif decision.contexts:
            body.specific["additionalContext"] = decision.context
        if decision.system_messages:
            body.top["systemMessage"] = decision.system_message
        if decision.stop_agent is not None:
            body.top.update({"continue": False, "stopReason": decision.stop_agent})
        return body.answer()

    def refuse(self, event_name: str, reason: str) -> WireAnswer:
        """See :class:`ringfence.harnesses.base.Codec`."""
        fact = self.facts.events.get(event_name)
        if fact is None:
            return answers.by_exit(reason)
        body = Body(event_name, {}, {})
        if fact.answer == "gate":
            _verdict(body, "deny", answers.clip(reason) or answers.NO_REASON)
        elif fact.answer == "permission":
            _behavior(body, "deny", answers.clip(reason))
        elif fact.closed in ("block", "withhold"):
            # A blocked result is replaced by the reason, whatever it was.
            answers.block(body, reason)
        return body.answer()


def _verdict(body: Body, verdict: str, reason: str) -> None:
    body.specific["permissionDecision"] = verdict
    if reason:
        body.specific["permissionDecisionReason"] = reason


def _behavior(body: Body, behavior: str, message: str) -> None:
    decided: dict[str, object] = {"behavior": behavior}
    if message:
        decided["message"] = message
    body.specific["decision"] = decided


def _gate(body: Body, decision: Decision) -> None:
    assert isinstance(decision, Gate)
    if decision.kind is Kind.DENY:
        # A deny without a reason is void, and the call runs.
        empty_is_void = mitigated("codex-deny-needs-reason")
        reason = answers.told(decision) if empty_is_void else decision.reason
        _verdict(body, "deny", reason)
    elif decision.kind is Kind.ALLOW and not mitigated("codex-allow-is-void"):
        _verdict(body, "allow", decision.reason)


def _rewrite(body: Body, event: BeforeTool, gate: Gate) -> None:
    if gate.updated_input is None or body.event_name != "PreToolUse":
        return
    # Codex takes a rewrite beside an allow only. That word does not skip its own
    # approval: the call goes on to the normal checks.
    if mitigated("codex-rewrite-needs-allow"):
        body.specific["permissionDecision"] = "allow"
    body.specific["updatedInput"] = _exact_input(event.tool, gate.updated_input)


def _exact_input(tool: ToolCall, wanted: Mapping[str, object]) -> dict[str, object]:
    """Reduce a rewrite to what Codex takes: ``command`` alone for its own tools."""
    takes_command = tool.tool_class in (ToolClass.SHELL, ToolClass.FILE_EDIT)
    if not takes_command or not mitigated("codex-rewrite-command-only"):
        return dict(wanted)
    command = wanted.get("command", tool.input.get("command"))
    if isinstance(command, list):
        import shlex  # noqa: PLC0415 - for the rare rewrite of a list

        command = shlex.join(map(str, command))
    return {"command": command}


def _permission(body: Body, decision: Decision) -> None:
    assert isinstance(decision, Gate)
    if not mitigated("permission-request-shape"):
        _gate(body, decision)
    elif decision.kind is Kind.DENY:
        _behavior(body, "deny", answers.told(decision))
    elif decision.kind is Kind.ALLOW:
        _behavior(body, "allow", "")


def _result(body: Body, result: Result) -> None:
    """Replace a result by a block with the wanted text; give feedback as context.

    A block alone would replace the result by the feedback.
    """
    contexts = list(result.contexts)
    if result.flag.kind is Kind.FLAG:
        if mitigated("codex-flag-as-context"):
            contexts.insert(0, result.flag.reason)
        else:
            answers.block(body, result.flag.reason)
    if result.replaces:
        body.top.update({"decision": "block", "reason": shown(result)})
    if contexts:
        body.specific["additionalContext"] = "\n".join(contexts)


def shown(result: Result) -> str:
    """Return the text that stands in for a result, never a cut one."""
    if result.withheld.kind is Kind.REPLACE:
        return WITHHELD.format(answers.clip(result.withheld.reason, 1_000))
    assert result.replaced_output is not UNSET, "redactions are settled before"
    text = as_text(result.replaced_output) or "[empty]"
    if len(text.encode("utf-8", "replace")) > MAX_RESULT and mitigated(
        "codex-result-cut"
    ):
        return WITHHELD.format(TOO_LONG)
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


def _none(body: Body, decision: Decision) -> None:
    """Add nothing: what there is to say is added elsewhere."""


_SHAPES: Mapping[str, Callable[[Body, Decision], None]] = {
    "gate": _gate,
    "permission": _permission,
    "prompt": answers.prompt,
    "result": _none,
    "stop": answers.stop,
    "observe": _none,
}

CODEC = CodexCodec()
