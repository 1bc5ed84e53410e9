"""The lab: real coding agents, offline, under a scripted model.

A run has a *script* (what the model says), *probes* (hooks that record and answer)
or the hook configuration under test, and gives a *run*: what the model saw, which
hooks were called, which files came to be, who tried to reach another host::

    from ringfence.lab import Probe, Scenario, Script, deny, ensure
    from ringfence.lab import runner_for, say, use

    claude = runner_for(ensure("claude-code"))
    call = claude.shell("touch RAN", call_id="toolu_1")
    run = claude.run(
        Scenario(
            script=Script.of(use(call), say("done")),
            probes=[Probe("PreToolUse", deny("not today"))],
        )
    )
    assert "RAN" not in run.files
    assert "not today" in run.results["toolu_1"].text
    assert not run.foreign_requests

Many calls cost little more than one when they share a session::

    outcomes = run_cases(claude, [Case("no", {"PreToolUse": deny("no")}), Case("yes")])
    assert [each.ran for each in outcomes] == [False, True]

Assert on contents, never on equality: agents append reminders to results.

``ensure`` installs the pinned agents (``agents.toml``) on demand and raises
``AgentUnavailableError`` where that cannot be. ``Scenario`` lists what else a run
can have: raw hooks and settings, MCP servers, files, environment, arguments, and
``prepare``, which sees the finished workspace before the agent starts. A runner
spells calls for its agent (``shell``, ``mcp``, ``subagent``); any other is a
``ToolCall``. Nothing but loopback is used.
"""

from __future__ import annotations

from ringfence.lab.agents import (
    AgentUnavailableError,
    AgentVersionError,
    Installed,
    Pin,
    ensure,
    pinned,
)
from ringfence.lab.bundle import Case, CaseOutcome, run_cases
from ringfence.lab.model import Script, ToolCall, ToolResult, Track, Turn, say, use
from ringfence.lab.probing import Answer, HookCall, Probe, deny
from ringfence.lab.runners import (
    ECHO,
    McpServer,
    Run,
    RunError,
    Runner,
    Scenario,
    Workspace,
    runner_for,
    workspace,
)

__all__ = [
    "ECHO",
    "AgentUnavailableError",
    "AgentVersionError",
    "Answer",
    "Case",
    "CaseOutcome",
    "HookCall",
    "Installed",
    "McpServer",
    "Pin",
    "Probe",
    "Run",
    "RunError",
    "Runner",
    "Scenario",
    "Script",
    "ToolCall",
    "ToolResult",
    "Track",
    "Turn",
    "Workspace",
    "deny",
    "ensure",
    "pinned",
    "run_cases",
    "runner_for",
    "say",
    "use",
    "workspace",
]
