"""Plays our own answers to real agents and records what they do with them.

Every capability that the facts claim and that a headless run can reach is tried. The
records are what makes a fact *observed*; see :mod:`ringfence.harnesses.evidence`.
``--only EVENT`` tries one event and writes nothing. Exits with 1 where an agent does
not do what the facts say.
"""

from __future__ import annotations

import argparse
import datetime
import re
import sys
from contextlib import suppress
from dataclasses import replace

from ringfence.capabilities import Support
from ringfence.harnesses import registry, versions
from ringfence.harnesses.base import Context
from ringfence.harnesses.evidence import RECORDS, Record
from ringfence.lab import Probe, Run, Runner, ensure, pinned, runner_for
from ringfence.testing import payload
from tools.evidence_trials import TEXT, Trial, trials

EXCERPT = 400
CHANGING = (
    (r"/\S*/ringfence-lab-\w+", "/lab"),
    (r"/\S*/python[\d.]*", "/python"),
    (r"/\S*/probe\.py", "/probe.py"),
    (r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID"),
    (r"Chunk ID: \w+", "Chunk ID: ID"),
)
"""What is new in every run, or belongs to the machine."""


def request_of(trial: Trial, harness: str, version: str) -> dict[str, object] | None:
    """Return the codec's answer to a trial; ``None`` where the facts claim nothing."""
    codec = registry.codec(harness)
    fact = codec.facts.events.get(trial.event)
    if fact is None or (fact.since and not versions.within(version, f">={fact.since}")):
        return None
    support = codec.facts.capabilities(trial.event, version=version).support
    if support[trial.capability] is Support.NO:
        return None
    event = codec.decode(captured(trial, harness, version), Context(version=version))
    answer = codec.encode(event, trial.decision).answer
    return {
        "stdout": answer.stdout,
        "stderr": answer.stderr,
        "exit_code": answer.exit_code,
    }


def captured(trial: Trial, harness: str, version: str) -> bytes:
    """Return the payload of a trial, of this version where one was captured."""
    for name in (trial.payload, trial.event):
        for one in (version, ""):
            with suppress(LookupError):
                return payload(harness, name, one)
    raise LookupError(f"no payload of {trial.event} was captured from {harness}")


def played(trial: Trial, runner: Runner, request: dict[str, object]) -> Run:
    """Run the agent with the answer to the first event of the trial's kind."""
    answer = {
        "stdout": request["stdout"],
        "stderr": request["stderr"],
        "exit": request["exit_code"],
    }
    scenario = trial.play(runner)
    return runner.run(replace(scenario, probes=[Probe(trial.event, [answer, {}])]))


def effect_of(run: Run) -> dict[str, object]:
    """Return what there is to see of a run."""
    last = run.requests[-1].shown.texts if run.requests else ()
    shown = [text.text for text in last if TEXT in text.text]
    results = [result.text for result in run.results.values()]
    return {
        "ran": "RAN" in run.files,
        "files": sorted(run.files),
        "requests": len(run.turns),
        "exit": run.exit,
        "model_saw": [_excerpt(text) for text in [*results, *shown]],
        "person_told": TEXT in run.stdout + run.stderr,
    }


def _excerpt(text: str) -> str:
    """Return the beginning of a text, without what is new in every run."""
    for pattern, word in CHANGING:
        text = re.sub(pattern, word, text)
    return text[:EXCERPT]


def record(trial: Trial, runner: Runner) -> Record | None:
    """Try a trial; ``None`` where the facts claim nothing or no event fired."""
    agent = runner.agent
    request = request_of(trial, agent.name, agent.version)
    if request is None:
        return None
    run = played(trial, runner, request)
    if not run.hooks_of(trial.event):
        print(f"  not reached: {trial.event} {trial.capability}")
        return None
    return Record(
        harness=agent.name,
        version=agent.version,
        date=datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        event=trial.event,
        capability=trial.capability,
        request=request,
        effect=effect_of(run),
        holds=trial.proof(run),
    )


def main() -> int:
    """Try everything on all pinned agents, and write the records."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="one event; nothing is written")
    parser.add_argument("--harness", default="")
    given = parser.parse_args()
    failed = 0
    for pin in pinned():
        if given.harness not in ("", pin.name):
            continue
        print(f"{pin.name} {pin.version}")
        runner = runner_for(ensure(pin.name, pin.version))
        found = [
            made
            for trial in trials(pin.name)
            if given.only in ("", trial.event)
            and (made := record(trial, runner)) is not None
        ]
        for one in found:
            if not one.holds:
                failed += 1
                print(f"  does not hold: {one.event} {one.capability}: {one.line()}")
        if not given.only:
            path = RECORDS / pin.name / f"{pin.version}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(f"{one.line()}\n" for one in found), "utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
