"""Walks the tree of a shell text, statement by statement, in the order of running."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ringfence.parsing.shell.builder import MAX_DEPTH, Builder, Flow, Stage
from ringfence.parsing.shell.builtins import declare
from ringfence.parsing.shell.emit import Emitter, Simple
from ringfence.parsing.shell.grammar import problem_of, tree_of
from ringfence.parsing.shell.names import effects_of, names_in
from ringfence.parsing.shell.nodes import (
    OPEN_ENDED,
    REDIRECTS,
    assignments_in,
    last_statement,
    leaves,
    pairs,
    split_redirects,
)
from ringfence.parsing.shell.normalize import (
    Normalized,
    NormalizeError,
    normalize,
)
from ringfence.parsing.shell.output import literal_output
from ringfence.parsing.shell.scope import Scope
from ringfence.parsing.shell.words import Expander, Output, Word, source_of

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_BYTES = 64 * 1024
_MAX_NESTING = 60
# All texts together, those that ``eval`` and nested shells read included.
_MAX_TOTAL = 4 * MAX_BYTES
# A text that is no shell text is read for what can be seen, if it is short.
_MAX_BROKEN = 4096

_CLAUSES = frozenset({"elif_clause", "else_clause"})
_ASSIGNMENTS = frozenset({"variable_assignment", "variable_assignments"})


class Walker:
    """Turns shell texts into commands; one walker may read several nested texts."""

    def __init__(self, builder: Builder) -> None:
        self._builder = builder
        self._expander = Expander(self._substitute)
        self._emitter = Emitter(builder, self.run)
        self._source = Normalized(b"")
        self._nesting = 0
        self._budget = _MAX_TOTAL
        self._flow = Flow()
        self._trailing: dict[int, list[Node]] = {}
        self._handlers: dict[str, Callable[[Node, Scope, Flow], Stage]] = {
            "program": self._sequence,
            "compound_statement": self._compound,
            "do_group": self._sequence,
            "else_clause": self._sequence,
            "subshell": self._subshell,
            "list": self._list,
            "pipeline": self._pipeline,
            "redirected_statement": self._redirected,
            "command": self._command,
            "declaration_command": self._declaration,
            "unset_command": self._declaration,
            "test_command": self._test,
            "variable_assignment": self._assignment,
            "variable_assignments": self._assignment,
            "if_statement": self._if,
            "while_statement": self._while,
            "for_statement": self._for,
            "c_style_for_statement": self._while,
            "case_statement": self._case,
            "function_definition": self._function,
        }

    def run(self, text: str, scope: Scope, flow: Flow) -> Stage:
        """Walk a shell text in ``scope`` and return the commands it consists of."""
        if flow.depth > MAX_DEPTH:
            self._builder.problem("the shell text is nested too deeply")
            return ()
        size = len(text.encode("utf-8", "replace"))
        if size > MAX_BYTES:
            self._builder.problem("the shell text is longer than 64 KiB")
            return ()
        self._budget -= size
        if self._budget < 0:
            self._builder.problem("the shell text reads too much text again")
            return ()
        try:
            source = normalize(text)
        except NormalizeError as error:
            self._builder.problem(str(error))
            if len(text) > _MAX_BROKEN:
                return ()
            source = Normalized(text.encode("utf-8", "replace"))
        root = tree_of(source.text)
        problem = problem_of(root, source.text)
        if problem:
            self._builder.problem(problem)
        outer, self._source = self._source, source
        try:
            return self._statement(root, scope, flow)
        finally:
            self._source = outer

    # -- statements -----------------------------------------------------------

    def _statement(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        self._nesting += 1
        outer, self._flow = self._flow, flow
        try:
            if self._nesting > _MAX_NESTING:
                self._builder.problem("the shell text is nested too deeply")
                return ()
            if self._builder.full:
                return ()
            trailing = self._trailing.pop(node.id, None)
            if trailing and node.type == "redirected_statement":
                return self._redirected(node, scope, flow, trailing)
            if trailing:
                return self._redirecting([node], trailing, scope, scope, flow)
            handler = self._handlers.get(node.type)
            if handler is not None:
                return handler(node, scope, flow)
            if node.is_named and node.type != "comment":
                # An error node, most often: report what can be seen inside.
                return self._sequence(node, scope, flow)
            return ()
        finally:
            self._nesting -= 1
            self._flow = outer

    def _sequence(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        return self._statements(node.children, scope, flow)

    def _statements(self, nodes: Iterable[Node], scope: Scope, flow: Flow) -> Stage:
        stage: list[int] = []
        children = list(nodes)
        for index, child in enumerate(children):
            if not child.is_named:
                continue
            following = children[index + 1] if index + 1 < len(children) else None
            background = following is not None and following.type == "&"
            inner = scope.fork() if background else scope
            stage += self._statement(child, inner, flow)
        return tuple(stage)

    def _compound(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        if not node.children or node.children[0].type != "((":
            return self._sequence(node, scope, flow)
        self._expander.visit(node, scope)
        for name in names_in(node):
            scope.set(name, None)
        return ()

    def _subshell(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        return self._sequence(node, scope.fork(), flow)

    def _list(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        # ``a && b && c`` nests to the left, as deep as it is long.
        parts: list[tuple[str, Node]] = []
        current = node
        while current.type == "list":
            named = [child for child in current.children if child.type != "comment"]
            if len(named) < 3:
                break
            for operator, right in pairs(named[1:]):
                parts.append((operator, right))
            current = named[0]
        before = scope.fork()
        stage = list(self._statement(current, scope, flow))
        for operator, part in reversed(parts):
            if operator == "||":
                other = before.fork()
                stage += self._statement(part, other, flow)
                if not leaves(part):
                    scope.merge(other)
            else:
                stage += self._statement(part, scope, flow)
        return tuple(stage)

    def _pipeline(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        stages: list[Stage] = []
        stdin, piped = flow.stdin, flow.piped
        for child in node.children:
            if not child.is_named or child.type == "comment":
                continue
            inner = replace(flow, stdin=stdin, piped=piped)
            stage = self._statement(child, scope.fork(), inner)
            stages.append(stage)
            stdin = literal_output(self._builder, stage, scope)
            piped = True
        self._builder.connect(stages)
        return tuple(index for stage in stages for index in stage)

    def _if(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        conditions = node.children_by_field_name("condition")
        stage = list(self._statements(conditions, scope, flow))
        before = scope.fork()
        clauses = [child for child in node.children if child.type in _CLAUSES]
        bodies = [child for child in node.children if child not in clauses]
        bodies = [child for child in bodies if child not in conditions]
        branches = [before]
        stage += self._statements(bodies, scope, flow)
        for clause in clauses:
            branches.append(before.fork())
            stage += self._sequence(clause, branches[-1], flow)
        scope.merge(*branches)
        return tuple(stage)

    def _while(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        self._forget_assigned(node, scope)
        before = scope.fork()
        if node.type == "c_style_for_statement":
            for child in node.children:
                if child.type not in {"do_group", "compound_statement"}:
                    self._expander.visit(child, scope)
            bodies = node.children_by_field_name("body")
            stage = self._statements(bodies, scope, flow)
        else:
            stage = self._sequence(node, scope, flow)
        scope.merge(before)
        return stage

    def _for(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        values: list[Word] = []
        for value in node.children_by_field_name("value"):
            values += self._expander.expand(value, scope)
        self._forget_assigned(node, scope)
        before = scope.fork()
        name = node.child_by_field_name("variable")
        if name is not None:
            only = values[0] if len(values) == 1 else None
            certain = only.text if only is not None and only.known else None
            scope.set(source_of(name), certain)
        bodies = node.children_by_field_name("body")
        stage = self._statements(bodies, scope, flow)
        scope.merge(before)
        return stage

    def _case(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        value = node.child_by_field_name("value")
        if value is not None:
            self._expander.visit(value, scope)
        stage: list[int] = []
        branches: list[Scope] = []
        for item in node.children:
            if item.type != "case_item":
                continue
            branch = scope.fork()
            patterns = item.children_by_field_name("value")
            for pattern in patterns:
                self._expander.visit(pattern, branch)
            body = [child for child in item.children if child not in patterns]
            stage += self._statements(body, branch, flow)
            branches.append(branch)
        scope.merge(*branches)
        return tuple(stage)

    def _function(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        effects = effects_of(node)
        name = node.child_by_field_name("name")
        if name is not None:
            scope.functions[source_of(name)] = effects
        # What the body sets is set whenever the function is called.
        scope.volatile |= effects.names
        body = node.child_by_field_name("body")
        if body is None:
            return ()
        inner = Scope(cwd=scope.cwd, functions=scope.functions)
        redirects = node.children_by_field_name("redirect")
        return self._redirecting([body], redirects, inner, scope, flow)

    @staticmethod
    def _forget_assigned(node: Node, scope: Scope) -> None:
        effects = effects_of(node)
        if effects.opaque:
            scope.forget_everything()
        for name in effects.names:
            scope.set(name, None)

    # -- redirections ---------------------------------------------------------

    def _redirected(
        self, node: Node, scope: Scope, flow: Flow, trailing: Sequence[Node] = ()
    ) -> Stage:
        bodies, redirects = split_redirects(node)
        redirects += trailing
        if len(bodies) == 1 and bodies[0].type in OPEN_ENDED:
            # The grammar hangs these on the whole list; bash on its last command.
            self._trailing[last_statement(bodies[0]).id] = redirects
            return self._statement(bodies[0], scope, flow)
        return self._redirecting(bodies, redirects, scope, scope, flow)

    def _redirecting(
        self,
        bodies: Sequence[Node],
        redirects: Sequence[Node],
        scope: Scope,
        outer: Scope,
        flow: Flow,
    ) -> Stage:
        simple = Simple(flow)
        for redirect in redirects:
            self._add_redirect(redirect, outer, simple)
        if len(bodies) == 1 and bodies[0].type == "command":
            return self._simple(bodies[0], scope, simple)
        if simple.words and bodies and bodies[0].type in _ASSIGNMENTS:
            # ``X=a >out program``: to the grammar no more than an assignment.
            for part in assignments_in(bodies[0]):
                self._assign(part, scope, simple.assignments)
            return self._emitter.emit(simple, scope)
        if simple.words:
            self._builder.problem("words after a redirection were not understood")
        if not bodies:
            return self._emitter.emit(simple, scope)
        stage = self._statements(bodies, scope, simple.flow)
        if not stage:
            # Nothing runs, but the files are opened (and cut) all the same.
            return self._emitter.emit(simple, scope)
        self._emitter.link(simple, stage)
        return stage

    def _add_redirect(self, node: Node, scope: Scope, simple: Simple) -> None:
        operator = fd = ""
        targets: list[Node] = []
        for child in node.children:
            if child.type == "file_descriptor":
                fd = source_of(child)
            elif not child.is_named and not operator:
                operator = source_of(child)
                marked = self._source.operators.get(child.start_byte)
                operator = marked.operator if marked else operator
                fd = marked.fd if marked and marked.fd else fd
            elif child.is_named:
                targets.append(child)
        target = Word("")
        if targets:
            target = self._expander.value(targets[0], scope)
        simple.redirect(operator, fd, target)
        for before, extra in pairwise(targets):
            if before.end_byte == extra.start_byte:
                self._builder.problem("a redirection was not understood")
            simple.words += self._expander.expand(extra, scope)

    # -- commands -------------------------------------------------------------

    def _command(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        return self._simple(node, scope, Simple(flow))

    def _simple(self, node: Node, scope: Scope, simple: Simple) -> Stage:
        later, simple.words = simple.words, []
        end = -1
        for child in node.children:
            if child.type == "variable_assignment":
                self._assign(child, scope, simple.assignments)
            elif child.type in REDIRECTS:
                self._add_redirect(child, scope, simple)
            else:
                words = self._expander.expand(child, scope)
                if child.start_byte == end and words and simple.words:
                    # To the grammar two words, such as ``x=`` and ``<(y)``.
                    words[0] = simple.words.pop().glued(words[0])
                end = child.end_byte
                simple.words += words
        simple.words += later
        if node.start_byte in self._source.timed:
            simple.flow = replace(simple.flow, wrappers=(*simple.flow.wrappers, "time"))
        return self._emitter.emit(simple, scope)

    def _declaration(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        simple = Simple(flow)
        keyword = source_of(node.children[0])
        simple.words.append(Word(keyword))
        values: dict[str, str | None] = {}
        for child in node.children[1:]:
            if child.type in REDIRECTS:
                self._add_redirect(child, scope, simple)
            elif child.type != "variable_assignment":
                simple.words += self._expander.expand(child, scope)
            else:
                one: dict[str, str | None] = {}
                self._assign(child, scope, one)
                known = None not in one.values()
                text = "".join(f"{name}={value}" for name, value in one.items())
                simple.words.append(Word(text if known else source_of(child), known))
                values |= one
        declare(keyword, simple.words[1:], values, scope)
        return self._emitter.emit(simple, scope)

    def _assignment(self, node: Node, scope: Scope, _flow: Flow) -> Stage:
        for child in assignments_in(node):
            values: dict[str, str | None] = {}
            self._assign(child, scope, values)
            for name, value in values.items():
                scope.set(name, value)
        return ()

    def _assign(self, node: Node, scope: Scope, into: dict[str, str | None]) -> None:
        name = node.child_by_field_name("name")
        value = node.child_by_field_name("value")
        if name is None:
            return
        plain = name.type == "variable_name" and any(
            child.type == "=" for child in node.children
        )
        if not plain or (value is not None and value.type == "array"):
            # An element, ``+=``, or an array: its name is no longer certain.
            self._expander.visit(node, scope)
            inner = name if name.type == "variable_name" else name.children[0]
            into[source_of(inner)] = None
        elif value is None:
            into[source_of(name)] = ""
        else:
            word = self._expander.value(value, scope)
            into[source_of(name)] = word.text if word.known else None

    def _test(self, node: Node, scope: Scope, _flow: Flow) -> Stage:
        self._expander.visit(node, scope)
        return ()

    def _substitute(self, node: Node, scope: Scope) -> Output:
        flow = Flow(
            wrappers=self._flow.wrappers,
            depth=self._flow.depth,
            uncertain=self._flow.uncertain,
            piped=node.children[0].type == ">(",
        )
        inner = scope.fork()
        stage = self._statement_list(node, inner, flow)
        text = literal_output(self._builder, stage, inner)
        return Output(None if text is None else text.rstrip("\n"), stage)

    def _statement_list(self, node: Node, scope: Scope, flow: Flow) -> Stage:
        redirects = [child for child in node.children if child.type in REDIRECTS]
        stage = self._statements(
            [child for child in node.children if child.type not in REDIRECTS],
            scope,
            flow,
        )
        if redirects:
            # ``$(<file)`` reads the file.
            stage += self._redirecting([], redirects, scope, scope, flow)
        return stage
