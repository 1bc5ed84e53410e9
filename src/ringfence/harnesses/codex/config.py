"""What to write into Codex's ``hooks.json`` so that its hooks call Ringfence."""

from __future__ import annotations

EVENTS = (
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "UserPromptSubmit",
    "Stop",
    "SubagentStop",
    "SessionStart",
)


def hooks(launcher: str, *, version: str = "", timeout: int = 60) -> dict[str, object]:
    """Return the ``hooks`` table of a ``hooks.json``.

    ``launcher`` is the absolute path of the hook launcher, ``timeout`` the hook's own
    in seconds; ``version`` makes no difference yet. No other key than these is
    written: an unknown one voids the file.
    """
    del version
    return {
        event: [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": f"{launcher} codex {event}",
                        "timeout": timeout,
                    }
                ]
            }
        ]
        for event in EVENTS
    }
