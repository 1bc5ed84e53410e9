"""Codex, headless: ``codex exec`` against the scripted model.

Source: observed behaviour of 0.171.0. The lab's own configuration goes in as
``-c`` overrides, so that the files of the home belong to the scenario alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ringfence.lab.agents import Installed
from ringfence.lab.model.script import ToolCall, Turn, use
from ringfence.lab.runners.base import Launch, execute, hooks_of
from ringfence.lab.runners.run import Run, RunError
from ringfence.lab.runners.scenario import Scenario, Workspace, write_files

SUBAGENTS = "multi_agent_v1"
WAIT_MILLISECONDS = 30_000
KEY_NAME = "RINGFENCE_LAB_KEY"
# The switched-off features would ask other hosts for lists and updates.
QUIET: Mapping[str, object] = {
    "check_for_update_on_startup": False,
    "analytics": {"enabled": False},
    "features": {"apps": False, "plugins": False, "remote_plugin": False},
}


class CodexRunner:
    """Runs Codex; ``settings`` of a scenario become configuration overrides.

    A nested object overrides leaf by leaf, so its keys may hold no dots: what
    needs those, such as trust by path, goes into ``.codex/config.toml`` of
    ``home_files``.
    """

    def __init__(self, agent: Installed) -> None:
        """Take the installed version to drive."""
        self.agent = agent

    def run(self, scenario: Scenario, place: Workspace | None = None) -> Run:
        return execute(self.agent, scenario, place, self._configure)

    def shell(self, command: str, *, call_id: str = "") -> ToolCall:
        return ToolCall("exec_command", {"cmd": command}, call_id)

    def mcp(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, object],
        *,
        call_id: str = "",
    ) -> ToolCall:
        return ToolCall(tool, arguments, call_id, namespace=f"mcp__{server}")

    def subagent(self, prompt: str, *, call_id: str = "") -> tuple[Turn, ...]:
        spawn = ToolCall(
            "spawn_agent", {"message": prompt}, call_id, namespace=SUBAGENTS
        )
        await_end = ToolCall(
            "wait_agent",
            {"targets": ["{{agent}}"], "timeout_ms": WAIT_MILLISECONDS},
            namespace=SUBAGENTS,
        )
        agent_id = {"agent": r'"agent_id": ?"([0-9a-f-]+)"'}
        return use(spawn), Turn(calls=(await_end,), captures=agent_id)

    def _configure(
        self, scenario: Scenario, place: Workspace, model_url: str
    ) -> Launch:
        folder = place.home / ".codex"
        folder.mkdir(exist_ok=True)
        if hooks := hooks_of(scenario, place):
            write_files(folder, {"hooks.json": json.dumps({"hooks": hooks}, indent=2)})
        argv = [str(self.agent.binary), "exec", "--skip-git-repo-check", "--json"]
        argv += ["--model", scenario.model or self.agent.model]
        for settings in (
            QUIET,
            _provider(model_url),
            _mcp(scenario),
            scenario.settings,
        ):
            for override in overrides(settings):
                argv += ["-c", override]
        if scenario.trust_hooks:
            argv.append("--dangerously-bypass-hook-trust")
        if scenario.bypass:
            argv.append("--dangerously-bypass-approvals-and-sandbox")
        env = {"CODEX_HOME": str(folder), KEY_NAME: "of-no-worth"}
        return Launch([*argv, *scenario.args, scenario.prompt], env)


def _provider(model_url: str) -> dict[str, object]:
    provider = {
        "name": "lab",
        "base_url": f"{model_url}/v1",
        "wire_api": "responses",
        "env_key": KEY_NAME,
        "request_max_retries": 0,
        "stream_max_retries": 0,
        "supports_websockets": False,
    }
    return {"model_provider": "lab", "model_providers": {"lab": provider}}


def _mcp(scenario: Scenario) -> dict[str, object]:
    servers = {
        name: {"command": server.command, "args": list(server.args)}
        | ({"env": dict(server.env)} if server.env else {})
        for name, server in scenario.mcp.items()
    }
    return {"mcp_servers": servers}


def overrides(settings: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    """Yield ``path=value`` for each leaf, as ``-c`` takes it."""
    for key, value in settings.items():
        if "." in key:
            raise RunError(
                f"Codex override {prefix + key!r}: a key with a dot cannot be given "
                "as an override; write it into .codex/config.toml of home_files"
            )
        if isinstance(value, Mapping):
            yield from overrides(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}={toml(value)}"


def toml(value: object) -> str:
    """Return a JSON value as a TOML value; there is no null in TOML."""
    if value is None:
        raise RunError("a Codex override cannot be null; leave the key out")
    if isinstance(value, Mapping):
        pairs = (f"{toml(key)} = {toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    # Strings, numbers and booleans are written alike, but for one character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
