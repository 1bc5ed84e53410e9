"""What to write into Claude Code's settings so that its hooks call Ringfence."""

from __future__ import annotations

from ringfence.harnesses import versions
from ringfence.harnesses.claude_code._table import FACTS
from ringfence.harnesses.quirks import mitigated

ON_FAILURE_SINCE = "2.1.295"
"""Its documentation names this version; a value that an older one does not know is
ignored there."""

# Every gate, everything that can be redacted, and the ends of turns. WorktreeCreate is
# never among them: its stdout is data.
EVENTS = (
    "PreToolUse",
    "PreSkillShellCommand",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "ConfigChange",
    "SessionStart",
    "SessionEnd",
)


class ClaudeCodeConfig:
    """See :class:`ringfence.harnesses.base.Config`."""

    user_file = ".claude/settings.json"

    def hooks(
        self, launcher: str, *, version: str = "", timeout: int = 60
    ) -> dict[str, object]:
        """Return the ``hooks`` block of a settings file."""
        blocks: dict[str, object] = {}
        own = version or FACTS.measured[-1]
        for event in EVENTS:
            if event == "PreSkillShellCommand" and not mitigated(
                "claude-code-skill-shell"
            ):
                continue
            since = FACTS.events[event].since
            if since and not versions.within(own, f">={since}"):
                continue
            entry: dict[str, object] = {
                "type": "command",
                "command": f"{launcher} claude-code {event}",
                "timeout": timeout,
            }
            if _knows_on_failure(own) and mitigated("claude-code-crash-is-open"):
                entry["onFailure"] = "block"
            # One hook for all guards: of several, the last to finish wins.
            count = 1 if mitigated("last-to-finish-wins") else 2
            blocks[event] = [{"hooks": [entry] * count}]
        return blocks


def _knows_on_failure(version: str) -> bool:
    if not mitigated("claude-code-on-failure-since"):
        return True
    return versions.within(version, f">={ON_FAILURE_SINCE}")


CONFIG = ClaudeCodeConfig()
