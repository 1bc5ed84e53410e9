"""Whether a simulator says of random hook answers what the real agent does.

Random answers are played to the agent, nearly all in one session, and to the
simulator; where the two differ in whether the call ran, whether it is an error, or
what the model saw, there is a disagreement: a rule to be mended.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ringfence.harnesses.simulation import (
    Call,
    Done,
    Ending,
    HookRun,
    Input,
    Outcome,
    Ran,
    Simulator,
    play,
)
from ringfence.lab.bundle import Case, CaseOutcome, run_cases
from ringfence.lab.model.script import Script, say
from ringfence.lab.probing import Answer, Probe
from ringfence.lab.random_answers import (
    AFTER,
    FAILED,
    FIRST,
    SECOND,
    Trial,
    performed,
)
from ringfence.lab.runners.base import Runner
from ringfence.lab.runners.run import Run
from ringfence.lab.runners.scenario import ECHO, Scenario

SERVER = "echo"
PROBES = {
    FIRST: "PreToolUse",
    SECOND: "PreToolUse",
    AFTER: "PostToolUse",
    FAILED: "PostToolUseFailure",
}
_COMMAND = re.compile(r"[^\s\"\[]+ -I -S \S*probe\.py \S+ (\w+)")
_HOOK_TEXT = re.compile(r"\w+(:\S+)? hook (additional context|blocking error|success)")


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A trial of which agent and simulator say different things."""

    trial: Trial
    what: str
    simulated: Outcome

    def __str__(self) -> str:
        answers = json.dumps(dict(self.trial.answers), ensure_ascii=False)
        return f"{self.trial.name} ({self.trial.kind}): {self.what}\n  {answers}"


def disagreements(
    runner: Runner, simulator: Simulator, trials: Sequence[Trial]
) -> list[Disagreement]:
    """Play the trials to the agent and to the simulator; return where they differ.

    Trials that end their session get sessions of their own. Raises
    :class:`~ringfence.lab.RunError` where a session can't be played.
    """
    outcomes = [simulated(simulator, trial) for trial in trials]
    cases = [
        _case(runner, trial, outcome)
        for trial, outcome in zip(trials, outcomes, strict=True)
    ]
    events = dict.fromkeys(PROBES.values())
    if simulator.harness == "codex":
        events.pop("PostToolUseFailure")
    probes = [
        Probe(event, name=name) for name, event in PROBES.items() if event in events
    ]
    base = Scenario(script=Script(), mcp={SERVER: ECHO}, probes=probes)
    found = []
    for trial, outcome, seen in zip(
        trials, outcomes, run_cases(runner, cases, base), strict=True
    ):
        what = _difference(simulator, trial, outcome, seen)
        if what:
            found.append(Disagreement(trial, what, outcome))
    return found


def turn_disagreements(
    runner: Runner, simulator: Simulator, trials: Sequence[Trial]
) -> list[Disagreement]:
    """Do the same for trials around calls: each has a session, and one answer."""
    found = []
    for trial in trials:
        ((event, answer),) = trial.answers.items()
        call = Call(event=event)
        outcome = simulator.simulate(call, [_run(trial, event, answer)])
        given = {
            key: trial.filled(value) if isinstance(value, str) else value
            for key, value in answer.items()
        }
        run = runner.run(
            Scenario(
                script=Script.of(say("one"), say("two"), say("three")),
                probes=[Probe(event, answer=[given, {}])],
            )
        )
        what = _turn_difference(trial, outcome, run)
        if what:
            found.append(Disagreement(trial, what, outcome))
    return found


def _turn_difference(trial: Trial, outcome: Outcome, run: Run) -> str:
    turns = 2 if outcome.continued else 0 if outcome.blocked else 1
    if len(run.turns) != turns:
        return f"simulated: {turns} requests; agent: {len(run.turns)}"
    shown = [text.text for request in run.turns for text in request.shown.texts]
    return _beside(trial, outcome, _plain(shown))


def simulated(simulator: Simulator, trial: Trial) -> Outcome:
    """Return what the simulator says of a trial."""
    codex = simulator.harness == "codex"
    answers = trial.answers
    hooks: dict[str, list[HookRun]] = {}
    for name, event in PROBES.items():
        if name in (FAILED,) and codex:
            continue
        hooks.setdefault(event, []).append(_run(trial, name, answers.get(name, {})))
    if trial.kind == "mcp":
        tool, tool_input = f"mcp__{SERVER}__touch", {"text": f"RAN-{trial.name}"}
    else:
        tool, tool_input = "Bash", {"command": trial.filled(trial.command)}

    def result(given: Input) -> Ran:
        if trial.kind == "mcp":
            blocks = [{"type": "text", "text": f"touched: {given.get('text', '')}"}]
            return Done({"content": blocks} if codex else blocks)
        ran = performed(trial, str(given.get("command")), codex=codex)
        assert ran is not None
        return ran

    call = Call(
        event="PreToolUse",
        tool=tool,
        input=tool_input,
        permission_mode="bypassPermissions",
        result=result,
    )
    return play(simulator, call, hooks)


def _run(trial: Trial, name: str, answer: Answer) -> HookRun:
    """Return what a harness gets of a probe with this answer."""
    return HookRun(
        stdout=trial.filled(str(answer.get("stdout", ""))),
        stderr=trial.filled(str(answer.get("stderr", ""))),
        exit_code=int(str(answer.get("exit", 0))),
        signal=int(str(answer["signal"])) if "signal" in answer else None,
        finished_at=float(str(answer.get("sleep", 0))),
        command=f"probe {name}",
    )


def _case(runner: Runner, trial: Trial, outcome: Outcome) -> Case:
    call = runner.shell(trial.command)
    if trial.kind == "mcp":
        call = runner.mcp(SERVER, "touch", {"text": "@MARKER@"})
    answers: Mapping[str, Answer] = trial.answers
    if runner.agent.name == "codex":
        answers = {name: each for name, each in answers.items() if name != FAILED}
    alone = outcome.ended is not Ending.NOTHING
    return Case(trial.name, answers, call, alone=alone)


def _difference(
    simulator: Simulator, trial: Trial, outcome: Outcome, seen: CaseOutcome
) -> str:
    """Return what agent and simulator differ in, empty where they agree."""
    marks = outcome.ran is True and _marks(trial, outcome.input or {})
    if marks is not seen.ran:
        return f"simulated: ran is {marks}; agent: {seen.ran}"
    if seen.saw is None or outcome.result is None:
        if seen.saw is None and outcome.result is None:
            return ""
        saw = "nothing" if seen.saw is None else repr(seen.saw.text)
        return f"simulated: the model sees {outcome.result}; agent: {saw}"
    reading = simulator.read(seen.saw.content)
    shown = _COMMAND.sub(r"probe \1", reading.result)
    if not outcome.result.matches(shown):
        return f"simulated: the model sees {outcome.result}; agent: {shown!r}"
    error = bool(seen.saw.is_error)
    if outcome.is_error is not None and outcome.is_error is not error:
        return f"simulated: is_error is {outcome.is_error}; agent: {error}"
    return _beside(trial, outcome, _texts(reading.reminders, seen))


def _marks(trial: Trial, given: Input) -> bool:
    if trial.kind == "mcp":
        return given.get("text") == f"RAN-{trial.name}"
    return f"touch RAN-{trial.name}" in str(given.get("command"))


def _texts(reminders: Sequence[str], seen: CaseOutcome) -> list[str]:
    """Return what hooks had the model read beside the result."""
    beside = [text.text for text in seen.texts if text.role != "assistant"]
    return _plain([*reminders, *beside])


def _plain(texts: Sequence[str]) -> list[str]:
    """Return texts without the reminder tags and the probes' command lines."""
    bare = (re.sub(r"</?system-reminder>", "", text).strip() for text in texts)
    return [_COMMAND.sub(r"probe \1", text) for text in bare]


def _beside(trial: Trial, outcome: Outcome, texts: Sequence[str]) -> str:
    contexts = [context for context in outcome.contexts if str(context).strip()]
    for context in contexts:
        if not any(context.matches(text) for text in texts):
            return f"simulated: the model reads {str(context)!r}; agent: {texts}"
    for text in texts:
        own = _HOOK_TEXT.match(text) or trial.name in text
        if own and not any(context.matches(text) for context in contexts):
            return f"the agent shows {text!r}, which the simulator does not say"
    return ""
