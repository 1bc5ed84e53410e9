"""The launcher: what the hook settings of every harness call.

It is a POSIX shell script at a path that never changes, so that upgrades leave hook
settings, and with them a harness's trust in them, as they are. Interpreter and paths
are baked in. Where Python can't be started, or ends in a way that no harness counts as
a block, the script itself blocks, but never an agent that wants to finish: for it, to
be blocked means to go on. A block by exit code needs a text on stderr.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from ringfence.edge._closed import CLOSED

NAME = "ringfence-hook"

_SCRIPT = """\
#!/bin/sh
# Written by Ringfence. Arguments: HARNESS EVENT. See `ringfence hook --help`.
unset {loaders}
{program} "$@" {options}
code=$?
[ $code -eq 0 ] && exit 0
case "$1 $2" in
{passing}) exit 0 ;;
esac
echo "ringfence: this is blocked (the guard ended with $code)" >&2
exit 2
"""


_LOADERS = (
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
)
"""Variables by which a project's settings could slip code into the interpreter."""


def own_program(python: str = sys.executable) -> tuple[str, ...]:
    """Return the command of Ringfence's own hook entry."""
    return (python, "-I", "-m", "ringfence", "hook")


def script(options: Sequence[str] = (), program: Sequence[str] = ()) -> str:
    """Return the text of a launcher.

    ``program`` is the command that answers, an author's own or Ringfence's hook
    entry; ``options`` are passed on to it after HARNESS and EVENT.
    """
    passing = [
        shlex.quote(f"{harness} {event}")
        for harness, events in CLOSED.items()
        for event, code in events.items()
        if code == 0
    ]
    return _SCRIPT.format(
        loaders=" ".join(_LOADERS),
        program=shlex.join(program or own_program()),
        options=shlex.join(options),
        passing=" | \\\n  ".join(passing),
    )


def write(
    folder: Path, options: Sequence[str] = (), program: Sequence[str] = ()
) -> Path:
    """Write the launcher into ``folder``/bin, whole or not at all; return its path."""
    path = folder / "bin" / NAME
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{NAME}.{os.getpid()}")
    temporary.write_text(script(options, program), encoding="utf-8")
    temporary.chmod(0o755)
    temporary.replace(path)
    return path
