"""The simulators agree with every observed case of the real agents."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ringfence.harnesses.claude_code.simulator import ClaudeCodeSimulator
from ringfence.harnesses.codex.simulator import CodexSimulator
from ringfence.harnesses.simulation import (
    Call,
    Done,
    HookRun,
    Outcome,
    Permission,
    Ran,
    Reading,
    Simulator,
    Text,
    play,
)
from tests.harnesses import observed, observed_calls, observed_hooks
from tests.harnesses.observed import Case
from tests.harnesses.world import World

CASES = list(observed.cases())
MAPPED = [case for case in CASES if not case.unmapped]
HOOK_TEXT = re.compile(r"\w+(:\S+)? hook (additional context|blocking error|success)")
PERMISSION_CASES = re.compile(
    r"(tui-|event-|pb2-|onfail-|sdk-)?(permreq|afm|approve-for|permtool(?!-preask))"
    r"|race-permtool"
)


def simulator(case: Case) -> Simulator:
    if case.harness == "codex":
        return CodexSimulator(case.version)
    return ClaudeCodeSimulator(case.version)


def answer_of(case: Case, probe: str, turn: int) -> Mapping[str, object]:
    """Return what a probe answered; one with a list answered by its turn."""
    answer = case.answers.get(probe, {})
    if isinstance(answer, list):
        turn = max(turn, case.place)
        if case.name == "parallel-tools":
            turn = 1 if case.place == 0 else 0
        answer = answer[min(turn, len(answer) - 1)]
    assert isinstance(answer, dict)
    return answer


def hook_run(
    case: Case, probe: str, event: str, place: int, turn: int, payload: object
) -> HookRun:
    """Build what the harness got of a probe, as the probe program computes it."""
    answer = answer_of(case, probe, turn)
    registered = dict(case.registered if probe in case.answers else {})
    timeout = float(str(registered.pop("timeout", 600)))
    sleep = float(str(answer.get("sleep", 0)))
    value = answer.get("json")
    if "redact" in answer:
        new = _replaced(payload, [answer["redact"]])
        value = observed_calls.post(event, updatedToolOutput=new)
    elif "rewrite" in answer:
        rewrite = _replaced(payload, answer["rewrite"])
        value = {
            "hookSpecificOutput": {
                "hookEventName": event,
                "permissionDecision": answer.get("decision", "allow"),
                "updatedInput": rewrite,
            }
        }
    stdout, value = _padded(answer.get("pad"), value)
    if value is not None:
        stdout += json.dumps(value) + "\n"
    python = "/usr/bin/python3" if case.version == "2.1.197" else "python3"
    return HookRun(
        stdout="" if "kill" in answer else stdout + str(answer.get("stdout", "")),
        stderr=str(answer.get("stderr", "")),
        exit_code=int(str(answer.get("exit", 0))),
        signal=int(str(answer["kill"])) if "kill" in answer else None,
        timed_out=sleep >= timeout,
        finished_at=sleep + place / 100 + 0.03,
        command=f"{python} -S -E /rig/hook_probe.py /home/user/run {probe}",
        managed=probe in ("managed", "dropin"),
        **registered,  # type: ignore[arg-type]
    )


def _replaced(value: object, pairs: object) -> object:
    text = json.dumps(value)
    assert isinstance(pairs, list)
    for old, new in pairs:
        text = text.replace(old, new)
    return json.loads(text)


def _padded(pad: object, value: object) -> tuple[str, object]:
    if not isinstance(pad, list):
        return "", value
    where, size = pad
    assert isinstance(value, dict)
    if where == "leading":
        return " " * size, value
    if where == "top":
        return "", {**value, "systemMessage": "p" * size}
    specific = {**value["hookSpecificOutput"]}
    specific[where] = "MARK-BEGIN " + "p" * size + " MARK-END"
    return "", {"hookSpecificOutput": specific}


def hooks_of(case: Case, event: str, payload: object) -> list[HookRun]:
    """Return all hooks that ran on an event of this case's call."""
    if event == "PostToolBatch" and case.bundled:
        return []  # a batch names no call, by which the probe picks its answer
    for name in (case.name, case.placed):
        unrecorded = observed_hooks.UNRECORDED.get(name)
        if unrecorded is not None and unrecorded[0] == event:
            runs = list(unrecorded[1])
            if (case.version, name) in observed_hooks.NOT_YET_CONNECTED:
                runs = [replace(each, stdout="", failure="no server") for each in runs]
            return runs
    turns: Counter[str] = Counter()
    runs = []
    probes = list(case.probes)
    answering = [name for name in case.answers if name in ("it", "pre")]
    if event == "PermissionRequest":
        probes = [(name, event) for name in answering]
    for place, (probe, fired) in enumerate(probes):
        if fired == event:
            runs.append(hook_run(case, probe, event, place, turns[probe], payload))
            turns[probe] += 1
    if case.name == "defer-resume":
        return runs[1:]
    known = [probe for probe, fired in probes if fired == event]
    order = ["pre", "inline"] if case.run == "where-both" else sorted(known)
    placed = zip(known, runs, strict=True)
    return [run for _, run in sorted(placed, key=lambda pair: order.index(pair[0]))]


def permission_event(case: Case) -> bool:
    """Tell whether the hooks of this case answer a permission request."""
    return PERMISSION_CASES.match(case.name) is not None


def outcome_of(case: Case, world: World) -> Outcome:
    """Play a case: its hooks and its call, as far as the world can perform it."""
    tool, tool_input = case.call
    setting = dict(case.setting)
    mode = str(setting.pop("mode", "default"))
    permission = setting.pop("permission", Permission.GRANTED)
    if isinstance(permission, str):
        permission = Permission(permission)
    call = Call(
        event="PreToolUse",
        tool=tool,
        input=tool_input,
        permission=permission,  # type: ignore[arg-type]
        permission_mode=mode,
        **setting,  # type: ignore[arg-type]
    )
    own = simulator(case)
    before = hooks_of(case, "PreToolUse", tool_input)
    if permission_event(case):
        request = hooks_of(case, "PermissionRequest", tool_input)
        outcome = own.simulate(replace(call, event="PermissionRequest"), request)
    else:
        outcome = own.simulate(call, before)
    if not outcome.ran or outcome.input is None:
        return outcome
    result = perform(case, world, tool, outcome.input)
    if result is None:
        return outcome
    payload = result.response if isinstance(result, Done) else None
    after = {
        event: hooks_of(case, event, payload) for event in own.events_after(result)
    }
    if permission_event(case) or call.approver is not None:
        # Whoever approves has approved: the call comes to its result.
        call = replace(call, permission=Permission.GRANTED, input=outcome.input)
        before = []
    return play(own, replace(call, result=result), {"PreToolUse": before, **after})


def perform(
    case: Case, world: World, tool: str, tool_input: Mapping[str, object]
) -> Ran | None:
    if observed_calls.UNPERFORMED.fullmatch(case.placed):
        return None
    return world.perform(tool, tool_input)


@pytest.mark.parametrize("case", MAPPED, ids=str)
def test_the_simulator_agrees(case: Case, tmp_path: Path) -> None:
    world = World(tmp_path, case.harness)
    if case.name.startswith("wrap-"):
        (tmp_path / "sub").mkdir()
    outcome = outcome_of(case, world)
    saw = case.record["model_saw"]
    assert isinstance(saw, dict)
    assert outcome.ran is not None
    if not observed_calls.SHARED_EFFECT.fullmatch(case.placed):
        assert world.touched is case.record["side_effect"]
    if saw["content"] == "(large)":
        return
    assert outcome.result is not None, "the model was to see nothing"
    reading = simulator(case).read(saw["content"])
    assert outcome.result.matches(reading.result)
    if case.harness == "claude-code" and outcome.is_error is not None:
        assert outcome.is_error is bool(saw["is_error"])
    texts = beside(case, reading)
    for context in outcome.contexts:
        assert any(context.matches(text) for text in texts) or repeated(case, context)
    for text in texts:
        assert any(context.matches(text) for context in outcome.contexts), text


def beside(case: Case, reading: Reading) -> list[str]:
    """Return what hooks had the model read beside the result."""
    texts = case.record["model_saw_texts"]
    assert isinstance(texts, list)
    if case.harness == "codex":
        return texts
    plain = [re.sub(r"</?system-reminder>", "", text).strip() for text in texts]
    return [text for text in (*plain, *reading.reminders) if HOOK_TEXT.match(text)]


def repeated(case: Case, context: Text) -> bool:
    """Tell whether a session showed the same text before: then it wasn't recorded."""
    earlier = CASES[: CASES.index(case)]
    return any(
        context.matches(re.sub(r"</?system-reminder>", "", text).strip())
        for other in earlier
        if (other.run, other.version) == (case.run, case.version)
        for text in beside_texts(other)
    )


def beside_texts(case: Case) -> Sequence[str]:
    texts = case.record["model_saw_texts"]
    assert isinstance(texts, list)
    return texts


def test_few_cases_are_left_out_and_each_is_what_it_is_said_to_be() -> None:
    left_out = [case for case in CASES if case.unmapped]
    assert len(CASES) == 865
    assert len(left_out) < 0.01 * len(CASES)
    assert {case.unmapped for case in left_out} == set(observed.UNMAPPED)
    for case in left_out:
        _, proof = observed.UNMAPPED[case.unmapped]
        assert proof in json.dumps(case.record["model_saw"])
