"""An MCP server whose one tool refuses whatever it is asked to approve.

For Claude Code's ``--permission-prompt-tool``: what it refuses was asked for.
"""

from __future__ import annotations

import json
import sys

NO = {"behavior": "deny", "message": "EVIDENCE the approver says no"}


def result(method: object) -> dict[str, object]:
    """Return the result of a request by its method."""
    if method == "initialize":
        return {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "approver", "version": "1"},
        }
    if method == "tools/list":
        schema = {"type": "object", "additionalProperties": True}
        tool = {"name": "approve", "description": "Refuse.", "inputSchema": schema}
        return {"tools": [tool]}
    return {"content": [{"type": "text", "text": json.dumps(NO)}]}


for line in sys.stdin:
    request = json.loads(line)
    if "id" in request:
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        print(json.dumps({**reply, "result": result(request["method"])}), flush=True)
