"""What a harness does with the answers of hooks, told without running it.

A simulator is a set of rules: given a call and what each hook printed, it says
whether the call ran, whether somebody was asked, and what the model saw. The rules
follow from observed runs of the real agents; a simulator never runs anything itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Protocol, TypeAlias

Input: TypeAlias = Mapping[str, object]


class Carrier(StrEnum):
    """How a harness reaches a hook."""

    COMMAND = "command"
    HTTP = "http"
    MCP_TOOL = "mcp_tool"
    CALLBACK = "callback"
    PROMPT = "prompt"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRun:
    """One hook that was run on an event, and how it ended.

    ``stdout`` is what came back: of a command its output, of an HTTP hook the body,
    of an MCP tool its text, of a prompt the model's verdict. ``failure`` says what
    kept the carrier itself from an answer (connection refused, ``HTTP 500``, server
    not connected). ``command`` is the command line, address or ``server/tool`` that a
    harness may show.
    ``stdout_held`` tells that a child of the hook still holds its output open.
    ``finished_at`` orders hooks that ran side by side; equal times keep their order.
    """

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0
    signal: int | None = None
    timed_out: bool = False
    failure: str = ""
    stdout_held: bool = False
    finished_at: float = 0.0
    command: str = "hook"
    carrier: Carrier = Carrier.COMMAND
    is_async: bool = False
    on_failure: str = "continue"
    managed: bool = False

    @classmethod
    def answering(cls, answer: Input, *, command: str = "hook") -> HookRun:
        """Return a command that printed one JSON object and ended with 0."""
        return cls(stdout=json.dumps(answer), command=command)


class Permission(StrEnum):
    """What the harness's own permission rules say about a call.

    ``unset`` is a call that no rule speaks of and that needs approval; ``ask`` one
    that a rule sends to a person whatever a hook allows.
    """

    GRANTED = "granted"
    UNSET = "unset"
    ASK = "ask"
    DENIED = "denied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approver:
    """Who is asked where approval is needed, and what they say.

    ``person`` is true for somebody at the screen, false for a program: a permission
    tool, an SDK host, an automatic reviewer. ``allows`` is ``None`` while there is
    no answer.
    """

    person: bool = True
    allows: bool | None = None
    message: str = ""
    updated_input: Input | None = None
    answers_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Done:
    """A tool that ran; ``response`` has the shape that hooks see after the call."""

    response: object


@dataclass(frozen=True, slots=True)
class Failed:
    """A tool that failed, with the text that hooks see as its error."""

    error: str


Ran: TypeAlias = Done | Failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The event that hooks answer, seen from the harness.

    ``event`` and ``tool`` are the harness's own names. ``permission`` may be a
    function of the input, as a rewritten call is checked again. ``result`` is what
    the tool gives: needed to tell what the model sees of a call that ran; a function
    where hooks may rewrite the input. ``prompts`` is false where the harness was told
    that nobody can be asked. ``continuations`` counts how often hooks kept this turn
    from ending.
    """

    event: str
    tool: str = ""
    input: Input = field(default_factory=dict)
    permission: Permission | Callable[[Input], Permission] = Permission.GRANTED
    permission_mode: str = "default"
    approver: Approver | None = None
    prompts: bool = True
    result: Ran | Callable[[Input], Ran] | None = None
    prompt: str = ""
    source: str = "startup"
    continuations: int = 0

    def permission_for(self, tool_input: Input) -> Permission:
        """Return what the harness's own rules say about the call with this input."""
        if callable(self.permission):
            return self.permission(tool_input)
        return self.permission

    def result_for(self, tool_input: Input) -> Ran | None:
        """Return what the tool gives for this input, ``None`` if nobody said."""
        if callable(self.result):
            return self.result(tool_input)
        return self.result


@dataclass(frozen=True, slots=True)
class Text:
    """A text as far as the rules tell it: all of it, or parts it holds in order."""

    parts: tuple[str, ...] = ()
    exact: bool = False

    @classmethod
    def of(cls, text: str) -> Text:
        """Return a text that is known to the letter."""
        return cls((text,), exact=True)

    @classmethod
    def holding(cls, *parts: str) -> Text:
        """Return a text of which some parts are known; without any, nothing is."""
        return cls(parts)

    def __str__(self) -> str:
        return " … ".join(self.parts)

    def __contains__(self, part: str) -> bool:
        return any(part in own for own in self.parts)

    def matches(self, seen: str) -> bool:
        """Tell whether a text that was seen is this one; blanks at its ends aside."""
        if self.exact:
            return seen.strip() == "".join(self.parts).strip()
        start = 0
        for part in self.parts:
            found = seen.find(part.strip(), start)
            if found < 0:
                return False
            start = found + len(part.strip())
        return True


class Ending(StrEnum):
    """What ends because of a hook, before the model is called again."""

    NOTHING = "nothing"
    TURN = "turn"
    SESSION = "session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the harness did.

    ``fired`` is false where the harness does not run hooks on this event at all.
    ``ran`` tells whether the call ran: ``None`` for an event without a call, and
    where it depends on an answer that a person has yet to give (``asked``).
    ``input`` is the input it ran with, or would have. ``result`` is what the model
    sees as the call's result, ``None`` where it sees none. ``contexts`` are the texts
    that it reads beside it. ``blocked`` is true where a hook kept something else than
    a call from happening: a prompt, a compaction, a change of settings. ``continued``
    tells that the agent goes on instead of ending its turn. ``message`` is what the
    person is told. ``dropped`` says, for each hook, why its answer did not count;
    empty where it did.
    """

    fired: bool = True
    ran: bool | None = None
    asked: bool = False
    input: Input | None = None
    result: Text | None = None
    is_error: bool | None = None
    contexts: tuple[Text, ...] = ()
    blocked: bool = False
    continued: bool = False
    ended: Ending = Ending.NOTHING
    message: str = ""
    dropped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A tool result of a request, taken apart: the result, and reminders beside it."""

    result: str
    reminders: tuple[str, ...] = ()


class Simulator(Protocol):
    """What one harness in one version does with the answers of hooks."""

    harness: str
    version: str

    def simulate(self, call: Call, runs: Sequence[HookRun]) -> Outcome:
        """Return what the harness does; ``runs`` stand in configuration order.

        Raises nothing for any answer, however broken.
        """

    def events_after(self, result: Ran) -> tuple[str, ...]:
        """Return the events that follow a call with this result, in their order."""

    def read(self, content: object) -> Reading:
        """Take apart what a request to the model carries as a tool's result."""


def play(
    simulator: Simulator, call: Call, hooks: Mapping[str, Sequence[HookRun]]
) -> Outcome:
    """Return what becomes of a call under hooks on several events.

    ``hooks`` has the hooks' answers by native event, ``PreToolUse`` and what comes
    after the call; ``call.event`` does not matter.
    """
    before = replace(call, event="PreToolUse")
    outcome = simulator.simulate(before, hooks.get("PreToolUse", ()))
    if not outcome.ran or outcome.input is None:
        return outcome
    result = call.result_for(outcome.input)
    if result is None:
        return outcome
    call = replace(call, input=outcome.input, result=result)
    for event in simulator.events_after(result):
        later = simulator.simulate(replace(call, event=event), hooks.get(event, ()))
        outcome = _followed(outcome, later)
    return outcome


def _followed(outcome: Outcome, later: Outcome) -> Outcome:
    """Return what two events on one call make together."""
    ended = later.ended if outcome.ended is Ending.NOTHING else outcome.ended
    result, is_error = outcome.result, outcome.is_error
    if ended is not Ending.NOTHING:
        result, is_error = None, None
    elif later.result is not None and later.result != Text():
        result, is_error = later.result, later.is_error
    return replace(
        outcome,
        result=result,
        is_error=is_error,
        contexts=outcome.contexts + later.contexts,
        ended=ended,
        dropped=outcome.dropped + later.dropped,
    )


def by_finish(runs: Sequence[HookRun]) -> list[int]:
    """Return the positions of runs in the order in which they finished."""
    return sorted(range(len(runs)), key=lambda position: runs[position].finished_at)
