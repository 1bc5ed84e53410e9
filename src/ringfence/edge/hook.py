"""The hook entry: a payload on stdin, the harness's answer on stdout.

Each call is a process of its own. It forks at once: the child does the work, the
parent answers in every case (:mod:`ringfence.edge.supervisor`).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from ringfence.api import Ringfence
from ringfence.edge.handling import Desk
from ringfence.edge.options import HookOptions, UsageError, parse
from ringfence.edge.supervisor import Channel, supervise
from ringfence.errors import GuardError, PolicyError, StateError
from ringfence.events import Event
from ringfence.failure import MAX_PAYLOAD
from ringfence.harnesses.base import Codec, Context, WireAnswer
from ringfence.state import directories
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool

DEFAULT_TIMEOUT = 10.0
FORWARDED = (
    "AI_AGENT",
    "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_REMOTE",
    "CLAUDE_CODE_SESSION_ATTENDED",
)
"""The variables that a codec may see: version, variant, session; no credential."""


def run(arguments: Sequence[str], fence: Ringfence | None = None) -> NoReturn:
    """Answer the harness and leave.

    ``fence`` is an author's own; without one the policy that the options name
    decides, else the user's own, else the recommended one.
    """
    try:
        options = parse(arguments)
    except UsageError as error:
        # A hook that was installed wrongly stops what it guards, and says why.
        sys.stderr.write(f"ringfence: {error}\n")
        sys.stderr.flush()
        os._exit(2)
    timeout = options.timeout
    if timeout is None:
        timeout = _own_timeout(fence)
    supervise(
        lambda channel: _work(options, fence, channel),
        timeout=timeout,
        refusal=_refusal(options),
        unanswered=lambda: _record_silence(options),
    )


def _own_timeout(fence: Ringfence | None) -> float:
    chosen = fence.pipeline.failure.timeout if fence is not None else DEFAULT_TIMEOUT
    return DEFAULT_TIMEOUT if callable(chosen) else float(chosen)


def _refusal(options: HookOptions) -> tuple[str, str, int]:
    """Return what to say where not even the codec could be loaded."""
    if options.fail == "open":
        return "", "", 0
    from ringfence.edge._closed import CLOSED  # noqa: PLC0415 - a small table

    code = CLOSED.get(options.harness, {}).get(options.event, 2)
    said = "ringfence: the guard could not run, so this is blocked\n" if code else ""
    return "", said, code


def _work(options: HookOptions, fence: Ringfence | None, channel: Channel) -> None:
    """Be the worker: load what is needed, read the payload, answer."""
    from ringfence.harnesses import registry  # noqa: PLC0415 - the parent needs none

    codec = registry.codec(options.harness)
    if options.fail != "open":
        why = "Ringfence fails closed: the guard did not come to an answer"
        _say(channel.prepare, codec.refuse(options.event, why))
    desk = _desk(options, fence, codec)
    context = Context(
        event_name=options.event,
        version=options.harness_version,
        environment={name: os.environ.get(name, "") for name in FORWARDED},
    )
    answer = desk.answer(
        _payload(), context, lambda prepared: _say(channel.prepare, prepared)
    )
    _say(channel.answer, answer)


def _say(way: Callable[[str, str, int], None], answer: WireAnswer) -> None:
    way(answer.stdout, answer.stderr, answer.exit_code)


def _desk(options: HookOptions, fence: Ringfence | None, codec: Codec) -> Desk:
    state = _state(options)
    if fence is None:
        fence = _policed(options.policy, directories.of_user().policy, state)
    if options.fail:
        failure = fence.pipeline.failure
        fence.pipeline.failure = replace(failure, fail=options.fail)
    return Desk(fence, codec, _spool(options), Memory(state), options.session)


def _policed(wanted: str, own: Path, state: Path) -> Ringfence:
    """Return a fence for the policy that was asked for, the user's or the embedded.

    A policy that can't be loaded is a guard that fails: what that means is the
    failure policy's affair, in each event's own way.
    """
    policy = wanted or (str(own) if own.exists() else "ringfence:recommended")
    try:
        return Ringfence(policy=policy, plans=state / "plans")
    except PolicyError as error:
        told = str(error)

        def policy_guard(_event: Event) -> None:
            raise GuardError("policy", told)

        return Ringfence(guards=[policy_guard])


def _record_silence(options: HookOptions) -> None:
    """Record a call in which the worker died or was late."""
    record = {
        "at": round(time.time(), 3),
        "harness": options.harness,
        "session": options.session,
        "event": options.event,
        "verdict": "unanswered",
        "failed": True,
    }
    # The answer is a refusal already, or all is to fail open.
    with suppress(StateError):
        _spool(options).append(record)


def _state(options: HookOptions) -> Path:
    return Path(options.state) if options.state else directories.of_user().state


def _spool(options: HookOptions) -> Spool:
    return Spool(_state(options) / "decisions")


def _payload() -> bytes:
    """Read stdin, at most one byte more than is allowed."""
    parts: list[bytes] = []
    left = MAX_PAYLOAD + 1
    while left and (part := os.read(0, min(left, 1 << 20))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
