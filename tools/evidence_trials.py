"""What is tried on real agents: a decision, the run it is played in, and its proof."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ringfence.capabilities import Capability as Can
from ringfence.decisions import (
    Decision,
    accept_prompt,
    allow,
    ask,
    block_prompt,
    continue_with,
    deny,
    flag_output,
    no_decision,
    observe,
    observed,
    replace_output,
    rewrite,
)
from ringfence.lab import McpServer, Run, Runner, Scenario, Script, Track, say, use

TEXT = "EVIDENCE"
OUTPUT = "hello-from-tool"
CALL = "call_evidence"
DONE = say("done")
GRANTED = ("--allowedTools", "Bash")
APPROVER = McpServer(
    sys.executable, ("-I", str(Path(__file__).with_name("approver.py")))
)
SKILL = {
    ".claude/skills/inline/SKILL.md": "---\nname: inline\ndescription: a skill\n"
    "allowed-tools: Bash(*)\n---\nOutput: !`touch RAN; echo inline`\n"
}

Play = Callable[[Runner], Scenario]
Proof = Callable[[Run], bool]


@dataclass(frozen=True)
class Trial:
    """One capability at one event: what is decided, where, and what proves it.

    ``payload`` is the captured payload that the codec answers; the answer itself is
    given to the real event of the run.
    """

    event: str
    capability: Can
    payload: str
    decision: Decision
    play: Play
    proof: Proof
    environment: Mapping[str, str] = field(default_factory=dict)


# -- runs -----------------------------------------------------------------------------


def shell(command: str = f"touch RAN; echo {OUTPUT}", **more: object) -> Play:
    """Return a run with one shell call."""

    def play(runner: Runner) -> Scenario:
        call = runner.shell(command, call_id=CALL)
        return Scenario(script=Script.of(use(call), DONE), **more)  # type: ignore[arg-type]

    return play


def talk(**more: object) -> Play:
    """Return a run without calls, in which the model may speak three times."""
    turns = (say("first"), say("second"), say("third"))
    return lambda _: Scenario(script=Script.of(*turns), **more)  # type: ignore[arg-type]


def child(runner: Runner) -> Scenario:
    """Return a run with a subagent that may speak three times."""
    turns = (say("first"), say("second"), say("third"))
    parent = runner.subagent("CHILD-TASK: do it", call_id=CALL)
    track = Track("child", "CHILD-TASK", turns)
    return Scenario(script=Script.of(*parent, DONE, tracks=[track]))


# -- proofs ---------------------------------------------------------------------------


def ran(run: Run) -> bool:
    """Tell whether the call ran."""
    return "RAN" in run.files


def result(run: Run) -> str:
    """Return what the model saw as the call's result; empty where it saw none."""
    return run.results[CALL].text if CALL in run.results else ""


def read(run: Run) -> bool:
    """Tell whether the model read the evidence, anywhere."""
    return any(TEXT in request.shown.everything() for request in run.requests)


def told(run: Run) -> bool:
    """Tell whether the person, and not the model, is told the evidence."""
    return TEXT in run.stdout + run.stderr and not read(run)


def kept_back(run: Run) -> bool:
    """Tell whether the call did not run and the model knows why."""
    return not ran(run) and TEXT in result(run)


def ended(run: Run) -> bool:
    """Tell whether the call's result was never sent to the model."""
    return bool(run.turns) and CALL not in run.results


def rewritten(run: Run) -> bool:
    """Tell whether the other command ran, and not the first one."""
    return ran(run) and "NOT" not in run.files


def replaced(run: Run) -> bool:
    """Tell whether the model saw the other text, and not the tool's."""
    return TEXT in result(run) and OUTPUT not in result(run)


def beside(run: Run) -> bool:
    """Tell whether the model saw the result, and the evidence with it."""
    return OUTPUT in result(run) and read(run)


# -- trials ---------------------------------------------------------------------------


def shared() -> Iterator[Trial]:
    """Yield what is tried on every harness."""
    pre, post = "PreToolUse-Bash", "PostToolUse-Bash"
    yield Trial("PreToolUse", Can.DENY, pre, deny(TEXT), shell(), kept_back)
    other = rewrite({"command": "touch RAN", "description": "another step"})
    first = shell("touch NOT")
    yield Trial("PreToolUse", Can.UPDATE_INPUT, pre, other, first, rewritten)
    yield from _modifiers("PreToolUse", pre, no_decision(), shell(), beside)
    stop = deny(TEXT).with_stop_agent(TEXT)
    yield Trial(
        "PreToolUse",
        Can.STOP_AGENT,
        pre,
        stop,
        shell(),
        lambda run: ended(run) and not ran(run),
    )
    flag = flag_output(TEXT)
    yield Trial("PostToolUse", Can.FLAG_OUTPUT, post, flag, shell(), beside)
    shown = replace_output(TEXT)
    yield Trial("PostToolUse", Can.REPLACE_OUTPUT, post, shown, shell(), replaced)
    yield from _modifiers("PostToolUse", post, observed(), shell(), beside)
    enough = observed().with_stop_agent(TEXT)
    yield Trial("PostToolUse", Can.STOP_AGENT, post, enough, shell(), ended)
    prompt = "UserPromptSubmit"
    blocked = block_prompt(TEXT)
    yield Trial(prompt, Can.DENY, prompt, blocked, talk(), lambda run: not run.turns)
    yield from _modifiers(prompt, prompt, accept_prompt(), talk(), read)
    enough_said = accept_prompt().with_stop_agent(TEXT)
    yield Trial(
        prompt, Can.STOP_AGENT, prompt, enough_said, talk(), lambda run: not run.turns
    )
    yield from _stops()
    yield from _modifiers("SessionStart", "SessionStart", observe(), talk(), read)
    no_start = observe().with_stop_agent(TEXT)
    yield Trial(
        "SessionStart",
        Can.STOP_AGENT,
        "SessionStart",
        no_start,
        talk(),
        lambda run: not run.turns,
    )


def _modifiers(
    event: str, payload: str, blank: Decision, play: Play, context: Proof
) -> Iterator[Trial]:
    with_context = blank.with_context(TEXT)
    yield Trial(event, Can.ADD_CONTEXT, payload, with_context, play, context)
    message = blank.with_system_message(TEXT)
    yield Trial(event, Can.SYSTEM_MESSAGE, payload, message, play, told)


def _stops() -> Iterator[Trial]:
    again = continue_with(TEXT)
    for event, play in (("Stop", talk()), ("SubagentStop", child)):
        payload = event if event == "Stop" else "SubagentStop-subagent"
        yield Trial(event, Can.CONTINUE_AGENT, payload, again, play, read)
        halt = again.with_stop_agent(TEXT)
        yield Trial(
            event, Can.STOP_AGENT, payload, halt, play, lambda run: not read(run)
        )
    message = continue_with("go on").with_system_message(TEXT)
    yield Trial("Stop", Can.SYSTEM_MESSAGE, "Stop", message, talk(), told)
    start = observe().with_context(TEXT)
    yield Trial(
        "SubagentStart", Can.ADD_CONTEXT, "SubagentStart-subagent", start, child, read
    )


def claude_code() -> Iterator[Trial]:
    """Yield what is tried on Claude Code alone."""
    pre = "PreToolUse-Bash"
    unset = shell(bypass=False)
    yield Trial("PreToolUse", Can.ALLOW, pre, allow(), unset, ran)
    asking = ("--permission-prompt-tool", "mcp__approver__approve", *GRANTED)
    asked = shell(bypass=False, args=asking, mcp={"approver": APPROVER})
    yield Trial(
        "PreToolUse",
        Can.ASK,
        pre,
        ask("sure?"),
        asked,
        lambda run: not ran(run) and "approver says no" in result(run),
    )
    request = "PermissionRequest-Bash"
    yield Trial("PermissionRequest", Can.DENY, request, deny(TEXT), unset, kept_back)
    yield Trial("PermissionRequest", Can.ALLOW, request, allow(), unset, ran)
    failing = shell(f"echo {OUTPUT}; exit 3")
    failure = "PostToolUseFailure-Bash"
    after = "PostToolUseFailure"
    yield Trial(after, Can.FLAG_OUTPUT, failure, flag_output(TEXT), failing, beside)
    yield from _modifiers(after, failure, observed(), failing, beside)
    batch = "PostToolBatch"
    yield from _modifiers(batch, batch, observe(), shell(), beside)
    enough = observe().with_stop_agent(TEXT)
    yield Trial(batch, Can.STOP_AGENT, batch, enough, shell(), ended)
    inline = talk(files=SKILL, prompt="/inline")
    skill = "PreSkillShellCommand"
    refused = deny(TEXT)
    yield Trial(
        skill, Can.DENY, skill, refused, inline, lambda run: not ran(run) and read(run)
    )
    yield Trial(
        skill, Can.ASK, skill, ask(TEXT), inline, lambda run: not ran(run) and read(run)
    )
    expansion = "UserPromptExpansion"
    yield from _modifiers(expansion, expansion, observe(), inline, read)


def codex() -> Iterator[Trial]:
    """Yield what is tried on Codex alone."""
    yield Trial("PreToolUse", Can.ASK, "PreToolUse-Bash", ask(TEXT), shell(), kept_back)


def trials(harness: str) -> list[Trial]:
    """Return all trials of a harness that a headless run of it can reach."""
    if harness == "codex":
        # Its notes for the person are shown by the terminal interface alone.
        common = [
            each for each in shared() if each.capability is not Can.SYSTEM_MESSAGE
        ]
        return [*common, *codex()]
    return [*shared(), *claude_code()]
