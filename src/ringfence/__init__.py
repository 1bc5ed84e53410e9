"""Ringfence: the guardrail layer for coding agents.

Names are imported when they are first used, so that ``import ringfence`` is cheap::

    from ringfence import Ringfence, deny

    fence = Ringfence()

    @fence.before_tool(tools="shell")
    def no_force_push(event):
        for command in event.tool.commands:
            if command.program == "git" and {"push", "--force"} <= set(command.args):
                return deny("force pushes need a person")

    if __name__ == "__main__":
        fence.run()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

__version__ = "0.1.0"

_HOMES = {
    "Ringfence": "api",
    "Capability": "capabilities",
    "redact": "content.redaction",
    "accept_prompt": "decisions",
    "allow": "decisions",
    "answer_natively": "decisions",
    "ask": "decisions",
    "block_prompt": "decisions",
    "continue_with": "decisions",
    "deny": "decisions",
    "finish": "decisions",
    "flag_output": "decisions",
    "no_decision": "decisions",
    "observed": "decisions",
    "replace_output": "decisions",
    "rewrite": "decisions",
    "withhold": "decisions",
    "RingfenceError": "errors",
    "AfterTool": "events",
    "BeforeTool": "events",
    "Event": "events",
    "EventKind": "events",
    "Prompt": "events",
    "Stop": "events",
    "ToolClass": "calls",
    "FailurePolicy": "failure",
    "tools": "matchers",
    "Pending": "drivers",
    "all_of": "pipeline",
    "any_of": "pipeline",
    "when": "pipeline",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - strings, all of them

if TYPE_CHECKING:
    from ringfence.api import Ringfence as Ringfence
    from ringfence.calls import ToolClass as ToolClass
    from ringfence.capabilities import Capability as Capability
    from ringfence.content.redaction import redact as redact
    from ringfence.decisions import accept_prompt as accept_prompt
    from ringfence.decisions import allow as allow
    from ringfence.decisions import answer_natively as answer_natively
    from ringfence.decisions import ask as ask
    from ringfence.decisions import block_prompt as block_prompt
    from ringfence.decisions import continue_with as continue_with
    from ringfence.decisions import deny as deny
    from ringfence.decisions import finish as finish
    from ringfence.decisions import flag_output as flag_output
    from ringfence.decisions import no_decision as no_decision
    from ringfence.decisions import observed as observed
    from ringfence.decisions import replace_output as replace_output
    from ringfence.decisions import rewrite as rewrite
    from ringfence.decisions import withhold as withhold
    from ringfence.drivers import Pending as Pending
    from ringfence.errors import RingfenceError as RingfenceError
    from ringfence.events import AfterTool as AfterTool
    from ringfence.events import BeforeTool as BeforeTool
    from ringfence.events import Event as Event
    from ringfence.events import EventKind as EventKind
    from ringfence.events import Prompt as Prompt
    from ringfence.events import Stop as Stop
    from ringfence.failure import FailurePolicy as FailurePolicy
    from ringfence.matchers import tools as tools
    from ringfence.pipeline import all_of as all_of
    from ringfence.pipeline import any_of as any_of
    from ringfence.pipeline import when as when


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'ringfence' has no attribute {name!r}")
    value: object = getattr(import_module(f"ringfence.{home}"), name)
    globals()[name] = value
    return value
