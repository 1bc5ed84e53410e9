"""From the words of a simple command to the commands it stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ringfence.events import Command, Redirect
from ringfence.parsing.shell.builder import Builder, Flow, Stage
from ringfence.parsing.shell.scope import Scope
from ringfence.parsing.shell.words import Word

Run = Callable[[str, Scope, Flow], Stage]


@dataclass(slots=True)
class Simple:
    """A simple command on its way: words, prefix assignments, redirections."""

    flow: Flow
    words: list[Word] = field(default_factory=list)
    assignments: dict[str, str | None] = field(default_factory=dict)
    feeds: tuple[int, ...] = ()

    def redirect(self, operator: str, fd: str, target: Word) -> None:
        """Add a redirection; one of the input changes what will be read."""
        text = target.text if target.known else ""
        if operator == ">&" and not (text.isdigit() or text.endswith("-") or not text):
            # ``>&file`` is the old way to write ``&>file``.
            operator = "&>"
        if operator in {"<<", "<<<"}:
            body = text + "\n" if target.known else None
            self.flow = replace(self.flow, stdin=body, upstream=target.feeds)
            text = ""
        elif operator.startswith("<") and fd in {"", "0"}:
            self.flow = replace(self.flow, stdin=None, upstream=target.feeds)
        self.feeds += target.feeds
        self.flow = replace(
            self.flow,
            redirects=(*self.flow.redirects, Redirect(operator, text, fd)),
        )


class Emitter:
    """Adds commands to a builder, wrappers and inline code seen through."""

    def __init__(self, builder: Builder, run: Run) -> None:
        self._builder = builder
        self._run = run

    def emit(self, simple: Simple, scope: Scope) -> Stage:
        """Add the commands that a simple command stands for."""
        words = simple.words
        if not words:
            if not simple.flow.redirects:
                for name, value in simple.assignments.items():
                    scope.set(name, value)
                return ()
            words = [Word(":")]
        return (self._builder.add(_command(words, simple, scope)),)


def _command(words: list[Word], simple: Simple, scope: Scope) -> Command:
    head, *rest = words
    return Command(
        program=program_name(head.text) if head.known else "",
        args=tuple(word.text for word in rest),
        text=" ".join(word.text for word in words),
        word=head.text,
        assignments={
            n: v if v is not None else "" for n, v in simple.assignments.items()
        },
        redirects=simple.flow.redirects,
        wrappers=simple.flow.wrappers,
        dynamic=not all(word.known for word in words),
        stdin=simple.flow.stdin,
        cwd=scope.cwd,
    )


def program_name(word: str) -> str:
    """Return the base name of a command word, without a Windows suffix."""
    name = word.rsplit("/", 1)[-1]
    if "\\" in name:
        name = name.rsplit("\\", 1)[-1]
    return name[:-4] if name.lower().endswith(".exe") else name
