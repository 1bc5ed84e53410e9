"""The projections of a tool call, for any harness's way of writing its input.

Keys are those seen in captured payloads; a value of the wrong type is passed over.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping

from ringfence.calls import (
    Edit,
    EditAction,
    PathRef,
    PathUse,
    ShellProgram,
    ToolCall,
    ToolClass,
)
from ringfence.errors import DecodeError
from ringfence.parsing.command_paths import command_paths
from ringfence.parsing.command_urls import command_urls
from ringfence.parsing.patch import is_patch, loose_edits, parse_patch
from ringfence.parsing.paths import absolute
from ringfence.parsing.shell import parse
from ringfence.parsing.urls import find_urls

_COMMAND_KEYS = ("command", "cmd", "commands", "CommandLine", "script", "chars")
_DIRECTORY_KEYS = ("cwd", "workdir", "working_directory", "Cwd", "directory")
_PATH_KEYS = (
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "dir_path",
    "directory",
    "TargetFile",
    "AbsolutePath",
    "paths",
    "files",
)
_GLOB_KEYS = ("glob", "include", "file_pattern", "include_pattern")
_OLD_KEYS = ("old_string", "old_str", "oldString", "old_text", "oldText")
_NEW_KEYS = ("new_string", "new_str", "newString", "new_text", "newText")
_TEXT_KEYS = ("content", "file_text", "contents", "new_source", "insert_text", "text")
_PATCH_KEYS = ("command", "input", "patch", "patchText", "cmd")
_URL_KEYS = ("url", "uri", "urls", "href", "Url")
_SENT_KEYS = ("prompt", "body", "data", "message", "query", "description")

_WRITING = ("write", "edit", "create", "update", "save", "append", "put", "move")
_DELETING = ("delete", "remove", "unlink", "trash")
_MAX_STRINGS = 10_000


class ToolProjections:
    """Implements :class:`ringfence.events.Projections`.

    ``home`` is the directory that ``~`` stands for; without it paths under it stay
    ``~/…``.
    """

    def __init__(self, home: str = "") -> None:
        self._home = home

    def shell(self, call: ToolCall) -> ShellProgram | None:
        """Return the program that a shell tool runs, else ``None``."""
        if call.tool_class is not ToolClass.SHELL:
            return None
        text = _command_text(call.input)
        if text is None:
            return ShellProgram("", problem="the tool's input holds no command")
        return parse(text, cwd=self._cwd(call))

    def paths(self, call: ToolCall) -> tuple[PathRef, ...]:
        """Return every path the call names."""
        found: dict[PathRef, None] = {}
        program = call.shell
        if program is not None:
            for ref in command_paths(program, home=self._home):
                found[ref] = None
        for path, full, use in self._named_paths(call):
            if path and "\0" not in path:
                found[PathRef(path, full, use)] = None
        return tuple(found)

    def edits(self, call: ToolCall) -> tuple[Edit, ...]:
        """Return the changes of files that the call asks for."""
        patched = tuple(edit for _, edit in _patched(call))
        if patched:
            return patched
        if call.tool_class in {ToolClass.FILE_WRITE, ToolClass.FILE_EDIT}:
            return tuple(_input_edits(call.input))
        return ()

    def content(self, call: ToolCall) -> str:
        """Return the text that the call would write or send."""
        if call.tool_class is ToolClass.SHELL:
            return "\n".join(dict.fromkeys(_shell_content(call)))
        if call.tool_class in {ToolClass.FILE_WRITE, ToolClass.FILE_EDIT}:
            return "\n".join(edit.new for edit in call.edits if edit.new)
        if call.tool_class in {ToolClass.FETCH, ToolClass.TASK}:
            return "\n".join(_strings(call.input, _SENT_KEYS))
        if call.tool_class in {ToolClass.MCP, ToolClass.OTHER}:
            return "\n".join(_all_strings(call.input))
        return ""

    def urls(self, call: ToolCall) -> tuple[str, ...]:
        """Return every URL the call names."""
        program = call.shell
        if program is not None:
            return command_urls(program)
        if call.tool_class is ToolClass.FETCH:
            named = tuple(_strings(call.input, _URL_KEYS))
            texts = _strings(call.input, _SENT_KEYS)
            return _unique(named, *(find_urls(text) for text in texts))
        if call.tool_class in {ToolClass.MCP, ToolClass.OTHER}:
            return _unique(*(find_urls(text) for text in _all_strings(call.input)))
        return ()

    def _cwd(self, call: ToolCall) -> str:
        for directory in _strings(call.input, _DIRECTORY_KEYS):
            return absolute(directory, call.cwd, self._home)
        return call.cwd

    def _named_paths(self, call: ToolCall) -> Iterator[tuple[str, str, PathUse]]:
        for base, edit in _patched(call):
            deletes = edit.action in {EditAction.DELETE, EditAction.MOVE}
            use = PathUse.DELETE if deletes else PathUse.WRITE
            yield edit.path, absolute(edit.path, base, self._home), use
            yield (
                edit.moved_to,
                absolute(edit.moved_to, base, self._home),
                PathUse.WRITE,
            )
        for path, use in self._written_paths(call):
            yield path, absolute(path, call.cwd, self._home), use

    @staticmethod
    def _written_paths(call: ToolCall) -> Iterator[tuple[str, PathUse]]:
        if call.tool_class is ToolClass.FILE_READ:
            yield from ((p, PathUse.READ) for p in _strings(call.input, _PATH_KEYS))
        elif call.tool_class in {ToolClass.FILE_WRITE, ToolClass.FILE_EDIT}:
            yield from ((p, PathUse.WRITE) for p in _strings(call.input, _PATH_KEYS))
        elif call.tool_class is ToolClass.SEARCH:
            yield from ((p, PathUse.SEARCH) for p in _searched(call))
        elif call.tool_class is ToolClass.FETCH:
            for url in _strings(call.input, _URL_KEYS):
                if url.startswith("file://"):
                    yield url, PathUse.READ
        elif call.tool_class in {ToolClass.MCP, ToolClass.OTHER}:
            use = _use_by_name(call)
            yield from ((path, use) for path in _path_like(call.input))


def _command_text(tool_input: Mapping[str, object]) -> str | None:
    """Return the shell text; a list of words is a program and its arguments."""
    for key in _COMMAND_KEYS:
        value = tool_input.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list) and value:
            words = [item for item in value if isinstance(item, str)]
            if len(words) < len(value):
                return None
            several = key != "commands" and len(words) > 1
            return shlex.join(words) if several else "\n".join(words)
    return None


def _strings(tool_input: Mapping[str, object], keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the texts under any of the keys; a list may hold texts or objects."""
    for key in keys:
        value = tool_input.get(key)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, str):
                    yield item
                elif isinstance(item, Mapping):
                    yield from _strings(item, keys)


def _first(tool_input: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = tool_input.get(key)
        if isinstance(value, str):
            return value
    return None


def _patched(call: ToolCall) -> Iterator[tuple[str, Edit]]:
    """Yield the edits of patches, each with the directory it is seen from."""
    program = call.shell
    if program is not None:
        for command in program.commands:
            if command.program in {"apply_patch", "applypatch"}:
                for text in (*command.args, command.stdin or ""):
                    for edit in _patch_edits(text):
                        yield command.cwd, edit
    elif call.tool_class in {ToolClass.FILE_EDIT, ToolClass.FILE_WRITE}:
        patches = filter(is_patch, _strings(call.input, _PATCH_KEYS))
        for edit in _patch_edits(next(patches, "")):
            yield call.cwd, edit


def _patch_edits(patch: str) -> tuple[Edit, ...]:
    if not is_patch(patch):
        return ()
    try:
        return parse_patch(patch)
    except DecodeError:
        return loose_edits(patch)


def _input_edits(tool_input: Mapping[str, object]) -> Iterator[Edit]:
    path = next(_strings(tool_input, _PATH_KEYS), "")
    several = tool_input.get("edits")
    if isinstance(several, list):
        for item in several:
            if isinstance(item, Mapping):
                yield _edit(item, _first(item, _PATH_KEYS) or path)
    if _first(tool_input, _OLD_KEYS + _NEW_KEYS) is not None:
        yield _edit(tool_input, path)
    text = _first(tool_input, _TEXT_KEYS)
    if text is not None:
        yield Edit(path, EditAction.ADD, new=text)


def _edit(item: Mapping[str, object], path: str) -> Edit:
    return Edit(
        path,
        EditAction.UPDATE,
        old=_first(item, _OLD_KEYS) or "",
        new=_first(item, _NEW_KEYS) or "",
    )


def _searched(call: ToolCall) -> Iterator[str]:
    directories = list(_strings(call.input, _PATH_KEYS))
    yield from directories
    globs = list(_strings(call.input, _GLOB_KEYS))
    if "glob" in call.name.lower():
        globs += _strings(call.input, ("pattern",))
    for glob in globs:
        yield f"{directories[0].rstrip('/')}/{glob}" if directories else glob


def _shell_content(call: ToolCall) -> Iterator[str]:
    for edit in call.edits:
        yield edit.new
    for command in call.commands:
        if command.stdin:
            yield command.stdin
        writes = any(redirect.writes for redirect in command.redirects)
        if writes and command.program in {"echo", "printf"}:
            yield " ".join(command.args)


def _use_by_name(call: ToolCall) -> PathUse:
    name = (call.mcp.tool if call.mcp is not None else call.name).lower()
    if any(word in name for word in _DELETING):
        return PathUse.DELETE
    if any(word in name for word in _WRITING):
        return PathUse.WRITE
    return PathUse.READ


def _walk(value: object) -> Iterator[tuple[str, str]]:
    """Yield (key, text) for every text in a JSON value, without recursion."""
    stack: list[tuple[str, object]] = [("", value)]
    for _ in range(_MAX_STRINGS):
        if not stack:
            return
        key, item = stack.pop()
        if isinstance(item, str):
            yield key, item
        elif isinstance(item, Mapping):
            stack += [
                (str(name), child) for name, child in reversed(list(item.items()))
            ]
        elif isinstance(item, list):
            stack += [(key, child) for child in reversed(item)]


def _all_strings(tool_input: Mapping[str, object]) -> Iterator[str]:
    return (text for _, text in _walk(tool_input))


def _path_like(tool_input: Mapping[str, object]) -> Iterator[str]:
    for key, text in _walk(tool_input):
        if "\n" in text or len(text) > 4096 or not text:
            continue
        named = key.lower().endswith(("path", "paths", "file", "files", "filename"))
        directory = key.lower().endswith(("dir", "directory", "folder"))
        looks = text.startswith(("/", "~/", "./", "../", "file://"))
        if (named or directory or looks) and "://" not in text.removeprefix("file://"):
            yield text


def _unique(*groups: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for group in groups for item in group))
