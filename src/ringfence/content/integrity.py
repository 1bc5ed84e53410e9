"""The first guard: an agent does not change what guards it.

It covers the files that decide whether hooks run, on every harness, and Ringfence's
own. It sees what a tool call names; what a program that the call starts does by
itself is not seen (see the two assurance levels in the documentation).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from ringfence.content._protected import PROTECTED
from ringfence.decisions import Decision, deny
from ringfence.events import (
    BeforeTool,
    Event,
    PathRef,
    PathUse,
    ShellProgram,
    ToolClass,
)
from ringfence.parsing.paths import matches

RULE = "integrity.hook-settings"
REASON = (
    "this would change the settings that keep the guard in place; "
    "a person has to change them outside the agent"
)
_CHANGES = (PathUse.WRITE, PathUse.DELETE)


def integrity(event: Event) -> Decision | None:
    """Deny a call that writes, moves or deletes what keeps the guard in place."""
    if not isinstance(event, BeforeTool):
        return None
    if any(_touches(path) for path in event.tool.paths):
        return deny(REASON).with_rule(RULE)
    program = event.tool.shell
    if program is not None and program.problem and _mentions(program):
        return deny(REASON).with_rule(RULE)
    if event.tool.tool_class is ToolClass.SHELL and _switches_off(event):
        return deny(REASON).with_rule(RULE)
    return None


integrity.name = "integrity"  # type: ignore[attr-defined]


def _touches(path: PathRef) -> bool:
    if path.use not in _CHANGES:
        return False
    return any(_covers(pattern, path) for pattern in PROTECTED)


def _covers(pattern: str, path: PathRef) -> bool:
    """Tell whether a change of ``path`` changes what ``pattern`` protects.

    Case is ignored: on some file systems it does not count. Deleting a folder
    deletes what is in it.
    """
    if matches(pattern, path.absolute, ignore_case=True):
        return True
    if path.use is not PathUse.DELETE:
        return False
    folder = pattern.rpartition("/")[0]
    return bool(folder) and matches(folder, path.absolute, ignore_case=True)


def _mentions(program: ShellProgram) -> bool:
    """Tell whether a text that could not be understood names a protected file."""
    text = program.text.lower()
    return any(name in text for name in _file_names())


def _file_names() -> Iterator[str]:
    for pattern in PROTECTED:
        folder, _, name = pattern.rpartition("/")
        leaf = folder.rpartition("/")[2]
        yield (f"{leaf}/{name}" if name not in ("**", "*") else leaf).lower()


_BARE = frozenset({"--bare", "--safe-mode"})
_SWITCHES = ("disableallhooks", "--dangerously-bypass-hook-trust")


def _switches_off(event: BeforeTool) -> bool:
    """Tell whether a command starts an agent with its hooks switched off."""
    return any(
        _any_word(command.argv, _SWITCHES)
        or (
            command.program == "claude"
            and {"--bare", "--safe-mode"} & set(command.args)
        )
        or (command.program == "codex" and _disables(command.args))
        for command in event.tool.commands
        if command.program in ("claude", "codex")
    )


def _any_word(words: Iterable[str], wanted: Iterable[str]) -> bool:
    return any(part in word.lower() for word in words for part in wanted)


def _disables(words: tuple[str, ...]) -> bool:
    return "--disable=hooks" in words or ("--disable", "hooks") in pairwise(words)
