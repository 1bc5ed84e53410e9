"""From one event to one decision.

Guards answer in a fixed order and their answers are joined. Nothing here does I/O:
a guard that needs some answers with a :class:`Pending` (or is a coroutine), and one
of two small drivers, sync or async, runs it. What went wrong on the way is settled
by :mod:`ringfence.failure`.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import (
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from ringfence.decisions import FAMILIES, Decision, join, neutral
from ringfence.drivers import TROUBLE, Pending, drive, drive_async
from ringfence.errors import ConflictError, GuardError
from ringfence.events import Event, EventKind, ToolEvent
from ringfence.failure import FailurePolicy, Settings, failed
from ringfence.matchers import Matcher

Answer: TypeAlias = (
    "Decision | Sequence[Decision] | Pending | Awaitable[object] | _Several | None"
)
Guard: TypeAlias = Callable[[Event], Answer]
Observer: TypeAlias = Callable[[Event], object]
Middleware: TypeAlias = Callable[[Event], Generator[object, object, Decision | None]]
Steps: TypeAlias = Generator[Pending, object, Decision]
Heard: TypeAlias = "tuple[list[Decision], list[Exception]]"


@dataclass(frozen=True, slots=True)
class View:
    """What one guard said of an event; ``error`` where it failed instead."""

    guard: str
    decision: Decision | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The decision, each guard's view, and what went wrong.

    ``decision`` already holds what the failure policy makes of ``errors``.
    """

    decision: Decision
    views: tuple[View, ...] = ()
    errors: tuple[Exception, ...] = ()
    observer_errors: tuple[Exception, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether anything that decides went wrong."""
        return bool(self.errors)


@dataclass(frozen=True, slots=True)
class Stage:
    """A registered function and the events it is about.

    ``role`` is ``guard``, ``middleware``, ``handler`` or ``observer``. An empty
    ``kinds`` means every kind; ``native_name`` narrows to one native event.
    """

    role: str
    run: Callable[[Event], object]
    kinds: frozenset[EventKind] = frozenset()
    native_name: str = ""

    @property
    def name(self) -> str:
        """How reports call it: its ``name``, else its qualified name."""
        own = getattr(self.run, "name", None) or getattr(self.run, "__qualname__", "")
        return own or type(self.run).__qualname__

    @property
    def where(self) -> str:
        """``FILE:LINE`` of its definition, empty where there is none."""
        code = getattr(inspect.unwrap(self.run), "__code__", None)
        return f"{code.co_filename}:{code.co_firstlineno}" if code else ""

    def wants(self, event: Event) -> bool:
        """Tell whether the stage is about this event."""
        if self.native_name and self.native_name != event.native_name:
            return False
        return not self.kinds or event.kind in self.kinds


class _Run:
    """One event on its way through a pipeline."""

    def __init__(self, pipeline: Pipeline, event: Event, *, exhaustive: bool) -> None:
        self.pipeline = pipeline
        self.event = event
        self.exhaustive = exhaustive
        self.settings = pipeline.failure.at(event)
        self.views: list[View] = []
        self.errors: list[Exception] = []
        self.observer_errors: list[Exception] = []
        self.deadline = time.monotonic() + self.settings.timeout

    def steps(self) -> Generator[Pending, object, Outcome]:
        yield from self._observers()
        decision = yield from self._ask(self.pipeline.guards, self.event)
        if self.exhaustive or not decision.blocks:
            handled = yield from self._wrapped(0, self.event)
            decision = decision.join(handled)
        if decision.conflict:
            self.errors.append(ConflictError("two guards rewrote this differently"))
        if self.errors:
            decision = failed(decision, self.event, self.errors, self.settings)
        return Outcome(
            decision, tuple(self.views), tuple(self.errors), tuple(self.observer_errors)
        )

    def _observers(self) -> Generator[Pending, object, None]:
        for stage in self.pipeline.observers:
            if not stage.wants(self.event):
                continue
            try:
                yield from _answered(stage.run(self.event))
            except TROUBLE as error:  # an observer never gates
                self.observer_errors.append(_told(stage.name, error))

    def _wrapped(self, index: int, event: Event) -> Steps:
        """Run the middleware from ``index`` on, and the handlers within."""
        stages = [stage for stage in self.pipeline.middleware if stage.wants(event)]
        if index >= len(stages):
            return (yield from self._ask(self.pipeline.handlers, event))
        stage = stages[index]
        within: list[Decision] = []
        try:
            decision = yield from self._around(stage, index, event, within)
        except TROUBLE as error:  # what lies within has been heard all the same
            self._fail(stage.name, _told(stage.name, error))
            return within[0] if within else neutral(event.kind)
        self.views.append(View(stage.name, decision))
        return decision

    def _around(
        self, stage: Stage, index: int, event: Event, within: list[Decision]
    ) -> Steps:
        layer = stage.run(event)
        assert isinstance(layer, Generator)
        go_on: Callable[[], object] = partial(next, layer)
        try:
            while True:
                try:
                    wanted = go_on()
                except StopIteration as end:
                    own = end.value
                    break
                if isinstance(wanted, (Pending, Awaitable)):
                    try:
                        value = yield from _answered(wanted)
                    except TROUBLE as error:
                        go_on = partial(layer.throw, error)
                        continue
                    go_on = partial(layer.send, value)
                    continue
                if not isinstance(wanted, Event):
                    raise GuardError(
                        stage.name, "yielded neither an event nor a Pending"
                    )
                if within:
                    raise GuardError(stage.name, "handed the event on twice")
                _same_event(stage.name, wanted, event)
                within.append((yield from self._wrapped(index + 1, wanted)))
                go_on = partial(layer.send, within[0])
        finally:
            layer.close()
        if own is None:
            return within[0] if within else neutral(event.kind)
        return _of_family(stage.name, own, event.kind)

    def _ask(self, stages: Iterable[Stage], event: Event) -> Steps:
        decision = neutral(event.kind)
        for stage in stages:
            if not stage.wants(event):
                continue
            given, errors = yield from _heard(stage, event)
            self.views.extend(View(stage.name, one) for one in given)
            decision = join([decision, *given], event.kind)
            late = time.monotonic() > self.deadline
            if late and not errors:
                errors = [_told(stage.name, TimeoutError())]
            for error in errors:
                self._fail(stage.name, error)
            if late or (decision.blocks and not self.exhaustive):
                break
        return decision

    def _fail(self, guard: str, error: Exception) -> None:
        self.errors.append(error)
        self.views.append(View(guard, None, str(error)))


def _heard(stage: Stage, event: Event) -> Generator[Pending, object, Heard]:
    """Ask one guard; return what it answered and what went wrong."""
    try:
        answer = yield from _answered(stage.run(event))
    except _PartlyFailedError as partly:
        return [partly.decision], partly.errors
    except TROUBLE as error:
        return [], [_told(stage.name, error)]
    given: list[Decision] = []
    errors: list[Exception] = []
    for one in _listed(answer):
        try:
            given.append(_of_family(stage.name, one, event.kind))
        except GuardError as error:
            errors.append(error)
    return given, errors


class _PartlyFailedError(Exception):
    """Some of several guards failed; ``decision`` is what the others said."""

    def __init__(self, decision: Decision, errors: list[Exception]) -> None:
        super().__init__()
        self.decision = decision
        self.errors = errors


def _told(guard: str, error: Exception | SystemExit) -> Exception:
    """Wrap an error without its text: an exception's text may quote a payload."""
    if isinstance(error, GuardError):
        return error
    if isinstance(error, TimeoutError):
        return GuardError(guard, "took longer than its deadline")
    told = GuardError(guard, f"raised {type(error).__name__}")
    told.__cause__ = error
    return told


def _listed(answer: object) -> Sequence[object]:
    several = answer if isinstance(answer, (list, tuple)) else (answer,)
    return [one for one in several if one is not None]


def _of_family(guard: str, decision: object, kind: EventKind) -> Decision:
    family = FAMILIES[kind]
    if not isinstance(decision, family):
        raise GuardError(
            guard,
            f"answered {kind.value} with a {type(decision).__name__}, "
            f"which takes a {family.__name__}",
        )
    return decision


def _same_event(stage: str, given: Event, event: Event) -> None:
    """Hold a middleware to its bounds: projections may change, the payload may not."""
    if given.raw is not event.raw or given.native is not event.native:
        raise GuardError(stage, "changed the raw payload of an event")
    if given.kind is not event.kind or given.native_name != event.native_name:
        raise GuardError(stage, "turned an event into another")


def _answered(answer: object) -> Generator[Pending, object, object]:
    """Run a guard's I/O, however often it asks for more, to its answer."""
    while True:
        if isinstance(answer, Awaitable):
            waiting = answer
            answer = yield Pending(lambda w=waiting: w, lambda value: value)  # type: ignore[misc]
        elif isinstance(answer, Pending):
            answer = answer.then((yield answer))
        elif isinstance(answer, _Several):
            answer = yield from answer.steps
        else:
            return answer


class Pipeline:
    """Stages in their order: observers, guards, middleware around handlers."""

    def __init__(
        self,
        guards: Iterable[Callable[[Event], object]] = (),
        *,
        failure: FailurePolicy | None = None,
    ) -> None:
        self.failure = failure or FailurePolicy()
        self.observers: list[Stage] = []
        self.guards: list[Stage] = [Stage("guard", guard) for guard in guards]
        self.middleware: list[Stage] = []
        self.handlers: list[Stage] = []

    def add(self, stage: Stage) -> None:
        """Register a stage; stages of one role run in the order they came."""
        roles = {
            "observer": self.observers,
            "guard": self.guards,
            "middleware": self.middleware,
            "handler": self.handlers,
        }
        if stage.role == "middleware" and not inspect.isgeneratorfunction(stage.run):
            raise TypeError(f"{stage.name} has to yield the event to hand it on")
        roles[stage.role].append(stage)

    def walk(self) -> Iterator[Stage]:
        """Visit the stages in the order in which an event meets them."""
        yield from self.observers
        yield from self.guards
        yield from self.middleware
        yield from self.handlers

    def decide(self, event: Event, *, exhaustive: bool = False) -> Outcome:
        """Decide on an event, here and now.

        With ``exhaustive`` every guard is heard, also after a deny.
        """
        run = _Run(self, event, exhaustive=exhaustive)
        return drive(run.steps(), run.deadline)

    async def decide_async(self, event: Event, *, exhaustive: bool = False) -> Outcome:
        """Decide on an event in an event loop."""
        run = _Run(self, event, exhaustive=exhaustive)
        return await drive_async(run.steps(), run.deadline)

    def observe(self, event: Event) -> tuple[Exception, ...]:
        """Show an event to the observers alone; return what went wrong there."""
        run = _Run(self, event, exhaustive=False)

        def steps() -> Generator[Pending, object, Outcome]:
            yield from run._observers()
            return Outcome(neutral(event.kind))

        drive(steps(), run.deadline)
        return tuple(run.observer_errors)


# -- combinators: guards in, a guard out ---------------------------------------


@dataclass(frozen=True)
class _Combined:
    """Guards made one; ``name`` tells how."""

    name: str
    guards: tuple[Guard, ...]
    run: Callable[[Event], Answer] = field(repr=False)

    def __call__(self, event: Event) -> Answer:
        return self.run(event)


def _names(guards: Iterable[Guard]) -> str:
    return ", ".join(Stage("guard", guard).name for guard in guards)


def all_of(*guards: Guard) -> Guard:
    """Ask every guard; join their answers and, where some failed, their errors."""

    def run(event: Event) -> Answer:
        return _Several(_sequence(guards, event, first_conclusive=False))

    return _Combined(f"all_of({_names(guards)})", guards, run)


def any_of(*guards: Guard) -> Guard:
    """Ask guards in order; the first that says anything decides.

    One that fails has said nothing, and its error is settled by the failure policy.
    The one combinator where order decides: use it for precedence, not for safety.
    """

    def run(event: Event) -> Answer:
        return _Several(_sequence(guards, event, first_conclusive=True))

    return _Combined(f"any_of({_names(guards)})", guards, run)


def when(matcher: Matcher, guard: Guard) -> Guard:
    """Ask a guard only about the tool calls that match."""

    def run(event: Event) -> Answer:
        if isinstance(event, ToolEvent) and matcher(event.tool):
            return guard(event)
        return None

    return _Combined(f"when({_names([guard])})", (guard,), run)


@dataclass(frozen=True, slots=True)
class _Several:
    """The answer of guards that are asked one after another."""

    steps: Steps


def _sequence(
    guards: Sequence[Guard], event: Event, *, first_conclusive: bool
) -> Steps:
    decision = neutral(event.kind)
    failures: list[Exception] = []
    for guard in guards:
        given, errors = yield from _heard(Stage("guard", guard), event)
        failures += errors
        decision = join([decision, *given], event.kind)
        if first_conclusive and not decision.neutral:
            break
    if failures:
        raise _PartlyFailedError(decision, failures)
    return decision


__all__ = [
    "Guard",
    "Middleware",
    "Observer",
    "Outcome",
    "Pending",
    "Pipeline",
    "Settings",
    "Stage",
    "View",
    "all_of",
    "any_of",
    "when",
]
