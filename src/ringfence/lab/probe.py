"""A hook program that records what it is given and answers from a file.

``python -I -S probe.py FOLDER NAME``: writes the payload, the names of the
environment variables (never their values) and the arguments to
``FOLDER/calls/NAME.<number>.json``, then answers as ``FOLDER/answers.json`` says.
There, ``NAME@<tool use id>`` comes before ``NAME``; an answer is an object or a
list of them, one per call, of which the last repeats. The keys of an answer:

``sleep``    seconds to wait before anything else
``redact``   ``[old, new]``: the result with ``old`` replaced, in its own shape; as
             Claude Code's ``updatedToolOutput``, or, with ``"as": "block"``, as the
             reason of a block, which is how Codex replaces a result
``rewrite``  ``[old, new]``: the input with ``old`` replaced, allowed
``json``     a value printed as JSON
``stdout``, ``stderr``  text printed as it is, after ``json``
``signal``   the number of a signal to die by
``exit``     the exit code

Standard library only, and little of it: an agent starts this for every event.
"""

from __future__ import annotations

import json
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # importing typing takes a third of this program's start
    from typing import Any

MAX_CALLS = 1_000_000


def main(argv: list[str]) -> int:
    """Record one call and answer it; returns the exit code."""
    folder, name = argv[1], argv[2]
    at = time.time()
    raw = sys.stdin.buffer.read().decode("utf-8", errors="surrogateescape")
    call = {
        "name": name,
        "at": at,
        "raw": raw,
        "environment": sorted(os.environ),
        "argv": argv[3:],
        "cwd": os.getcwd(),  # noqa: PTH109 - pathlib is slow to import
    }
    number = _record(folder, name, json.dumps(call))
    payload = _payload(raw)
    answer = _answer(folder, name, str(payload.get("tool_use_id", "")), number)
    return _give(answer, payload)


def _record(folder: str, name: str, text: str) -> int:
    """Write the call under the first free number and return that number."""
    for number in range(MAX_CALLS):
        path = f"{folder}/calls/{name}.{number:06d}.json"
        try:
            target = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            continue
        with os.fdopen(target, "w", encoding="utf-8") as stream:
            stream.write(text)
        return number
    raise RuntimeError("too many calls of one probe")


def _payload(raw: str) -> dict[str, object]:
    try:
        payload = json.loads(raw)
    except ValueError:
        return {}
    return payload if isinstance(payload, dict) else {}


def _answer(folder: str, name: str, call_id: str, number: int) -> dict[str, Any]:
    with open(f"{folder}/answers.json", encoding="utf-8") as stream:  # noqa: PTH123
        answers = json.load(stream)
    answer = answers.get(f"{name}@{call_id}", answers.get(name, {}))
    if isinstance(answer, list):
        answer = answer[min(number, len(answer) - 1)]
    return dict(answer)


def _give(answer: dict[str, Any], payload: dict[str, object]) -> int:
    time.sleep(answer.get("sleep", 0))
    event = payload.get("hook_event_name")
    value = answer.get("json")
    if "redact" in answer:
        new = _replaced(payload.get("tool_response"), answer["redact"])
        if answer.get("as") == "block":
            text = new if isinstance(new, str) else json.dumps(new)
            value = {"decision": "block", "reason": text}
        else:
            value = _specific(event, updatedToolOutput=new)
    elif "rewrite" in answer:
        new = _replaced(payload.get("tool_input"), answer["rewrite"])
        value = _specific(event, permissionDecision="allow", updatedInput=new)
    if value is not None:
        sys.stdout.write(json.dumps(value))
    sys.stdout.write(answer.get("stdout", ""))
    sys.stderr.write(answer.get("stderr", ""))
    sys.stdout.flush()
    sys.stderr.flush()
    if "signal" in answer:
        os.kill(os.getpid(), answer["signal"])
    return int(answer.get("exit", 0))


def _specific(event: object, **fields: object) -> dict[str, object]:
    return {"hookSpecificOutput": {"hookEventName": event, **fields}}


def _replaced(value: object, pair: tuple[str, str]) -> object:
    """Replace a text in every string of a JSON value, which keeps its shape."""
    if isinstance(value, str):
        return value.replace(*pair)
    if isinstance(value, list):
        return [_replaced(item, pair) for item in value]
    if isinstance(value, dict):
        return {key: _replaced(item, pair) for key, item in value.items()}
    return value


if __name__ == "__main__":
    sys.exit(main(sys.argv))
