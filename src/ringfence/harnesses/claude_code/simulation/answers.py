"""Reads what one hook gave back, as Claude Code reads it."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from ringfence.decisions import UNSET
from ringfence.harnesses._dialects.strict_json import NotJSONError, read_document
from ringfence.harnesses.claude_code.simulation.contract import Contract
from ringfence.harnesses.simulation import Carrier, HookRun, Input, by_finish

Object = Mapping[str, object]

# JavaScript's trim() also takes the byte order mark and a few blanks of Unicode.
_BLANKS = " \t\n\v\f\r\u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(
    map(chr, range(0x2000, 0x200B))
)

_VERDICTS = ("allow", "deny", "ask", "defer")
_TOP = {
    "continue": bool,
    "suppressOutput": bool,
    "stopReason": str,
    "systemMessage": str,
    "reason": str,
}
_CONTEXT: Mapping[str, type] = {"additionalContext": str}
_GATE: Mapping[str, type] = {
    **_CONTEXT,
    "permissionDecision": object,
    "permissionDecisionReason": str,
    "updatedInput": dict,
}
# What each event's own object may hold and of which type; other keys are dropped.
_SPECIFIC: Mapping[str, Mapping[str, type]] = {
    "PreToolUse": _GATE,
    "PreSkillShellCommand": _GATE,
    "PermissionRequest": {"decision": object},
    "PermissionDenied": {"retry": bool},
    "PostToolUse": {
        **_CONTEXT,
        "updatedToolOutput": object,
        "updatedMCPToolOutput": object,
    },
    "PostToolUseFailure": _CONTEXT,
    "PostToolBatch": _CONTEXT,
    "UserPromptSubmit": _CONTEXT,
    "UserPromptExpansion": _CONTEXT,
    "SessionStart": _CONTEXT,
    "Setup": _CONTEXT,
    "SubagentStart": _CONTEXT,
    "Stop": _CONTEXT,
    "SubagentStop": _CONTEXT,
    "Notification": _CONTEXT,
    "Elicitation": {},
    "ElicitationResult": {},
    "CwdChanged": {},
    "FileChanged": {},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One hook's answer, as far as it counts.

    ``verdict`` and ``reason`` are those of the permission decision; ``block`` is the
    text of a blocking error and may come without a verdict (exit 2, a failure that
    is to block). ``said`` is output that is no JSON. ``void`` says why an answer did
    not count.
    ``by_exit`` tells that the block is not from JSON, ``failed`` that it stands for a
    failure that is to block, ``more`` that the harness adds to its text.
    """

    run: HookRun
    verdict: str | None = None
    reason: str = ""
    block: str | None = None
    by_exit: bool = False
    failed: bool = False
    more: bool = False
    updated_input: Input | None = None
    updated_output: object = UNSET
    updated_mcp_output: object = UNSET
    permission: Object | None = None
    context: str = ""
    said: str = ""
    stops: bool = False
    stop_reason: str = ""
    void: str = ""


class _InvalidError(Exception):
    """JSON on stdout that fails validation; says which of its parts."""


class _WrongEventError(Exception):
    """Valid JSON that names another event."""


def read_all(
    runs: Sequence[HookRun], event: str, contract: Contract
) -> tuple[list[Answer], list[Answer]]:
    """Return the answers in configuration order, and in the order of finishing."""
    answers = [read(run, event, contract) for run in runs]
    return answers, [answers[position] for position in by_finish(runs)]


def read(run: HookRun, event: str, contract: Contract) -> Answer:
    """Return what counts of one hook's answer to an event."""
    if run.is_async:
        return Answer(run=run, void="an async hook is not waited for")
    blocks = run.on_failure == "block" and contract.on_failure
    if run.timed_out:
        return _failed(run, "it timed out", "timed out", "", blocks)
    if run.failure:
        return _failed(run, run.failure, "failed", _carrier_error(run), blocks)
    text = run.stdout.strip(_BLANKS)
    try:
        value = read_document(text) if text.startswith("{") else None
    except NotJSONError:
        value = None
    if run.carrier is Carrier.PROMPT:
        return _read_verdict(run, value)
    if isinstance(value, dict):
        return _read_object(run, value, event, contract, blocks)
    return _read_text(run, text, blocks)


def _read_text(run: HookRun, text: str, blocks: bool) -> Answer:
    """Read output that is not one JSON object: only the exit code counts."""
    if run.carrier is Carrier.HTTP and text:
        detail = f"HTTP hook must return JSON, but got non-JSON response body: {text}"
        return _failed(run, "the body is not JSON", "failed", detail, blocks)
    if run.carrier is Carrier.MCP_TOOL and text:
        return _failed(run, "the text is no hook JSON", "failed", "", blocks)
    if run.exit_code == 2 and run.signal is None:
        return _exit_2(run)
    if _crashed(run):
        return _failed(run, _crash(run), "failed", _stderr(run), blocks)
    void = "the output is not one JSON object" if text else ""
    return Answer(run=run, said=text, void=void)


def _read_verdict(run: HookRun, value: object) -> Answer:
    """Read a model's verdict; what is none lets pass, whatever ``onFailure`` says."""
    verdict = value if isinstance(value, dict) else {}
    if not isinstance(verdict.get("ok"), bool):
        return Answer(run=run, void="the model gave no verdict")
    if verdict["ok"]:
        return Answer(run=run)
    return Answer(run=run, block=str(verdict.get("reason", "")), stops=True)


def _read_object(
    run: HookRun, value: Object, event: str, contract: Contract, blocks: bool
) -> Answer:
    if value.get("async") is True:
        return Answer(run=run, void="it declared itself async")
    exit_2 = run.exit_code == 2 and run.signal is None
    try:
        answer = _valid(run, value, event)
    except _InvalidError as error:
        if exit_2 and contract.exit_2_survives_bad_json:
            return _exit_2(run)
        detail = f"Hook JSON output validation failed — {error}"
        # What the hook put out and what was expected stand below.
        return replace(_failed(run, str(error), "failed", detail, blocks), more=True)
    except _WrongEventError as error:
        return _wrong_event(run, value, str(error), exit_2, contract, blocks)
    if answer.block is None and exit_2:
        return _with_block(answer, _exit_2(run))
    if answer.block is None and blocks and _crashed(run):
        failed = _failed(run, _crash(run), "failed", _stderr(run), blocks)
        return _with_block(answer, failed)
    return answer


def _valid(run: HookRun, value: Object, event: str) -> Answer:
    """Return the answer of JSON that passes validation."""
    _check(value, _TOP, "")
    if value.get("decision", "block") not in ("approve", "block"):
        raise _InvalidError('decision: expected one of "approve"|"block"')
    own = "hookSpecificOutput" in value
    fields = _specific(value["hookSpecificOutput"], event) if own else {}
    top_reason = cast("str", value.get("reason", ""))
    verdict, reason, block = None, top_reason, None
    if value.get("decision") == "approve":
        verdict = "allow"
    elif value.get("decision") == "block":
        verdict, block = "deny", top_reason or "Blocked by hook"
    if own:
        # Whatever the object says or leaves out takes the place of the older keys.
        reason = cast("str", fields.get("permissionDecisionReason", ""))
        verdict = cast("str | None", fields.get("permissionDecision", verdict))
    if fields.get("permissionDecision") == "deny":
        block = reason or top_reason or "Blocked by hook"
    return Answer(
        run=run,
        verdict=verdict,
        reason=reason,
        block=block,
        updated_input=cast("Input | None", fields.get("updatedInput")),
        updated_output=fields.get("updatedToolOutput", UNSET),
        updated_mcp_output=fields.get("updatedMCPToolOutput", UNSET),
        permission=cast("Object | None", fields.get("decision")),
        context=cast("str", fields.get("additionalContext", "")),
        stops=value.get("continue") is False,
        stop_reason=cast("str", value.get("stopReason", "")),
    )


def _specific(specific: object, event: str) -> Object:
    """Return the event's own part of an answer without the keys that it drops."""
    if not isinstance(specific, dict):
        raise _InvalidError("hookSpecificOutput: expected object")
    name = specific.get("hookEventName")
    if name is None:
        raise _InvalidError(
            'hookSpecificOutput is missing required field "hookEventName"'
        )
    if not isinstance(name, str) or name not in _SPECIFIC:
        raise _InvalidError("hookSpecificOutput.hookEventName: Invalid input")
    kinds = _SPECIFIC[name]
    _check(specific, kinds, "hookSpecificOutput.")
    verdict = specific.get("permissionDecision", "ask")
    if "permissionDecision" in kinds and verdict not in _VERDICTS:
        options = "|".join(f'"{verdict}"' for verdict in _VERDICTS)
        raise _InvalidError(
            "hookSpecificOutput.permissionDecision: Invalid option: expected one "
            f"of {options}"
        )
    if name == "PermissionRequest":
        _check_permission(specific.get("decision"))
    if name != event:
        raise _WrongEventError(
            f"Hook returned incorrect event name: expected '{event}' but got '{name}'"
        )
    return {key: value for key, value in specific.items() if key in kinds}


def _check_permission(decision: object) -> None:
    if not isinstance(decision, dict):
        raise _InvalidError("hookSpecificOutput.decision: expected object")
    if decision.get("behavior") not in ("allow", "deny"):
        raise _InvalidError("hookSpecificOutput.decision.behavior: Invalid input")
    kinds: Mapping[str, type] = {"updatedInput": dict}
    if decision["behavior"] == "deny":
        kinds = {"message": str, "interrupt": bool}
    _check(decision, kinds, "hookSpecificOutput.decision.")


def _check(value: Object, kinds: Mapping[str, type], where: str) -> None:
    """Refuse a known key with a value of another type; ``null`` is one too."""
    names = {bool: "boolean", str: "string", dict: "record"}
    for key, kind in kinds.items():
        if key in value and not isinstance(value[key], kind):
            got = json_type(value[key])
            raise _InvalidError(f"{where}{key}: expected {names[kind]}, received {got}")


def _wrong_event(
    run: HookRun,
    value: Object,
    error: str,
    exit_2: bool,
    contract: Contract,
    blocks: bool,
) -> Answer:
    if contract.block_survives_wrong_event and value.get("decision") == "block":
        text = cast("str", value.get("reason", "")) or "Blocked by hook"
        stops = value.get("continue") is False
        return Answer(run=run, verdict="deny", reason=text, block=text, stops=stops)
    if contract.exit_2_survives_bad_json and exit_2:
        text = f"[{run.command}]: blocked (exit 2); its output could not be processed"
        return Answer(run=run, block=text, by_exit=True)
    failed = _failed(run, error, "failed", f"Failed to run: {error}", blocks)
    return replace(failed, more=True)


def _exit_2(run: HookRun) -> Answer:
    text = f"[{run.command}]: {run.stderr or 'No stderr output'}"
    return Answer(run=run, block=text, by_exit=True)


def _failed(run: HookRun, void: str, how: str, detail: str, blocks: bool) -> Answer:
    """Return the answer of a hook that failed: none, unless failures block."""
    if not blocks:
        return Answer(run=run, void=void)
    text = f'[{run.command}]: {how}; blocking because onFailure is "block"'
    if run.carrier is Carrier.MCP_TOOL:
        text += " and the hook got no usable answer from its MCP server."
    return Answer(
        run=run,
        block=f"{text}\n{detail}" if detail else text,
        by_exit=True,
        failed=True,
        more=run.carrier is Carrier.MCP_TOOL,
    )


def _with_block(answer: Answer, block: Answer) -> Answer:
    """Return an answer whose JSON lets pass, blocked by how its hook ended."""
    return replace(
        block,
        updated_input=answer.updated_input if answer.verdict is None else None,
        context=answer.context,
        stops=answer.stops,
        stop_reason=answer.stop_reason,
        updated_output=answer.updated_output,
        updated_mcp_output=answer.updated_mcp_output,
    )


def _carrier_error(run: HookRun) -> str:
    """Return the failure as told to the model, of an MCP server only in part."""
    return "" if run.carrier is Carrier.MCP_TOOL else run.failure


def _crashed(run: HookRun) -> bool:
    return run.carrier is Carrier.COMMAND and (
        run.signal is not None or run.exit_code not in (0, 2)
    )


def _crash(run: HookRun) -> str:
    if run.signal is not None:
        return f"it was ended by signal {run.signal}"
    return f"it ended with {run.exit_code}"


def _stderr(run: HookRun) -> str:
    """Return what is told of stderr; the shell that ran the hook names a signal."""
    if run.signal is not None and not run.stderr:
        try:
            return signal.strsignal(run.signal) or "No stderr output"
        except ValueError:
            return "No stderr output"
    return run.stderr or "No stderr output"


def json_type(value: object) -> str:
    """Return the name that a validation error gives the type of a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "string"
    return "array" if isinstance(value, list) else "object"


def compact(value: object) -> str | None:
    """Return JSON as JavaScript writes it, ``None`` if it nests too deep for us."""
    try:
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    except RecursionError:
        return None
