"""Many one-call cases in one session of an agent.

Starting an agent costs a second, a tool call some hundredths. So the calls of many
cases are played one after the other in one session; the id of a call names its
case, and the probes answer by that id. A case that ends its session, or that must
not share one, costs a session and nothing else: the cases behind it go on in the
next one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from ringfence.lab.model.protocol import Text, ToolResult
from ringfence.lab.model.script import Script, ToolCall, Turn, map_strings, say, use
from ringfence.lab.probing import Answer, HookCall, Probe
from ringfence.lab.runners.base import Runner
from ringfence.lab.runners.run import Run, RunError
from ringfence.lab.runners.scenario import Scenario

SECONDS_A_CASE = 10.0
NAME = re.compile(r"[A-Za-z0-9_]+")
LAST_WORDS = say("all cases are done")


@dataclass(frozen=True, slots=True)
class Case:
    """One tool call and how the hooks answer it.

    ``answers`` is by probe label, which is the event unless the scenario names its
    probes. Without a ``call``, it is a shell command that makes the case's marker
    file and says ``output of <name>``. ``@CASE@`` stands for the name and
    ``@MARKER@`` for the marker file in calls and answers. ``setup`` are calls made
    just before, which the probes record but leave alone. ``alone`` asks for a
    session of its own.
    """

    name: str
    answers: Mapping[str, Answer] = field(default_factory=dict)
    call: ToolCall | None = None
    setup: Sequence[ToolCall] = ()
    alone: bool = False

    @property
    def id(self) -> str:
        """The id of the tool call that is this case."""
        return f"case_{self.name}"

    @property
    def marker(self) -> str:
        """The file whose presence shows that the call ran."""
        return f"RAN-{self.name}"


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """What came of a case; ``run`` is the session that it was part of."""

    case: Case
    run: Run
    ran: bool
    """Whether the marker file came to be."""
    saw: ToolResult | None
    """What the model saw; ``None`` where the session ended with this call."""
    texts: tuple[Text, ...]
    """Texts that were new to the model in the request with the result."""
    hooks: tuple[HookCall, ...]
    """The recorded hook calls with this call's id."""


def run_cases(
    runner: Runner, cases: Iterable[Case], base: Scenario | None = None
) -> list[CaseOutcome]:
    """Play the cases and return what came of each, in their order.

    ``base`` holds what all have in common; its script is not used, and the probes
    that its cases answer through are added where it has none. Raises
    :class:`RunError` for names that are double or not plain, for answers to probes
    that are not there, and where a session ends before its first call.
    """
    todo = list(cases)
    base = _with_probes(base or Scenario(script=Script()), todo)
    outcomes: dict[str, CaseOutcome] = {}
    for case in (each for each in todo if each.alone):
        outcomes.update(_session(runner, [case], base))
    rest = [each for each in todo if not each.alone]
    while rest:
        done = _session(runner, rest, base)
        outcomes.update(done)
        rest = [each for each in rest if each.name not in done]
    return [outcomes[case.name] for case in todo]


def _with_probes(base: Scenario, cases: Sequence[Case]) -> Scenario:
    names = [case.name for case in cases]
    if len(set(names)) != len(names):
        raise RunError("two cases have the same name; each needs its own")
    for name in names:
        if not NAME.fullmatch(name):
            raise RunError(f"case name {name!r}: use letters, digits and underscores")
    labels = dict.fromkeys(label for case in cases for label in case.answers)
    if not base.probes:
        return replace(base, probes=[Probe(label) for label in labels])
    missing = set(labels) - {probe.label for probe in base.probes}
    if missing:
        raise RunError(f"answers for probes that are not there: {sorted(missing)}")
    return base


def _session(
    runner: Runner, cases: Sequence[Case], base: Scenario
) -> dict[str, CaseOutcome]:
    """Play cases until they or the session end; return those that were issued."""
    turns: list[Turn] = []
    ends: list[int] = []
    for case in cases:
        call = case.call or runner.shell("touch @MARKER@; echo output of @CASE@")
        turns += [use(_own(each, case, "")) for each in case.setup]
        turns.append(use(_own(call, case, case.id)))
        ends.append(len(turns))
    scenario = replace(
        base,
        script=Script.of(*turns, LAST_WORDS),
        probes=[_answering(probe, cases) for probe in base.probes],
        timeout=base.timeout + SECONDS_A_CASE * len(cases),
    )
    run = runner.run(scenario)
    issued = [
        case for case, end in zip(cases, ends, strict=True) if len(run.turns) >= end
    ]
    if not issued:
        raise RunError(
            f"the session of {runner.agent.name} ended before case {cases[0].name}: "
            f"exit {run.exit}, stderr ends {run.stderr[-500:]!r}"
        )
    return {case.name: _outcome(case, run) for case in issued}


def _own(call: ToolCall, case: Case, call_id: str) -> ToolCall:
    given = cast("Mapping[str, object]", _filled(call.input, case))
    raw = None if call.raw is None else str(_filled(call.raw, case))
    return replace(call, input=given, raw=raw, id=call_id)


def _answering(probe: Probe, cases: Sequence[Case]) -> Probe:
    own = {
        case.id: cast("Answer", _filled(case.answers[probe.label], case))
        for case in cases
        if probe.label in case.answers
    }
    return replace(probe, by_call={**probe.by_call, **own})


def _filled(value: object, case: Case) -> object:
    def change(text: str) -> str:
        return text.replace("@MARKER@", case.marker).replace("@CASE@", case.name)

    return map_strings(value, change)


def _outcome(case: Case, run: Run) -> CaseOutcome:
    known: Counter[Text] = Counter()
    texts: Counter[Text] = Counter()
    for request in run.turns:
        if any(result.id == case.id for result in request.shown.results):
            texts = Counter(request.shown.texts) - known
            break
        known = Counter(request.shown.texts)
    return CaseOutcome(
        case=case,
        run=run,
        ran=case.marker in run.files,
        saw=run.results.get(case.id),
        texts=tuple(texts.elements()),
        hooks=tuple(call for call in run.hooks if call.call_id == case.id),
    )
