"""Many cases share a session and stay apart."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from ringfence.lab import (
    ECHO,
    Case,
    Installed,
    Probe,
    RunError,
    Runner,
    Scenario,
    Script,
    deny,
    run_cases,
    runner_for,
)


@pytest.mark.agent
def test_thirty_cases_are_one_session_of_seconds(runner: Runner) -> None:
    cases = [
        Case(f"n{number}", {"PreToolUse": deny(f"reason {number}.")})
        if number % 2
        else Case(f"n{number}")
        for number in range(30)
    ]
    began = time.monotonic()
    outcomes = run_cases(runner, cases)
    assert time.monotonic() - began < 15
    assert len({id(each.run) for each in outcomes}) == 1
    for number, each in enumerate(outcomes):
        assert each.case.name == f"n{number}"
        assert each.saw is not None
        assert each.ran is (number % 2 == 0)
        expected = f"reason {number}." if number % 2 else f"output of n{number}"
        assert expected in each.saw.text
        assert [hook.event for hook in each.hooks] == ["PreToolUse"]


@pytest.mark.agent
def test_a_case_that_ends_the_session_costs_only_its_own(claude: Runner) -> None:
    stop = {"PreToolUse": {"json": {"continue": False, "stopReason": "enough"}}}
    outcomes = run_cases(
        claude, [Case("before"), Case("ender", stop), Case("after"), Case("last")]
    )
    assert [each.saw is None for each in outcomes] == [False, True, False, False]
    assert len({id(each.run) for each in outcomes}) == 2


@pytest.mark.agent
def test_cases_that_ask_for_it_run_alone_and_keep_their_place(runner: Runner) -> None:
    outcomes = run_cases(runner, [Case("a"), Case("b", alone=True), Case("c")])
    assert [each.case.name for each in outcomes] == ["a", "b", "c"]
    assert outcomes[0].run is outcomes[2].run
    assert outcomes[0].run is not outcomes[1].run
    assert all(each.ran for each in outcomes)


@pytest.mark.agent
def test_calls_answers_and_texts_belong_to_their_case(runner: Runner) -> None:
    context = {"hookEventName": "PostToolUse", "additionalContext": "about @CASE@"}
    answer = {"PostToolUse": {"json": {"hookSpecificOutput": context}}}
    touch = runner.mcp("echo", "touch", {"text": "@MARKER@"})
    outcomes = run_cases(
        runner,
        [Case("mcp", call=touch), Case("told", answer), Case("quiet")],
        Scenario(script=Script(), mcp={"echo": ECHO}),
    )
    assert all(each.ran for each in outcomes)

    def shown(number: int) -> str:
        each = outcomes[number]
        assert each.saw is not None
        return each.saw.text + "".join(text.text for text in each.texts)

    assert "about told" in shown(1)
    assert "about" not in shown(0) + shown(2)


@pytest.mark.agent
def test_setup_calls_come_first(runner: Runner) -> None:
    case = Case(
        "pair",
        {"PreToolUse": deny("only the second")},
        setup=[runner.shell("touch FIRST-@CASE@")],
    )
    (outcome,) = run_cases(runner, [case])
    assert set(outcome.run.files) == {"FIRST-pair"}


@pytest.mark.agent
def test_a_session_that_never_begins_is_an_error(codex: Runner) -> None:
    broken = Scenario(script=Script(), args=["--no-such-flag"])
    with pytest.raises(RunError, match="ended before case a: exit 2"):
        run_cases(codex, [Case("a")], broken)


@pytest.mark.parametrize(
    ("cases", "base", "message"),
    [
        ([Case("a"), Case("a")], None, "same name"),
        ([Case("a-b")], None, "letters, digits"),
        (
            [Case("a", {"other": {}})],
            Scenario(script=Script(), probes=[Probe("PreToolUse")]),
            r"\['other'\]",
        ),
    ],
)
def test_mistakes_are_told_before_any_agent_starts(
    cases: list[Case], base: Scenario | None, message: str
) -> None:
    nowhere = Path("no-such-agent")
    absent = runner_for(Installed("codex", "0.0.0", nowhere, nowhere, "none"))
    with pytest.raises(RunError, match=message):
        run_cases(absent, cases, base)
