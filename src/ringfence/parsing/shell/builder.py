"""Collects the commands of one shell text while it is walked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product

from ringfence.events import Command, Redirect, ShellProgram

MAX_COMMANDS = 4096
MAX_PIPELINES = 1024

Stage = tuple[int, ...]
"""The commands that read a stage's input and write its output, by index."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What a command inherits from the constructs around it.

    ``stdin`` is the text it will read, where that is certain; ``upstream`` holds
    the commands whose output it reads.
    """

    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    wrappers: tuple[str, ...] = ()
    depth: int = 0
    upstream: Stage = ()


@dataclass(slots=True)
class Builder:
    """The program under construction."""

    commands: list[Command] = field(default_factory=list)
    pipelines: list[tuple[int, ...]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, command: Command) -> int:
        """Append a command and return its index."""
        if len(self.commands) >= MAX_COMMANDS:
            self.problem("the shell text runs too many commands")
            return len(self.commands) - 1
        self.commands.append(command)
        return len(self.commands) - 1

    def problem(self, text: str) -> None:
        """Record that something was not understood."""
        if text not in self.problems:
            self.problems.append(text)

    def connect(self, stages: Sequence[Stage]) -> None:
        """Record that each stage's output is read by the next one.

        A stage of several commands (a group, a wrapper and what it runs) makes one
        pipeline for each way through.
        """
        stages = [stage for stage in stages if stage]
        if len(stages) < 2:
            return
        for path in product(*(dict.fromkeys(stage) for stage in stages)):
            if len(self.pipelines) >= MAX_PIPELINES:
                self.problem("the shell text has too many pipelines")
                return
            if path not in self.pipelines:
                self.pipelines.append(path)

    def build(self, text: str) -> ShellProgram:
        """Return the finished program."""
        return ShellProgram(
            text=text,
            commands=tuple(self.commands),
            pipelines=tuple(self.pipelines),
            problem="; ".join(self.problems),
        )
