"""The demonstration where no agent can run: captured payloads, simulated agents."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ringfence.api import Ringfence
from ringfence.edge.handling import Desk
from ringfence.explaining import explain_payload
from ringfence.harnesses import registry
from ringfence.harnesses.base import Context, WireAnswer
from ringfence.harnesses.simulation import Call, Done, HookRun, Simulator, play
from ringfence.lab.demo import (
    STEPS,
    Row,
    Shown,
    Stage,
    Step,
    patch,
    row_of,
    synthetic_token,
)
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool
from ringfence.testing import payload

HOW = "simulated from captured payloads"


def simulate(harness: str) -> Shown:
    """Replay the demonstration's calls through Ringfence and a simulator."""
    began = time.monotonic()
    stage = Stage(harness, synthetic_token())
    simulator = registry.simulator(harness)
    with tempfile.TemporaryDirectory(prefix="ringfence-demo-") as folder:
        state = Path(folder)
        fence = Ringfence(policy="ringfence:recommended", plans=state)
        codec = registry.codec(harness)
        desk = Desk(fence, codec, Spool(state / "decisions"), Memory(state))
        rows = tuple(_row(step, stage, desk, simulator) for step in STEPS)
    seconds = time.monotonic() - began
    return Shown(harness, simulator.version, HOW, rows, seconds=seconds)


@dataclass(frozen=True, slots=True)
class _Native:
    """A step in a harness's own words: the captured payload that it fits into."""

    fixture: str
    tool_input: Mapping[str, object]
    output: object

    def payload(self, harness: str, when: str) -> bytes:
        """Return the step's payload: a captured one, with the step's call in it."""
        captured = json.loads(payload(harness, f"{when}-{self.fixture}"))
        captured["cwd"] = "/home/user/project"
        captured["tool_input"] = self.tool_input
        if when == "PostToolUse":
            captured["tool_response"] = self.output
        return json.dumps(captured).encode()


def _native(step: Step, stage: Stage) -> _Native:
    text = stage.fill(step.text).replace("@PROJECT@", "/home/user/project")
    text = text.replace("@HOME@", "/home/user")
    said = f"deployed with {stage.token}\n" if "deploy.log" in text else "done\n"
    codex = stage.harness == "codex"
    if step.kind == "mcp":
        content = [{"type": "text", "text": f"echo: {text}"}]
        shown: object = {"content": content} if codex else content
        return _Native("mcp-rig-echo", {"text": text}, shown)
    if step.kind == "write":
        if codex:
            return _Native("apply_patch", {"command": patch(text, step.content)}, said)
        response = json.loads(payload("claude-code", "PostToolUse-Write"))
        given = {"file_path": text, "content": step.content}
        shown = {**response["tool_response"], "content": step.content}
        return _Native("Write", given, shown)
    if codex:
        command = f"cat {text}" if step.kind == "read" else text
        return _Native("Bash", {"command": command}, said)
    if step.kind == "read":
        return _Native("Read", {"file_path": text}, {})
    response = json.loads(payload("claude-code", "PostToolUse-Bash"))["tool_response"]
    return _Native("Bash", {"command": text}, {**response, "stdout": said})


def _row(step: Step, stage: Stage, desk: Desk, simulator: Simulator) -> Row:
    native = _native(step, stage)
    before = native.payload(stage.harness, "PreToolUse")
    hooks = {"PreToolUse": [_run(desk.answer(before, _context(desk)))]}
    judged = explain_payload(desk.fence, before, harness=stage.harness)
    if judged.verdict == "no_decision":
        after = native.payload(stage.harness, "PostToolUse")
        hooks["PostToolUse"] = [_run(desk.answer(after, _context(desk)))]
        judged = explain_payload(desk.fence, after, harness=stage.harness)
    tool = str(json.loads(before)["tool_name"])
    call = Call(
        event="PreToolUse",
        tool=tool,
        input=native.tool_input,
        result=Done(native.output),
    )
    outcome = play(simulator, call, hooks)
    saw = str(outcome.result) if outcome.result is not None else ""
    verdict = judged.verdict if outcome.ran else "deny"
    return row_of(step, stage, verdict, judged.decision.rule, saw)


def _context(desk: Desk) -> Context:
    return Context(version=desk.codec.facts.measured[-1])


def _run(answer: WireAnswer) -> HookRun:
    return HookRun(
        stdout=answer.stdout, stderr=answer.stderr, exit_code=answer.exit_code
    )
