"""What to write into Codex's ``hooks.json`` so that its hooks call Ringfence."""

from __future__ import annotations

from ringfence.harnesses.quirks import mitigated

EVENTS = (
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "SessionStart",
)


class CodexConfig:
    """See :class:`ringfence.harnesses.base.Config`."""

    user_file = ".codex/hooks.json"

    def hooks(
        self, launcher: str, *, version: str = "", timeout: int = 60
    ) -> dict[str, object]:
        """Return the ``hooks`` table of a ``hooks.json``; one version is like another.

        No other key than these is written: an unknown one voids the file.
        """
        del version
        # One hook for all guards: of several, the last to finish wins.
        count = 1 if mitigated("last-to-finish-wins") else 2
        return {
            event: [{"hooks": [_entry(launcher, event, timeout)] * count}]
            for event in EVENTS
        }


def _entry(launcher: str, event: str, timeout: int) -> dict[str, object]:
    return {
        "type": "command",
        "command": f"{launcher} codex {event}",
        "timeout": timeout,
    }


CONFIG = CodexConfig()
