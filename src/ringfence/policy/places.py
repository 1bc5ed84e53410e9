"""Where a path lies: globs over paths, and what is outside of the workspace."""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from functools import cache

from ringfence.calls import PathRef
from ringfence.events import Event, ToolEvent
from ringfence.parsing import paths

# The home directory of anybody, so that a rule about ~/.ssh is about every .ssh.
_ANY_HOME = re.compile(r"(?:/home/[^/]+|/Users/[^/]+|/root|/var/root)(?=/|$)")


@cache
def own_home() -> str:
    """Return the home directory of the account, which no variable can move."""
    try:
        import pwd  # noqa: PLC0415 - Windows has none
    except ImportError:
        return posixpath.expanduser("~")
    try:
        return pwd.getpwuid(os.getuid()).pw_dir.rstrip("/")
    except KeyError:
        return ""


def matches(glob: str, ref: PathRef, event: Event, *, maybe: bool = False) -> bool:
    """Tell whether a path that a call names matches a glob.

    A path may be a pattern of the shell's (``.e*``), and what it unfolds to is not
    known. With ``maybe`` it matches where it could unfold to what the glob names.
    """
    path = ref.absolute or ref.path
    if name_matches(glob, path, event):
        return True
    return maybe and _could_be(path, glob, event)


_SHELL_WILDCARDS = re.compile(r"[*?\[]")


def _could_be(path: str, glob: str, event: Event) -> bool:
    """Tell whether a shell pattern could unfold to the one name that a glob is.

    Only a pattern that spells out how the name begins counts: ``*`` could unfold to
    anything, and ``wc -l *`` is no attempt at a secret.
    """
    folder, _, pattern = path.rpartition("/")
    found = _SHELL_WILDCARDS.search(pattern)
    if found is None or found.start() == 0 or _SHELL_WILDCARDS.search(glob):
        return False
    name = glob.rstrip("/").rpartition("/")[2]
    candidate = f"{folder}/{name}" if folder or path.startswith("/") else name
    return paths.matches(path, candidate) and name_matches(glob, candidate, event)


def name_matches(glob: str, path: str, event: Event) -> bool:
    """Tell whether a path, relative to the session's directory, matches a glob.

    Patterns are those of :mod:`ringfence.parsing.paths`, but that ``/`` is the root
    directory alone; ``~/`` is anybody's home.
    """
    cwd = _cwd(event)
    absolute = paths.absolute(path, cwd)
    if glob == "/":
        return absolute == "/"
    if not cwd:
        glob = glob.removeprefix("./")
    return any(paths.matches(glob, name, cwd=cwd) for name in _names(absolute))


def _names(absolute: str) -> Iterator[str]:
    yield absolute
    home = own_home()
    if home and (absolute == home or absolute.startswith(home + "/")):
        yield "~" + absolute[len(home) :]
    elif found := _ANY_HOME.match(absolute):
        yield "~" + absolute[found.end() :]


def _cwd(event: Event) -> str:
    own = event.tool.cwd if isinstance(event, ToolEvent) else ""
    return own or event.session.cwd


def outside(ref: PathRef, event: Event) -> bool:
    """Tell whether a path lies outside of the session's directory and workspace.

    A root directory is no workspace. A relative path whose start is unknown counts
    as inside unless it climbs out.
    """
    absolute = ref.absolute or ref.path
    if not absolute.startswith(("/", "~")) and absolute[1:3] not in (":/", ":\\"):
        return absolute == ".." or absolute.startswith("../")
    home = own_home()
    if absolute.startswith("~") and home:
        absolute = home + absolute[1:]
    roots = {event.session.cwd, _cwd(event), *event.session.workspace_roots}
    return not any(
        absolute == root or absolute.startswith(root.rstrip("/") + "/")
        for root in roots
        if root.strip("/")
    )
