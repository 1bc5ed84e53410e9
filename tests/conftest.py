"""Options of this test suite."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import ExitStack

import pytest
from hypothesis import settings

from ringfence.harnesses import quirks


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--without-quirk",
        action="append",
        default=[],
        metavar="ID",
        help="switch off the mitigation of a quirk; its own test must then fail",
    )


def pytest_configure(config: pytest.Config) -> None:
    stack = ExitStack()
    for quirk in config.getoption("--without-quirk"):
        stack.enter_context(quirks.without(quirk))
    config.add_cleanup(stack.close)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where agents are required, a skipped test of theirs is a failed one."""
    report = yield
    required = os.environ.get("RINGFENCE_REQUIRE_AGENTS") == "1"
    if required and report.skipped and item.get_closest_marker("agent"):
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, but agents are required"
    return report


settings.register_profile("full", max_examples=2_000, deadline=None)
settings.register_profile("default", deadline=None, derandomize=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
