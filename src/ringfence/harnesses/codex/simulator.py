"""What Codex does with the answers of hooks: rules observed on ``exec`` of 0.171.0.

Wherever an answer is void the call goes on as if there were no hook.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, cast

from ringfence.harnesses.codex.simulation.answers import (
    Answer,
    Object,
    block_problem,
    gate_problem,
    permission_problem,
    read,
)
from ringfence.harnesses.simulation import (
    Call,
    Done,
    Ending,
    Failed,
    HookRun,
    Input,
    Outcome,
    Permission,
    Ran,
    Reading,
    Text,
    by_finish,
)

Rule: TypeAlias = Callable[[Call, Sequence[HookRun]], Outcome]

LONGEST_TEXT = 10_000
"""UTF-8 bytes of a hook's text that the model sees whole."""

_PREVIEW = 1_000
_COMMAND_TOOLS = frozenset({"Bash", "apply_patch"})


class CodexSimulator:
    """The rules of one version of Codex; only 0.171.0 was observed."""

    harness = "codex"

    def __init__(self, version: str = "0.171.0") -> None:
        self.version = version

    def simulate(self, call: Call, runs: Sequence[HookRun]) -> Outcome:
        """Return what Codex does; see :class:`Simulator`."""
        return RULES.get(call.event, _observed)(call, runs)

    def events_after(self, result: Ran) -> tuple[str, ...]:
        """Return the events that follow a call; none follows one that failed.

        A command that ends with another code than 0 has not failed in this sense.
        """
        return () if isinstance(result, Failed) else ("PostToolUse",)

    def read(self, content: object) -> Reading:
        """Take a tool result apart; Codex appends nothing to one."""
        if isinstance(content, list):
            blocks = [block for block in content if isinstance(block, dict)]
            return Reading("\n".join(str(block.get("text", "")) for block in blocks))
        return Reading(content if isinstance(content, str) else "")


# -- before a call ------------------------------------------------------------


def _pre_tool_use(call: Call, runs: Sequence[HookRun]) -> Outcome:
    answers = [_supported(read(run, call.event), gate_problem) for run in runs]
    base = Outcome(
        input=call.input, contexts=_contexts(answers), dropped=_void(answers)
    )
    for answer in answers:
        reason = _gate_reason(answer)
        if reason:
            # Of several the first in configuration order is told.
            return replace(base, ran=False, result=Text.of(_blocked(call, reason)))
    finished = [answers[position] for position in by_finish(runs)]
    rewrites = [each for each in finished if each.own("updatedInput") is not None]
    if not rewrites:
        return _run(call, base)
    value = rewrites[-1].own("updatedInput")
    problem = _bad_rewrite(call.tool, value)
    if problem.parts:
        return replace(base, ran=False, result=problem)
    return _run(call, replace(base, input=cast("Input", value)))


def _supported(answer: Answer, problem: Callable[[Answer], str]) -> Answer:
    """Return the answer, void if it holds what the event does not support."""
    why = problem(answer) if answer.json is not None else ""
    return Answer(run=answer.run, void=why) if why else answer


def _gate_reason(answer: Answer) -> str:
    if answer.exit_reason:
        return answer.exit_reason
    if answer.own("permissionDecision") == "deny":
        return cast("str", answer.own("permissionDecisionReason")).strip()
    if answer.own("permissionDecision") is None and answer.text("decision") == "block":
        return cast("str", answer.text("reason")).strip()
    return ""


def _blocked(call: Call, reason: str) -> str:
    if call.tool in _COMMAND_TOOLS:
        command = call.input.get("command", "")
        return f"Command blocked by PreToolUse hook: {reason}. Command: {command}"
    return f"Tool call blocked by PreToolUse hook: {reason}. Tool: {call.tool}"


def _bad_rewrite(tool: str, value: object) -> Text:
    """Return what the model sees of a rewrite that the tool can't take."""
    if tool in _COMMAND_TOOLS:
        if isinstance(value, dict) and isinstance(value.get("command"), str):
            return Text()
        return Text.of("hook returned updatedInput without string field `command`")
    if isinstance(value, dict):
        return Text()
    return Text.holding("tool call error", "arguments must be a JSON object")


def _permission_request(call: Call, runs: Sequence[HookRun]) -> Outcome:
    base = Outcome(input=call.input)
    if call.approver is None:
        # Without a reviewer the approval policy is "never", whatever is configured.
        refusal = Text.holding("approval policy is Never; reject command")
        return replace(base, fired=False, ran=False, result=refusal)
    answers = [_supported(read(run, call.event), permission_problem) for run in runs]
    base = replace(base, dropped=_void(answers))
    allowed = False
    for answer in answers:
        decision = cast("Object", answer.own("decision") or {})
        if answer.exit_reason:
            return _rejected(base, answer.exit_reason)
        if decision.get("behavior") == "deny":
            message = cast("str", decision.get("message") or "").strip()
            default = "PermissionRequest hook denied approval"
            return _rejected(base, message or default)
        allowed = allowed or decision.get("behavior") == "allow"
    if allowed or call.approver.allows:
        return _run(call, base)
    base = replace(base, asked=True)
    if call.approver.allows is None:
        return base
    return _rejected(base, call.approver.message)


def _rejected(base: Outcome, message: str) -> Outcome:
    quoted = json.dumps(json.dumps(message)[1:-1])[1:-1]
    text = Text.holding("exec_command failed", f'Rejected(\\"{quoted}')
    return replace(base, ran=False, result=text)


def _run(call: Call, base: Outcome) -> Outcome:
    assert base.input is not None
    if call.permission_for(base.input) is Permission.DENIED:
        return replace(base, ran=False, result=Text())
    return replace(base, ran=True, result=_result(call, base.input))


def _result(call: Call, tool_input: Input) -> Text:
    """Return what is known of a tool's own result, which Codex frames."""
    result = call.result_for(tool_input)
    if isinstance(result, Failed):
        return Text.holding(result.error)
    if not isinstance(result, Done):
        return Text()
    response = result.response
    if isinstance(response, dict) and isinstance(response.get("content"), list):
        blocks = [each for each in response["content"] if isinstance(each, dict)]
        return Text.holding(*(str(block.get("text", "")) for block in blocks))
    if isinstance(response, str):
        return Text.holding(response)
    return Text()


# -- after a call -------------------------------------------------------------


def _post_tool_use(call: Call, runs: Sequence[HookRun]) -> Outcome:
    """Return what the model sees: the result, or all feedback in its place."""
    answers = [read(run, call.event) for run in runs]
    feedback, contexts, dropped = [], [], []
    for answer in answers:
        problem = answer.void or _after_problem(answer)
        stopped = answer.json is not None and not answer.proceeds
        if stopped:
            feedback.append(_stop_feedback(answer))
        elif answer.exit_reason:
            feedback.append(answer.exit_reason)
        elif not problem and answer.text("decision") == "block":
            feedback.append(cast("str", answer.text("reason")))
        if not problem and answer.context:
            contexts.append(shown(answer.context))
        dropped.append("" if stopped else problem)
    result = _result(call, call.input)
    if feedback:
        result = shown("\n\n".join(feedback))
    return Outcome(
        ran=True,
        input=call.input,
        result=result,
        contexts=tuple(contexts),
        dropped=tuple(dropped),
    )


def _after_problem(answer: Answer) -> str:
    if (answer.json or {}).get("suppressOutput") is True:
        return "suppressOutput is not supported after a call"
    return block_problem(answer, "PostToolUse")


def _stop_feedback(answer: Answer) -> str:
    """Return what stands in for a result that a hook stopped; the turn goes on."""
    reason = (answer.text("reason") or "").strip()
    if reason:
        return reason
    stop_reason = answer.text("stopReason")
    return "PostToolUse hook stopped execution" if stop_reason is None else stop_reason


def shown(text: str) -> Text:
    """Return a hook's text as the model sees it: a long one is cut in its middle."""
    if len(text.encode("utf-8", "surrogatepass")) <= LONGEST_TEXT:
        return Text.of(text)
    cut = "Warning: truncated output"
    return Text.holding(cut, text[:_PREVIEW], "Full hook output saved to: ")


# -- around calls -------------------------------------------------------------


def _prompt(call: Call, runs: Sequence[HookRun]) -> Outcome:
    answers = _block_checked(call, runs)
    blocks = [each for each in answers if _prompt_reason(each) is not None]
    if blocks:
        return Outcome(
            blocked=True,
            ended=Ending.TURN,
            message=_prompt_reason(blocks[0]) or "",
            dropped=_void(answers),
        )
    return Outcome(contexts=_spoken(answers), dropped=_heard(answers))


def _prompt_reason(answer: Answer) -> str | None:
    if answer.exit_reason:
        return answer.exit_reason
    if not answer.proceeds:
        return answer.text("stopReason") or ""
    if answer.text("decision") == "block":
        return answer.text("reason")
    return None


def _block_checked(call: Call, runs: Sequence[HookRun]) -> list[Answer]:
    """Read answers, of which one that stops is kept whatever else it holds."""

    def problem(answer: Answer) -> str:
        return block_problem(answer, call.event) if answer.proceeds else ""

    return [_supported(read(run, call.event), problem) for run in runs]


def _start(call: Call, runs: Sequence[HookRun]) -> Outcome:
    """Return what becomes of a start; only a session's start can be stopped."""
    answers = [_no_exit(read(run, call.event)) for run in runs]
    stops = any(not answer.proceeds for answer in answers)
    ends = stops and call.event == "SessionStart"
    return Outcome(
        contexts=_spoken(answers),
        ended=Ending.SESSION if ends else Ending.NOTHING,
        blocked=ends,
        dropped=_heard(answers),
    )


def _no_exit(answer: Answer) -> Answer:
    """Take exit code 2 as any other failure, where nothing can be blocked."""
    if answer.exit_reason:
        return Answer(run=answer.run, void="it ended with 2")
    return answer


def _stop(call: Call, runs: Sequence[HookRun]) -> Outcome:
    """Return whether the agent goes on; nothing but the hooks ever ends it."""
    answers = _block_checked(call, runs)
    dropped = _void(answers)
    if any(not answer.proceeds for answer in answers):
        return Outcome(dropped=dropped)
    reasons = [
        (answer.exit_reason or answer.text("reason") or "").strip()
        for answer in answers
        if answer.exit_reason or answer.text("decision") == "block"
    ]
    # Each stands in a <hook_prompt> element of its own.
    contexts = tuple(Text.holding(*shown(reason).parts) for reason in reasons)
    return Outcome(continued=bool(reasons), contexts=contexts, dropped=dropped)


def _pre_compact(call: Call, runs: Sequence[HookRun]) -> Outcome:
    answers = [_no_exit(read(run, call.event)) for run in runs]
    if any(not answer.proceeds for answer in answers):
        return Outcome(blocked=True, ended=Ending.SESSION, dropped=_void(answers))
    return Outcome(dropped=_void(answers))


def _observed(call: Call, runs: Sequence[HookRun]) -> Outcome:
    """Return the outcome of an event that no hook changes."""
    return Outcome(dropped=_void([_no_exit(read(run, call.event)) for run in runs]))


def _contexts(answers: Sequence[Answer]) -> tuple[Text, ...]:
    return tuple(shown(answer.context) for answer in answers if answer.context)


def _spoken(answers: Sequence[Answer]) -> tuple[Text, ...]:
    """Return contexts and plain output, both of which the model reads here."""
    texts = (answer.context or answer.said for answer in answers)
    return tuple(shown(text) for text in texts if text)


def _void(answers: Sequence[Answer]) -> tuple[str, ...]:
    return tuple(answer.void for answer in answers)


def _heard(answers: Sequence[Answer]) -> tuple[str, ...]:
    return tuple("" if answer.said else answer.void for answer in answers)


RULES: Mapping[str, Rule] = {
    "PreToolUse": _pre_tool_use,
    "PermissionRequest": _permission_request,
    "PostToolUse": _post_tool_use,
    "UserPromptSubmit": _prompt,
    "SessionStart": _start,
    "SubagentStart": _start,
    "Stop": _stop,
    "SubagentStop": _stop,
    "PreCompact": _pre_compact,
}


SIMULATOR = CodexSimulator
