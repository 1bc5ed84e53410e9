"""Claude Code, headless: ``claude -p`` against the scripted model.

Source: observed behaviour of 2.1.197 and 2.1.332.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from ringfence.lab.agents import Installed
from ringfence.lab.model.script import ToolCall, Turn, use
from ringfence.lab.runners.base import Launch, execute, hooks_of
from ringfence.lab.runners.run import Run
from ringfence.lab.runners.scenario import Scenario, Workspace, write_files

QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "DISABLE_TELEMETRY": "1",
}
KEY = "lab-key-of-no-worth"


class ClaudeCodeRunner:
    """Runs Claude Code; ``settings`` of a scenario are keys of its user settings."""

    def __init__(self, agent: Installed) -> None:
        """Take the installed version to drive."""
        self.agent = agent

    def run(self, scenario: Scenario, place: Workspace | None = None) -> Run:
        return execute(self.agent, scenario, place, self._configure)

    def shell(self, command: str, *, call_id: str = "") -> ToolCall:
        return ToolCall("Bash", {"command": command, "description": "a step"}, call_id)

    def mcp(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, object],
        *,
        call_id: str = "",
    ) -> ToolCall:
        return ToolCall(f"mcp__{server}__{tool}", arguments, call_id)

    def subagent(self, prompt: str, *, call_id: str = "") -> tuple[Turn, ...]:
        # From 2.1.332 on a subagent runs in the background unless told otherwise.
        given = {
            "description": "a part of the task",
            "prompt": prompt,
            "subagent_type": "general-purpose",
            "run_in_background": False,
        }
        return (use(ToolCall("Agent", given, call_id)),)

    def _configure(
        self, scenario: Scenario, place: Workspace, model_url: str
    ) -> Launch:
        folder = place.home / ".claude"
        settings = dict(scenario.settings)
        if hooks := hooks_of(scenario, place):
            settings["hooks"] = hooks
        write_files(folder, {"settings.json": json.dumps(settings, indent=2)})
        argv: list[str] = [str(self.agent.binary), "-p", scenario.prompt]
        argv += ["--model", scenario.model or self.agent.model]
        argv += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        if scenario.mcp:
            servers = {
                name: {
                    "command": server.command,
                    "args": list(server.args),
                    "env": dict(server.env),
                }
                for name, server in scenario.mcp.items()
            }
            argv += ["--mcp-config", json.dumps({"mcpServers": servers})]
        env = {
            **QUIET,
            "CLAUDE_CONFIG_DIR": str(folder),
            # It does not heed TMPDIR for its own folder of temporary files.
            "CLAUDE_CODE_TMPDIR": str(place.temporary),
            "ANTHROPIC_BASE_URL": model_url,
            "ANTHROPIC_API_KEY": KEY,
        }
        if scenario.bypass:
            argv.append("--dangerously-skip-permissions")
            # As root, the flag is refused outside of what calls itself a sandbox.
            env["IS_SANDBOX"] = "1"
        return Launch([*argv, *scenario.args], env)
