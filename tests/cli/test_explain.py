from __future__ import annotations

import json
from pathlib import Path

from ringfence.testing import payload
from tests.cli.conftest import Ringfence

KEYS = {"verdict", "reason", "rule", "suggest", "guards", "harness", "wire"}


def test_a_denied_command_names_rule_reason_and_way_out(ringfence: Ringfence) -> None:
    data = ringfence("explain", "shell", "git push --force", "--json").data
    assert isinstance(data, dict)
    assert data.keys() >= KEYS
    assert data["verdict"] == "deny"
    assert data["rule"] == "git.force-push"
    assert data["suggest"] == "git push --force-with-lease"
    assert data["wire"]["exit_code"] == 0
    assert "permissionDecision" in data["wire"]["stdout"]


def test_a_person_reads_the_same_as_a_tree(ringfence: Ringfence) -> None:
    told = ringfence("explain", "shell", "sudo git push --force").stdout
    assert told.startswith("deny  by rule git.force-push")
    assert "instead: git push --force-with-lease" in told
    assert "through sudo" in told


def test_an_ordinary_command_is_left_to_the_agent(ringfence: Ringfence) -> None:
    data = ringfence("explain", "shell", "git status", "--json").data
    assert isinstance(data, dict)
    assert (data["verdict"], data["guards"]) == ("no_decision", [])
    assert data["wire"] == {"stdout": "", "stderr": "", "exit_code": 0}


def test_tools_and_keys_may_be_canonical_or_native(ringfence: Ringfence) -> None:
    spellings = [
        ("read", ".env"),
        ("read", '{"path": ".env"}'),
        ("Read", '{"file_path": ".env"}'),
        ("file.read", '{"file_path": ".env"}'),
        ("shell", "cat .env"),
        ("Bash", '{"command": "cat .env"}'),
        ("shell", '{"command": ["cat", ".env"]}'),
    ]
    for tool, given in spellings:
        data = ringfence("explain", tool, given, "--json").data
        assert isinstance(data, dict)
        assert data["verdict"] == "deny", (tool, given)


def test_the_harness_decides_the_wire(ringfence: Ringfence) -> None:
    for harness in ("claude-code", "codex"):
        data = ringfence(
            "explain", "shell", "rm -rf /", "--harness", harness, "--json"
        ).data
        assert isinstance(data, dict)
        assert data["harness"] == harness
        assert json.loads(data["wire"]["stdout"])["hookSpecificOutput"]


def test_a_batch_is_answered_line_by_line_in_order(ringfence: Ringfence) -> None:
    calls = [
        {"tool": "shell", "input": {"command": "rm -rf /"}},
        {"tool": "shell", "input": {"command": "ls"}},
        {"tool": "Read", "input": {"file_path": ".env"}},
    ]
    text = "\n".join(map(json.dumps, calls)) + "\n"
    answers = ringfence("explain", "--batch", "-", stdin=text).lines
    assert [one["verdict"] for one in answers] == ["deny", "no_decision", "deny"]


def test_a_line_that_is_no_call_is_answered_in_its_place(ringfence: Ringfence) -> None:
    text = 'nonsense\n{"tool": "shell", "input": {"command": "ls"}}\n{"tool": 1}\n'
    ran = ringfence("explain", "--batch", "-", stdin=text, code=2)
    assert ["error" in one for one in ran.lines] == [True, False, True]
    assert "line 1" in str(ran.lines[0]["error"])


def test_a_native_payload_is_explained(ringfence: Ringfence, tmp_path: Path) -> None:
    captured = json.loads(payload("codex", "PreToolUse-Bash"))
    captured["tool_input"]["command"] = "rm -rf /"
    file = tmp_path / "payload.json"
    file.write_text(json.dumps(captured), "utf-8")
    given = ["--payload", str(file), "--harness", "codex", "--json"]
    data = ringfence("explain", *given).data
    assert isinstance(data, dict)
    assert data["verdict"] == "deny"


def test_a_result_with_a_secret_is_redacted(
    ringfence: Ringfence, tmp_path: Path
) -> None:
    token = "ghp_" + "a1B2" * 9
    captured = json.loads(payload("claude-code", "PostToolUse-Bash"))
    captured["tool_response"]["stdout"] = f"token {token}"
    file = tmp_path / "payload.json"
    file.write_text(json.dumps(captured), "utf-8")
    data = ringfence("explain", "--payload", str(file), "--json").data
    assert isinstance(data, dict)
    assert data["verdict"] == "redact"
    assert token not in json.dumps(data)


def test_wrong_usage_and_unreadable_input_end_with_2(
    ringfence: Ringfence, tmp_path: Path
) -> None:
    file = tmp_path / "bad.json"
    file.write_text("{", "utf-8")
    ringfence("explain", code=2)
    ringfence("explain", "shell", code=2)
    ringfence("explain", "shell", "ls", "--harness", "nobody", code=2)
    ringfence("explain", "--payload", str(tmp_path / "none"), code=2)
    told = ringfence("explain", "--payload", str(file), code=2).stderr
    assert "not one JSON document" in told
    told = ringfence("explain", "shell", "ls", "--policy", "none.yaml", code=2).stderr
    assert "none.yaml" in told


def test_the_users_own_policy_takes_the_place_of_the_recommended(
    ringfence: Ringfence,
) -> None:
    own = ringfence.home / ".config" / "ringfence" / "ringfence.yaml"  # type: ignore[attr-defined]
    own.parent.mkdir(parents=True)
    own.write_text('version: 1\ntool_policy: {deny: ["Bash(ls*)"]}\n', "utf-8")
    data = ringfence("explain", "shell", "ls -l", "--json").data
    assert isinstance(data, dict)
    assert data["verdict"] == "deny"
    data = ringfence("explain", "shell", "git push --force", "--json").data
    assert isinstance(data, dict)
    assert data["verdict"] == "no_decision"


def test_a_line_nested_too_deep_is_answered_in_its_place(ringfence: Ringfence) -> None:
    deep = "[" * 100_000 + "\n"
    ran = ringfence("explain", "--batch", "-", stdin=deep, code=2)
    assert "line 1" in str(ran.lines[0]["error"])


def test_a_command_can_not_write_to_the_terminal(ringfence: Ringfence) -> None:
    told = ringfence("explain", "shell", "echo '\x1b[31m :smile:'").stdout
    assert "\x1b" not in told
    assert ":smile:" in told


def test_names_may_be_in_any_case_and_unknown_ones_are_told(
    ringfence: Ringfence,
) -> None:
    for tool in ("bash", "SHELL", "Shell"):
        data = ringfence("explain", tool, "git push --force", "--json").data
        assert isinstance(data, dict)
        assert data["verdict"] == "deny", tool
    assert "known by that name" in ringfence("explain", "nosuch", "x").stderr
