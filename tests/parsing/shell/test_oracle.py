"""Nothing that bash runs stays unseen, and nothing is made up."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from oracle import Oracle, imagined, unseen
from oracle_cases import EXACT, PARTIAL

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
