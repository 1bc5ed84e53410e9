"""The arguments of the hook entry."""

from __future__ import annotations

import pytest

from ringfence.edge.options import HookOptions, UsageError, parse


def test_the_harness_and_the_event() -> None:
    assert parse(["codex"]) == HookOptions("codex")
    assert parse(["codex", "Stop"]) == HookOptions("codex", "Stop")
    assert parse(["--event", "Stop", "codex"]) == HookOptions("codex", "Stop")


def test_every_option_with_its_value_before_or_behind_a_sign() -> None:
    wanted = HookOptions(
        harness="codex",
        event="Stop",
        policy="a policy.yaml",
        fail="open",
        timeout=2.5,
        session="s1",
        state="/var/x",
        harness_version="0.171.0",
    )
    options = {
        "--policy": "a policy.yaml",
        "--fail": "open",
        "--timeout": "2.5",
        "--session": "s1",
        "--state": "/var/x",
        "--harness-version": "0.171.0",
    }
    apart = [word for pair in options.items() for word in pair]
    assert parse(["codex", "Stop", *apart]) == wanted
    assert parse([*apart, "codex", "Stop"]) == wanted
    joined = [f"{name}={value}" for name, value in options.items()]
    assert parse(["codex", "--event=Stop", *joined]) == wanted


def test_the_last_one_counts_so_that_what_was_baked_in_can_be_added_to() -> None:
    assert parse(["codex", "--timeout", "3", "--timeout", "5"]).timeout == 5


def test_a_value_may_begin_with_a_dash_behind_a_sign() -> None:
    assert parse(["codex", "--session=-x"]).session == "-x"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["codex", "Stop", "more"], "usage"),
        (["codex", "--polcy", "x"], "unknown option --polcy"),
        (["codex", "-h"], "unknown option -h"),
        (["codex", "--policy"], "--policy needs a value"),
        (["codex", "--policy="], "--policy needs a value"),
        (["codex", "--policy", "", "Stop"], "--policy needs a value"),
        (["codex", "--event", "--fail", "open"], "--event needs a value"),
        (["codex", "--fail", "shut"], "open or closed, not 'shut'"),
        (["codex", "--timeout", "soon"], "takes seconds, not 'soon'"),
        (["codex", "--timeout", "0"], "between 0 and 86400"),
        (["codex", "--timeout=-1"], "between 0 and 86400"),
        (["codex", "--timeout", "inf"], "between 0 and 86400"),
        (["codex", "--timeout", "nan"], "between 0 and 86400"),
    ],
)
def test_wrong_usage_is_told(words: list[str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        parse(words)
