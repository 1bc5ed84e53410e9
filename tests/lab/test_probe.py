"""The probe is a hook program: it records what it gets and answers as told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ringfence.lab import Answer, Probe, deny
from ringfence.lab.probing import command, hook_groups, recorded, write_answers

SECRET = "sk-" + "live-" + "0123456789"


def call(
    folder: Path, probe: Probe, payload: object, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a probe's command the way agents do: by the shell, payload on stdin."""
    raw = payload if isinstance(payload, str) else json.dumps(payload)
    return subprocess.run(
        ["/bin/sh", "-c", command(folder, probe)],
        input=raw,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env={**os.environ, **(env or {})},
    )


def answered(tmp_path: Path, answer: Answer, **payload: object) -> object:
    """Return the JSON that a probe with this answer prints."""
    probe = Probe("PreToolUse", answer)
    write_answers(tmp_path, [probe])
    return json.loads(call(tmp_path, probe, payload).stdout)


def test_it_records_payload_and_surroundings_but_no_values(tmp_path: Path) -> None:
    probe = Probe("PreToolUse")
    write_answers(tmp_path, [probe])
    payload = {"hook_event_name": "PreToolUse", "tool_use_id": "call_1", "ü": "ß"}
    done = call(tmp_path, probe, payload, {"SOME_KEY": SECRET})
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    (hook,) = recorded(tmp_path)
    assert hook.payload == payload
    assert (hook.event, hook.call_id, hook.name) == (
        "PreToolUse",
        "call_1",
        "PreToolUse",
    )
    assert "SOME_KEY" in hook.environment
    written = [path.read_text() for path in (tmp_path / "calls").iterdir()]
    assert SECRET not in "".join(written)


def test_the_payload_is_kept_as_it_came(tmp_path: Path) -> None:
    probe = Probe("Stop")
    write_answers(tmp_path, [probe])
    raw = '{ "a" : 1,\n "a": 2 } trailing'
    call(tmp_path, probe, raw)
    assert recorded(tmp_path)[0].raw == raw


def test_an_answer_for_one_call_comes_before_the_general_one(tmp_path: Path) -> None:
    probe = Probe(
        "PreToolUse", {"stdout": "general"}, by_call={"call_1": {"stdout": "special"}}
    )
    write_answers(tmp_path, [probe])
    said = [
        call(tmp_path, probe, {"tool_use_id": each}).stdout for each in ("call_1", "b")
    ]
    assert said == ["special", "general"]


def test_a_list_of_answers_is_given_one_by_one(tmp_path: Path) -> None:
    probe = Probe("Stop", [{"stdout": "1"}, {"stdout": "2"}])
    write_answers(tmp_path, [probe])
    assert [call(tmp_path, probe, {}).stdout for _ in range(3)] == ["1", "2", "2"]


def test_calls_at_the_same_time_are_all_recorded(tmp_path: Path) -> None:
    probe = Probe("PreToolUse")
    write_answers(tmp_path, [probe])
    running = [
        subprocess.Popen(["/bin/sh", "-c", command(tmp_path, probe)], stdin=-1)
        for _ in range(6)
    ]
    for number, process in enumerate(running):
        process.communicate(json.dumps({"tool_use_id": str(number)}).encode())
    assert {hook.call_id for hook in recorded(tmp_path)} == set("012345")


def test_it_prints_and_exits_as_told(tmp_path: Path) -> None:
    probe = Probe("Stop", {"json": {"a": 1}, "stdout": "!", "stderr": "?", "exit": 3})
    write_answers(tmp_path, [probe])
    done = call(tmp_path, probe, {})
    assert (done.returncode, done.stdout, done.stderr) == (3, '{"a": 1}!', "?")


def test_it_dies_by_a_signal_after_printing(tmp_path: Path) -> None:
    probe = Probe("Stop", {"stdout": "said", "signal": int(signal.SIGKILL)})
    write_answers(tmp_path, [probe])
    done = call(tmp_path, probe, {})
    assert done.stdout == "said"
    assert done.returncode in (-signal.SIGKILL, 128 + signal.SIGKILL)


def test_it_sleeps_first(tmp_path: Path) -> None:
    probe = Probe("Stop", {"sleep": 0.3})
    write_answers(tmp_path, [probe])
    began = time.monotonic()
    call(tmp_path, probe, {})
    assert time.monotonic() - began >= 0.3


def test_redacting_keeps_the_shape_of_the_result(tmp_path: Path) -> None:
    response = {"stdout": f"key {SECRET}", "parts": [SECRET, 1, None], "ok": True}
    said = answered(
        tmp_path,
        {"redact": [SECRET, "(hidden)"]},
        hook_event_name="PostToolUse",
        tool_response=response,
    )
    assert said == {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUse",
            "updatedToolOutput": {
                "stdout": "key (hidden)",
                "parts": ["(hidden)", 1, None],
                "ok": True,
            },
        }
    }


def test_redacting_as_a_block_puts_the_text_into_the_reason(tmp_path: Path) -> None:
    answer = {"redact": [SECRET, "(hidden)"], "as": "block"}
    said = answered(tmp_path, answer, tool_response=f"key {SECRET}")
    assert said == {"decision": "block", "reason": "key (hidden)"}


def test_rewriting_allows_the_changed_input(tmp_path: Path) -> None:
    said = answered(
        tmp_path,
        {"rewrite": ["rm", "ls"]},
        hook_event_name="PreToolUse",
        tool_input={"command": "rm x"},
    )
    assert said == {
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "updatedInput": {"command": "ls x"},
        }
    }


def test_a_deny_names_its_event_and_reason(tmp_path: Path) -> None:
    said = answered(tmp_path, deny("because"))
    assert isinstance(said, dict)
    assert said["hookSpecificOutput"]["hookEventName"] == "PreToolUse"
    assert said["hookSpecificOutput"]["permissionDecisionReason"] == "because"


def test_probes_are_registered_by_event_with_matcher_and_options(
    tmp_path: Path,
) -> None:
    groups = hook_groups(
        tmp_path,
        [
            Probe("PreToolUse", matcher="Bash", options={"timeout": 5}),
            Probe("PreToolUse", name="second"),
            Probe("Stop"),
        ],
    )
    assert set(groups) == {"PreToolUse", "Stop"}
    first, second = groups["PreToolUse"]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert first["matcher"] == "Bash"
    assert first["hooks"][0]["timeout"] == 5
    assert "matcher" not in second
    assert second["hooks"][0]["command"].endswith(" second")


def test_a_payload_that_is_no_object_is_told(tmp_path: Path) -> None:
    probe = Probe("Stop")
    write_answers(tmp_path, [probe])
    call(tmp_path, probe, "[]")
    with pytest.raises(ValueError, match="not a JSON object"):
        _ = recorded(tmp_path)[0].payload
