"""What is certain about variables and the working directory at one point."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ringfence.parsing.shell._table import LIVING

if TYPE_CHECKING:
    from ringfence.parsing.shell.names import Effects


def join(base: str, path: str) -> str:
    """Return ``path`` as seen from ``base``, ``.`` and ``..`` taken out lexically."""
    if path.startswith(("/", "~")) or not base:
        return posixpath.normpath(path) if path else base
    return posixpath.normpath(f"{base}/{path}")


# A longer value counts as unknown: values may double with every assignment.
MAX_VALUE = 4096

# ``$HOME`` and ``~`` are one to the shell, and one here: both are written ``~``.
_DIRECTORIES = frozenset({"HOME", "PWD", "OLDPWD"})


@dataclass(slots=True)
class Scope:
    """Variables (``None``: set to something unknown), directory, and functions.

    A name that is absent is unknown too: the environment it comes from is not ours.
    ``cwd`` is empty where it is unknown.
    """

    cwd: str = ""
    variables: dict[str, str | None] = field(default_factory=dict)
    exported: set[str] = field(default_factory=set)
    functions: dict[str, Effects] = field(default_factory=dict)
    readonly: set[str] = field(default_factory=set)
    aliases: dict[str, str] = field(default_factory=dict)
    positional: tuple[str, ...] | None = None
    previous: str = ""
    stack: tuple[str, ...] = ()
    volatile: set[str] = field(default_factory=set)

    def fork(self) -> Scope:
        """Return a copy, for a subshell or a branch."""
        return Scope(
            cwd=self.cwd,
            variables=dict(self.variables),
            exported=set(self.exported),
            functions=dict(self.functions),
            readonly=self.readonly,
            aliases=dict(self.aliases),
            positional=self.positional,
            previous=self.previous,
            stack=self.stack,
            volatile=self.volatile,
        )

    def merge(self, *branches: Scope) -> None:
        """Keep only what holds here and in every branch that may have run."""
        for other in branches:
            for name in self.variables.keys() | other.variables.keys():
                if self.variables.get(name) != other.variables.get(name):
                    self.variables[name] = None
            self.exported &= other.exported
            self.functions |= other.functions
            self.aliases.update(other.aliases)
            if self.cwd != other.cwd:
                self.cwd = ""
            if self.positional != other.positional:
                self.positional = None
            if (self.previous, self.stack) != (other.previous, other.stack):
                self.previous, self.stack = "", ()

    def child(self, assignments: dict[str, str | None]) -> Scope:
        """Return the scope of a shell started from here: it gets the environment."""
        exported = {name: self.variables.get(name) for name in self.exported}
        variables = exported | assignments
        return Scope(
            cwd=self.cwd, variables=variables, exported=set(variables), previous=""
        )

    def get(self, name: str) -> str | None:
        """Return a variable's value where it is certain."""
        if name in self.volatile or name in LIVING:
            return None
        if name in _DIRECTORIES and name not in self.variables:
            return self._directory(name)
        if name.isdecimal() and self.positional is not None:
            index = int(name)
            return self.positional[index] if index < len(self.positional) else ""
        return self.variables.get(name)

    def _directory(self, name: str) -> str | None:
        known = {"HOME": "~", "PWD": self.cwd, "OLDPWD": self.previous}[name]
        return known or None

    def set(self, name: str, value: str | None) -> None:
        """Record an assignment; ``None`` for a value that can't be known."""
        certain = name not in self.readonly and len(value or "") <= MAX_VALUE
        self.variables[name] = value if certain else None

    def call(self, function: str) -> None:
        """Give up on what a function of this script may change."""
        effects = self.functions[function]
        if effects.opaque:
            self.forget_everything()
        if effects.moves:
            self.cwd = ""

    def forget_everything(self) -> None:
        """Give up on all variables: something unseen may have set them."""
        self.variables = {}
        self.positional = None

    def change_directory(self, target: str | None) -> None:
        """Follow ``cd``; ``None`` for a directory that can't be known."""
        before = self.cwd
        if target == "-":
            self.cwd = self.previous
        elif target is None:
            self.cwd = ""
        else:
            self.cwd = join(before, target)
        self.previous = before
