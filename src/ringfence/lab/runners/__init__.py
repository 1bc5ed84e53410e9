"""One runner per agent, behind one protocol."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ringfence.lab.agents import AgentUnavailableError, Installed
from ringfence.lab.runners.base import Runner
from ringfence.lab.runners.claude_code import ClaudeCodeRunner
from ringfence.lab.runners.codex import CodexRunner
from ringfence.lab.runners.run import Run, RunError
from ringfence.lab.runners.scenario import (
    ECHO,
    McpServer,
    Scenario,
    Workspace,
    workspace,
)

RUNNERS: Mapping[str, Callable[[Installed], Runner]] = {
    "claude-code": ClaudeCodeRunner,
    "codex": CodexRunner,
}


def runner_for(agent: Installed) -> Runner:
    """Return the runner that drives this agent."""
    try:
        return RUNNERS[agent.name](agent)
    except KeyError:
        known = ", ".join(sorted(RUNNERS))
        raise AgentUnavailableError(
            f"the lab has no runner for {agent.name}; it drives {known}"
        ) from None


__all__ = [
    "ECHO",
    "RUNNERS",
    "McpServer",
    "Run",
    "RunError",
    "Runner",
    "Scenario",
    "Workspace",
    "runner_for",
    "workspace",
]
