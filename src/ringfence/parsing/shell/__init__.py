"""Bash text to the programs it runs.

The grammar (tree-sitter-bash) gives the structure; what it reads wrongly is rewritten
before it sees the text, and what is left over is reported as a problem, never guessed.
"""

from __future__ import annotations

from ringfence.calls import ShellProgram
from ringfence.parsing.shell.builder import Builder, Flow
from ringfence.parsing.shell.scope import Scope
from ringfence.parsing.shell.walker import Walker

__all__ = ["parse"]


def parse(text: str, *, cwd: str = "") -> ShellProgram:
    """Return every command that bash would run for ``text`` started in ``cwd``.

    Never raises. What can't be known before the text runs is marked ``dynamic`` in
    its command; what can't be understood is named in ``problem``.
    """
    builder = Builder()
    Walker(builder).run(text, Scope(cwd=cwd), Flow())
    return builder.build(text)
