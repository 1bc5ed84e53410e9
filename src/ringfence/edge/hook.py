"""The hook entry: a payload on stdin, the harness's answer on stdout.

Each call is a process of its own. It forks at once: the child does the work, the
parent answers in every case (:mod:`ringfence.edge.supervisor`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from ringfence.api import Ringfence
from ringfence.edge._closed import CLOSED
from ringfence.edge.handling import Desk
from ringfence.edge.options import HookOptions, UsageError, parse
from ringfence.edge.supervisor import Channel, supervise
from ringfence.errors import DecodeError, GuardError, RingfenceError, StateError
from ringfence.events import Confidence, Event
from ringfence.failure import MAX_PAYLOAD
from ringfence.harnesses._names import FORWARDED
from ringfence.harnesses.base import Codec, Context, WireAnswer
from ringfence.state import directories
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool

DEFAULT_TIMEOUT = 10.0


def run(arguments: Sequence[str], fence: Ringfence | None = None) -> NoReturn:
    """Answer the harness and leave.

    ``fence`` is an author's own; without one the policy that the options name
    decides, else the user's own, else the recommended one.
    """
    try:
        options = parse(arguments)
        _check(options, fence)
    except UsageError as error:
        _refuse_usage(arguments, error)
    supervise(
        lambda channel: _work(options, fence, channel),
        timeout=DEFAULT_TIMEOUT if options.timeout is None else options.timeout,
        ceiling=options.timeout,
        refusal=_refusal(options),
        unanswered=lambda: _record_silence(options),
    )


def _check(options: HookOptions, fence: Ringfence | None) -> None:
    if fence is not None and options.policy:
        raise UsageError("--policy is for the hook entry; a program names its own")
    if fence is not None and not options.harness:
        return  # a program finds out by the payload
    if options.harness not in CLOSED:
        known = ", ".join(CLOSED)
        raise UsageError(f"no harness {options.harness!r}; there are {known}")


def _refuse_usage(arguments: Sequence[str], error: UsageError) -> NoReturn:
    """Stop what a wrongly installed hook guards, and say why.

    Not at an event where that would make an agent go on, if the words name one.
    """
    words = {word.rpartition("=")[2] for word in arguments}
    codes = {
        code
        for harness, events in CLOSED.items()
        for event, code in events.items()
        if harness in words and event in words
    }
    with suppress(OSError):
        os.write(2, f"ringfence: {error}\n".encode("utf-8", "backslashreplace"))
    os._exit(max(codes, default=2))


def _refusal(options: HookOptions) -> tuple[str, str, int]:
    """Return what to say where not even the codec could be loaded."""
    if options.fail == "open":
        return "", "", 0
    code = CLOSED.get(options.harness, {}).get(options.event, 2)
    said = "ringfence: the guard could not run, so this is blocked\n" if code else ""
    return "", said, code


def _work(options: HookOptions, fence: Ringfence | None, channel: Channel) -> None:
    """Be the worker: load what is needed, read the payload, answer."""
    from ringfence.harnesses import registry  # noqa: PLC0415 - the parent needs none

    confidence = Confidence.FLAG
    payload: bytes | None = None
    if not options.harness:
        from ringfence.harnesses._dialects.payload import read_object  # noqa: PLC0415
        from ringfence.harnesses.detection import detect  # noqa: PLC0415

        payload = _payload()
        try:
            options.harness, confidence = detect(read_object(payload), os.environ)
        except DecodeError as error:
            _, _, code = _refusal(options)
            channel.answer("", f"ringfence: {error.what}\n" if code else "", code)
            return
    codec = registry.codec(options.harness)
    if options.fail != "open":
        why = "Ringfence fails closed: the guard did not come to an answer"
        _say(channel.prepare, codec.refuse(options.event, why))
    context = Context(
        event_name=options.event,
        version=options.harness_version,
        environment={n: os.environ[n] for n in FORWARDED if n in os.environ},
        confidence=confidence,
    )

    def prepare(answer: WireAnswer, timeout: float) -> None:
        _say(channel.prepare, answer)
        channel.limit(timeout)

    desk = _desk(options, fence, codec)
    payload = _payload() if payload is None else payload
    _say(channel.answer, desk.answer(payload, context, prepare))


def _say(way: Callable[[str, str, int], None], answer: WireAnswer) -> None:
    way(answer.stdout, answer.stderr, answer.exit_code)


def _desk(options: HookOptions, fence: Ringfence | None, codec: Codec) -> Desk:
    state = _state(options)
    if fence is None:
        fence = _policed(options.policy, state)
    failure = fence.pipeline.failure
    if options.fail:
        failure = replace(failure, fail=options.fail)
    if options.timeout is not None and not callable(failure.timeout):
        failure = replace(failure, timeout=options.timeout)
    fence.pipeline.failure = failure
    return Desk(fence, codec, _spool(options), Memory(state), options.session)


def _policed(wanted: str, state: Path) -> Ringfence:
    """Return a fence for the policy that was asked for, the user's or the embedded.

    A policy that can't be loaded is a guard that fails: what that means is the
    failure policy's affair, in each event's own way.
    """
    try:
        policy = wanted or _own_policy()
        if not policy.startswith("ringfence:"):
            policy = os.path.abspath(policy)  # noqa: PTH100 - as the caller wrote it
        return Ringfence(policy=policy, plans=state / "plans")
    except RingfenceError as error:
        told = str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, it may not pass
        told = f"could not be loaded: {type(error).__name__}"

    def policy_guard(_event: Event) -> None:
        raise GuardError("policy", told)

    return Ringfence(guards=[policy_guard])


def _own_policy() -> str:
    own = directories.of_user().policy
    return str(own) if own.exists() else "ringfence:recommended"


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
