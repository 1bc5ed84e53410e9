"""The scripted model answers over HTTP, in both wire formats, and keeps a record."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringfence.lab import Script, ToolCall, Track, Turn, say, use
from ringfence.lab.model import ModelServer, Request, RequestKind
from ringfence.lab.model.recording import foreign, results_by_id, texts, turns

Json = dict[str, object]
TOOLS = [{"name": "shell", "description": "", "input_schema": {"type": "object"}}]


@dataclass(frozen=True)
class Answer:
    """An HTTP answer, read to its end."""

    status: int
    content_type: str
    text: str

    @property
    def json(self) -> Json:
        value = json.loads(self.text)
        assert isinstance(value, dict)
        return value

    @property
    def events(self) -> list[Json]:
        """The data of each server-sent event, which names its own type."""
        found = []
        for block in self.text.strip().split("\n\n"):
            name, data = block.split("\n", 1)
            event = json.loads(data.removeprefix("data: "))
            assert name == f"event: {event['type']}"
            found.append(event)
        return found


def send(
    server: ModelServer,
    method: str,
    path: str,
    body: object = None,
    headers: Mapping[str, str] | None = None,
) -> Answer:
    """Send one request and read the answer."""
    raw = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    try:
        connection.request(method, path, raw, dict(headers or {}))
        answer = connection.getresponse()
        kind = answer.getheader("Content-Type", "")
        return Answer(answer.status, kind, answer.read().decode())
    finally:
        connection.close()


class AnthropicClient:
    """Speaks Anthropic Messages."""

    path = "/v1/messages"

    def ask(self, text: str, *, stream: bool, tools: bool = True) -> Json:
        message = {"role": "user", "content": [{"type": "text", "text": text}]}
        return {
            "model": "m",
            "stream": stream,
            "messages": [message],
            "tools": TOOLS if tools else [],
        }

    def result(self, call_id: str, text: str) -> Json:
        block = {"type": "tool_result", "tool_use_id": call_id, "is_error": True}
        content = [{"type": "text", "text": text}]
        message = {"role": "user", "content": [{**block, "content": content}]}
        return {"model": "m", "messages": [message], "tools": TOOLS}

    def calls(self, answer: Answer) -> list[tuple[str, str, object]]:
        """Return ``(id, name, input)`` of each tool call in an answer."""
        if not answer.content_type.startswith("text/event-stream"):
            return [
                (block["id"], block["name"], block["input"])
                for block in answer.json["content"]  # type: ignore[attr-defined]
                if block["type"] == "tool_use"
            ]
        found: dict[object, tuple[str, str]] = {}
        parts: dict[object, str] = {}
        for event in answer.events:
            index = event.get("index")
            match event:
                case {"content_block": {"type": "tool_use", "id": one, "name": name}}:
                    found[index] = (one, name)
                case {"delta": {"type": "input_json_delta", "partial_json": part}}:
                    parts[index] = parts.get(index, "") + part
        return [(*found[each], json.loads(parts[each])) for each in found]


class ResponsesClient:
    """Speaks OpenAI Responses."""

    path = "/v1/responses"

    def ask(self, text: str, *, stream: bool, tools: bool = True) -> Json:
        message = {"role": "user", "content": [{"type": "input_text", "text": text}]}
        return {
            "model": "m",
            "stream": stream,
            "input": [message],
            "tools": TOOLS if tools else [],
        }

    def result(self, call_id: str, text: str) -> Json:
        item = {"type": "function_call_output", "call_id": call_id, "output": text}
        return {"model": "m", "input": [item], "tools": TOOLS}

    def calls(self, answer: Answer) -> list[tuple[str, str, object]]:
        """Return ``(id, name, input)`` of each tool call in an answer."""
        items: Sequence[Json]
        if answer.content_type.startswith("text/event-stream"):
            done = "response.output_item.done"
            items = [e["item"] for e in answer.events if e["type"] == done]  # type: ignore[misc]
        else:
            items = answer.json["output"]  # type: ignore[assignment]
        return [
            (
                str(item["call_id"]),
                str(item["name"]),
                json.loads(str(item["arguments"])),
            )
            for item in items
            if item["type"] == "function_call"
        ]


CLIENTS = (AnthropicClient(), ResponsesClient())

Client = AnthropicClient | ResponsesClient

each_format = pytest.mark.parametrize(
    "client", CLIENTS, ids=lambda client: type(client).__name__
)
each_way = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


def recorded(server: ModelServer) -> tuple[Request, ...]:
    return server.recording.requests()


@each_format
@each_way
def test_parallel_calls_come_with_their_ids(client: Client, stream: bool) -> None:
    turn = use(
        ToolCall("shell", {"command": "ls"}, "call_1"),
        ToolCall("shell", {"command": "pwd"}, "call_2"),
        text="two at once",
    )
    with ModelServer(Script.of(turn)) as server:
        answer = send(server, "POST", client.path, client.ask("go", stream=stream))
    assert answer.status == 200
    assert "two at once" in answer.text
    assert client.calls(answer) == [
        ("call_1", "shell", {"command": "ls"}),
        ("call_2", "shell", {"command": "pwd"}),
    ]


@each_format
@each_way
def test_a_turn_without_calls_ends_the_work(client: Client, stream: bool) -> None:
    with ModelServer(Script.of(say("all done"))) as server:
        answer = send(server, "POST", client.path, client.ask("go", stream=stream))
    assert "all done" in answer.text
    assert "tool_use" not in answer.text
    assert client.calls(answer) == []


@each_format
def test_usage_is_reported_as_the_turn_says(client: Client) -> None:
    turn = Turn(text="x", usage={"input_tokens": 190_000})
    with ModelServer(Script.of(turn)) as server:
        answer = send(server, "POST", client.path, client.ask("go", stream=False))
    usage = answer.json["usage"]
    assert isinstance(usage, dict)
    assert usage["input_tokens"] == 190_000


@each_format
def test_an_error_turn_has_its_status_and_is_used_up(client: Client) -> None:
    with ModelServer(Script.of(Turn(status=529), say("after"))) as server:
        first = send(server, "POST", client.path, client.ask("go", stream=True))
        second = send(server, "POST", client.path, client.ask("go", stream=True))
    assert first.status == 529
    assert "error" in first.json
    assert "after" in second.text


def test_a_turn_can_take_its_time() -> None:
    client = CLIENTS[0]
    with ModelServer(Script.of(Turn(text="late", delay=0.2))) as server:
        began = time.monotonic()
        send(server, "POST", client.path, client.ask("go", stream=False))
        assert time.monotonic() - began >= 0.2


@each_format
def test_a_side_request_takes_no_turn(client: Client) -> None:
    with ModelServer(Script.of(say("the turn"))) as server:
        title = client.ask("give it a title", stream=False, tools=False)
        assert "side request" in send(server, "POST", client.path, title).text
        answer = send(server, "POST", client.path, client.ask("go", stream=False))
    assert "the turn" in answer.text
    kinds = [request.kind for request in recorded(server)]
    assert kinds == [RequestKind.SIDE, RequestKind.TURN]


@each_format
def test_a_track_written_for_a_side_request_answers_it(client: Client) -> None:
    track = Track("title", "give it a title", (say("A Title"),))
    with ModelServer(Script.of(say("the turn"), tracks=[track])) as server:
        title = client.ask("give it a title", stream=False, tools=False)
        assert "A Title" in send(server, "POST", client.path, title).text
    (request,) = turns(recorded(server), "title")
    assert request.index == 0
    assert turns(recorded(server)) == ()


@each_format
def test_results_and_texts_are_read_back(client: Client) -> None:
    with ModelServer(Script.of(say("a"), say("b"), say("c"))) as server:
        send(server, "POST", client.path, client.ask("the prompt", stream=False))
        send(server, "POST", client.path, client.result("call_1", "seen first"))
        send(server, "POST", client.path, client.result("call_1", "seen later"))
    result = results_by_id(recorded(server))["call_1"]
    assert result.text == "seen first"
    assert result.is_error is (True if client.path.endswith("messages") else None)
    assert "the prompt" in texts(recorded(server), "user")
    assert "the prompt" not in texts(recorded(server), "assistant")
    assert recorded(server)[0].shown.tools == ("shell",)


def test_free_form_and_namespaced_calls_are_codex_items() -> None:
    client = CLIENTS[1]
    turn = use(
        ToolCall("apply_patch", raw="*** Begin Patch", id="call_1"),
        ToolCall("echo", {"text": "x"}, "call_2", namespace="mcp__lab"),
    )
    with ModelServer(Script.of(turn)) as server:
        answer = send(server, "POST", client.path, client.ask("go", stream=False))
    output = answer.json["output"]
    assert isinstance(output, list)
    free, named = output
    assert free["type"] == "custom_tool_call"
    assert free["input"] == "*** Begin Patch"
    assert named["type"] == "function_call"
    assert named["namespace"] == "mcp__lab"


def test_what_needs_no_model_is_answered_beside_the_script() -> None:
    with ModelServer(Script.of(say("kept"))) as server:
        counted = send(server, "POST", "/v1/messages/count_tokens", {"messages": []})
        listed = send(server, "GET", "/v1/models?client=1")
    assert counted.json["input_tokens"]
    assert listed.status == 200
    assert {request.kind for request in recorded(server)} == {RequestKind.UTILITY}


def test_secret_headers_are_masked_in_the_record() -> None:
    secret = "sk-" + "live-" + "0123456789"
    headers = {"Authorization": f"Bearer {secret}", "X-Api-Key": secret, "X-Other": "o"}
    client = CLIENTS[0]
    body = client.ask("go", stream=False)
    with ModelServer(Script.of(say("a"))) as server:
        send(server, "POST", client.path, body, headers)
    (request,) = recorded(server)
    assert secret not in repr(request.headers)
    assert request.headers["X-Other"] == "o"


def test_a_connect_is_refused_and_recorded() -> None:
    with ModelServer(Script()) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        connection.set_tunnel("example.com", 443)
        with pytest.raises(OSError, match="403"):
            connection.request("GET", "/")
        connection.close()
    (request,) = foreign(recorded(server))
    assert (request.method, request.path) == ("CONNECT", "example.com:443")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "http://example.com/v1/models"),
        ("POST", "http://example.com/v1/messages"),
        ("GET", "/favicon.ico"),
        ("PUT", "/v1/messages"),
    ],
)
def test_what_is_meant_for_others_is_refused_and_recorded(
    method: str, path: str
) -> None:
    with ModelServer(Script.of(say("never said"))) as server:
        answer = send(server, method, path, {})
    assert answer.status == 403
    assert [request.path for request in foreign(recorded(server))] == [path]


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_model_request_without_a_json_object_is_foreign(body: bytes) -> None:
    with ModelServer(Script.of(say("never said"))) as server:
        assert send(server, "POST", "/v1/messages", body).status == 403
    assert len(foreign(recorded(server))) == 1


def test_a_chunked_body_is_read() -> None:
    client = CLIENTS[0]
    raw = json.dumps(client.ask("in pieces", stream=False)).encode()
    with ModelServer(Script.of(say("a"))) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        pieces = iter([raw[:7], raw[7:]])
        connection.request("POST", client.path, pieces, encode_chunked=True)
        assert connection.getresponse().status == 200
        connection.close()
    assert "in pieces" in texts(recorded(server))


def test_only_loopback_is_listened_on() -> None:
    with ModelServer(Script()) as server, socket.socket() as other:
        assert server.url == f"http://127.0.0.1:{server.port}"
        other.settimeout(2)
        with pytest.raises(OSError, match="refused"):
            other.connect(("127.0.0.2", server.port))


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@each_format
@settings(max_examples=25, deadline=None)
@given(arguments=st.dictionaries(st.text(), json_values), stream=st.booleans())
def test_any_input_of_a_call_arrives_as_it_is(
    client: Client, arguments: dict[str, object], stream: bool
) -> None:
    turn = use(ToolCall("shell", arguments, "call_1"))
    with ModelServer(Script.of(turn)) as server:
        answer = send(server, "POST", client.path, client.ask("go", stream=stream))
    assert client.calls(answer) == [("call_1", "shell", arguments)]
