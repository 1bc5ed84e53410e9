"""The lab drives each real agent: what hooks decide is what happens."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest

from ringfence.lab import (
    ECHO,
    Probe,
    Runner,
    Scenario,
    Script,
    ToolCall,
    Track,
    Turn,
    Workspace,
    deny,
    say,
    use,
    workspace,
)
from ringfence.lab.runners import isolation

pytestmark = pytest.mark.agent

DONE = say("done")


def test_a_denied_command_does_not_run_and_the_model_reads_why(runner: Runner) -> None:
    call = runner.shell("touch RAN", call_id="call_1")
    run = runner.run(
        Scenario(
            script=Script.of(use(call), DONE),
            probes=[Probe("PreToolUse", deny("not today"))],
        )
    )
    assert run.exit == 0
    assert "RAN" not in run.files
    assert "not today" in run.results["call_1"].text
    (hook,) = run.hooks_of("PreToolUse")
    assert hook.call_id == "call_1"
    assert hook.payload["tool_name"] == "Bash"
    assert not run.foreign_requests


def test_a_command_that_no_hook_denies_runs(runner: Runner) -> None:
    call = runner.shell("touch RAN; echo hello", call_id="call_1")
    run = runner.run(
        Scenario(script=Script.of(use(call), DONE), probes=[Probe("PreToolUse")])
    )
    assert run.exit == 0
    assert "RAN" in run.files
    assert "hello" in run.results["call_1"].text
    assert run.final["type"] in ("result", "turn.completed")
    assert not run.foreign_requests


def test_an_mcp_tool_is_denied_like_any_other(runner: Runner) -> None:
    def touch(name: str) -> ToolCall:
        return runner.mcp("echo", "touch", {"text": name}, call_id=f"call_{name}")

    run = runner.run(
        Scenario(
            script=Script.of(use(touch("NO")), use(touch("YES")), DONE),
            mcp={"echo": ECHO},
            probes=[Probe("PreToolUse", by_call={"call_NO": deny("no such touch")})],
        )
    )
    assert set(run.files) == {"YES"}
    assert "no such touch" in run.results["call_NO"].text
    assert "touched: YES" in run.results["call_YES"].text
    names = {hook.payload["tool_name"] for hook in run.hooks}
    assert names == {"mcp__echo__touch"}


def test_a_call_inside_a_subagent_is_denied(runner: Runner) -> None:
    child = (
        use(runner.shell("touch NO", call_id="call_no")),
        use(runner.shell("touch YES", call_id="call_yes")),
        say("the child is done"),
    )
    run = runner.run(
        Scenario(
            script=Script.of(
                *runner.subagent("CHILD-TASK: make files", call_id="call_parent"),
                DONE,
                tracks=[Track("child", "CHILD-TASK", child)],
            ),
            probes=[
                Probe("PreToolUse", by_call={"call_no": deny("not in a child")}),
                Probe("SubagentStop"),
            ],
        )
    )
    assert set(run.files) == {"YES"}
    assert "not in a child" in run.results["call_no"].text
    inside = {hook.call_id: hook.payload for hook in run.hooks_of("PreToolUse")}
    assert inside["call_no"]["agent_id"]
    assert "agent_id" not in inside["call_parent"]
    assert len(run.hooks_of("SubagentStop")) == 1
    assert any("the child is done" in result.text for result in run.results.values())


def test_of_two_parallel_calls_one_denied_does_not_stop_the_other(
    runner: Runner,
) -> None:
    both = use(
        runner.shell("touch NO", call_id="call_no"),
        runner.shell("touch YES", call_id="call_yes"),
    )
    run = runner.run(
        Scenario(
            script=Script.of(both, DONE),
            probes=[Probe("PreToolUse", by_call={"call_no": deny("one of two")})],
        )
    )
    assert set(run.files) == {"YES"}
    assert set(run.results) == {"call_no", "call_yes"}


def test_raw_hooks_and_places_are_taken_as_given(runner: Runner) -> None:
    answer = json.dumps(deny("said a file")["json"])
    hook = {"type": "command", "command": "cat @HOME@/answer.json"}
    call = runner.shell("cat @PROJECT@/deep/note.txt > copy.txt", call_id="call_1")
    denied = Scenario(
        script=Script.of(use(call), DONE),
        hooks={"PreToolUse": [{"hooks": [hook]}]},
        home_files={"answer.json": answer},
        files={"deep/note.txt": "in @PROJECT@"},
    )
    run = runner.run(denied)
    assert not run.files
    assert "said a file" in run.results["call_1"].text


def test_prepare_sees_the_finished_workspace_and_files_tell_what_changed(
    runner: Runner,
) -> None:
    places: list[Workspace] = []

    def prepare(place: Workspace) -> None:
        assert any((place.home / name).is_dir() for name in (".claude", ".codex"))
        (place.project / "prepared.txt").write_text("here before", encoding="utf-8")
        places.append(place)

    run = runner.run(
        Scenario(
            script=Script.of(use(runner.shell("cp prepared.txt new.txt")), DONE),
            prepare=prepare,
        )
    )
    assert run.files == {"new.txt": "here before"}
    assert not places[0].root.exists()


def test_nothing_of_the_callers_environment_is_passed_on(
    runner: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RINGFENCE_TEST_CANARY", "a value of the caller")
    run = runner.run(
        Scenario(
            script=Script.of(use(runner.shell("env > env.txt")), DONE),
            probes=[Probe("PreToolUse")],
            env={"GIVEN": "by the scenario"},
        )
    )
    assert "RINGFENCE_TEST_CANARY" not in run.files["env.txt"]
    assert "GIVEN=by the scenario" in run.files["env.txt"]
    (hook,) = run.hooks
    assert "GIVEN" in hook.environment
    assert "by the scenario" not in json.dumps(hook.environment)


@pytest.mark.parametrize("isolate", [True, False])
def test_an_attempt_to_reach_another_host_fails_and_is_seen(
    runner: Runner, isolate: bool
) -> None:
    fetch = "import urllib.request as r; r.urlopen('http://example.com/x')"
    command = shlex.join([sys.executable, "-c", fetch]) + " && touch REACHED"
    run = runner.run(
        Scenario(script=Script.of(use(runner.shell(command)), DONE), isolate=isolate)
    )
    assert [request.path for request in run.foreign_requests] == [
        "http://example.com/x"
    ]
    assert not run.files
    assert run.isolated is (isolate and isolation.available())


def test_temporary_files_go_with_the_workspace(runner: Runner) -> None:
    script = Script.of(use(runner.shell("mktemp > where.txt")), DONE)
    with workspace() as place:
        run = runner.run(Scenario(script=script), place)
        assert Path(run.files["where.txt"].strip()).parent == place.temporary


def test_a_run_past_its_time_is_ended_with_all_that_it_started(runner: Runner) -> None:
    run = runner.run(
        Scenario(script=Script.of(Turn(text="too late", delay=30)), timeout=3)
    )
    assert run.exit is None
    assert 3 <= run.seconds < 15


def test_a_session_is_resumed_in_the_same_workspace(claude: Runner) -> None:
    with workspace() as place:
        claude.run(Scenario(script=Script.of(say("first answer"))), place)
        again = Scenario(script=Script.of(say("second answer")), args=["--continue"])
        run = claude.run(again, place)
    assert any("first answer" in text for text in run.texts("assistant"))
    assert len(run.turns) == 1


def test_an_error_of_the_model_reaches_claude_code(claude: Runner) -> None:
    once = {"CLAUDE_CODE_MAX_RETRIES": "0"}
    run = claude.run(Scenario(script=Script.of(Turn(status=401)), env=once))
    assert run.exit == 1
    assert run.final["is_error"] is True


def test_settings_are_the_users_settings_of_claude_code(claude: Runner) -> None:
    rule = {"permissions": {"deny": ["Bash(touch *)"]}}
    call = claude.shell("touch RAN", call_id="call_1")
    run = claude.run(Scenario(script=Script.of(use(call), DONE), settings=rule))
    assert not run.files
    assert run.results["call_1"].is_error


def test_without_bypass_claude_code_asks_and_nobody_answers(claude: Runner) -> None:
    call = claude.shell("touch RAN", call_id="call_1")
    script = Script.of(use(call), DONE)
    assert not claude.run(Scenario(script=script, bypass=False)).files
    allowed = Scenario(script=script, bypass=False, args=["--allowedTools", "Bash"])
    assert "RAN" in claude.run(allowed).files


def test_without_trust_codex_skips_the_hooks(codex: Runner) -> None:
    call = codex.shell("touch RAN", call_id="call_1")
    run = codex.run(
        Scenario(
            script=Script.of(use(call), DONE),
            probes=[Probe("PreToolUse", deny("never asked"))],
            trust_hooks=False,
        )
    )
    assert "RAN" in run.files
    assert not run.hooks


def test_codex_applies_a_free_form_patch(codex: Runner) -> None:
    patch = (
        "*** Begin Patch\n*** Add File: @MARK@\n+patched\n*** End Patch\n"
    ).replace("@MARK@", "new.txt")
    call = ToolCall("apply_patch", raw=patch, id="call_1")
    run = codex.run(
        Scenario(script=Script.of(use(call), DONE), probes=[Probe("PreToolUse")])
    )
    assert run.files == {"new.txt": "patched\n"}
    assert run.hooks[0].payload["tool_name"] == "apply_patch"


def test_codex_takes_settings_as_overrides(codex: Runner) -> None:
    call = codex.shell("touch RAN", call_id="call_1")
    run = codex.run(
        Scenario(
            script=Script.of(use(call), DONE),
            probes=[Probe("PreToolUse", deny("hooks are off"))],
            settings={"features": {"hooks": False}},
        )
    )
    assert "RAN" in run.files


def test_a_number_captured_from_a_result_is_given_back(codex: Runner) -> None:
    shell = ToolCall("exec_command", {"cmd": "bash", "tty": True, "yield_time_ms": 500})
    session = {"session": r"session ID (\d+)"}
    typed = {"session_id": "{{session}}", "chars": "touch RAN; exit\n"}
    run = codex.run(
        Scenario(
            script=Script.of(
                use(shell),
                Turn(calls=(ToolCall("write_stdin", typed),), captures=session),
                DONE,
            )
        )
    )
    assert "RAN" in run.files
