"""Compiling the ``when:`` of a rule into a condition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from ringfence.policy.commands import COMMAND_KEYS
from ringfence.policy.facts import FIELD_TESTS
from ringfence.policy.matching import FACTS
from ringfence.policy.patterns import problem
from ringfence.policy.problems import Problems
from ringfence.policy.source import Path, Source

_COUNTED = frozenset(("args", "flags", "operands"))
_NAMED = ("paths", "hosts")


def listed(value: object) -> list[str]:
    """Return one word or a list of words as a list."""
    return [value] if isinstance(value, str) else list(cast("list[str]", value or ()))


class ConditionCompiler:
    """Compiles the conditions of one file, noting regexes that don't compile."""

    def __init__(self, source: Source, problems: Problems) -> None:
        self.source = source
        self.problems = problems

    def compile(self, when: Mapping[str, object], path: Path) -> dict[str, object]:
        """Return the condition that a ``when`` mapping, found at ``path``, means."""
        parts = list(self._parts(when, path))
        return parts[0] if len(parts) == 1 else {"all": parts}

    def regexes(self, value: object, path: Path) -> list[str]:
        """Return one regex or a list of them, each checked."""
        patterns = listed(value)
        for index, pattern in enumerate(patterns):
            place = path if isinstance(value, str) else (*path, index)
            self.check(pattern, place)
        return patterns

    def check(self, pattern: str, path: Path) -> bool:
        """Tell whether a regex compiles, and note it where RE2 refuses it."""
        what = problem(pattern)
        if not what:
            return True
        mend = "mend the regex (RE2 syntax)"
        if "(?" in what or "perl operator" in what:
            mend = "RE2 knows no look-around and no back-references; write it without"
        where = ".".join(map(str, path))
        told = f"{where}: the regex does not compile: {what}"
        self.problems.add(self.source.name, self.source.line(path), told, mend)
        return False

    def _parts(
        self, when: Mapping[str, object], path: Path
    ) -> Iterator[dict[str, object]]:
        command = self._command(when, path)
        if command:
            # Beside conditions about a command, paths and hosts are that command's.
            command |= {key[:-1]: _globs(when[key]) for key in _NAMED if key in when}
            yield {"command": command}
        for key, value in when.items():
            if key in COMMAND_KEYS or (command and key in _NAMED):
                continue
            yield from self._part(key, value, (*path, key))

    def _command(self, when: Mapping[str, object], path: Path) -> dict[str, object]:
        return {
            key: self._of_command(key, value, (*path, key))
            for key, value in when.items()
            if key in COMMAND_KEYS
        }

    def _of_command(self, key: str, value: object, path: Path) -> object:
        if key in ("text", "stdin"):
            return self.regexes(value, path)
        if key in _COUNTED:
            counts = cast("Mapping[str, object]", value)
            return {count: listed(what) for count, what in counts.items()}
        if key == "program":
            return _globs(value)
        if key == "piped_into":
            if isinstance(value, Mapping):
                return self._command(value, path)
            return {"program": _globs(value)}
        return value if isinstance(value, bool) else listed(value)

    def _part(self, key: str, value: object, path: Path) -> Iterator[dict[str, object]]:
        if key in ("all", "any"):
            conditions = cast("list[Mapping[str, object]]", value)
            yield {
                key: [
                    self.compile(one, (*path, index))
                    for index, one in enumerate(conditions)
                ]
            }
        elif key == "not":
            yield {key: self.compile(cast("Mapping[str, object]", value), path)}
        elif key in _NAMED:
            yield {key[:-1]: _globs(value)}
        elif key in ("content", "prompt"):
            yield {key: self.regexes(value, path)}
        elif key == "edits":
            yield {"edit": self._edit(cast("Mapping[str, object]", value), path)}
        elif key in ("input", "output"):
            for field, place in _each(value, path):
                yield {key: self._field(field, place)}
        elif key in FACTS:
            yield {"fact": {key: listed(value)}}
        else:
            yield {key: value}

    def _edit(self, edit: Mapping[str, object], path: Path) -> dict[str, object]:
        return {
            key: self.regexes(value, (*path, key))
            if key in ("old", "new")
            else listed(value)
            for key, value in edit.items()
        }

    def _field(self, field: Mapping[str, object], path: Path) -> dict[str, object]:
        if "matches" in field:
            self.check(cast("str", field["matches"]), (*path, "matches"))
        if not FIELD_TESTS & field.keys():
            self.problems.add(
                self.source.name,
                self.source.line(path),
                "a field is named but nothing is asked of it",
                "add matches, glob, contains, equals or exists",
            )
        return dict(field)


def _globs(value: object) -> dict[str, object]:
    if not isinstance(value, Mapping):
        return {"any": listed(value)}
    return {
        key: inner if isinstance(inner, bool) else listed(inner)
        for key, inner in value.items()
    }


def _each(value: object, path: Path) -> Iterator[tuple[Mapping[str, object], Path]]:
    if isinstance(value, Mapping):
        yield value, path
        return
    for index, item in enumerate(cast("list[Mapping[str, object]]", value)):
        yield item, (*path, index)
