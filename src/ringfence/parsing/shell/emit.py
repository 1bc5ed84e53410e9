"""From the words of a simple command to the commands it stands for."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from ringfence.calls import Command, Redirect
from ringfence.parsing.shell._table import SHELLS
from ringfence.parsing.shell.builder import MAX_DEPTH, Builder, Flow, Stage
from ringfence.parsing.shell.builtins import apply_builtin
from ringfence.parsing.shell.inline import shell_call
from ringfence.parsing.shell.scope import Scope, join
from ringfence.parsing.shell.words import Word
from ringfence.parsing.shell.wrappers import Inner, unwrap

Run = Callable[[str, Scope, Flow], Stage]

_HERE = frozenset({"<<", "<<<"})
_STDIN_NAMES = frozenset({"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "-"})
# These print what they are given, so that what went into a word goes on.
_PRINTERS = frozenset({"echo", "printf", "cat"})


@dataclass(slots=True)
class Simple:
    """A simple command on its way: words, prefix assignments, redirections."""

    flow: Flow
    words: list[Word] = field(default_factory=list)
    assignments: dict[str, str | None] = field(default_factory=dict)
    sources: tuple[int, ...] = ()
    sinks: tuple[int, ...] = ()

    def redirect(self, operator: str, fd: str, target: Word) -> None:
        """Add a redirection; one of the input changes what will be read."""
        text = target.text if target.known else ""
        if operator == ">&" and not (text.isdigit() or text.endswith("-") or not text):
            # ``>&file`` is the old way to write ``&>file``.
            operator = "&>"
        links = target.links
        self.sources += links.sources
        self.sinks += links.sinks
        if operator in _HERE:
            body = text + ("\n" if operator == "<<<" else "")
            self.flow = replace(
                self.flow, stdin=body if target.known else None, piped=not target.known
            )
            self.sources += links.inside
            text = ""
        elif operator.startswith("<") and fd in {"", "0"}:
            self.flow = replace(self.flow, stdin=None, piped=bool(links.sources))
        self.flow = replace(
            self.flow,
            redirects=(*self.flow.redirects, Redirect(operator, text, fd)),
        )


class Emitter:
    """Adds commands to a builder, wrappers and inline code seen through.

    ``run`` walks a nested shell text.
    """

    def __init__(self, builder: Builder, run: Run) -> None:
        self._builder = builder
        self._run = run

    def emit(self, simple: Simple, scope: Scope) -> Stage:
        """Add the commands that a simple command stands for."""
        if not simple.words:
            if not simple.flow.redirects:
                for name, value in simple.assignments.items():
                    scope.set(name, value)
                return ()
            # Nothing runs, but the files are opened (and cut) all the same.
            simple.words = [Word(":")]
        stage = self._emit(simple, scope)
        self.link(simple, stage)
        return stage

    def link(self, simple: Simple, stage: Stage) -> None:
        """Record what is read and written through the command's substitutions."""
        self._builder.connect([simple.sources, stage])
        self._builder.connect([stage, simple.sinks])

    def _emit(self, simple: Simple, scope: Scope) -> Stage:
        if simple.flow.depth > MAX_DEPTH:
            self._builder.problem("the shell text is nested too deeply")
            return ()
        head, *rest = simple.words
        program = program_name(head.text) if head.known else ""
        inners = unwrap(program, rest)
        stage: Stage = ()
        if not (inners and all(inner.keyword for inner in inners)):
            stage = (self._builder.add(_command(simple, scope, program)),)
            self._link_words(program, simple.words, stage)
        if head.bare and program in scope.aliases:
            stage += self._alias(program, simple, scope)
        for inner in inners:
            stage += self._inner(program, inner, simple, scope)
        if program in SHELLS:
            stage += self._shell(program, simple, scope)
        elif program in {"eval", "trap", "source", "."}:
            stage += self._code_of_builtin(program, simple, scope)
        apply_builtin(program, rest, scope)
        return stage

    def _link_words(self, program: str, words: Iterable[Word], stage: Stage) -> None:
        for word in words:
            self._builder.connect([word.links.sources, stage])
            self._builder.connect([stage, word.links.sinks])
            if program in _PRINTERS:
                self._builder.connect([word.links.inside, stage])

    # -- what is nested in a command ------------------------------------------

    def _inner(self, program: str, inner: Inner, simple: Simple, scope: Scope) -> Stage:
        flow = _nested(simple.flow, program)
        if inner.keyword:
            # ``command``, ``builtin`` and ``exec`` run it here, ``cd`` included.
            return self._emit(_with(simple, flow, inner), scope)
        place = scope.fork()
        place.variables.update(inner.assignments)
        if inner.elsewhere:
            place.cwd = ""
        elif inner.directory is not None:
            known = inner.directory.known
            place.cwd = join(scope.cwd, inner.directory.text) if known else ""
        if inner.code:
            environment = scope.child(simple.assignments | inner.assignments)
            environment.cwd = place.cwd
            flow = replace(flow, uncertain=flow.uncertain or inner.extended)
            return self._code(inner.code, environment, flow)
        if not inner.words:
            return self._standard_input(simple, place, flow)
        if inner.extended:
            flow = _extend(inner, flow)
        return self._emit(_with(simple, flow, inner), place)

    def _shell(self, program: str, simple: Simple, scope: Scope) -> Stage:
        flow = _nested(simple.flow, program)
        call = shell_call(simple.words[1:])
        inside = scope.child(simple.assignments)
        inside.positional = call.positional
        if call.nothing:
            return ()
        if call.code is not None:
            stage = self._code([call.code], inside, flow)
            if call.code.splits:
                # It may be no word at all, and another one the code.
                stage += self._unknown(call.code, inside, flow)
            return stage
        if call.script is None:
            return self._standard_input(simple, inside, flow)
        if call.script.links.sources:
            return self._unknown(call.script, inside, flow)
        return ()

    def _code_of_builtin(self, program: str, simple: Simple, scope: Scope) -> Stage:
        flow = _nested(simple.flow, program)
        operands = simple.words[1:]
        if operands and operands[0].text == "--":
            operands = operands[1:]
        if not operands:
            return ()
        if program == "eval":
            return self._code(operands, scope, flow)
        if program == "trap":
            if len(operands) < 2 or operands[0].text in {"-", "", "-l", "-p"}:
                return ()
            return self._code(operands[:1], scope.fork(), flow)
        if operands[0].text in _STDIN_NAMES - {"-"}:
            return self._standard_input(simple, scope, flow)
        if operands[0].links.sources:
            return self._unknown(operands[0], scope, flow)
        return ()

    def _standard_input(self, simple: Simple, scope: Scope, flow: Flow) -> Stage:
        """Run what a shell reads: a literal text, or something nobody knows."""
        if flow.stdin is not None:
            return self._run(flow.stdin, scope, replace(flow, stdin=None))
        if flow.piped or simple.sources:
            return self._unknown(Word("", known=False), scope, flow)
        return ()

    def _code(self, words: list[Word], scope: Scope, flow: Flow) -> Stage:
        known = all(word.known for word in words)
        inner = replace(flow, uncertain=flow.uncertain or not known)
        text = " ".join(word.text if word.known else word.partial for word in words)
        stage = self._run(text, scope, inner)
        for word in words:
            self._builder.connect([word.links.inside, stage])
        return stage

    def _unknown(self, word: Word, scope: Scope, flow: Flow) -> Stage:
        return (self._builder.add(_command(Simple(flow, [word]), scope, "")),)

    def _alias(self, program: str, simple: Simple, scope: Scope) -> Stage:
        inside = scope.fork()
        rest = " ".join(
            shlex.quote(word.text) if word.known else word.text
            for word in simple.words[1:]
        )
        text = f"{inside.aliases.pop(program)} {rest}"
        return self._run(text, inside, _nested(simple.flow, "alias"))


def _nested(flow: Flow, wrapper: str) -> Flow:
    return replace(flow, wrappers=(*flow.wrappers, wrapper), depth=flow.depth + 1)


def _with(simple: Simple, flow: Flow, inner: Inner) -> Simple:
    return Simple(flow, inner.words, simple.assignments | inner.assignments)


def _extend(inner: Inner, flow: Flow) -> Flow:
    """Add the words that ``xargs`` reads, where they are certain."""
    if flow.stdin is None or any("{}" in word.text for word in inner.words):
        return replace(flow, uncertain=True, stdin=None)
    inner.words = [*inner.words, *(Word(text) for text in flow.stdin.split())]
    return replace(flow, stdin=None)


def _command(simple: Simple, scope: Scope, program: str) -> Command:
    head, *rest = simple.words
    flow = simple.flow
    return Command(
        program=program,
        args=tuple(word.text for word in rest),
        text=" ".join(word.text for word in simple.words),
        word=head.text,
        assignments={
            name: value if value is not None else ""
            for name, value in simple.assignments.items()
        },
        redirects=flow.redirects,
        wrappers=flow.wrappers,
        dynamic=flow.uncertain or not all(word.known for word in simple.words),
        stdin=flow.stdin,
        cwd=scope.cwd,
    )


def program_name(word: str) -> str:
    """Return the base name of a command word, without a Windows suffix."""
    name = word.rsplit("/", 1)[-1].rsplit("\\", 1)[-1]
    return name[:-4] if name.lower().endswith(".exe") else name
