"""A small stand-in for the machine an agent works on: it performs calls for real.

Shell commands run in a folder of their own; files and MCP tools are imitated as far
as the observed cases need them. Results have the shape that hooks see.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ringfence.harnesses.simulation import Done, Failed, Ran

PROJECT = "/home/user/run/project"
NOTES = "alpha\nTOKEN=sk-secret-12345\n"

# Waiting is part of some cases, but not of what they show.
_PRELUDE = "sleep() { :; }\n"


class World:
    """One project folder; what happens in it can be asked for afterwards."""

    def __init__(self, root: Path, harness: str) -> None:
        self.root = root
        self.harness = harness

    @property
    def touched(self) -> bool:
        """Whether the side effect took place that the observed calls aim at."""
        return any(self.root.glob("RAN*"))

    def perform(self, tool: str, tool_input: Mapping[str, object]) -> Ran | None:
        """Do what a call asks for; ``None`` where that can't be imitated."""
        if tool.startswith("mcp__"):
            return self._mcp(tool.rsplit("__", 1)[1], tool_input)
        if tool == "Bash":
            return self._bash(str(tool_input["command"]))
        if tool == "apply_patch":
            return self._patch(str(tool_input["command"]))
        own = getattr(self, f"_{tool.lower()}", None)
        return own(tool_input) if own is not None else None

    def _bash(self, command: str) -> Ran:
        done = subprocess.run(
            ["bash", "-c", _PRELUDE + command.replace(PROJECT, str(self.root))],
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
            timeout=30,
        )
        stdout = done.stdout.replace(str(self.root), PROJECT)
        stderr = re.sub(
            r"line \d+", "line 1", done.stderr.replace("bash:", "/bin/bash:")
        )
        if self.harness == "codex":
            return Done(stdout + stderr)
        if done.returncode:
            text = (stdout + stderr).strip()
            return Failed(f"Exit code {done.returncode}\n{text}")
        response = {"stdout": stdout.rstrip("\n"), "stderr": stderr.rstrip("\n")}
        return Done({**response, "interrupted": False, "isImage": False})

    def _patch(self, patch: str) -> Ran:
        name = re.search(r"\*\*\* Add File: (.+)", patch)
        if name is None:
            return Failed("apply_patch verification failed: Failed to read file")
        (self.root / name.group(1)).write_text(patch, encoding="utf-8")
        return Done(f"Success. Updated the following files:\nA {name.group(1)}\n")

    def _mcp(self, tool: str, tool_input: Mapping[str, object]) -> Ran | None:
        text = str(tool_input.get("text", ""))
        if tool == "fail":
            return Failed(f"failed: {text}")
        if tool == "structured":
            return Done(json.dumps({"value": text}, separators=(",", ":")))
        if tool != "echo":
            return None
        blocks = [{"type": "text", "text": f"echo: {text}"}]
        return Done({"content": blocks} if self.harness == "codex" else blocks)

    def _path(self, name: object) -> Path:
        return Path(str(name).replace(PROJECT, str(self.root)))

    def _read(self, tool_input: Mapping[str, object]) -> Ran:
        path = self._path(tool_input["file_path"])
        if path.name.startswith("notes") and not path.exists():
            path.write_text(NOTES, encoding="utf-8")
        if path.name == "background.output":
            text = NOTES.split("\n")[1] + "\n\n[exited with code 0]\n"
            path.write_text(text, encoding="utf-8")
        if not path.exists():
            return Failed(
                "File does not exist. Note: your current working directory is "
                f"{PROJECT}."
            )
        text = path.read_text(encoding="utf-8")
        lines = text.count("\n") + 1
        file = {"filePath": tool_input["file_path"], "content": text, "startLine": 1}
        file |= {"numLines": lines, "totalLines": lines}
        return Done({"type": "text", "file": file})

    def _write(self, tool_input: Mapping[str, object]) -> Ran:
        content = str(tool_input["content"])
        self._path(tool_input["file_path"]).write_text(content, encoding="utf-8")
        response = {"type": "create", "filePath": tool_input["file_path"]}
        rest: dict[str, object] = {
            "content": content,
            "structuredPatch": [],
            "originalFile": None,
        }
        return Done({**response, **rest})

    def _edit(self, tool_input: Mapping[str, object]) -> Ran:
        response = {"filePath": tool_input["file_path"], "structuredPatch": []}
        response |= {"oldString": tool_input["old_string"], "originalFile": NOTES}
        response |= {"newString": tool_input["new_string"], "userModified": False}
        return Done({**response, "replaceAll": False})

    def _taskcreate(self, tool_input: Mapping[str, object]) -> Ran:
        return Done({"task": {"id": "1", "subject": tool_input["subject"]}})

    def _glob(self, _tool_input: Mapping[str, object]) -> Ran:
        names = ["notes.txt", "sub/other.txt"]
        counts = {"durationMs": 1, "numFiles": 2, "truncated": False}
        return Done({"filenames": names, **counts})

    def _grep(self, tool_input: Mapping[str, object]) -> Ran:
        if tool_input.get("output_mode") == "content":
            line = NOTES.split("\n")[1]
            cell: dict[str, object] = {"cell_type": "code", "id": "a"}
            cell |= {"source": [line], "outputs": []}
            cell |= {"execution_count": None, "metadata": {}}
            book = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
            text = f"nb.ipynb:1:{json.dumps(book)}\n"
            text += f"notes.txt:2:{line}\nsub/other.txt:1:x {line}"
            return Done(
                {"mode": "content", "numFiles": 0, "filenames": [], "content": text}
            )
        names = ["nb.ipynb", "sub/other.txt", "notes.txt"]
        return Done({"mode": "files_with_matches", "numFiles": 3, "filenames": names})

    def _agent(self, tool_input: Mapping[str, object]) -> Ran | None:
        if tool_input.get("run_in_background") is not False:
            return None
        text = "child says bye " + NOTES.split("\n")[1]
        return Done(
            {"status": "completed", "content": [{"type": "text", "text": text}]}
        )

    def _webfetch(self, tool_input: Mapping[str, object]) -> Ran:
        return Done({"result": "mock side answer", "url": tool_input["url"]})
