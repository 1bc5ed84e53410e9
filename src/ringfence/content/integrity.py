"""The first guard: an agent does not change what guards it.

It covers the files that decide whether hooks run, on every harness, and Ringfence's
own. It sees what a tool call names; what a program that the call starts does by
itself is not seen (see the two assurance levels in the documentation).
"""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import pairwise

from ringfence.calls import Command, PathRef, PathUse, ShellProgram, ToolCall
from ringfence.content._protected import PROTECTED, UNHOOKED
from ringfence.decisions import Decision, deny
from ringfence.events import BeforeTool, Event
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
    if _touches(event.tool):
        return deny(REASON).with_rule(RULE)
    program = event.tool.shell
    if program is not None and program.problem and _mentions(program):
        return deny(REASON).with_rule(RULE)
    if any(map(_switches_off, event.tool.commands)):
        return deny(REASON).with_rule(RULE)
    return None


integrity.name = "integrity"  # type: ignore[attr-defined]


_FILLING = frozenset({"cp", "install", "ln", "mv", "rsync", "scp", "tar", "unzip"})
"""Programs that put files into a folder whose names they do not say."""


def _touches(tool: ToolCall) -> bool:
    filled = any(command.program in _FILLING for command in tool.commands)
    return any(
        _covers(pattern, path, as_folder=filled or path.use is PathUse.DELETE)
        for path in tool.paths
        if path.use in _CHANGES
        for pattern in PROTECTED
    )


def _covers(pattern: str, path: PathRef, *, as_folder: bool) -> bool:
    """Tell whether a change of ``path`` changes what ``pattern`` protects.

    Case is ignored: on some file systems it does not count. A folder that is deleted,
    or filled, takes what is in it along.
    """
    folder, _, name = pattern.rpartition("/")
    if matches(pattern, path.absolute, ignore_case=True):
        return True
    if as_folder and matches(folder, path.absolute, ignore_case=True):
        return True
    # A path with wildcards names whatever file they match.
    own_folder, _, own_name = path.absolute.rpartition("/")
    return (
        any(sign in own_name for sign in "*?[")
        and matches(folder, own_folder, ignore_case=True)
        and fnmatchcase(name.lower(), own_name.lower())
    )


def _mentions(program: ShellProgram) -> bool:
    """Tell whether a text that could not be understood names a protected file."""
    text = program.text.lower()
    return any(name in text for name in _file_names())


def _file_names() -> Iterator[str]:
    for pattern in PROTECTED:
        folder, _, name = pattern.rpartition("/")
        leaf = folder.rpartition("/")[2]
        yield (f"{leaf}/{name}" if name not in ("**", "*") else leaf).lower()


def _switches_off(command: Command) -> bool:
    """Tell whether a command starts an agent that does not load its hooks."""
    how = UNHOOKED.get(command.program)
    if how is None:
        return False
    squeezed = ["".join(word.lower().split()) for word in command.args]
    return (
        not how.words.isdisjoint(squeezed)
        or not how.pairs.isdisjoint(pairwise(squeezed))
        or any(part in word for word in squeezed for part in how.parts)
        or not how.variables.isdisjoint(command.assignments)
    )
