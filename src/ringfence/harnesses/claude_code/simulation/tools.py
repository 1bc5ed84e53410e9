"""Claude Code's tools: which inputs and results they accept, how results read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from ringfence.harnesses.claude_code.simulation.answers import compact, json_type
from ringfence.harnesses.claude_code.simulation.contract import Contract
from ringfence.harnesses.simulation import Failed, Input, Ran, Text

LONGEST_RESULT = 30_000
LONGEST_CONTEXT = 10_000
_PREVIEW = 1_000

_NUMBER = (int, float)
# Required keys stand first; a question mark marks a key that may be absent.
_INPUTS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "Bash": {
        "command": str,
        "timeout?": _NUMBER,
        "description?": str,
        "run_in_background?": bool,
    },
    "Read": {"file_path": str, "offset?": _NUMBER, "limit?": _NUMBER},
    "Write": {"file_path": str, "content": str},
    "Edit": {
        "file_path": str,
        "old_string": str,
        "new_string": str,
        "replace_all?": bool,
    },
    "Grep": {"pattern": str, "path?": str, "glob?": str},
    "Glob": {"pattern": str, "path?": str},
    "TaskCreate": {"subject": str, "description": str},
}
_RESPONSES: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "Bash": {"stdout": str, "stderr": str, "interrupted": bool, "isImage?": bool},
    "Read": {"type": str, "file": dict},
    "Write": {"type": str, "filePath": str, "content": str, "structuredPatch": list},
    "Edit": {
        "filePath": str,
        "oldString": str,
        "newString": str,
        "structuredPatch": list,
        "userModified": bool,
        "replaceAll": bool,
    },
    "Grep": {"mode?": str, "numFiles": _NUMBER, "filenames": list, "content?": str},
    "Glob": {
        "filenames": list,
        "durationMs": _NUMBER,
        "numFiles": _NUMBER,
        "truncated": bool,
    },
    "TaskCreate": {"task": dict},
}
_PARTS: Mapping[tuple[str, str], Mapping[str, type | tuple[type, ...]]] = {
    ("Read", "file"): {
        "filePath": str,
        "content": str,
        "numLines": _NUMBER,
        "startLine": _NUMBER,
        "totalLines": _NUMBER,
    },
    ("TaskCreate", "task"): {"id": str, "subject": str},
}


def is_mcp(tool: str) -> bool:
    """Tell whether a tool is one of an MCP server."""
    return tool.startswith("mcp__")


def invalid_input(tool: str, tool_input: Input) -> str:
    """Return why a tool refuses an input, empty where it does not.

    Numbers and truth values may be written as strings. MCP tools are not checked.
    """
    problems = []
    for key, kind in _INPUTS.get(tool, {}).items():
        name = key.rstrip("?")
        if name not in tool_input:
            if key == name:
                problems.append(f"The required parameter `{name}` is missing")
        elif not _fits(tool_input[name], kind):
            problems.append(
                f"The parameter `{name}` type is expected as `{_name(kind)}` but "
                f"provided as `{json_type(tool_input[name])}`"
            )
    if not problems:
        return ""
    issues = "issue" if len(problems) == 1 else "issues"
    return f"{tool} failed due to the following {issues}:\n" + "\n".join(problems)


def _name(kind: type | tuple[type, ...]) -> str:
    return {str: "string", bool: "boolean"}.get(cast("type", kind), "number")


def _fits(value: object, kind: type | tuple[type, ...]) -> bool:
    if kind is bool and value in ("true", "false"):
        return True
    if kind == _NUMBER and isinstance(value, str):
        return _is_number(value)
    return _is(value, kind)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return bool(text.strip())


def _is(value: object, kind: type | tuple[type, ...]) -> bool:
    if isinstance(value, bool) and kind is not bool:
        return False
    return isinstance(value, kind)


def accepts(tool: str, response: object, original: object) -> bool:
    """Tell whether a replaced result has the shape that the tool wants.

    Of a tool whose shape is not known here, the original's keys are asked for.
    """
    if is_mcp(tool):
        return True
    kinds = _RESPONSES.get(tool)
    if kinds is None:
        return _alike(response, original)
    if not _has(response, kinds):
        return False
    holder = cast("Mapping[str, object]", response)
    if tool == "Write" and holder["type"] not in ("create", "update"):
        return False
    if tool == "Read" and holder["type"] != "text":
        return _alike(response, original)
    return all(
        _has(holder[part], inner)
        for (owner, part), inner in _PARTS.items()
        if owner == tool
    )


def _has(value: object, kinds: Mapping[str, type | tuple[type, ...]]) -> bool:
    if not isinstance(value, dict):
        return False
    for key, kind in kinds.items():
        name = key.rstrip("?")
        if name in value:
            if not _is(value[name], kind):
                return False
        elif key == name:
            return False
    return True


def _alike(response: object, original: object) -> bool:
    if isinstance(original, dict):
        return isinstance(response, dict) and set(original) <= set(response)
    return type(response) is type(original)


def render(tool: str, response: object, contract: Contract) -> tuple[Text, bool]:
    """Return a result as the model reads it, and whether it is marked an error."""
    if is_mcp(tool):
        return _mcp(tool, response, contract)
    if not isinstance(response, dict) or not accepts(tool, response, response):
        return Text(), False
    if tool == "Bash":
        return _bash(response, contract)
    if tool == "Agent":
        return _agent(response), False
    renderer = _RENDERERS.get(tool)
    if renderer is None or response.get("type") == "notebook":
        return Text(), False
    return shortened(renderer(response)), False


def shortened(text: str, longest: int = LONGEST_RESULT) -> Text:
    """Return a text, or what is shown instead of a long one: a file and a preview."""
    if len(text) <= longest:
        return Text.of(text)
    return Text.holding(
        "<persisted-output>\nOutput too large (",
        f"Preview (first 2KB):\n{text[:_PREVIEW]}",
    )


def shown_context(label: str, text: str) -> Text:
    """Return the reminder that shows a hook's context; a long one is cut."""
    shown = shortened(text, LONGEST_CONTEXT)
    if shown.exact:
        return Text.of(label + text)
    return Text.holding(label, *shown.parts)


def shown_result(tool: str, result: Ran, contract: Contract) -> tuple[Text, bool]:
    """Return what the model reads of a result, and whether it is an error."""
    if isinstance(result, Failed):
        # Below the error of an MCP tool its schema may be repeated.
        error = result.error
        return (Text.holding(error) if is_mcp(tool) else Text.of(error)), True
    return render(tool, result.response, contract)


Object = Mapping[str, object]


def _bash(response: Object, contract: Contract) -> tuple[Text, bool]:
    if response.get("backgroundTaskId"):
        start = f"Command running in background with ID: {response['backgroundTaskId']}"
        return Text.holding(start), False
    stdout, stderr = str(response["stdout"]), str(response["stderr"])
    stdout = stdout.strip() if contract.whitespace_is_trimmed else _unframed(stdout)
    text = "\n".join(part for part in (stdout, stderr.strip()) if part)
    if response["interrupted"]:
        note = "<error>Command was aborted before completion</error>"
        return Text.of(f"{text}\n{note}" if text else note), True
    return shortened(text or "(Bash completed with no output)"), False


def _unframed(text: str) -> str:
    """Drop empty lines before a text and blanks after it."""
    return text.lstrip("\n").rstrip()


def _agent(response: Object) -> Text:
    """Return what is known of a subagent's report, which is framed and indented."""
    texts = response.get("content")
    blocks = texts if isinstance(texts, list) else []
    lines = [
        line
        for block in blocks
        if isinstance(block, dict)
        for line in str(block.get("text", "")).splitlines()
    ]
    return Text.holding(*lines)


def _mcp(tool: str, response: object, contract: Contract) -> tuple[Text, bool]:
    nothing = f"({tool} completed with no output)"
    if response is None or response is False or response in ("", [], 0):
        return Text.of(nothing), False
    if isinstance(response, str):
        return shortened(response), False
    if isinstance(response, list):
        return _blocks(response), False
    if not contract.any_mcp_replacement:
        return Text.holding("is not a function"), True
    text = compact(response)
    return (Text() if text is None else shortened(text)), False


def _blocks(blocks: list[object]) -> Text:
    texts = [block.get("text") for block in blocks if isinstance(block, dict)]
    if len(texts) == len(blocks) and all(isinstance(text, str) for text in texts):
        return Text.of("\n".join(cast("list[str]", texts)))
    return Text()


def _read(response: Object) -> str:
    file = cast("Object", response.get("file", {}))
    start = int(cast("float", file.get("startLine", 1)))
    lines = str(file.get("content", "")).split("\n")
    return "\n".join(f"{start + n}\t{line}" for n, line in enumerate(lines))


def _changed(response: Object) -> str:
    path = response.get("filePath")
    note = "(file state is current in your context — no need to Read it back)"
    if response.get("type") == "create":
        return f"File created successfully at: {path} {note}"
    return f"The file {path} has been updated successfully. {note}"


def _grep(response: Object) -> str:
    names = cast("list[str]", response["filenames"])
    content = str(response.get("content", ""))
    if response.get("mode") == "content":
        return content or "No matches found"
    if response.get("mode") == "count":
        total, files = response.get("numMatches", 0), response["numFiles"]
        return (
            f"{content}\n\nFound {total} total {_plural(total, 'occurrence')} across "
            f"{files} {_plural(files, 'file')}."
        )
    if not names:
        return "No files found"
    found = f"Found {response['numFiles']} {_plural(response['numFiles'], 'file')}"
    return "\n".join([found, *map(str, names)])


def _plural(count: object, word: str) -> str:
    return word if count == 1 else f"{word}s"


def _glob(response: Object) -> str:
    names = [str(name) for name in cast("list[object]", response["filenames"])]
    if not names:
        return "No files found"
    if response.get("truncated"):
        note = (
            "(Results are truncated. Consider using a more specific path or pattern.)"
        )
        names.append(note)
    return "\n".join(names)


def _task(response: Object) -> str:
    task = cast("Object", response["task"])
    return f"Task #{task['id']} created successfully: {task['subject']}"


_RENDERERS: Mapping[str, Callable[[Object], str]] = {
    "Read": _read,
    "Write": _changed,
    "Edit": _changed,
    "Grep": _grep,
    "Glob": _glob,
    "TaskCreate": _task,
    "WebFetch": lambda response: str(response.get("result", "")),
}
