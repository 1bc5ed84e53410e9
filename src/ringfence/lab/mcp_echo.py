"""A small MCP server over stdio, for runs that need one.

``python -I -S mcp_echo.py``. Its tools all take ``text``: ``echo`` says it back,
``structured`` also gives it as structured content, ``fail`` reports it as an error,
``touch`` makes the file of that name in the working directory.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

Json = dict[str, object]
FALLBACK_VERSION = "2025-06-18"
NO_SUCH_METHOD = -32601
GIVEN = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
}
DESCRIPTIONS = {
    "echo": "Say a text back.",
    "structured": "Give a text back as structured content.",
    "fail": "Report a text as an error.",
    "touch": "Make a file of that name.",
}


def tools() -> list[Json]:
    """Return the tools in the form of ``tools/list``."""
    listed: list[Json] = [
        {"name": name, "description": text, "inputSchema": GIVEN}
        for name, text in DESCRIPTIONS.items()
    ]
    for tool in listed:
        if tool["name"] == "structured":
            value = {"type": "object", "properties": {"value": {"type": "string"}}}
            tool["outputSchema"] = value
    return listed


def call(name: str, text: str) -> Json:
    """Run a tool and return its result in the form of ``tools/call``."""
    if name == "structured":
        value = {"value": text}
        return {**_text(json.dumps(value)), "structuredContent": value}
    if name == "fail":
        return {**_text(f"failed: {text}"), "isError": True}
    if name == "touch":
        target = os.path.basename(text)  # noqa: PTH119 - pathlib is slow to import
        with open(target, "w", encoding="utf-8"):  # noqa: PTH123
            return _text(f"touched: {target}")
    return _text(f"echo: {text}")


def answer(request: Mapping[str, object]) -> Json | None:
    """Return the answer to one JSON-RPC message, or ``None`` to a notification."""
    if "id" not in request:
        return None
    reply: Json = {"jsonrpc": "2.0", "id": request["id"]}
    given = request.get("params")
    params = given if isinstance(given, dict) else {}
    match request.get("method"):
        case "initialize":
            reply["result"] = {
                "protocolVersion": params.get("protocolVersion", FALLBACK_VERSION),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "ringfence-lab-echo", "version": "1"},
            }
        case "tools/list":
            reply["result"] = {"tools": tools()}
        case "tools/call":
            arguments = params.get("arguments") or {}
            text = str(arguments.get("text", ""))
            reply["result"] = call(str(params.get("name")), text)
        case "ping":
            reply["result"] = {}
        case method:
            reply["error"] = {"code": NO_SUCH_METHOD, "message": f"no {method} here"}
    return reply


def _text(text: str) -> Json:
    return {"content": [{"type": "text", "text": text}]}


def main() -> None:
    """Answer one message a line until the input ends."""
    for line in sys.stdin:
        if line.strip() and (reply := answer(json.loads(line))) is not None:
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
