"""Options of this test suite."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

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
