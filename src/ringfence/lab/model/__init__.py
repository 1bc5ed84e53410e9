"""A model that says what a script tells it to, over real wire formats."""

from __future__ import annotations

from ringfence.lab.model.protocol import Shown, Text, ToolResult
from ringfence.lab.model.recording import Recording, Request, RequestKind
from ringfence.lab.model.script import Script, ToolCall, Track, Turn, say, use
from ringfence.lab.model.server import ModelServer

__all__ = [
    "ModelServer",
    "Recording",
    "Request",
    "RequestKind",
    "Script",
    "Shown",
    "Text",
    "ToolCall",
    "ToolResult",
    "Track",
    "Turn",
    "say",
    "use",
]
