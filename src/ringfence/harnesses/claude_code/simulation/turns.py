"""What Claude Code does around calls: prompts, ends of turns, starts, and the rest."""

from __future__ import annotations

from collections.abc import Sequence

from ringfence.harnesses.claude_code.simulation.answers import Answer, read_all
from ringfence.harnesses.claude_code.simulation.contract import Contract
from ringfence.harnesses.claude_code.simulation.tools import shown_context
from ringfence.harnesses.simulation import Call, Ending, HookRun, Outcome, Text

CONTINUATIONS = 8
"""How often Stop hooks keep a turn going before they are overruled."""


def prompt(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return what becomes of a prompt (UserPromptSubmit, UserPromptExpansion).

    Prompts are blocked or get a context, and are never rewritten.
    """
    answers, finished = read_all(runs, call.event, contract)
    dropped = tuple(answer.void for answer in answers)
    stops = [answer for answer in finished if answer.stops]
    blocks = [answer for answer in finished if answer.block is not None]
    if blocks:
        message = f"{call.event} operation blocked by hook:\n{blocks[-1].block}"
        return _blocked(message, dropped)
    if stops:
        reason = stops[-1].stop_reason
        message = "Operation stopped by hook" + (f": {reason}" if reason else "")
        return _blocked(message, dropped)
    contexts = _spoken(call, finished, call.event)
    return Outcome(contexts=contexts, dropped=_said_counts(answers))


def _blocked(message: str, dropped: tuple[str, ...]) -> Outcome:
    return Outcome(blocked=True, ended=Ending.TURN, message=message, dropped=dropped)


def start(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return what becomes of the start of a session or subagent: nothing blocks it."""
    answers, finished = read_all(runs, call.event, contract)
    label = f"{call.event}:{call.source}" if call.event == "SessionStart" else ""
    contexts = _spoken(call, finished, label or call.event)
    if contract.start_block_is_shown:
        contexts += tuple(
            Text.of(
                f"{label or call.event} hook blocking error from command: "
                f'"{answer.run.command}": {answer.block}'
            )
            for answer in finished
            if answer.block is not None and not answer.by_exit
        )
    return Outcome(contexts=contexts, dropped=_said_counts(answers))


def stop(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return whether the agent goes on (Stop, SubagentStop).

    A block makes it go on, and so does a context; ``continue: false`` overrules
    both, and so does Claude Code itself after a number of continuations.
    """
    answers, finished = read_all(runs, call.event, contract)
    dropped = tuple(answer.void for answer in answers)
    # A failure that is to block keeps no turn going.
    blocks = [each for each in finished if each.block is not None and not each.failed]
    contexts = [
        shown_context(f"{call.event} hook additional context: ", answer.context)
        for answer in finished
        if answer.context
    ]
    overruled = call.continuations >= CONTINUATIONS
    stops = any(answer.stops for answer in answers)
    if stops or overruled or not (blocks or contexts):
        return Outcome(dropped=dropped)
    for answer in blocks:
        if contract.stop_feedback_is_framed and not answer.by_exit:
            contexts.append(
                Text.of(
                    f"{call.event} hook blocking error from command: "
                    f'"{answer.run.command}": {answer.block}'
                )
            )
        feedback = f"Stop hook feedback:\n{answer.block}"
        framed = contract.stop_feedback_is_framed
        contexts.append(Text.holding(feedback) if framed else Text.of(feedback))
    return Outcome(continued=True, contexts=tuple(contexts), dropped=dropped)


def change(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return whether a change takes place (ConfigChange, PreModelSwitch)."""
    answers, finished = read_all(runs, call.event, contract)
    blocks = [answer for answer in finished if answer.block is not None]
    return Outcome(
        blocked=bool(blocks),
        message=str(blocks[-1].block) if blocks else "",
        dropped=tuple(answer.void for answer in answers),
    )


def compaction(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return whether a compaction takes place; without it, the run fails."""
    outcome = change(call, runs, contract)
    if outcome.blocked and contract.compaction_blocks:
        return Outcome(blocked=True, ended=Ending.SESSION, dropped=outcome.dropped)
    return Outcome(dropped=outcome.dropped)


def observed(call: Call, runs: Sequence[HookRun], contract: Contract) -> Outcome:
    """Return the outcome of an event that no hook changes."""
    answers, _ = read_all(runs, call.event, contract)
    return Outcome(dropped=tuple(answer.void for answer in answers))


def _spoken(
    call: Call, finished: Sequence[Answer], success_label: str
) -> tuple[Text, ...]:
    """Return contexts and plain output, both of which the model reads here."""
    texts = []
    for answer in finished:
        if answer.context:
            label = f"{call.event} hook additional context: "
            texts.append(shown_context(label, answer.context))
        if answer.said:
            label = f"{success_label} hook success: "
            texts.append(shown_context(label, answer.said))
    return tuple(texts)


def _said_counts(answers: Sequence[Answer]) -> tuple[str, ...]:
    return tuple("" if answer.said else answer.void for answer in answers)
