"""Reads what one hook gave back, as Codex reads it.

Codex validates strictly: a key that an event does not know, or a key that it knows
and does not support there, makes the whole output void.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from ringfence.harnesses._dialects.strict_json import NotJSONError, read_document
from ringfence.harnesses.simulation import HookRun

Object = Mapping[str, object]

_DEEPEST = 127
_EVENTS = (
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PreCompact",
    "PostCompact",
    "SessionStart",
    "UserPromptSubmit",
    "SubagentStart",
    "SubagentStop",
    "Stop",
    "Interrupt",
)

_TEXT = (str, type(None))
_ANY = (object,)
_UNIVERSAL: Mapping[str, tuple[type, ...]] = {
    "continue": (bool,),
    "stopReason": _TEXT,
    "suppressOutput": (bool,),
    "systemMessage": _TEXT,
}
_CONTEXT: Mapping[str, tuple[type, ...]] = {"additionalContext": _TEXT}
# What an answer may hold beside the universal keys: for each event whether it takes
# ``decision`` and ``reason``, and which keys of its own object.
_SHAPES: Mapping[str, tuple[bool, Mapping[str, tuple[type, ...]] | None]] = {
    "PreToolUse": (
        True,
        {
            **_CONTEXT,
            "permissionDecision": _TEXT,
            "permissionDecisionReason": _TEXT,
            "updatedInput": _ANY,
        },
    ),
    "PermissionRequest": (False, {"decision": (dict, type(None))}),
    "PostToolUse": (True, _CONTEXT),
    "UserPromptSubmit": (True, _CONTEXT),
    "SessionStart": (False, _CONTEXT),
    "SubagentStart": (False, _CONTEXT),
    "Stop": (True, None),
    "SubagentStop": (True, None),
    "PreCompact": (False, None),
    "PostCompact": (False, None),
}
_DECISION: Mapping[str, tuple[type, ...]] = {
    "behavior": (str,),
    "message": _TEXT,
    "updatedInput": _ANY,
    "updatedPermissions": _ANY,
    "interrupt": (bool,),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One hook's output, read: valid JSON, plain text, a reason on stderr, or void.

    ``json`` is the object where it is valid and ``specific`` the event's own part of
    it; ``said`` is output that is no JSON. ``exit_reason`` is what a hook that ended
    with 2 wrote on stderr.
    """

    run: HookRun
    json: Object | None = None
    specific: Object | None = None
    said: str = ""
    exit_reason: str = ""
    void: str = ""

    @property
    def proceeds(self) -> bool:
        """Whether the answer lets processing go on (``continue``)."""
        return self.json is None or self.json.get("continue", True) is True

    def text(self, key: str) -> str | None:
        """Return a text of the answer's top level, ``None`` if absent."""
        return cast("str | None", (self.json or {}).get(key))

    def own(self, key: str) -> object:
        """Return a value of the event's own part, ``None`` if absent."""
        return (self.specific or {}).get(key)

    @property
    def context(self) -> str:
        """The additional context, empty where there is none."""
        return cast("str", self.own("additionalContext") or "")


class _InvalidError(Exception):
    """An object that Codex does not accept; says why."""


def read(run: HookRun, event: str) -> Answer:
    """Return what one hook gave back."""
    if run.is_async:
        return Answer(run=run, void="an async hook is not waited for")
    if run.timed_out or run.stdout_held:
        return Answer(run=run, void="it timed out")
    if run.failure:
        return Answer(run=run, void=run.failure)
    if run.signal is not None:
        return Answer(run=run, void=f"it was ended by signal {run.signal}")
    if run.exit_code == 2:
        reason = run.stderr.strip()
        void = "" if reason else "it ended with 2 and wrote no reason on stderr"
        return Answer(run=run, exit_reason=reason, void=void)
    if run.exit_code != 0:
        return Answer(run=run, void=f"it ended with {run.exit_code}")
    return _read_output(run, event)


def _read_output(run: HookRun, event: str) -> Answer:
    text = run.stdout.strip()
    if not text:
        return Answer(run=run)
    try:
        value = read_document(text, finite=True, max_depth=_DEEPEST)
        if not isinstance(value, dict):
            raise _InvalidError("it is no JSON object")  # noqa: TRY301
        specific = _validated(value, event)
    except (NotJSONError, _InvalidError) as error:
        if text[0] in "{[":
            return Answer(run=run, void=f"the output is invalid: {error}")
        return Answer(run=run, said=text, void="the output is not JSON")
    return Answer(run=run, json=value, specific=specific)


def _validated(value: Object, event: str) -> Object | None:
    """Return the event's own part of an answer that has only keys it may have."""
    decides, own = _SHAPES.get(event, (False, None))
    kinds = dict(_UNIVERSAL)
    if decides:
        kinds |= {"decision": _TEXT, "reason": _TEXT}
    if own is not None:
        kinds["hookSpecificOutput"] = (dict, type(None))
    _check(value, kinds)
    decisions = ("approve", "block") if event == "PreToolUse" else ("block",)
    if value.get("decision") not in (None, *decisions):
        raise _InvalidError("decision has a value that is not known")
    specific = cast("Object | None", value.get("hookSpecificOutput"))
    if specific is None or own is None:
        return None
    _check(specific, {"hookEventName": (str,), **own})
    if specific.get("hookEventName") not in _EVENTS:
        raise _InvalidError("hookEventName is missing or not known")
    if specific.get("permissionDecision") not in (None, "allow", "deny", "ask"):
        raise _InvalidError("permissionDecision has a value that is not known")
    decision = specific.get("decision")
    if isinstance(decision, dict):
        _check(decision, _DECISION)
        if decision.get("behavior") not in ("allow", "deny"):
            raise _InvalidError("behavior is missing or not known")
    return specific


def _check(value: Object, kinds: Mapping[str, tuple[type, ...]]) -> None:
    for key, item in value.items():
        if key not in kinds:
            raise _InvalidError(f"unknown key {key!r}")
        if not isinstance(item, kinds[key]):
            raise _InvalidError(f"{key} has a value of the wrong type")


def gate_problem(answer: Answer) -> str:
    """Return why a valid PreToolUse answer is not supported, empty where it is."""
    if not answer.proceeds:
        return "continue:false is not supported before a call"
    if answer.text("stopReason") is not None:
        return "stopReason is not supported before a call"
    if (answer.json or {}).get("suppressOutput") is True:
        return "suppressOutput is not supported before a call"
    keys = ("permissionDecision", "permissionDecisionReason", "updatedInput")
    if any(answer.own(key) is not None for key in keys):
        return _decision_problem(answer)
    decision, reason = answer.text("decision"), answer.text("reason")
    if decision == "approve":
        return "decision:approve is not supported"
    if decision == "block" and not (reason or "").strip():
        return "decision:block needs a reason"
    if decision is None and reason is not None:
        return "a reason needs a decision"
    return ""


def _decision_problem(answer: Answer) -> str:
    verdict = answer.own("permissionDecision")
    reason = cast("str | None", answer.own("permissionDecisionReason"))
    rewrites = answer.own("updatedInput") is not None
    if rewrites and verdict != "allow":
        return "updatedInput needs permissionDecision:allow"
    if verdict == "allow" and not rewrites:
        return "permissionDecision:allow without updatedInput is not supported"
    if verdict == "ask":
        return "permissionDecision:ask is not supported"
    if verdict == "deny" and not (reason or "").strip():
        return "permissionDecision:deny needs a reason"
    if verdict is None and reason is not None:
        return "permissionDecisionReason needs a permissionDecision"
    return ""


def block_problem(answer: Answer, event: str) -> str:
    """Return why ``decision`` and ``reason`` don't go together, else nothing."""
    reason = answer.text("reason")
    if answer.text("decision") == "block" and not (reason or "").strip():
        return "decision:block needs a reason"
    lone = answer.text("decision") is None and reason is not None
    if event == "PostToolUse" and lone and answer.proceeds:
        return "a reason needs a decision"
    return ""


def permission_problem(answer: Answer) -> str:
    """Return why a valid PermissionRequest answer is not supported, else nothing."""
    if not answer.proceeds:
        return "continue:false is not supported at a permission request"
    if answer.text("stopReason") is not None:
        return "stopReason is not supported at a permission request"
    if (answer.json or {}).get("suppressOutput") is True:
        return "suppressOutput is not supported at a permission request"
    decision = cast("Object", answer.own("decision") or {})
    for key in ("updatedInput", "updatedPermissions"):
        if decision.get(key) is not None:
            return f"{key} is not supported at a permission request"
    if decision.get("interrupt") is True:
        return "interrupt is not supported at a permission request"
    return ""
