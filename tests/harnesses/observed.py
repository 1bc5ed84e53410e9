"""The observed cases, each with what its scenario set up around the call.

A record holds what the hooks answered and what came of it, but not the call, the
permission rules or how hooks were registered: tables say that, by the name of the
case.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.harnesses.observed_calls import CALL, CALLS, PERMISSIONS, ToolCall, bash
from tests.harnesses.observed_hooks import LARGE, REGISTERED

FILES = ("behaviour-claude-codex.jsonl", "behaviour-claude-2.1.332.jsonl")
FOLDER = Path(__file__).parent.parent / "observations"

# Cases that no rule speaks of, why, and what in the record shows that it is so.
UNMAPPED: Mapping[str, tuple[str, str]] = {
    "batch-block-continue": (
        "the result was shown by the session that came after",
        "PostToolBatch hook stopped continuation",
    ),
    "pre-mcp-flat": ("no hook is asked about a missing tool", "unsupported call"),
    "types-mcp_tool-later-0@2.1.197": (
        "no hook is asked about a missing tool",
        "No such tool available",
    ),
}


@dataclass(frozen=True)
class Case:
    """One record, with what its scenario set up."""

    harness: str
    version: str
    run: str
    name: str
    place: int
    record: Mapping[str, object]

    def __str__(self) -> str:
        return f"{self.harness}-{self.version}-{self.run}-{self.name}-{self.place}"

    @property
    def unmapped(self) -> str:
        """The key of this case among those that no rule speaks of, else empty."""
        keys = (self.name, f"{self.name}-{self.place}@{self.version}")
        return next((key for key in keys if key in UNMAPPED), "")

    @property
    def bundled(self) -> bool:
        return self.run.startswith("bundle-") or self.run == "http-bundle"

    @property
    def placed(self) -> str:
        return f"{self.name}-{self.place}"

    @property
    def call(self) -> ToolCall:
        """The tool and the input that the model called it with."""
        calls: tuple[ToolCall, ...] = (CALL,)
        for pattern, own in CALLS:
            if re.fullmatch(pattern, self.name):
                calls = own
                break
        tool, tool_input = calls[min(self.place, len(calls) - 1)]
        if self.name == "parallel-tools":
            order = (
                ("echo one", "echo two")
                if self.version == "2.1.197"
                else (
                    "echo two",
                    "echo one",
                )
            )
            command = (*order, "touch RAN3")[self.place]
            tool, tool_input = bash(command)
        if not self.bundled:
            return tool, tool_input
        text = json.dumps(tool_input)
        slug = self.name.replace("-", "_").removesuffix("_setup0")
        for end in (" ", '"', "\\n", ")"):
            text = text.replace(f"RAN{end}", f"RAN_{slug}{end}")
        for word in ("notes", "new"):
            text = text.replace(f"{word}.txt", f"{word}_{slug}.txt")
        return tool, json.loads(text)

    @property
    def setting(self) -> Mapping[str, object]:
        """Permissions and approvers around the call."""
        for name in (self.name, self.placed):
            for pattern, own in PERMISSIONS:
                match = re.fullmatch(pattern, name)
                if match is not None:
                    return _filled(own, match)
        return {}

    @property
    def registered(self) -> Mapping[str, object]:
        for pattern, own in REGISTERED:
            if re.fullmatch(pattern, self.name):
                return own
        return {}

    @property
    def answers(self) -> Mapping[str, object]:
        answers = self.record["answers"]
        if answers == "(large)":
            return {self.probes[0][0]: LARGE[self.name]}
        assert isinstance(answers, dict)
        return answers

    @property
    def probes(self) -> list[tuple[str, str]]:
        """The recording hooks that were called, with the event, in their order."""
        fired = self.record["fired"]
        assert isinstance(fired, list)
        return [(each["probe"], each["event"]) for each in fired]


def _filled(own: Mapping[str, object], match: re.Match[str]) -> Mapping[str, object]:
    if own.get("mode") != "\\1":
        return own
    return {**own, "mode": match.group(1) or "bypassPermissions"}


def cases() -> Iterator[Case]:
    """Yield every record, numbered among those of its case."""
    for file in FILES:
        places: dict[tuple[str, str, str], int] = {}
        for line in (FOLDER / file).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            harness = "codex" if record["agent"] == "codex" else "claude-code"
            bundled = record["run"].startswith("bundle-") or (
                record["run"] == "http-bundle"
            )
            name = str(record["case"]).replace("_", "-") if bundled else record["case"]
            if record["agent"] == "claude-tui":
                name = f"tui-{name}"
            if name.startswith("http-"):
                name = re.sub("-(deny-body|timeout|url)$", "", name)
            key = (record["agent"], record["run"], name)
            place = places.get(key, 0)
            places[key] = place + 1
            yield Case(harness, record["version"], record["run"], name, place, record)
