"""The Anthropic Messages format (``POST /v1/messages``), as Claude Code speaks it.

Source: observed requests of Claude Code 2.1.197 and 2.1.332.
"""

from __future__ import annotations

import json
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
from ringfence.lab.model.script import Turn, new_id

Json = dict[str, object]
COUNTED_TOKENS = 100


class AnthropicMessages:
    """Reads and writes Anthropic Messages, streamed or whole."""

    name = "anthropic"

    def is_model_request(self, method: str, path: str) -> bool:
        return method == "POST" and path.endswith("/v1/messages")

    def utility(self, method: str, path: str) -> Reply | None:
        if method == "POST" and path.endswith("/v1/messages/count_tokens"):
            return Reply.json({"input_tokens": COUNTED_TOKENS})
        return None

    def read(self, asked: Asked) -> Shown:
        body = asked.body
        texts = [Text("system", flat_text(body.get("system")))]
        results: list[ToolResult] = []
        for message in items(body.get("messages")):
            role, content = str(message.get("role", "")), message.get("content")
            if isinstance(content, str):
                texts.append(Text(role, content))
            for block in items(content):
                if block.get("type") == "text":
                    texts.append(Text(role, str(block.get("text", ""))))
                elif block.get("type") == "tool_result":
                    results.append(_result(block))
        tools = tuple(str(tool.get("name", "")) for tool in items(body.get("tools")))
        return Shown(tuple(texts), tuple(results), tools)

    def write(self, asked: Asked, turn: Turn) -> Reply:
        message = _message(turn, str(asked.body.get("model", "")))
        if asked.body.get("stream"):
            return Reply.events(_events(message))
        return Reply.json(message)

    def error(self, status: int) -> Reply:
        kind = {401: "authentication_error", 429: "rate_limit_error"}.get(status)
        detail = {"type": kind or "api_error", "message": f"scripted error {status}"}
        return Reply.json({"type": "error", "error": detail}, status)


def _result(block: Mapping[str, object]) -> ToolResult:
    content = block.get("content")
    return ToolResult(
        id=str(block.get("tool_use_id", "")),
        text=flat_text(content),
        content=content,
        is_error=bool(block.get("is_error", False)),
    )


def _blocks(turn: Turn) -> list[Json]:
    blocks: list[Json] = [
        {
            "type": "tool_use",
            "id": call.id or new_id("toolu"),
            "name": call.name,
            "input": dict(call.input),
        }
        for call in turn.calls
    ]
    if turn.text or not blocks:
        blocks.insert(0, {"type": "text", "text": turn.text})
    return blocks


def _message(turn: Turn, model: str) -> Json:
    usage = {"cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    return {
        "id": new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": _blocks(turn),
        "stop_reason": "tool_use" if turn.calls else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 10, **usage, **turn.usage},
    }


def _events(message: Json) -> Iterator[tuple[str, Json]]:
    """Stream a message: its frame, each block opened, filled and closed."""
    start = {**message, "content": [], "stop_reason": None}
    yield _event("message_start", message=start)
    for index, block in enumerate(items(message["content"])):
        if block["type"] == "text":
            opening: Json = {"type": "text", "text": ""}
            delta: Json = {"type": "text_delta", "text": block["text"]}
        else:
            opening = {**block, "input": {}}
            partial = json.dumps(block["input"])
            delta = {"type": "input_json_delta", "partial_json": partial}
        yield _event("content_block_start", index=index, content_block=opening)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    end = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield _event("message_delta", delta=end, usage=message["usage"])
    yield _event("message_stop")


def _event(name: str, **data: object) -> tuple[str, Json]:
    return name, {"type": name, **data}
