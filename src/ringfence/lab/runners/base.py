"""What all runners share: a scenario, a throwaway place, a run and its record.

A runner knows one agent: how to start it offline, where its configuration goes,
how its tool calls are spelled. Everything else is here.
"""

from __future__ import annotations

import json
import sys
import tempfile
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ringfence.errors import RingfenceError
from ringfence.lab import probing
from ringfence.lab.agents import Installed
from ringfence.lab.model import recording
from ringfence.lab.model.protocol import ToolResult
from ringfence.lab.model.recording import Request
from ringfence.lab.model.script import Script, ToolCall, map_strings
from ringfence.lab.model.server import LOOPBACK, ModelServer
from ringfence.lab.probing import HookCall, Probe
from ringfence.lab.runners import isolation
from ringfence.lab.runners.process import Finished, GroupOptions, run_group

SIZE_CAP = 1_000_000
FINAL_TYPES = ("result", "turn.completed", "turn.failed")
PROMPT = "Please do the task."


class RunError(RingfenceError):
    """A run cannot be set up, or it did not get as far as it had to."""


@dataclass(frozen=True, slots=True)
class McpServer:
    """A stdio MCP server for the agent to start."""

    command: str
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)


ECHO = McpServer(
    sys.executable, ("-I", "-S", str(Path(__file__).parents[1] / "mcp_echo.py"))
)
"""The lab's own MCP server; see ``mcp_echo.py`` for its tools."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """A throwaway place: the agent's home, its project, and the lab's own folder."""

    root: Path

    @property
    def home(self) -> Path:
        """The agent's ``HOME``."""
        return self.root / "home"

    @property
    def project(self) -> Path:
        """The agent's working directory."""
        return self.root / "project"

    @property
    def lab(self) -> Path:
        """Where the probes record."""
        return self.root / "lab"

    def fill(self, value: object) -> object:
        """Replace ``@HOME@`` and ``@PROJECT@`` in each string of a JSON value."""

        def change(text: str) -> str:
            text = text.replace("@HOME@", str(self.home))
            return text.replace("@PROJECT@", str(self.project))

        return map_strings(value, change)


@contextmanager
def workspace() -> Iterator[Workspace]:
    """Make a fresh workspace that is gone after the block."""
    with tempfile.TemporaryDirectory(prefix="ringfence-lab-") as folder:
        place = Workspace(Path(folder).resolve())
        for part in (place.home, place.project, place.lab):
            part.mkdir()
        yield place


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """One run of an agent: what the model says, and what the agent finds.

    ``@HOME@`` and ``@PROJECT@`` stand for the run's folders in scripts, hooks,
    answers, settings, files, arguments and environment.
    """

    script: Script
    prompt: str = PROMPT
    probes: Sequence[Probe] = ()
    """Recording hooks to register, with their answers."""
    hooks: Mapping[str, object] = field(default_factory=dict)
    """Hook groups by event, raw, in the agent's own form; beside the probes."""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Claude Code: keys of the user's settings. Codex: configuration overrides."""
    mcp: Mapping[str, McpServer] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    """Files in the project, by relative path."""
    home_files: Mapping[str, str] = field(default_factory=dict)
    """Files in the home; written last, they win over what the runner wrote."""
    env: Mapping[str, str] = field(default_factory=dict)
    args: Sequence[str] = ()
    """Further arguments of the agent's command."""
    bypass: bool = True
    """Run without the agent's own permission checks and sandbox."""
    trust_hooks: bool = True
    """Run hooks that the agent was never told to trust, where it asks for trust."""
    isolate: bool = True
    """Run without any network but the model, where this machine can do that.
    ``False`` for hooks that have to reach a server of the caller's own."""
    model: str = ""
    stdin: str = ""
    timeout: float = 120.0
    prepare: Callable[[Workspace], None] | None = None
    """Called when all files are written, before the agent starts."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of a scenario."""

    agent: Installed
    exit: int | None
    """The exit code; ``None`` where the timeout ended the run."""
    stdout: str
    stderr: str
    seconds: float
    isolated: bool
    """Whether the agent ran without any network but the model."""
    requests: tuple[Request, ...]
    hooks: tuple[HookCall, ...]
    files: Mapping[str, str]
    """Files of the project that are new or changed since the start, as text."""

    @property
    def events(self) -> tuple[Mapping[str, object], ...]:
        """The JSON objects that the agent printed, one a line."""
        found: list[Mapping[str, object]] = []
        for line in self.stdout.splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                found.append(value)
        return tuple(found)

    @property
    def final(self) -> Mapping[str, object]:
        """The event in which the agent sums up the run; empty if it never did."""
        ends = [each for each in self.events if each.get("type") in FINAL_TYPES]
        return ends[-1] if ends else {}

    @property
    def turns(self) -> tuple[Request, ...]:
        """The requests that took a turn of the main track."""
        return recording.turns(self.requests)

    @property
    def results(self) -> Mapping[str, ToolResult]:
        """Each tool result as the model saw it first, by the call's id."""
        return recording.results_by_id(self.requests)

    @property
    def foreign_requests(self) -> tuple[Request, ...]:
        """Requests for anything but the scripted model: attempts to get out."""
        return recording.foreign(self.requests)

    def texts(self, role: str | None = None) -> tuple[str, ...]:
        """Return the distinct texts that the model saw, of one role or all."""
        return recording.texts(self.requests, role)

    def hooks_of(self, event: str) -> tuple[HookCall, ...]:
        """Return the recorded hook calls of one native event."""
        return tuple(call for call in self.hooks if call.event == event)


class Runner(typing.Protocol):
    """Drives one installed agent."""

    agent: Installed

    def run(self, scenario: Scenario, place: Workspace | None = None) -> Run:
        """Run a scenario to its end, in a fresh workspace unless one is given."""
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

    def subagent(self, prompt: str, *, call_id: str = "") -> ToolCall:
        """Return the agent's own call that hands a prompt to a subagent."""
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
    scenario = _filled(scenario, place)
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


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write text files below a folder, by relative path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def hooks_of(scenario: Scenario, place: Workspace) -> dict[str, object]:
    """Return the scenario's raw hook groups and those of its probes, together."""
    merged: dict[str, object] = dict(scenario.hooks)
    for event, groups in probing.hook_groups(place.lab, scenario.probes).items():
        raw = merged.get(event, [])
        if not isinstance(raw, list):
            raise RunError(f"hooks of {event} are not a list; probes cannot join them")
        merged[event] = [*raw, *groups]
    return merged


def _filled(scenario: Scenario, place: Workspace) -> Scenario:
    fill = place.fill

    def mapping(value: Mapping[str, typing.Any]) -> dict[str, typing.Any]:
        return typing.cast("dict[str, typing.Any]", fill(value))

    return replace(
        scenario,
        script=scenario.script.replaced(fill),
        prompt=str(fill(scenario.prompt)),
        probes=[
            replace(
                probe,
                answer=typing.cast("probing.Answer", fill(probe.answer)),
                by_call=mapping(probe.by_call),
            )
            for probe in scenario.probes
        ],
        hooks=mapping(scenario.hooks),
        settings=mapping(scenario.settings),
        files=mapping(scenario.files),
        home_files=mapping(scenario.home_files),
        env=mapping(scenario.env),
        args=typing.cast("list[str]", fill(list(scenario.args))),
    )


def _environment(agent: Installed, place: Workspace, model_url: str) -> dict[str, str]:
    """Return what every agent gets; nothing else of this process's environment."""
    return {
        "PATH": agent.search_path(),
        "HOME": str(place.home),
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
