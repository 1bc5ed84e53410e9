"""Nothing that bash runs stays unseen, and nothing is made up."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, assume, given, settings
from oracle import Oracle, imagined, unseen
from oracle_cases import EXACT, PARTIAL
from scripts import scripts, token_soups

from ringfence.parsing.shell import parse


@pytest.mark.parametrize("script", EXACT)
def test_commands_are_those_that_bash_runs(oracle: Oracle, script: str) -> None:
    program = parse(script, cwd="/w")
    calls = oracle.run(script)
    assert program.problem == ""
    assert unseen(calls, program) == []
    assert imagined(calls, program) == []


@pytest.mark.parametrize("script", PARTIAL)
def test_no_command_of_a_branch_is_missed(oracle: Oracle, script: str) -> None:
    program = parse(script, cwd="/w")
    calls = oracle.run(script)
    assert program.problem == ""
    assert unseen(calls, program) == []


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(script=scripts())
def test_nothing_that_a_random_script_runs_is_missed(
    oracle: Oracle, script: str
) -> None:
    assume(oracle.accepts(script))
    program = parse(script, cwd="/w")
    calls = oracle.run(script)
    assert program.problem == ""
    assert unseen(calls, program) == []


@settings(
    max_examples=200,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.filter_too_much,
    ],
)
@given(script=token_soups())
def test_what_is_read_without_a_problem_is_read_right(
    oracle: Oracle, script: str
) -> None:
    program = parse(script, cwd="/w")
    assume(not program.problem and oracle.accepts(script))
    assert unseen(oracle.run(script), program) == []
