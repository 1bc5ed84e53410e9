"""The whole way: a real agent, a hook process, a deny that the model can read."""

from __future__ import annotations

import pytest

from tests.e2e.conftest import Guarded

pytestmark = pytest.mark.agent

FENCE = """
from ringfence import Ringfence, deny

fence = Ringfence()

@fence.before_tool(tools="shell")
def no_touching(event):
    print("a guard that prints is not an answer")
    command = event.tool.input["command"]
    if "crash" in command:
        raise RuntimeError("boom")
    if "leave" in command:
        import os
        os._exit(0)
    if "hang" in command:
        import time
        time.sleep(60)
    if command.startswith("touch denied"):
        return deny("touching needs a person", suggest="ls")

fence.run()
"""


def test_a_denied_call_does_not_run_and_others_do(agent: Guarded) -> None:
    run = agent.run(
        agent.runner.shell("touch denied", call_id="toolu_denied"),
        agent.runner.shell("touch passed", call_id="toolu_passed"),
        agent.runner.shell("touch crash", call_id="toolu_crash"),
        agent.runner.shell("touch leave", call_id="toolu_leave"),
        agent.runner.shell("touch hang", call_id="toolu_hang"),
        script=FENCE,
        options=["--timeout", "3"],
    )
    assert set(run.files) & {"denied", "passed", "crash", "leave", "hang"} == {"passed"}
    assert "touching needs a person" in run.results["toolu_denied"].text
    for trouble in ("toolu_crash", "toolu_leave", "toolu_hang"):
        assert "fails closed" in run.results[trouble].text
    assert not run.foreign_requests
