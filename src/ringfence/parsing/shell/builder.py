"""Collects the commands of one shell text while it is walked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise

from ringfence.calls import Command, Redirect, ShellProgram

MAX_DEPTH = 8
MAX_COMMANDS = 1024
MAX_PIPELINES = 512

Stage = tuple[int, ...]
"""The commands that read a stage's input and write its output, by index."""


@dataclass(frozen=True, slots=True)
class Flow:
    """What a command inherits from the constructs around it.

    ``stdin`` is the text it will read, where that is certain; ``piped`` tells that
    it reads another command's output. ``uncertain`` means that the text around it was
    not fully known, ``depth`` counts the texts and wrappers it is nested in.
    """

    redirects: tuple[Redirect, ...] = ()
    stdin: str | None = None
    wrappers: tuple[str, ...] = ()
    depth: int = 0
    piped: bool = False
    uncertain: bool = False


@dataclass(slots=True)
class Builder:
    """The program under construction.

    ``readers`` tells for a command which others read what it prints.
    """

    commands: list[Command] = field(default_factory=list)
    readers: dict[int, list[int]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Whether no command more is taken."""
        return len(self.commands) >= MAX_COMMANDS

    def add(self, command: Command) -> int:
        """Append a command and return its index."""
        if not self.full:
            self.commands.append(command)
        if self.full:
            self.problem("the shell text runs too many commands")
        return len(self.commands) - 1

    def problem(self, text: str) -> None:
        """Record that something was not understood."""
        if text not in self.problems:
            self.problems.append(text)

    def connect(self, stages: Sequence[Stage]) -> None:
        """Record that each stage's output is read by the next one."""
        stages = [stage for stage in stages if stage]
        for writers, readers in pairwise(stages):
            for writer in writers:
                known = self.readers.setdefault(writer, [])
                known += [reader for reader in readers if reader not in known]

    def _pipelines(self) -> Iterator[tuple[int, ...]]:
        """Yield each way that data takes from a first writer to a last reader."""
        read = {reader for readers in self.readers.values() for reader in readers}
        waiting: list[tuple[int, ...]] = [
            (first,) for first in sorted(self.readers.keys() - read, reverse=True)
        ]
        while waiting:
            path = waiting.pop()
            following = [
                reader
                for reader in self.readers.get(path[-1], ())
                if reader not in path
            ]
            if not following:
                yield path
            waiting += [(*path, reader) for reader in reversed(following)]

    def build(self, text: str) -> ShellProgram:
        """Return the finished program.

        A stage of several commands (a group, a wrapper and what it runs) makes one
        pipeline for each way through.
        """
        pipelines = tuple(islice(self._pipelines(), MAX_PIPELINES + 1))
        if len(pipelines) > MAX_PIPELINES:
            self.problem("the shell text has too many pipelines")
        return ShellProgram(
            text=text,
            commands=tuple(self.commands),
            pipelines=pipelines[:MAX_PIPELINES],
            problem="; ".join(self.problems),
        )
