"""Quirks of hook processes: whatever a guard does, the harness gets a refusal."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable

from ringfence.decisions import deny
from ringfence.harnesses.simulation import Outcome
from tests.harnesses.quirks.forking import Hook
from tests.harnesses.quirks.playing import CODEX, Agent, every_agent


def hooked(agent: Agent, work: Callable[[], None]) -> Outcome:
    """What the agent does where a guard does this and then denies."""
    event = agent.event("PreToolUse-Bash")
    answer = agent.encode(event, deny("no")).answer
    refusal = agent.codec.refuse("PreToolUse", "the guard failed")
    run = Hook(work, answer, refusal).run()
    return agent.simulate(event, [run])


@every_agent
def test_a_guard_that_prints_does_not_open_the_gate(agent: Agent) -> None:
    def work() -> None:
        os.write(1, b"loading the model\n")

    assert hooked(agent, work).ran is False


def test_a_child_left_behind_does_not_hold_the_answer() -> None:
    def work() -> None:
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(20)"])

    assert hooked(CODEX, work).ran is False


@every_agent
def test_a_guard_that_dies_does_not_open_the_gate(agent: Agent) -> None:
    assert hooked(agent, lambda: os._exit(3)).ran is False


@every_agent
def test_a_guard_that_hangs_does_not_open_the_gate(agent: Agent) -> None:
    assert hooked(agent, lambda: time.sleep(20)).ran is False
