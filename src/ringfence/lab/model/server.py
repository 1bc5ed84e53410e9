"""The scripted model as an HTTP server on loopback.

It speaks every wire format of :data:`PROTOCOLS` at once (the path tells which),
records each request, and refuses to be a proxy, so that an agent whose proxy
settings point here cannot reach any other host and is seen to try.
"""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self

from ringfence.lab.model.anthropic import AnthropicMessages
from ringfence.lab.model.protocol import Asked, Protocol, Reply
from ringfence.lab.model.recording import (
    Recording,
    Request,
    RequestKind,
    masked,
)
from ringfence.lab.model.responses import OpenAIResponses
from ringfence.lab.model.script import Player, Script, Turn, say

PROTOCOLS: tuple[Protocol, ...] = (AnthropicMessages(), OpenAIResponses())
LOOPBACK = "127.0.0.1"
SIDE_ANSWER = say("(scripted answer to a side request)")


class ModelServer:
    """Serves one script to one agent run; use as a context manager."""

    def __init__(
        self, script: Script, protocols: Sequence[Protocol] = PROTOCOLS
    ) -> None:
        """Bind a free loopback port; nothing is served before ``start``."""
        self.recording = Recording()
        self._player = Player(script)
        self._protocols = tuple(protocols)
        self._servers = [_Server(self)]

    @property
    def port(self) -> int:
        """The port that is listened on."""
        return int(self._servers[0].server_address[1])

    @property
    def url(self) -> str:
        """The address without any path."""
        return f"http://{LOOPBACK}:{self.port}"

    def __enter__(self) -> Self:
        """Serve from background threads until the end of the block."""
        self._serve(self._servers[0])
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop serving and release the port."""
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def listen_also(self, listener: socket.socket) -> None:
        """Serve on one more listening socket, as long as the others."""
        server = _Server(self, listener)
        self._servers.append(server)
        self._serve(server)

    def _serve(self, server: _Server) -> None:
        threading.Thread(
            target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        ).start()

    def answer(
        self, method: str, path: str, headers: dict[str, str], raw: bytes
    ) -> Reply:
        """Record one request and return the answer to it."""
        plain, _, query = path.partition("?")
        body = _decoded(raw)
        at = time.time()

        def record(kind: RequestKind, **rest: object) -> None:
            request = Request(kind, method, path, headers, body, at, **rest)  # type: ignore[arg-type]
            self.recording.add(request)

        for protocol in self._protocols if path.startswith("/") else ():
            if (reply := protocol.utility(method, plain)) is not None:
                record(RequestKind.UTILITY, protocol=protocol.name)
                return reply
            if not protocol.is_model_request(method, plain):
                continue
            if not isinstance(body, dict):
                break
            asked = Asked(plain, query, body)
            shown = protocol.read(asked)
            users = [each.text for each in shown.texts if each.role == "user"]
            if not shown.tools and not self._player.has_track(users):
                record(RequestKind.SIDE, protocol=protocol.name, shown=shown)
                return protocol.write(asked, SIDE_ANSWER)
            played = self._player.play(users, shown.everything())
            record(
                RequestKind.TURN,
                protocol=protocol.name,
                shown=shown,
                track=played.track,
                index=played.index,
            )
            return _written(protocol, asked, played.turn)
        record(RequestKind.FOREIGN)
        return Reply.json({"error": "the scripted model serves no such thing"}, 403)


def _written(protocol: Protocol, asked: Asked, turn: Turn) -> Reply:
    time.sleep(turn.delay)
    if turn.status:
        return protocol.error(turn.status)
    return protocol.write(asked, turn)


def _decoded(raw: bytes) -> object:
    if not raw:
        return None
    try:
        return json.loads(raw)
    except ValueError:
        return raw.decode("utf-8", errors="replace")


class _Server(ThreadingHTTPServer):
    """A threading server that stays quiet when an agent hangs up."""

    daemon_threads = True

    def __init__(
        self, model: ModelServer, listener: socket.socket | None = None
    ) -> None:
        self.model = model
        super().__init__((LOOPBACK, 0), _Handler, bind_and_activate=listener is None)
        if listener is not None:
            self.socket.close()
            self.socket = listener
            self.server_address = listener.getsockname()

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    """Hands every request of any method to the model."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing: requests are recorded instead."""

    def _handle(self) -> None:
        headers = masked(self.headers.items())
        reply = self.server.model.answer(self.command, self.path, headers, self._body())
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.content_type)
        if reply.streams:
            self.close_connection = True
            self.send_header("Connection", "close")
            self.end_headers()
            for chunk in reply.chunks:
                self.wfile.write(chunk)
                self.wfile.flush()
            return
        data = b"".join(reply.chunks)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = _handle  # noqa: N815
    do_PATCH = do_CONNECT = _handle  # noqa: N815

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", "").lower():
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts: list[bytes] = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)
