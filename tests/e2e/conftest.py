"""Real agents with Ringfence's hooks, under a scripted model."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pytest

from ringfence.install import throwaway
from ringfence.lab import (
    AgentUnavailableError,
    Run,
    Runner,
    Scenario,
    Script,
    ToolCall,
    Workspace,
    ensure,
    runner_for,
    say,
    use,
)

AGENTS = [
    ("claude-code", "2.1.332"),
    ("claude-code", "2.1.197"),
    ("codex", "0.171.0"),
]


CLAUDE_CODE = [agent for agent in AGENTS if agent[0] == "claude-code"]


@dataclass(frozen=True)
class Guarded:
    """An agent whose hooks call Ringfence, or an author's script."""

    runner: Runner
    harness: str
    version: str

    def run(
        self,
        *calls: ToolCall,
        options: Sequence[str] = (),
        policy: str = "",
        script: str = "",
        files: Mapping[str, str] | None = None,
        after: Callable[[Workspace], None] | None = None,
        **more: object,
    ) -> Run:
        """Have the model make calls one after the other, and finish.

        ``policy`` is the text of a policy file, ``script`` that of an author's
        program; without either the recommended policy decides. ``after`` is called
        when all is written, before the agent starts.
        """

        def prepare(place: Workspace) -> None:
            own = list(options)
            program: list[str] = []
            if policy:
                path = place.home / "ringfence.yaml"
                path.write_text(policy, "utf-8")
                own += ["--policy", str(path)]
            if script:
                path = place.home / "fence.py"
                path.write_text(script, "utf-8")
                program = [sys.executable, "-I", str(path)]
            throwaway.write(
                place.home,
                self.harness,
                version=self.version,
                options=own,
                program=program,
            )
            if after is not None:
                after(place)

        chain = more.pop("model_script", None)
        if chain is None:
            chain = Script.of(*(use(call) for call in calls), say("done"))
        return self.runner.run(
            Scenario(script=chain, files=files or {}, prepare=prepare, **more)  # type: ignore[arg-type]
        )


def runner(name: str, version: str) -> Runner:
    try:
        return runner_for(ensure(name, version))
    except AgentUnavailableError as error:
        if os.environ.get("RINGFENCE_REQUIRE_AGENTS") == "1":
            raise
        pytest.skip(str(error))


@pytest.fixture(params=AGENTS, ids="-".join)
def agent(request: pytest.FixtureRequest) -> Guarded:
    name, version = request.param
    return Guarded(runner(name, version), name, version)
