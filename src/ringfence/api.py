"""The public face: register handlers, decide, run."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, cast, overload

from ringfence.decisions import Decision, Result
from ringfence.errors import RingfenceError
from ringfence.events import AfterTool, Event, EventKind, ToolEvent
from ringfence.failure import Choice, FailurePolicy, Number
from ringfence.matchers import Matcher, tools
from ringfence.pipeline import Outcome, Pipeline, Stage, when

if TYPE_CHECKING:
    from ringfence.calls import Projections

# Handlers take the event type of their kind; which one is checked when it is called.
Handler = TypeVar("Handler", bound=Callable[..., Any])
ToolNames = str | Sequence[str] | Matcher


class Ringfence:
    """A set of guards and handlers that decide on events of any harness.

    ``policy`` is the path of a policy file, relative to the folder of the file that
    names it, or ``ringfence:recommended`` for the embedded pack; without one nothing
    but the handlers decides. The other arguments say what trouble means, each a value
    or a function of the event; where they are left out, the policy file's
    ``defaults`` stand.

    ``guards`` are asked before the policy; ``plans`` is a folder where compiled
    policies are kept between calls.

    Raises :class:`~ringfence.errors.PolicyError` for a policy that can't be loaded.
    """

    def __init__(
        self,
        *,
        policy: str | Path | None = None,
        fail: Choice | None = None,
        unsupported: Choice | None = None,
        ask_fallback: Choice | None = None,
        timeout: Number | None = None,
        continuation_cap: Number | None = None,
        guards: Iterable[Callable[[Event], object]] = (),
        plans: Path | None = None,
    ) -> None:
        given = {
            "fail": fail,
            "unsupported": unsupported,
            "ask_fallback": ask_fallback,
            "timeout": timeout,
            "continuation_cap": continuation_cap,
        }
        from ringfence.edge.early import guard_start  # noqa: PLC0415 - the room below

        guard_start()
        chosen: dict[str, Any] = {}
        built = list(guards)
        if policy is not None:
            policy = _placed(policy, sys._getframe(1).f_code.co_filename)
            from ringfence.content.integrity import integrity  # noqa: PLC0415
            from ringfence.policy.cache import plan_for  # noqa: PLC0415
            from ringfence.policy.evaluator import PolicyGuard  # noqa: PLC0415

            plan = plan_for(policy, plans)
            chosen.update(plan.defaults.given())
            built = [integrity, *built, PolicyGuard(plan)]
        chosen.update({key: value for key, value in given.items() if value is not None})
        self.pipeline = Pipeline(built, failure=FailurePolicy(**chosen))

    # -- registration: each may be stacked, and all answers are joined -----------

    @overload
    def before_tool(self, handler: Handler) -> Handler: ...
    @overload
    def before_tool(
        self, *, tools: ToolNames | None = None
    ) -> Callable[[Handler], Handler]: ...
    def before_tool(
        self, handler: Handler | None = None, *, tools: ToolNames | None = None
    ) -> Handler | Callable[[Handler], Handler]:
        """Register a handler for calls that have not run; answer with a gate.

        ``tools`` narrows it to classes, native names or MCP globs, or to what a
        matcher says.
        """
        return self._register(handler, [EventKind.TOOL_PRE], tools)

    @overload
    def after_tool(self, handler: Handler) -> Handler: ...
    @overload
    def after_tool(
        self, *, tools: ToolNames | None = None
    ) -> Callable[[Handler], Handler]: ...
    def after_tool(
        self, handler: Handler | None = None, *, tools: ToolNames | None = None
    ) -> Handler | Callable[[Handler], Handler]:
        """Register a handler for calls that ran or failed; answer with a result."""
        return self._register(
            handler, [EventKind.TOOL_POST, EventKind.TOOL_ERROR], tools
        )

    @overload
    def on_permission(self, handler: Handler) -> Handler: ...
    @overload
    def on_permission(
        self, *, tools: ToolNames | None = None
    ) -> Callable[[Handler], Handler]: ...
    def on_permission(
        self, handler: Handler | None = None, *, tools: ToolNames | None = None
    ) -> Handler | Callable[[Handler], Handler]:
        """Register a handler for permission requests; answer with a gate.

        Not a place for a guard: a harness may ask others at the same time and take
        the first answer.
        """
        return self._register(handler, [EventKind.PERMISSION], tools)

    def on_prompt(self, handler: Handler) -> Handler:
        """Register a handler for prompts and task notifications."""
        return self._add(handler, [EventKind.PROMPT])

    def on_stop(self, handler: Handler) -> Handler:
        """Register a handler for an agent or subagent that wants to finish."""
        return self._add(handler, [EventKind.STOP, EventKind.SUBAGENT_STOP])

    def on(self, *kinds: EventKind | str) -> Callable[[Handler], Handler]:
        """Register a handler for event kinds by name, such as ``session.start``."""
        wanted = [EventKind(kind) for kind in kinds]
        return lambda handler: self._add(handler, wanted)

    def on_native(self, name: str) -> Callable[[Handler], Handler]:
        """Register a handler for one native event by the harness's own name.

        For an event of kind ``other`` it may answer with
        :func:`~ringfence.decisions.answer_natively`.
        """

        def register(handler: Handler) -> Handler:
            self.pipeline.add(Stage("handler", handler, native_name=name))
            return handler

        return register

    def observe(self, observer: Handler) -> Handler:
        """Register an observer: it sees every event, and what it returns is nothing.

        Every event means also those that no handler is for, and those that could not
        be read: these have kind ``other`` and an empty ``native``.
        """
        self.pipeline.add(Stage("observer", observer))
        return observer

    def middleware(self, layer: Handler) -> Handler:
        """Register a generator function that wraps the handlers, outermost first.

        It yields the event, perhaps with changed projections, to hand it on, is sent
        the decision of what lies within, and returns its own or ``None`` to keep
        that. It may return without yielding, and may yield the event once.
        """
        self.pipeline.add(Stage("middleware", layer))
        return layer

    def _register(
        self,
        handler: Handler | None,
        kinds: Sequence[EventKind],
        names: ToolNames | None,
    ) -> Handler | Callable[[Handler], Handler]:
        def register(function: Handler) -> Handler:
            if names is None:
                return self._add(function, kinds)
            if callable(names):
                matcher = names
            else:
                matcher = tools(*([names] if isinstance(names, str) else names))
            self.pipeline.add(
                Stage("handler", when(matcher, function), frozenset(kinds))
            )
            return function

        return register if handler is None else register(handler)

    def _add(self, handler: Handler, kinds: Sequence[EventKind]) -> Handler:
        self.pipeline.add(Stage("handler", handler, frozenset(kinds)))
        return handler

    # -- deciding ------------------------------------------------------------------

    def walk(self) -> Iterator[Stage]:
        """Visit all stages in the order in which an event meets them."""
        return self.pipeline.walk()

    def decide(self, event: Event, *, exhaustive: bool = False) -> Outcome:
        """Decide on an event, with no wire and no harness's limits.

        Failures on the way are settled by the failure policy and listed in the
        outcome. With ``exhaustive`` every guard is heard, also after a deny.
        """
        return _settled(
            self.pipeline.decide(projected(event), exhaustive=exhaustive), event
        )

    async def decide_async(self, event: Event, *, exhaustive: bool = False) -> Outcome:
        """Decide on an event in an event loop; see :meth:`decide`."""
        outcome = await self.pipeline.decide_async(
            projected(event), exhaustive=exhaustive
        )
        return _settled(outcome, event)

    def run(self, arguments: Sequence[str] | None = None) -> NoReturn:
        """Answer the harness that started this program, then leave.

        The arguments are those of ``ringfence hook``: the harness's name first.
        Without it the payload, or the environment, has to tell.
        """
        from ringfence.edge.hook import run  # noqa: PLC0415 - the room below

        run(sys.argv[1:] if arguments is None else arguments, self)


def _placed(policy: str | Path, caller: str) -> str | Path:
    """Return where a policy lies: a relative path starts at its caller's own folder.

    Never at the current one: an agent runs a hook in the project.
    """
    path = Path(policy)
    if str(policy).startswith("ringfence:") or path.is_absolute():
        return policy
    return path if caller.startswith("<") else Path(caller).resolve().parent / path


def projected(event: Event) -> Event:
    """Return an event whose tool call computes its projections when asked."""
    if not isinstance(event, ToolEvent) or event.tool.projections is not None:
        return event
    return replace(event, tool=event.tool.bound(cast("Projections", _OnDemand())))


class _OnDemand:
    """Loads the parsers when a guard first looks at a projection, not before."""

    def __getattr__(self, name: str) -> object:
        from ringfence.parsing.projections import ToolProjections  # noqa: PLC0415

        return getattr(ToolProjections(), name)


def _settled(outcome: Outcome, event: Event) -> Outcome:
    return replace(outcome, decision=settled(outcome.decision, event))


def settled(decision: Decision, event: Event) -> Decision:
    """Turn the spans to be covered of a result into the text that stands there."""
    if not isinstance(decision, Result) or not isinstance(event, AfterTool):
        return decision
    if not decision.redactions:
        return decision
    from ringfence.content.redaction import apply  # noqa: PLC0415 - results only
    from ringfence.policy.matching import result_of  # noqa: PLC0415 - results only

    shown = apply(result_of(event), decision.redactions, decision.replaced_output)
    return replace(decision, replaced_output=shown, redactions=frozenset())


__all__ = ["Ringfence", "RingfenceError", "projected"]
