"""An agent is not sent on for ever, counted by hooks that share nothing but state."""

from __future__ import annotations

import pytest

from ringfence.lab import Script, say
from tests.e2e.conftest import Guarded

pytestmark = pytest.mark.agent

FENCE = """
from ringfence import Ringfence, continue_with

fence = Ringfence(continuation_cap=3)

@fence.on_stop
def go_on(event):
    return continue_with(f"ROUND {event.continuations} {event.previously_continued}")

fence.run()
"""


def test_an_agent_that_is_sent_on_finishes_at_the_cap(agent: Guarded) -> None:
    script = Script.of(*[say(f"finished {number}") for number in range(8)])
    run = agent.run(model_script=script, script=FENCE)
    told = "\n".join(run.texts())
    for told_round in ("ROUND 0 False", "ROUND 1 True", "ROUND 2 True"):
        assert told_round in told
    assert "ROUND 3" not in told
