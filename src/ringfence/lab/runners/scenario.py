"""What a run is made of: a scenario, and the throwaway place it happens in."""

from __future__ import annotations

import sys
import tempfile
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from ringfence.lab.model.script import Script, map_strings
from ringfence.lab.probing import Answer, Probe

PROMPT = "Please do the task."


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

    @property
    def temporary(self) -> Path:
        """The agent's ``TMPDIR``: what it leaves there goes with the workspace."""
        return self.root / "tmp"

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
        for part in (place.home, place.project, place.lab, place.temporary):
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


def filled(scenario: Scenario, place: Workspace) -> Scenario:
    """Return the scenario with its places filled in for this workspace."""
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
                answer=typing.cast("Answer", fill(probe.answer)),
                by_call=mapping(probe.by_call),
            )
            for probe in scenario.probes
        ],
        hooks=mapping(scenario.hooks),
        settings=mapping(scenario.settings),
        mcp={
            name: McpServer(
                str(fill(server.command)),
                tuple(str(fill(each)) for each in server.args),
                mapping(server.env),
            )
            for name, server in scenario.mcp.items()
        },
        files=mapping(scenario.files),
        home_files=mapping(scenario.home_files),
        env=mapping(scenario.env),
        args=typing.cast("list[str]", fill(list(scenario.args))),
    )


def write_files(folder: Path, files: Mapping[str, str]) -> None:
    """Write text files below a folder, by relative path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
