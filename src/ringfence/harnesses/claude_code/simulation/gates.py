"""What Claude Code does before a call: PreToolUse, PermissionRequest, skill shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ringfence.harnesses.claude_code.simulation.answers import Answer, read_all
from ringfence.harnesses.claude_code.simulation.contract import Contract
from ringfence.harnesses.claude_code.simulation.tools import (
    LONGEST_CONTEXT,
    invalid_input,
    render,
    shortened,
)
from ringfence.harnesses.simulation import (
    Approver,
    Call,
    Done,
    Ending,
    Failed,
    HookRun,
    Input,
    Outcome,
    Permission,
    Text,
)

UNPREFIXED = frozenset({"Monitor"})
"""Tools whose denials still read as in 2.1.197."""

NO_APPROVAL_SURFACE = "this session has no approval surface"


def pre_tool_use(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return what becomes of a call after its PreToolUse hooks."""
    answers, finished = read_all(runs, call.event, contract)
    base = Outcome(
        input=call.input,
        contexts=_contexts(call, finished, contract),
        dropped=tuple(answer.void for answer in answers),
    )
    stops = any(answer.stops for answer in answers)
    denials = [a for a in finished if a.block is not None or a.verdict == "deny"]
    if denials:
        text = _denial(call, denials[-1], contract)
        return _kept_back(base, text, ends=stops and contract.stop_ends_denied_turn)
    person = call.approver is not None and call.approver.person
    if any(a.verdict == "defer" for a in answers) and not person:
        return replace(base, ran=False, ended=Ending.SESSION)
    rewritten = _rewrite(finished, contract)
    tool_input = call.input if rewritten is None else rewritten
    base = replace(base, input=tool_input)
    problem = "" if rewritten is None else invalid_input(call.tool, rewritten)
    if problem:
        text = _bad_rewrite(call.tool, problem, contract)
        return _kept_back(base, text, ends=stops and contract.stop_ends_denied_turn)
    asks = [answer for answer in finished if answer.verdict == "ask"]
    allows = any(answer.verdict == "allow" for answer in answers)
    outcome = _permission(call, base, asks, allows, contract)
    if outcome.ran and stops:
        return replace(outcome, result=None, is_error=None, ended=Ending.TURN)
    return outcome


def _contexts(
    call: Call, finished: Sequence[Answer], contract: Contract
) -> tuple[Text, ...]:
    texts = [answer.context for answer in finished if answer.context]
    label = f"{call.event}:{call.tool} hook additional context: "
    if contract.contexts_before_a_call_are_joined and texts:
        joined = "\n".join(texts).replace("<system-reminder", "&lt;system-reminder")
        texts = [joined.replace("</system-reminder", "&lt;/system-reminder")]
    return tuple(context(label, text) for text in texts)


def context(label: str, text: str) -> Text:
    """Return the reminder that shows a hook's context; a long one is cut."""
    shown = shortened(text, LONGEST_CONTEXT)
    if shown.exact:
        return Text.of(label + text)
    return Text.holding(label, *shown.parts)


def _kept_back(base: Outcome, text: Text, *, ends: bool) -> Outcome:
    if ends:
        return replace(base, ran=False, ended=Ending.TURN)
    return replace(base, ran=False, result=text, is_error=True)


def _denial(call: Call, answer: Answer, contract: Contract) -> Text:
    """Return what the model reads of a denial."""
    old = not contract.denials_name_the_hook or call.tool in UNPREFIXED
    if old and answer.verdict == "deny":
        denied = f"Hook {call.event}:{call.tool} denied this tool"
        return Text.of(answer.reason or denied)
    text = f"{call.event}:{call.tool} hook error: {answer.block}"
    if contract.whitespace_is_trimmed:
        text = text.rstrip()
    longest = contract.longest_reason
    if longest is not None and len(text) > longest:
        return Text.holding(text[:1_000], text[-1_000:])
    if contract.managed_denials_are_wrapped and answer.run.managed:
        text = f"<tool_use_error>{text}</tool_use_error>"
    return Text.of(text)


def _rewrite(finished: Sequence[Answer], contract: Contract) -> Input | None:
    rewrites = [answer for answer in finished if answer.updated_input is not None]
    if not contract.latest_rewrite_wins:
        rewrites = [answer for answer in rewrites if answer.verdict] or rewrites
    return rewrites[-1].updated_input if rewrites else None


def _bad_rewrite(tool: str, problem: str, contract: Contract) -> Text:
    text = (
        f"PreToolUse hook for {tool} returned updatedInput that failed schema "
        f"validation: {problem}"
    )
    if contract.bad_rewrites_are_explained:
        text += (
            "\nThe tool input from the model was valid; the hook's rewrite of it was "
            "not."
        )
    return Text.of(text)


def _permission(
    call: Call,
    base: Outcome,
    asks: Sequence[Answer],
    allows: bool,
    contract: Contract,
) -> Outcome:
    """Take a call that no hook denies through the permission check."""
    assert base.input is not None
    own = call.permission_for(base.input)
    if own is Permission.DENIED:
        return _refused(base, Text.holding("Permission to use", "has been denied."))
    if asks:
        answer = asks[0] if contract.first_ask_is_shown else asks[-1]
        hook = f"{call.event}:{call.tool}"
        default = f"Hook {hook} asked for confirmation for this tool"
        return asked(call, base, Text.of(answer.reason or default))
    mode = call.permission_mode
    if own is Permission.ASK:
        return asked(call, base, Text.holding(f"requested permissions to use"))
    if own is Permission.GRANTED or mode == "bypassPermissions":
        return run(call, base, contract)
    if allows and mode != "plan":
        return run(call, base, contract)
    if mode == "dontAsk":
        return _refused(base, Text.holding("running in don't ask mode"))
    if mode == "auto":
        return _refused(base, Text.holding("Auto mode is unavailable"))
    return asked(call, base, Text())


def asked(call: Call, base: Outcome, why: Text) -> Outcome:
    """Put a call before whoever can approve it; without anybody, refuse it."""
    approver = call.approver
    if not call.prompts:
        reason = why.parts if why.exact else ()
        return _refused(base, Text.holding(NO_APPROVAL_SURFACE, *reason))
    if approver is None:
        return _refused(base, why)
    base = replace(base, asked=True)
    if approver.allows is None:
        return base
    return answered(call, base, approver)


def answered(call: Call, base: Outcome, approver: Approver) -> Outcome:
    """Do with a call what its approver says."""
    if approver.allows:
        if approver.updated_input is not None:
            base = replace(base, input=approver.updated_input)
        return run(call, base, None)
    if approver.person:
        # Saying no at the screen interrupts the turn.
        return replace(base, ran=False, ended=Ending.TURN)
    return _refused(base, Text.of(approver.message))


def _refused(base: Outcome, text: Text) -> Outcome:
    return replace(base, ran=False, result=text, is_error=True)


def run(call: Call, base: Outcome, contract: Contract | None) -> Outcome:
    """Run the call; what the model sees is the tool's own result."""
    assert base.input is not None
    result = call.result_for(base.input)
    shown, is_error = Text(), None
    if isinstance(result, Failed):
        shown, is_error = Text.holding(result.error), True
    elif isinstance(result, Done):
        shown, is_error = render(call.tool, result.response, contract)
    return replace(base, ran=True, result=shown, is_error=is_error)
