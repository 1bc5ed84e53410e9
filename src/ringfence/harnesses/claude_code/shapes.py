"""Results of Claude Code's tools, replaced without leaving the tool's own shape.

A replacement of another shape is dropped without a word and the original reaches the
model, so what a guard wants shown is fitted into the original's shape here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ringfence.harnesses.quirks import mitigated

Path = tuple[str, ...]


def fit(original: object, wanted: object, texts: Sequence[str]) -> object:
    """Return ``wanted`` in the shape of ``original``.

    What has that shape already is returned as it is. Anything else is put, as text,
    where the tool's text stands (``texts``, see ``facts/tools.toml``); all other
    text of the result goes.
    """
    if isinstance(original, list) and isinstance(wanted, Mapping):
        # An MCP result object; only its list of contents is understood.
        content = wanted.get("content")
        if isinstance(content, list):
            return content if mitigated("claude-code-mcp-result-object") else wanted
    if not mitigated("claude-code-replacement-shape"):
        return wanted
    if same_shape(original, wanted):
        return wanted
    text = wanted if isinstance(wanted, str) else json.dumps(wanted)
    return with_text(original, text, texts)


def with_text(original: object, text: str, texts: Sequence[str]) -> object:
    """Return the result with ``text`` in place of everything a model could read."""
    if isinstance(original, str):
        return text
    if _is_content_list(original):
        return [{"type": "text", "text": text}]
    filler = _Filler([tuple(path.split(".")) for path in texts], text)
    shown = filler.fill(original, ())
    if filler.text is not None and texts:
        # Another variant of the tool's result, such as that of a call still running.
        return _Filler((), text).fill(original, ())
    return shown


class _Filler:
    """Blanks a result's texts; the first that is a tool's text gets the new one."""

    def __init__(self, wanted: Sequence[Path], text: str) -> None:
        self.wanted = wanted
        self.text: str | None = text

    def fill(self, value: object, path: Path) -> object:
        if isinstance(value, str):
            return self._string(value, path)
        if isinstance(value, Mapping):
            return {key: self.fill(item, (*path, key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.fill(item, (*path, "*")) for item in value]
        return value

    def _string(self, value: str, path: Path) -> str:
        if self.wanted and path not in self.wanted:
            return value
        if not self.wanted and path[-1:] in (("type",), ("mode",), ("status",)):
            return value  # names a variant of the shape; a text there breaks it
        text, self.text = self.text, None
        return text or ""


def _is_content_list(value: object) -> bool:
    return isinstance(value, list) and all(
        isinstance(item, Mapping) and isinstance(item.get("type"), str)
        for item in value
    )


def same_shape(first: object, second: object) -> bool:
    """Tell whether two results have the same keys and types, all the way down."""
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return first.keys() == second.keys() and all(
            same_shape(first[key], second[key]) for key in first
        )
    if isinstance(first, list) and isinstance(second, list):
        if _is_content_list(first) and _is_content_list(second):
            return True
        return len(first) == len(second) and all(map(same_shape, first, second))
    return type(first) is type(second)
