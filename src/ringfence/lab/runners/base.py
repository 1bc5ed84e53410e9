"""What all runners share.

A runner knows one agent: how to start it offline, where its configuration goes,
how its tool calls are spelled. Everything else about a run is here.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ringfence.lab import probing
from ringfence.lab.agents import Installed
from ringfence.lab.model.script import ToolCall, Turn
from ringfence.lab.model.server import LOOPBACK, ModelServer
from ringfence.lab.runners import isolation
from ringfence.lab.runners.process import Finished, GroupOptions, run_group
from ringfence.lab.runners.run import Run, RunError
from ringfence.lab.runners.scenario import (
    Scenario,
    Workspace,
    filled,
    workspace,
    write_files,
)

SIZE_CAP = 1_000_000


class Runner(typing.Protocol):
    """Drives one installed agent."""

    agent: Installed

    def run(self, scenario: Scenario, place: Workspace | None = None) -> Run:
        """Run a scenario to its end, in a fresh workspace unless one is given.

        A workspace may serve several runs, one after the other, as for a session
        that is resumed; each run answers for its own requests, hooks and files.
        """
        ...

    def shell(self, command: str, *, call_id: str = "") -> ToolCall:
        """Return the agent's own call for running a shell command."""
        ...

    def mcp(
        self,
        server: str,
        tool: str,
        arguments: Mapping[str, object],
        *,
        call_id: str = "",
    ) -> ToolCall:
        """Return the agent's own call of an MCP tool."""
        ...

    def subagent(self, prompt: str, *, call_id: str = "") -> tuple[Turn, ...]:
        """Return the turns that give a prompt to a subagent and wait for its end."""
        ...


@dataclass(frozen=True, slots=True)
class Launch:
    """How to start an agent: its command line and what its environment adds."""

    argv: Sequence[str]
    env: Mapping[str, str]


Configure = Callable[[Scenario, Workspace, str], Launch]
"""Writes an agent's configuration; is told the address of the model."""


def execute(
    agent: Installed,
    scenario: Scenario,
    place: Workspace | None,
    configure: Configure,
) -> Run:
    """Run a scenario: the same for every agent but for ``configure``."""
    if place is None:
        with workspace() as fresh:
            return execute(agent, scenario, fresh, configure)
    scenario = filled(scenario, place)
    with ModelServer(scenario.script) as server:
        probing.write_answers(place.lab, scenario.probes)
        write_files(place.project, scenario.files)
        launch = configure(scenario, place, server.url)
        write_files(place.home, scenario.home_files)
        if scenario.prepare is not None:
            scenario.prepare(place)
        before = _contents(place.project)
        options = GroupOptions(
            cwd=place.project,
            env={
                **_environment(agent, place, server.url),
                **launch.env,
                **scenario.env,
            },
            timeout=scenario.timeout,
            stdin=scenario.stdin,
        )
        isolated = scenario.isolate and isolation.available()
        if isolated:
            done = isolation.run_isolated(launch.argv, server, options)
        else:
            done = run_group(launch.argv, options)
        return _run(agent, done, isolated, server, place, before)


def hooks_of(scenario: Scenario, place: Workspace) -> dict[str, object]:
    """Return the scenario's raw hook groups and those of its probes, together."""
    merged: dict[str, object] = dict(scenario.hooks)
    for event, groups in probing.hook_groups(place.lab, scenario.probes).items():
        raw = merged.get(event, [])
        if not isinstance(raw, list):
            raise RunError(f"hooks of {event} are not a list; probes cannot join them")
        merged[event] = [*raw, *groups]
    return merged


def _environment(agent: Installed, place: Workspace, model_url: str) -> dict[str, str]:
    """Return what every agent gets; nothing else of this process's environment."""
    return {
        "PATH": agent.search_path(),
        "HOME": str(place.home),
        "TMPDIR": str(place.temporary),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        # Whatever wants another host ends at the model, which refuses and records.
        "HTTP_PROXY": model_url,
        "HTTPS_PROXY": model_url,
        "NO_PROXY": f"{LOOPBACK},localhost",
    }


def _contents(project: Path) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    for path in sorted(project.rglob("*")):
        inside = path.relative_to(project)
        if ".git" in inside.parts or path.is_symlink() or not path.is_file():
            continue
        with path.open("rb") as stream:
            found[inside.as_posix()] = stream.read(SIZE_CAP)
    return found


def _run(
    agent: Installed,
    done: Finished,
    isolated: bool,
    server: ModelServer,
    place: Workspace,
    before: Mapping[str, bytes],
) -> Run:
    after = _contents(place.project)
    return Run(
        agent=agent,
        exit=done.exit,
        stdout=done.stdout,
        stderr=done.stderr,
        seconds=done.seconds,
        isolated=isolated,
        requests=server.recording.requests(),
        hooks=probing.recorded(place.lab),
        files={
            name: data.decode("utf-8", errors="replace")
            for name, data in after.items()
            if before.get(name) != data
        },
    )
