"""Code that bash runs inside of an expansion is seen, or the text is a problem."""

from __future__ import annotations

import pytest

from ringfence.parsing.shell import parse

RUNS = [
    "echo ${x#$(git push)}",
    "echo ${x##`git push`}",
    'echo "${x%%$(git push)}"',
    "echo ${x^^$(git push)}",
    "echo \"${x:-'$(git push)'}\"",
    "echo ${x@P}",
]
PLAIN = ["echo ${x#*/} ${y%.py} ${z^^}", 'echo "${x:-a b}"', "echo ${x@Q}"]


@pytest.mark.parametrize("text", RUNS)
def test_what_runs_is_not_passed_over(text: str) -> None:
    program = parse(text)
    seen = any(command.program == "git" for command in program.commands)
    assert program.problem or seen


@pytest.mark.parametrize("text", PLAIN)
def test_ordinary_expansions_are_understood(text: str) -> None:
    assert parse(text).problem == ""


def test_a_dash_alone_is_an_option_of_env() -> None:
    programs = [one.program for one in parse("env - git push -f").commands]
    assert programs == ["env", "git"]
