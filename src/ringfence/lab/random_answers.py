"""Random hook answers: plausible ones, broken ones, and what lies between.

Each is an answer for a probe (see ``probe.py``). Texts carry the trial's name, so
that what the model saw can be told apart; nothing else depends on it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

from ringfence.harnesses.simulation import Done, Failed, Ran
from ringfence.lab.probing import Answer

T = TypeVar("T")

FIRST, SECOND, AFTER, FAILED = "first", "second", "after", "failed"
"""The probes' names: two before a call, one after it, one after a failed one."""

ORIGINAL = "touch @MARKER@; echo output of @CASE@"
REWRITTEN = "echo rewritten @CASE@"
MARKING = "touch @MARKER@; echo marked @CASE@"
BREAKING = "echo broken @CASE@; exit 3"

_APART = 0.4
"""Seconds that set two hooks apart, so that it is known which finished last."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One call and the answers that its hooks give, by probe.

    ``kind`` is ``shell`` or ``mcp``. What a shell command does is known for each
    that a trial may come to run.
    """

    name: str
    kind: str = "shell"
    command: str = ORIGINAL
    answers: Mapping[str, Answer] = field(default_factory=dict)

    def filled(self, value: str) -> str:
        """Return a text with the trial's own names in it."""
        text = value.replace("@MARKER@", f"RAN-{self.name}")
        return text.replace("@CASE@", self.name)


@dataclass(slots=True)
class _Source:
    """Draws answers for one harness.

    Of Codex's, many are tame: with oddities in all of them, hardly one would count.
    """

    rng: Random
    codex: bool
    tame: bool = False

    def some(self, *choices: tuple[int, T]) -> T:
        """Return one of the choices, each by its weight."""
        weights = [weight for weight, _ in choices]
        values = [value for _, value in choices]
        return self.rng.choices(values, weights)[0]

    def may(self, percent: int) -> bool:
        return self.rng.random() * 100 < percent

    def odd(self, percent: int) -> bool:
        return not self.tame and self.may(percent)

    # -- texts ----------------------------------------------------------------

    def text(self, what: str) -> object:
        """Return a text about this case, or something that is none."""
        if self.tame:
            return f"{what} of @CASE@"
        return self.some(
            (70, f"{what} of @CASE@"),
            (6, f"  {what} of @CASE@\nsecond line \n"),
            (4, f"{what} “of” @CASE@ ü <b>&amp;</b>"),
            (6, ""),
            (4, "  "),
            (5, None),
            (5, 7),
        )

    def event_name(self, event: str) -> object:
        if self.tame:
            return event
        return self.some(
            (88, event),
            (4, "PostToolUse" if event == "PreToolUse" else "PreToolUse"),
            (2, "Stop"),
            (3, "NoSuchEvent"),
            (1, None),
        )

    def rewrite(self, kind: str) -> object:
        if kind == "mcp":
            return self.some(
                (6, {"text": "rewritten-@CASE@"}),
                (2, {"text": "rewritten-@CASE@", "more": 1}),
                (1, ["text"]),
            )
        return self.some(
            (10, {"command": REWRITTEN}),
            (4, {"command": MARKING}),
            (3, {"command": REWRITTEN, "more": 1}),
            (2, {"command": BREAKING}),
            (2, {"cmd": REWRITTEN}),
            (2, {"command": 5}),
            (1, {}),
            (1, {"command": None}),
            (1, REWRITTEN),
            (1, [REWRITTEN]),
            (1, None),
        )

    # -- answers --------------------------------------------------------------

    def universal(self, answer: dict[str, object]) -> None:
        """Add keys that every event knows, or that none does."""
        stop = 3 if self.codex else 4
        if self.odd(12):
            answer["continue"] = self.some((6, True), (stop, False), (1, "no"))
        for key, percent in (("stopReason", 6), ("systemMessage", 8)):
            if self.odd(percent):
                answer[key] = self.text(key)
        if self.odd(7):
            answer["suppressOutput"] = self.some((4, True), (2, False), (1, "yes"))
        if self.odd(6):
            answer["unknownKey"] = {"a": [1, None]}

    def decision(self, answer: dict[str, object], percent: int) -> None:
        """Add the older keys ``decision`` and ``reason``."""
        if self.may(percent):
            answer["decision"] = self.some(
                (8, "block"), (2, "approve"), (1, "deny"), (1, None)
            )
        if self.may(85) if "decision" in answer else self.odd(4):
            answer["reason"] = self.text("reason")

    def before(self, kind: str) -> Answer:
        """Draw an answer to PreToolUse."""
        self.tame = self.codex and self.may(75)
        answer: dict[str, object] = {}
        self.universal(answer)
        self.decision(answer, 18)
        if self.may(80):
            own: dict[str, object] = {"hookEventName": self.event_name("PreToolUse")}
            if self.may(80):
                own["permissionDecision"] = self.some(
                    (10, "deny"),
                    (9, "allow"),
                    (5, "ask"),
                    (1, "defer"),
                    (1, "maybe"),
                    (1, None),
                )
            verdict = own.get("permissionDecision")
            if self.may(70) if verdict is not None else self.odd(30):
                own["permissionDecisionReason"] = self.text("verdict")
            if self.may(70 if verdict == "allow" and self.codex else 20):
                own["updatedInput"] = self.rewrite(kind)
            if self.may(25):
                own["additionalContext"] = self.text("context")
            if self.odd(4):
                own["unknownKey"] = 1
            answer["hookSpecificOutput"] = own
            if self.odd(4):
                answer["hookSpecificOutput"] = self.some((1, None), (1, "text"))
        return self.printed(answer)

    def after(self, event: str, replacement: object) -> Answer:
        """Draw an answer to an event after the call."""
        self.tame = self.codex and self.may(75)
        answer: dict[str, object] = {}
        self.universal(answer)
        self.decision(answer, 45)
        if self.may(65):
            own: dict[str, object] = {"hookEventName": self.event_name(event)}
            if self.may(50):
                own["additionalContext"] = self.text("context")
            if self.odd(65):
                own["updatedToolOutput"] = replacement
            if self.odd(8):
                own["updatedMCPToolOutput"] = self.text("older")
            answer["hookSpecificOutput"] = own
        return self.printed(answer)

    def printed(self, value: Mapping[str, object]) -> Answer:
        """Wrap an answer up as a hook may print it, and let the hook end."""
        text = json.dumps(value)
        stdout = self.some(
            (80, text),
            (3, "\n \n" + json.dumps(value, indent=2) + "\n\n"),
            (3, "a line before\n" + text),
            (3, text + "\na line after\n"),
            (2, "{}\n" + text),
            (2, f"[{text}]"),
            (2, text[: len(text) // 2]),
            (1, "\ufeff" + text),
            (2, "only words\n"),
            (1, text[:-1] + (", " if value else "") + '"number": NaN}'),
            (2, ""),
        )
        if self.tame and self.may(60):
            stdout = text
        answer: dict[str, object] = {"stdout": stdout}
        answer["exit"] = self.some((82, 0), (7, 1), (9, 2), (2, 3))
        if self.may(60 if answer["exit"] else 8):
            answer["stderr"] = self.some(
                (6, "stderr of @CASE@"), (2, "  stderr of @CASE@\nmore\n\n"), (1, " \n")
            )
        if self.may(2):
            answer["signal"] = 9
        return answer

    # -- what stands in for a result ------------------------------------------

    def replacement(self, kind: str) -> object:
        text = "replaced @CASE@"
        if kind == "mcp":
            return self.some(
                (4, text),
                (3, [{"type": "text", "text": text}]),
                (1, {"content": [{"type": "text", "text": text}]}),
                (1, None),
                (1, 5),
            )
        full = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        return self.some(
            (8, full),
            (2, {**full, "more": 1}),
            (2, {**full, "stderr": "warned @CASE@"}),
            (1, {key: full[key] for key in ("stdout", "stderr", "interrupted")}),
            (1, {"stdout": text}),
            (1, {**full, "stdout": 5}),
            (1, {**full, "stdout": ""}),
            (2, text),
            (1, [{"type": "text", "text": text}]),
            (1, None),
        )


def random_answers(rng: Random, harness: str, n: int) -> Sequence[Trial]:
    """Draw trials: most with a hook before the call, some with two, some after it.

    Those with calls of an MCP tool come last, when its server will have started.
    """
    source = _Source(rng, harness == "codex")
    makers: list[Callable[[str], Trial]] = [
        _draw(source, number, n) for number in range(n)
    ]
    return [make(f"t{number:03d}") for number, make in enumerate(makers)]


def _draw(source: _Source, number: int, n: int) -> Callable[[str], Trial]:
    kind = "mcp" if number >= n - n // 5 else "shell"

    def make(name: str) -> Trial:
        drawn = source.some((60, "before"), (15, "both"), (25, "after"))
        if drawn == "after":
            return _after(source, name, kind)
        answers = {FIRST: source.before(kind)}
        if drawn == "both":
            answers[SECOND] = source.before(kind)
            late = source.some((1, FIRST), (1, SECOND))
            answers[late] = {**answers[late], "sleep": _APART}
        return Trial(name, kind, answers=answers)

    return make


def _after(source: _Source, name: str, kind: str) -> Trial:
    if kind == "shell" and source.may(20):
        answer = source.after("PostToolUseFailure", "replaced @CASE@")
        return Trial(name, kind, BREAKING, {FAILED: answer, AFTER: answer})
    answer = source.after("PostToolUse", source.replacement(kind))
    return Trial(name, kind, answers={AFTER: answer})


TURN_EVENTS = ("UserPromptSubmit", "Stop", "SessionStart")
"""Events around calls; an answer to one needs a session of its own."""


def random_turns(rng: Random, harness: str, n: int) -> Sequence[Trial]:
    """Draw trials without a call: one answer each, to an event around calls.

    The probe is named after the event.
    """
    source = _Source(rng, harness == "codex")
    trials = []
    for number in range(n):
        event = source.some(
            (3, TURN_EVENTS[0]), (3, TURN_EVENTS[1]), (1, TURN_EVENTS[2])
        )
        answer = source.after(event, "replaced @CASE@")
        trials.append(Trial(f"u{number:03d}", "turn", answers={event: answer}))
    return trials


def performed(trial: Trial, command: str, *, codex: bool) -> Ran | None:
    """Return what a command of a trial gives; ``None`` for any other."""
    outputs = {
        trial.filled(ORIGINAL): f"output of {trial.name}",
        trial.filled(REWRITTEN): f"rewritten {trial.name}",
        trial.filled(MARKING): f"marked {trial.name}",
        trial.filled(BREAKING): f"broken {trial.name}",
    }
    if command not in outputs:
        return None
    text = outputs[command]
    if codex:
        return Done(f"{text}\n")
    if command == trial.filled(BREAKING):
        return Failed(f"Exit code 3\n{text}")
    response = {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
    return Done(response)
