"""What Claude Code does before a call: PreToolUse, PermissionRequest, skill shell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from ringfence.harnesses.claude_code.simulation.answers import Answer, read_all
from ringfence.harnesses.claude_code.simulation.contract import Contract
from ringfence.harnesses.claude_code.simulation.rewrites import (
    rewrite,
    told_instead,
)
from ringfence.harnesses.claude_code.simulation.tools import (
    invalid_input,
    shown_context,
    shown_result,
)
from ringfence.harnesses.simulation import (
    Call,
    Ending,
    HookRun,
    Input,
    Outcome,
    Permission,
    Text,
)

UNPREFIXED = frozenset({"Monitor"})
"""Tools whose denials still read as in 2.1.197."""

NO_APPROVAL_SURFACE = "this session has no approval surface"


@dataclass(frozen=True, slots=True)
class Gate:
    """One call on its way through hooks and permission check."""

    call: Call
    contract: Contract

    def pre_tool_use(self, runs: Sequence[HookRun]) -> Outcome:
        """Return what becomes of the call after its PreToolUse hooks."""
        call, contract = self.call, self.contract
        answers, finished = read_all(runs, call.event, contract)
        base = Outcome(
            input=call.input,
            contexts=self._contexts(finished),
            dropped=tuple(answer.void for answer in answers),
        )
        stops = any(answer.stops for answer in answers)
        ending = Ending.NOTHING
        if stops and contract.stop_ends_denied_turn:
            ending = Ending.TURN
        denials = [each for each in finished if each.block is not None]
        if denials:
            problem = told_instead(call.tool, finished, contract)
            text = self._bad_rewrite(problem) if problem else self._denial(denials[-1])
            return _kept_back(base, text, ending)
        change = rewrite(call.tool, finished, contract)
        if change.problem:
            if contract.bad_rewrites_are_explained:
                base = replace(base, contexts=())
            return _kept_back(base, self._bad_rewrite(change.problem), ending)
        person = call.approver is not None and call.approver.person
        if change.deferred and not person:
            return replace(base, ran=False, ended=Ending.SESSION)
        if change.input is not None:
            base = replace(base, input=change.input)
        outcome = self._check(base, finished, change.question)
        if outcome.ran and stops:
            return replace(outcome, result=None, is_error=None, ended=Ending.TURN)
        return outcome

    def permission_request(self, runs: Sequence[HookRun]) -> Outcome:
        """Return what becomes of a call that needs approval.

        Hooks and approver answer side by side, and the first answer counts, be it
        an allow before a deny.
        """
        call, approver = self.call, self.call.approver
        base = Outcome(input=call.input)
        person = approver is not None and approver.person
        headless = self.contract.permission_hooks_headless
        if not (person or headless) or call.permission_mode == "dontAsk":
            return self._check(replace(base, fired=False))
        answers, finished = read_all(runs, call.event, self.contract)
        base = replace(base, dropped=tuple(answer.void for answer in answers))
        # Exit 2 and ``decision`` are not heard here; a failure that blocks is.
        decided = next(
            (each for each in finished if each.permission is not None or each.failed),
            None,
        )
        if decided is None:
            return self._check(base)
        if (
            approver is not None
            and approver.allows is not None
            and approver.answers_at < decided.run.finished_at
        ):
            return self._asked(base, Text())
        return self._decided(base, decided)

    def skill_shell(self, runs: Sequence[HookRun]) -> Outcome:
        """Return what becomes of an inline shell command of a skill or command."""
        base = Outcome(input=self.call.input)
        if not self.contract.skill_shell_hooks:
            return self._run(replace(base, fired=False))
        answers, finished = read_all(runs, self.call.event, self.contract)
        base = replace(base, dropped=tuple(answer.void for answer in answers))
        reason = _skill_reason(finished)
        if not reason:
            return self._run(base)
        text = f"[not run: blocked by hook: {reason}"
        return replace(base, ran=False, result=Text.holding(text), is_error=False)

    # -- hooks ----------------------------------------------------------------

    def _contexts(self, finished: Sequence[Answer]) -> tuple[Text, ...]:
        texts = [answer.context for answer in finished if answer.context]
        label = f"{self.call.event}:{self.call.tool} hook additional context: "
        if self.contract.contexts_before_a_call_are_joined and texts:
            joined = "\n".join(texts).replace("<system-reminder", "&lt;system-reminder")
            texts = [joined.replace("</system-reminder", "&lt;/system-reminder")]
        return tuple(shown_context(label, text) for text in texts)

    def _denial(self, answer: Answer) -> Text:
        """Return what the model reads of a denial."""
        call, contract = self.call, self.contract
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
        if answer.more:
            return Text.holding(text)
        if contract.managed_denials_are_wrapped and answer.run.managed:
            text = f"<tool_use_error>{text}</tool_use_error>"
        return Text.of(text)

    def _bad_rewrite(self, problem: str) -> Text:
        text = (
            f"{self.call.event} hook for {self.call.tool} returned updatedInput that "
            f"failed schema validation: {problem}"
        )
        if self.contract.bad_rewrites_are_explained:
            text += (
                "\nThe tool input from the model was valid; the hook's rewrite of it "
                "was not."
            )
        return Text.of(text)

    def _decided(self, base: Outcome, answer: Answer) -> Outcome:
        """Do with a permission request what a hook decided."""
        if answer.permission is None:
            text = str(answer.block)
            return _refused(base, Text.holding(text) if answer.more else Text.of(text))
        if answer.permission["behavior"] == "deny":
            if answer.permission.get("interrupt") is True:
                return replace(base, ran=False, ended=Ending.SESSION)
            message = answer.permission.get("message")
            return _refused(base, Text.of(str(message or "Permission denied by hook")))
        if "updatedInput" in answer.permission:
            given = cast("Input", answer.permission["updatedInput"])
            problem = invalid_input(self.call.tool, given)
            if problem:
                return _refused(base, self._bad_rewrite(problem))
            base = replace(base, input=given)
        return self._run(base)

    # -- the permission check -------------------------------------------------

    def _check(
        self,
        base: Outcome,
        finished: Sequence[Answer] = (),
        question: Answer | None = None,
    ) -> Outcome:
        """Take a call that no hook denies through the permission check."""
        assert base.input is not None
        mode = self.call.permission_mode
        own = self.call.permission_for(base.input)
        if own is Permission.DENIED:
            return _refused(base, Text.holding("Permission to use", "has been denied"))
        if own is Permission.ASK:
            return self._asked(base, Text.holding("requested permissions to use"))
        if question is not None:
            hook = f"{self.call.event}:{self.call.tool}"
            default = f"Hook {hook} asked for confirmation for this tool"
            return self._asked(base, Text.of(question.reason or default))
        if own is Permission.GRANTED or mode == "bypassPermissions":
            return self._run(base)
        allowed = any(answer.verdict == "allow" for answer in finished)
        if allowed and mode != "plan":
            return self._run(base)
        if mode == "dontAsk":
            return _refused(base, Text.holding("running in don't ask mode"))
        if mode == "auto":
            return _refused(base, Text.holding("Auto mode is unavailable"))
        return self._asked(base, Text())

    def _asked(self, base: Outcome, why: Text) -> Outcome:
        """Put the call before whoever can approve it; without anybody, refuse it."""
        approver = self.call.approver
        if not self.call.prompts:
            reason = why.parts if why.exact else ()
            return _refused(base, Text.holding(NO_APPROVAL_SURFACE, *reason))
        if approver is None:
            return _refused(base, why)
        base = replace(base, asked=True)
        if approver.allows is None:
            return base
        if approver.allows:
            if approver.updated_input is not None:
                base = replace(base, input=approver.updated_input)
            return self._run(base)
        if approver.person:
            # Saying no at the screen interrupts the turn.
            return replace(base, ran=False, ended=Ending.TURN)
        return _refused(base, Text.of(approver.message))

    def _run(self, base: Outcome) -> Outcome:
        """Run the call; what the model sees is the tool's own result."""
        assert base.input is not None
        result = self.call.result_for(base.input)
        if result is None:
            return replace(base, ran=True, result=Text())
        shown, is_error = shown_result(self.call.tool, result, self.contract)
        return replace(base, ran=True, result=shown, is_error=is_error)


def _skill_reason(finished: Sequence[Answer]) -> str:
    """Return why inline shell is not run, in the words of the last that objects."""
    for answer in reversed(finished):
        if answer.block is not None:
            told = answer.run.stderr.strip() if answer.by_exit else answer.block
            return answer.block if answer.failed else told or "No stderr output"
        if answer.verdict in ("ask", "defer"):
            default = "the hook asked for approval, which a skill can't wait for"
            return answer.reason or default
        if answer.updated_input is not None:
            return "the hook changed the command, which isn't supported here"
    return ""


def _kept_back(base: Outcome, text: Text, ending: Ending) -> Outcome:
    if ending is Ending.TURN:
        return replace(base, ran=False, ended=ending)
    return _refused(base, text)


def _refused(base: Outcome, text: Text) -> Outcome:
    return replace(base, ran=False, result=text, is_error=True)
