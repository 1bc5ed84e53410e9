"""For the tests of hook authors: captured payloads, and what agents do with answers.

``payload("claude-code", "PreToolUse-Bash")`` is what a real agent sent to a hook, and
``simulator("claude-code")`` tells what the agent does with the hook's answer::

    call = Call(event="PreToolUse", tool="Bash", input={"command": "ls"})
    outcome = simulator("claude-code").simulate(call, [HookRun(stdout=answer)])
    assert not outcome.ran
    assert "not today" in outcome.result
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ringfence.explaining import Explanation, explain_call, explain_payload
from ringfence.harnesses.registry import simulator
from ringfence.harnesses.simulation import (
    Call,
    Done,
    Failed,
    HookRun,
    Outcome,
    Simulator,
    play,
)

__all__ = [
    "Call",
    "Captured",
    "Done",
    "Explanation",
    "Failed",
    "HookRun",
    "Outcome",
    "Simulator",
    "captured",
    "explain_call",
    "explain_payload",
    "payload",
    "play",
    "simulator",
]

FIXTURES = Path(__file__).with_name("fixtures")


@dataclass(frozen=True, slots=True)
class Captured:
    """A payload as a real agent sent it; paths in it are made up."""

    harness: str
    version: str
    name: str

    @property
    def path(self) -> Path:
        """Where it is kept."""
        return FIXTURES / self.harness / self.version / f"{self.name}.json"

    @property
    def raw(self) -> bytes:
        """The payload's bytes."""
        return self.path.read_bytes()


def captured(harness: str = "", version: str = "") -> Iterator[Captured]:
    """Yield the captured payloads, of one harness or version where one is named."""
    for path in sorted(FIXTURES.glob("*/*/*.json")):
        found = Captured(path.parts[-3], path.parts[-2], path.stem)
        if harness not in ("", found.harness) or version not in ("", found.version):
            continue
        if not path.stem.startswith(("hook-environment", "http-request-headers")):
            yield found


def payload(harness: str, name: str, version: str = "") -> bytes:
    """Return one captured payload, of the newest version that has it.

    Raises :class:`LookupError` where there is none.
    """
    found = [one for one in captured(harness, version) if one.name == name]
    if not found:
        raise LookupError(f"no payload {name!r} was captured from {harness}")
    return found[-1].raw
