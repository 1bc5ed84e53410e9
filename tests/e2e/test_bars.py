"""What Ringfence claims, on the real agents."""

from __future__ import annotations

import pytest

from ringfence.lab import ECHO, Script, ToolCall, Track, say, use
from tests.e2e.conftest import CLAUDE_CODE, Guarded

pytestmark = pytest.mark.agent

POLICY = """
version: 1
rules:
  - id: no-touch
    before: shell
    when: {program: touch, args: {any: ["forbidden*"]}}
    decision: deny
    reason: Forbidden files stay untouched.
  - id: ask-first
    before: shell
    when: {program: touch, args: {any: ["asked*"]}}
    decision: ask
    reason: Somebody has to agree.
  - id: no-mail
    before: mcp__rig__touch
    decision: deny
    reason: This server does not act here.
  - id: hide-token
    after: any
    redact:
      - {label: token, pattern: "TOKEN-[0-9]{6}"}
"""

TOKEN = "TOKEN-" + "123456"


def saw(run: object, call_id: str) -> str:
    return run.results[call_id].text  # type: ignore[attr-defined]


@pytest.mark.parametrize("bypass", [True, False], ids=["bypass", "ordinary"])
def test_a_deny_blocks_whatever_the_permission_mode(
    agent: Guarded, bypass: bool
) -> None:
    run = agent.run(
        agent.runner.shell("touch forbidden", call_id="call_no"),
        policy=POLICY,
        bypass=bypass,
    )
    assert "forbidden" not in run.files
    assert "Forbidden files stay untouched" in saw(run, "call_no")


def test_a_deny_blocks_an_mcp_tool(agent: Guarded) -> None:
    marker = "@PROJECT@/mcp-ran"
    run = agent.run(
        agent.runner.mcp("rig", "touch", {"text": marker}, call_id="call_mcp"),
        policy=POLICY,
        mcp={"rig": ECHO},
    )
    assert "mcp-ran" not in run.files
    assert "This server does not act here" in saw(run, "call_mcp")


def test_a_deny_blocks_inside_a_subagent(agent: Guarded) -> None:
    shell = agent.runner.shell("touch forbidden-by-child", call_id="call_child")
    script = Script.of(
        *agent.runner.subagent("CHILD-TASK please", call_id="call_agent"),
        say("done"),
        tracks=[Track("child", "CHILD-TASK", (use(shell), say("child done")))],
    )
    run = agent.run(policy=POLICY, model_script=script)
    assert "forbidden-by-child" not in run.files
    assert "Forbidden files stay untouched" in saw(run, "call_child")


def test_an_ask_becomes_a_deny_where_nobody_can_be_asked(agent: Guarded) -> None:
    run = agent.run(
        agent.runner.shell("touch asked", call_id="call_ask"), policy=POLICY
    )
    assert "asked" not in run.files
    assert "Somebody has to agree" in saw(run, "call_ask")


def test_a_pattern_is_redacted_in_shell_and_mcp_results(agent: Guarded) -> None:
    run = agent.run(
        agent.runner.shell("cat log.txt", call_id="call_shell"),
        agent.runner.mcp("rig", "echo", {"text": f"a {TOKEN} b"}, call_id="call_mcp"),
        policy=POLICY,
        files={"log.txt": f"before {TOKEN} after\n"},
        mcp={"rig": ECHO},
    )
    for call in ("call_shell", "call_mcp"):
        assert TOKEN not in saw(run, call)
        assert "[redacted:token-1]" in saw(run, call)
    assert "before [redacted:token-1] after" in saw(run, "call_shell")


@pytest.mark.parametrize("agent", CLAUDE_CODE, indirect=True, ids="-".join)
def test_a_pattern_is_redacted_in_a_file_that_is_read(agent: Guarded) -> None:
    run = agent.run(
        ToolCall("Read", {"file_path": "@PROJECT@/log.txt"}, "call_read"),
        policy=POLICY,
        files={"log.txt": f"before {TOKEN} after\n"},
    )
    assert TOKEN not in "\n".join(run.texts())
    assert "before [redacted:token-1] after" in saw(run, "call_read")


def test_a_policy_that_does_not_parse_closes_the_agent(agent: Guarded) -> None:
    run = agent.run(
        agent.runner.shell("touch ran", call_id="call_1"),
        policy="version: 1\nrules: [{id: broken, before: shell, decision: maybe}]\n",
    )
    assert "ran" not in run.files
    assert not run.results or "fails closed" in saw(run, "call_1")


def test_a_policy_that_is_gone_closes_the_agent(agent: Guarded) -> None:
    run = agent.run(
        agent.runner.shell("touch ran", call_id="call_1"),
        options=["--policy", "/nowhere/ringfence.yaml"],
    )
    assert "ran" not in run.files


def test_a_state_folder_that_cannot_be_written_closes_the_agent(
    agent: Guarded,
) -> None:
    run = agent.run(
        agent.runner.shell("touch ran", call_id="call_1"),
        policy=POLICY,
        options=["--state", "/dev/null/state"],
    )
    assert "ran" not in run.files


def test_an_agent_cannot_write_its_own_hook_settings(agent: Guarded) -> None:
    files = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json"}
    target = f"@HOME@/{files[agent.harness]}"
    run = agent.run(
        agent.runner.shell(f"echo '{{}}' > {target}", call_id="call_write"),
        agent.runner.shell("touch still-guarded", call_id="call_after"),
        agent.runner.shell("touch forbidden", call_id="call_no"),
        policy=POLICY,
    )
    assert "settings that keep the guard in place" in saw(run, "call_write")
    assert "still-guarded" in run.files
    assert "forbidden" not in run.files


def test_a_stop_handler_cannot_keep_an_agent_going_for_ever(agent: Guarded) -> None:
    fence = (
        "from ringfence import Ringfence, continue_with\n"
        "fence = Ringfence(continuation_cap=2)\n"
        "@fence.on_stop\n"
        "def more(event):\n"
        "    return continue_with('and once more')\n"
        "fence.run()\n"
    )
    chatter = Script.of(*(say(f"turn {number}") for number in range(12)))
    run = agent.run(script=fence, model_script=chatter)
    assert len(run.turns) == 3


def test_a_prompt_can_be_blocked(agent: Guarded) -> None:
    fence = (
        "from ringfence import Ringfence, block_prompt\n"
        "fence = Ringfence()\n"
        "@fence.on_prompt\n"
        "def no(event):\n"
        "    return block_prompt('not this one')\n"
        "fence.run()\n"
    )
    run = agent.run(agent.runner.shell("touch ran", call_id="call_1"), script=fence)
    assert "ran" not in run.files
    assert not run.turns
