"""The OpenAI Responses format (``POST /v1/responses``), as Codex speaks it.

Source: observed requests of Codex 0.171.0.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping

from ringfence.lab.model.protocol import (
    Asked,
    Reply,
    Shown,
    Text,
    ToolResult,
    flat_text,
    items,
)
from ringfence.lab.model.script import ToolCall, Turn, new_id

Json = dict[str, object]


class OpenAIResponses:
    """Reads and writes OpenAI Responses, streamed or whole."""

    name = "responses"

    def is_model_request(self, method: str, path: str) -> bool:
        return method == "POST" and path.endswith("/responses")

    def utility(self, method: str, path: str) -> Reply | None:
        if method == "GET" and path.endswith("/models"):
            return Reply.json({"object": "list", "data": [], "models": []})
        return None

    def read(self, asked: Asked) -> Shown:
        body = asked.body
        texts = [Text("system", str(body.get("instructions") or ""))]
        results: list[ToolResult] = []
        given = body.get("input")
        if isinstance(given, str):
            texts.append(Text("user", given))
        for item in items(given):
            if str(item.get("type", "")).endswith("_call_output"):
                results.append(_result(item))
            elif isinstance(content := item.get("content"), str):
                texts.append(Text(str(item.get("role", "")), content))
            else:
                texts += [
                    Text(str(item.get("role", "")), str(block["text"]))
                    for block in items(content)
                    if "text" in block
                ]
        tools = tuple(
            str(tool.get("name") or tool.get("type", ""))
            for tool in items(body.get("tools"))
        )
        return Shown(tuple(texts), tuple(results), tools)

    def write(self, asked: Asked, turn: Turn) -> Reply:
        response = _response(turn, str(asked.body.get("model", "")))
        if asked.body.get("stream"):
            return Reply.events(_events(response))
        return Reply.json(response)

    def error(self, status: int) -> Reply:
        detail = {"type": "server_error", "message": f"scripted error {status}"}
        return Reply.json({"error": detail}, status)


def _result(item: Mapping[str, object]) -> ToolResult:
    output = item.get("output")
    return ToolResult(str(item.get("call_id", "")), flat_text(output), output)


def _call_item(call: ToolCall) -> Json:
    common: Json = {
        "call_id": call.id or new_id("call"),
        "name": call.name,
        "status": "completed",
    }
    if call.namespace:
        common["namespace"] = call.namespace
    if call.raw is not None:
        kind, content = "custom_tool_call", {"input": call.raw}
    else:
        kind, content = "function_call", {"arguments": json.dumps(call.input)}
    return {"type": kind, "id": new_id("item"), **common, **content}


def _output(turn: Turn) -> list[Json]:
    output = [_call_item(call) for call in turn.calls]
    if turn.text or not output:
        text = {"type": "output_text", "text": turn.text, "annotations": []}
        message: Json = {
            "type": "message",
            "id": new_id("msg"),
            "role": "assistant",
            "status": "completed",
            "content": [text],
        }
        output.insert(0, message)
    return output


def _response(turn: Turn, model: str) -> Json:
    counted = {"input_tokens": 10, "output_tokens": 10, **turn.usage}
    usage = {
        "input_tokens": counted["input_tokens"],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": counted["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": counted["input_tokens"] + counted["output_tokens"],
    }
    return {
        "id": new_id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "status": "completed",
        "model": model,
        "output": _output(turn),
        "usage": usage,
    }


def _events(response: Json) -> Iterator[tuple[str, Json]]:
    """Stream a response: its frame, then each output item whole."""
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield _event("response.created", response=begun)
    for index, item in enumerate(items(response["output"])):
        yield _event("response.output_item.added", output_index=index, item=item)
        yield _event("response.output_item.done", output_index=index, item=item)
    yield _event("response.completed", response=response)


def _event(name: str, **data: object) -> tuple[str, Json]:
    return name, {"type": name, **data}
