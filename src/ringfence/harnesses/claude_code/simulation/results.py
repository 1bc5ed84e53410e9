"""What Claude Code does after a call: the result as it is, replaced, commented."""

from __future__ import annotations

from collections.abc import Sequence

from ringfence.decisions import UNSET
from ringfence.harnesses.claude_code.simulation.answers import Answer, read_all
from ringfence.harnesses.claude_code.simulation.contract import Contract
from ringfence.harnesses.claude_code.simulation.tools import (
    accepts,
    is_mcp,
    render,
    shown_context,
    shown_result,
)
from ringfence.harnesses.simulation import (
    Call,
    Done,
    Ending,
    HookRun,
    Outcome,
    Text,
)


def post_tool_use(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return what the model sees of a call that succeeded.

    The last hook to finish replaces the result, and only in the tool's own shape;
    in any other the original stays, silently. A block is a remark beside it.
    """
    answers, finished = read_all(runs, call.event, contract)
    dropped = tuple(answer.void for answer in answers)
    if any(answer.stops for answer in answers):
        return _ended(call, dropped)
    contexts = _remarks(call, finished)
    result = call.result_for(call.input)
    shown, is_error = Text(), False
    if result is not None:
        shown, is_error = shown_result(call.tool, result, contract)
    replacement = _replacement(call, finished)
    if replacement is not UNSET:
        original = result.response if isinstance(result, Done) else replacement
        if accepts(call.tool, replacement, original):
            shown, is_error = render(call.tool, replacement, contract)
        if is_error and is_mcp(call.tool):
            contexts = ()  # what the hooks said is lost with the result
    return Outcome(
        ran=True,
        input=call.input,
        result=shown,
        is_error=is_error,
        contexts=contexts,
        dropped=dropped,
    )


def post_tool_use_failure(
    call: Call, runs: Sequence[HookRun], contract: Contract
) -> Outcome:
    """Return what the model sees of a call that failed: its error, whatever is said.

    Nothing replaces the error and nothing ends the turn; remarks are added.
    """
    answers, finished = read_all(runs, call.event, contract)
    result = call.result_for(call.input)
    shown = Text()
    if result is not None:
        shown, _ = shown_result(call.tool, result, contract)
    return Outcome(
        ran=True,
        input=call.input,
        result=shown,
        is_error=True,
        contexts=_remarks(call, finished),
        dropped=tuple(answer.void for answer in answers),
    )


def post_tool_batch(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return what becomes of a batch of calls; a block ends the turn after it."""
    answers, finished = read_all(runs, call.event, contract)
    dropped = tuple(answer.void for answer in answers)
    if any(answer.stops or answer.block is not None for answer in answers):
        return _ended(call, dropped)
    label = f"{call.event} hook additional context: "
    contexts = tuple(
        shown_context(label, answer.context) for answer in finished if answer.context
    )
    return Outcome(
        ran=True,
        input=call.input,
        result=Text(),
        contexts=contexts,
        dropped=dropped,
    )


def _ended(call: Call, dropped: tuple[str, ...]) -> Outcome:
    return Outcome(ran=True, input=call.input, ended=Ending.TURN, dropped=dropped)


def _remarks(call: Call, finished: Sequence[Answer]) -> tuple[Text, ...]:
    """Return the reminders after a call, in the order in which hooks finished."""
    hook = f"{call.event}:{call.tool} hook"
    remarks = []
    for answer in finished:
        if answer.block is not None:
            command = answer.run.command
            text = f'{hook} blocking error from command: "{command}": {answer.block}'
            remarks.append(Text.holding(text) if answer.more else Text.of(text))
        if answer.context:
            label = f"{hook} additional context: "
            remarks.append(shown_context(label, answer.context))
    return tuple(remarks)


def _replacement(call: Call, finished: Sequence[Answer]) -> object:
    """Return the replacement of the last hook that has one, else ``UNSET``."""
    for answer in reversed(finished):
        if answer.updated_output is not UNSET:
            return answer.updated_output
        if is_mcp(call.tool) and answer.updated_mcp_output is not UNSET:
            return answer.updated_mcp_output
    return UNSET
