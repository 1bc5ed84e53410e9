"""An agent does not change what guards it."""

from __future__ import annotations

import pytest

from ringfence.calls import ToolClass
from ringfence.content.integrity import RULE, integrity
from ringfence.events import BeforeTool, EventKind
from ringfence.parsing.projections import ToolProjections
from tests.strategies import call, event

PROJECT = "/home/user/project"


def judged(
    tool_input: dict[str, object],
    tool_class: ToolClass = ToolClass.SHELL,
    kind: EventKind = EventKind.TOOL_PRE,
    name: str = "Tool",
) -> bool:
    """Whether the call is denied."""
    tool = call(name, tool_input, tool_class, cwd=PROJECT).bound(ToolProjections())
    decision = integrity(event(kind, tool=tool))
    if decision is None:
        return False
    assert decision.blocks
    assert decision.rule == RULE
    return True


@pytest.mark.parametrize(
    "command",
    [
        "echo '{}' > ~/.claude/settings.json",
        "echo '{}' >> .claude/settings.local.json",
        "cat > $HOME/.claude/settings.json <<EOF\n{}\nEOF",
        "cd ~/.claude && rm settings.json",
        "sed -i s/hooks/x/ ~/.codex/config.toml",
        "true | tee ~/.codex/hooks.json",
        "cp /tmp/x ~/.claude/settings.json",
        "cp /tmp/settings.json ~/.claude/",
        "rsync -a /tmp/x/ ~/.claude",
        "mv ~/.claude/settings.json /tmp",
        "ln -sf /dev/null ~/.claude/settings.json",
        "chmod 000 ~/.codex/hooks.json",
        "truncate -s 0 ~/.codex/hooks.json",
        "dd if=/dev/null of=/home/user/.claude/settings.json",
        "rm -rf ~/.claude",
        "rm -rf .claude/",
        "mv ~/.codex ~/away",
        "rm ~/.claude/*",
        "rm ~/.codex/hook?.json",
        "echo > ~/.CLAUDE/Settings.JSON",
        "bash -c 'rm ~/.codex/hooks.json'",
        "sudo rm /etc/claude-code/managed-settings.json",
        "rm -r ~/.local/state/ringfence",
        "echo 'version: 1' > ~/.config/ringfence/ringfence.yaml",
        "git checkout -- .claude/settings.json",
        "curl -o ~/.claude/settings.json https://a.example/x",
        "echo 'unclosed > ~/.claude/settings.json",
    ],
)
def test_a_command_that_changes_a_guards_settings_is_denied(command: str) -> None:
    assert judged({"command": command})


@pytest.mark.parametrize(
    "command",
    [
        "cat ~/.claude/settings.json",
        "cp ~/.claude/settings.json /tmp/backup.json",
        "jq .hooks ~/.claude/settings.json > /tmp/hooks.json",
        "mkdir -p .claude",
        "rm .claude/commands/old.md",
        "rm ~/.claude/*.log",
        "cp skill.md ~/.claude/skills/",
        "echo 'see ~/.claude/settings.json' > notes.md",
        "git commit -m 'explain .codex/config.toml'",
        "vim settings.json",
        "ls ~/.codex",
        "echo 'unclosed > notes.md",
    ],
)
def test_other_work_near_them_passes(command: str) -> None:
    assert not judged({"command": command})


@pytest.mark.parametrize(
    ("tool_class", "tool_input"),
    [
        (ToolClass.FILE_WRITE, {"file_path": "/home/user/.claude/settings.json"}),
        (ToolClass.FILE_EDIT, {"file_path": ".claude/settings.local.json"}),
        (ToolClass.FILE_EDIT, {"file_path": "../project/.claude/settings.json"}),
        (
            ToolClass.FILE_EDIT,
            {
                "command": "*** Begin Patch\n*** Update File: .codex/config.toml\n"
                "@@\n-a\n+b\n*** End Patch"
            },
        ),
        (
            ToolClass.FILE_EDIT,
            {
                "command": "*** Begin Patch\n*** Delete File: .codex/hooks.json\n"
                "*** End Patch"
            },
        ),
    ],
)
def test_so_is_an_edit_by_any_tool(
    tool_class: ToolClass, tool_input: dict[str, object]
) -> None:
    assert judged({"content": "{}", **tool_input}, tool_class)


def test_so_is_an_mcp_tool_that_writes() -> None:
    wanted: dict[str, object] = {"path": "/home/user/.claude/settings.json"}
    assert judged(wanted, ToolClass.MCP, name="mcp__files__write_file")
    assert not judged(wanted, ToolClass.MCP, name="mcp__files__read_file")


def test_reading_them_passes() -> None:
    wanted: dict[str, object] = {"file_path": "/home/user/.claude/settings.json"}
    assert not judged(wanted, ToolClass.FILE_READ)


@pytest.mark.parametrize(
    "command",
    [
        "claude --bare -p hello",
        "claude -p hello --safe-mode",
        "claude --settings '{\"disableAllHooks\": true}'",
        "CLAUDE_CONFIG_DIR=/tmp/x claude -p hello",
        "CLAUDE_CODE_SIMPLE=1 claude -p hello",
        "codex exec --disable hooks hello",
        "codex --disable=hooks exec hello",
        "codex exec -c features.hooks=false hello",
        "codex exec --dangerously-bypass-hook-trust hello",
        "CODEX_HOME=/tmp/x codex exec hello",
        "cd /tmp && env HOME=/tmp claude -p hello",
    ],
)
def test_an_agent_without_its_hooks_is_not_started(command: str) -> None:
    assert judged({"command": command})


@pytest.mark.parametrize(
    "command",
    [
        "claude -p hello",
        "codex exec hello",
        "npm run build -- --bare",
        "git init --bare",
        "HOME=/tmp npm test",
        "grep -r disableAllHooks docs",
    ],
)
def test_an_agent_with_its_hooks_and_other_programs_are(command: str) -> None:
    assert not judged({"command": command})


def test_a_permission_request_for_it_is_denied_as_well() -> None:
    command: dict[str, object] = {"command": "rm ~/.codex/hooks.json"}
    assert judged(command, kind=EventKind.PERMISSION)


def test_what_ran_already_is_not_judged() -> None:
    after = event(EventKind.TOOL_POST)
    assert not isinstance(after, BeforeTool)
    assert integrity(after) is None


def test_it_has_a_name_in_reports() -> None:
    assert integrity.name == "integrity"  # type: ignore[attr-defined]
