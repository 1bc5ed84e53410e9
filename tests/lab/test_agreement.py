"""The simulators say of random hook answers what the real agents do."""

from __future__ import annotations

import os
from random import Random, SystemRandom

import pytest

from ringfence.harnesses.claude_code.simulator import ClaudeCodeSimulator
from ringfence.harnesses.codex.simulator import CodexSimulator
from ringfence.harnesses.simulation import Simulator
from ringfence.lab import Runner
from ringfence.lab.agreement import disagreements, simulated, turn_disagreements
from ringfence.lab.random_answers import random_answers, random_turns

SEED = "RINGFENCE_AGREEMENT_SEED"
TRIALS = 40
TURNS = 5


def simulator_of(runner: Runner) -> Simulator:
    if runner.agent.name == "codex":
        return CodexSimulator(runner.agent.version)
    return ClaudeCodeSimulator(runner.agent.version)


@pytest.fixture(scope="module")
def seed() -> int:
    """The seed of all draws; pytest shows it where a test fails."""
    chosen = int(os.environ.get(SEED) or SystemRandom().randrange(10**6))
    print(f"{SEED}={chosen}")
    return chosen


@pytest.mark.agent
def test_agent_and_simulator_agree_on_random_answers(runner: Runner, seed: int) -> None:
    trials = random_answers(Random(seed), runner.agent.name, TRIALS)
    found = disagreements(runner, simulator_of(runner), trials)
    assert not found, "\n".join([f"{SEED}={seed}", *map(str, found)])


@pytest.mark.agent
def test_agent_and_simulator_agree_on_random_answers_around_calls(
    runner: Runner, seed: int
) -> None:
    trials = random_turns(Random(seed), runner.agent.name, TURNS)
    found = turn_disagreements(runner, simulator_of(runner), trials)
    assert not found, "\n".join([f"{SEED}={seed}", *map(str, found)])


@pytest.mark.agent
def test_another_versions_rules_are_found_out(claude: Runner) -> None:
    other = {"2.1.197": "2.1.332", "2.1.332": "2.1.197"}[claude.agent.version]
    trials = random_answers(Random(7), "claude-code", 20)
    assert disagreements(claude, ClaudeCodeSimulator(other), trials)


@pytest.mark.parametrize("harness", ["claude-code", "codex"])
def test_a_seed_gives_the_same_answers_each_time(harness: str) -> None:
    drawn = [random_answers(Random(3), harness, 25) for _ in range(2)]
    assert drawn[0] == drawn[1]
    assert len({trial.name for trial in drawn[0]}) == 25


@pytest.mark.parametrize(
    "simulator",
    [CodexSimulator(), ClaudeCodeSimulator(), ClaudeCodeSimulator("2.1.197")],
    ids=["codex", "claude-code", "claude-code-old"],
)
def test_random_answers_have_every_kind_of_outcome(simulator: Simulator) -> None:
    trials = random_answers(Random(11), simulator.harness, 300)
    outcomes = [simulated(simulator, trial) for trial in trials]
    assert {outcome.ran for outcome in outcomes} == {True, False}
    assert any(outcome.contexts for outcome in outcomes)
    assert any(outcome.dropped and outcome.dropped[0] for outcome in outcomes)
    assert sum(outcome.ran is False for outcome in outcomes) > 50
