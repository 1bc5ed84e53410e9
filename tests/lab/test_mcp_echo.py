"""The lab's MCP server says back what it is told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

from ringfence.lab import ECHO


def talk(folder: Path, *messages: dict[str, object]) -> list[dict[str, object]]:
    """Start the server, send messages, return its answers."""
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in messages)
    done = subprocess.run(
        [ECHO.command, *ECHO.args],
        input=lines,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
        cwd=folder,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def result(folder: Path, tool: str, text: str) -> dict[str, object]:
    params = {"name": tool, "arguments": {"text": text}}
    (answer,) = talk(folder, {"id": 1, "method": "tools/call", "params": params})
    value = answer["result"]
    assert isinstance(value, dict)
    return value


def test_it_shakes_hands_and_lists_its_tools(tmp_path: Path) -> None:
    begun, listed = talk(
        tmp_path,
        {"id": 0, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}},
        {"method": "notifications/initialized"},
        {"id": "x", "method": "tools/list"},
    )
    assert begun["result"]["protocolVersion"] == "2024-11-05"  # type: ignore[index]
    assert listed["id"] == "x"
    names = {tool["name"] for tool in listed["result"]["tools"]}  # type: ignore[index]
    assert names == {"echo", "structured", "fail", "touch"}


def test_each_tool_does_its_own(tmp_path: Path) -> None:
    assert result(tmp_path, "echo", "hi")["content"] == [
        {"type": "text", "text": "echo: hi"}
    ]
    assert result(tmp_path, "structured", "hi")["structuredContent"] == {"value": "hi"}
    assert result(tmp_path, "fail", "hi")["isError"] is True
    result(tmp_path, "touch", "../../made")
    assert [path.name for path in tmp_path.iterdir()] == ["made"]


def test_an_unknown_method_is_an_error(tmp_path: Path) -> None:
    (answer,) = talk(tmp_path, {"id": 1, "method": "no/such"})
    assert "error" in answer
