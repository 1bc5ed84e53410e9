"""What would happen to one call, and each guard's view of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ringfence.api import Ringfence
from ringfence.calls import ShellProgram
from ringfence.decisions import Decision, Gate, PromptAnswer, Result
from ringfence.events import Event, ToolEvent
from ringfence.harnesses import registry
from ringfence.harnesses.base import Codec, Context, WireAnswer
from ringfence.pipeline import View
from ringfence.policy import examples
from ringfence.policy.calls import make_event

DEFAULT_HARNESS = "claude-code"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A call, what is decided about it, by whom, and what the harness is told."""

    event: Event
    decision: Decision
    views: tuple[View, ...]
    wire: WireAnswer
    losses: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdict in the words of the command line."""
        return verdict(self.decision)

    @property
    def program(self) -> ShellProgram | None:
        """The shell program that the call runs, as it was understood."""
        return self.event.tool.shell if isinstance(self.event, ToolEvent) else None

    def to_data(self) -> dict[str, object]:
        """Return the explanation as JSON data."""
        return {
            "verdict": self.verdict,
            "reason": self.decision.reason,
            "rule": self.decision.rule,
            "suggest": getattr(self.decision, "suggest", ""),
            "guards": [_view(view) for view in self.views],
            "harness": self.event.harness,
            "wire": {
                "stdout": self.wire.stdout,
                "stderr": self.wire.stderr,
                "exit_code": self.wire.exit_code,
            },
        }


def verdict(decision: Decision) -> str:
    """Name a decision as the command line does.

    Before a call ``deny``, ``ask``, ``allow`` or ``no_decision``; after it
    ``withhold``, ``redact``, ``flag`` or ``no_decision``; a blocked prompt is
    ``deny``.
    """
    if not isinstance(decision, (Gate, Result, PromptAnswer)) or decision.neutral:
        return "no_decision"
    word = examples.verdict(decision)
    return {"block": "deny", "accept": "no_decision"}.get(word, word)


def _view(view: View) -> dict[str, object]:
    if view.decision is None:
        return {
            "guard": view.guard,
            "rule": "",
            "verdict": "error",
            "reason": view.error,
        }
    return {
        "guard": view.guard,
        "rule": view.decision.rule,
        "verdict": verdict(view.decision),
        "reason": view.decision.reason,
    }


def explain_call(
    fence: Ringfence,
    tool: str,
    tool_input: Mapping[str, object] | str,
    *,
    harness: str = DEFAULT_HARNESS,
    cwd: str = "",
) -> Explanation:
    """Explain a call by tool and input, as if a harness were about to make it.

    Names and keys may be canonical or a harness's own. Raises
    :class:`~ringfence.errors.HarnessUnknownError`.
    """
    codec = registry.codec(harness)
    event = make_event(tool, tool_input, cwd=cwd, harness=harness)
    native = codec.facts.gate
    honours = codec.facts.capabilities(native, version=codec.facts.measured[-1])
    return _explained(fence, replace(event, native_name=native, honours=honours), codec)


def explain_payload(fence: Ringfence, payload: bytes, *, harness: str) -> Explanation:
    """Explain a native payload.

    Raises :class:`~ringfence.errors.DecodeError` where it can't be read.
    """
    codec = registry.codec(harness)
    context = Context(version=codec.facts.measured[-1])
    return _explained(fence, codec.decode(payload, context), codec)


def _explained(fence: Ringfence, event: Event, codec: Codec) -> Explanation:
    outcome = fence.decide(event, exhaustive=True)
    encoded = codec.encode(event, outcome.decision, fence.pipeline.failure.at(event))
    return Explanation(
        event=event,
        decision=outcome.decision,
        views=outcome.views,
        wire=encoded.answer,
        losses=tuple(str(loss) for loss in encoded.losses),
    )
