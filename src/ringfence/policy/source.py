"""Reading a policy file: bytes to plain data that knows its lines.

YAML is read by way of its node graph, so that every value keeps its line, repeated
keys are seen, and a file whose aliases unfold into something huge is refused before
it is unfolded.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, cast

from ringfence.policy.problems import Problems

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node, ScalarNode

SIZE_CAP = 1024 * 1024
NODE_CAP = 50_000
DEPTH_CAP = 40

Path: TypeAlias = tuple[str | int, ...]

_TAG = "tag:yaml.org,2002:"
_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Source:
    """One policy file, read: its data and the line of everything in it."""

    name: str
    data: dict[str, object]
    lines: dict[Path, int] = field(default_factory=dict)

    def line(self, path: Path) -> int:
        """Return the line of a value, or of the nearest thing around it."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)


def read(name: str, raw: bytes, problems: Problems) -> Source | None:
    """Read a policy file; ``None`` where nothing of it could be used."""
    text = _text(name, raw, problems)
    if text is None:
        return None
    root = _compose(name, text, problems)
    if root is None:
        return None
    reader = _Reader(name, problems)
    data = reader.value(root, ())
    if isinstance(data, dict):
        return Source(name, data, reader.lines)
    if not reader.refused:
        problems.add(
            name, 1, "a policy is a mapping", "start the file with 'version: 1'"
        )
    return None


def _text(name: str, raw: bytes, problems: Problems) -> str | None:
    if len(raw) > SIZE_CAP:
        problems.add(
            name, 1, f"larger than {SIZE_CAP} bytes", "split it and use 'extends'"
        )
        return None
    raw = raw.removeprefix(_BOM)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        problems.add(name, line, "not UTF-8", "save the file as UTF-8")
        return None
    if not text.strip():
        problems.add(name, 1, "the file is empty", "start it with 'version: 1'")
        return None
    return text


def _compose(name: str, text: str, problems: Problems) -> Node | None:
    from ruamel.yaml import YAML  # noqa: PLC0415 - never on the way of a hook
    from ruamel.yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415

    try:
        node: Node | None = YAML(typ="safe", pure=True).compose(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        what = " ".join((error.problem or "not YAML").split())
        problems.add(name, line, f"not YAML: {what}", _yaml_mend(what))
        return None
    except YAMLError as error:
        what = str(error).partition("\n")[0]
        problems.add(name, 1, f"not YAML: {what}", "remove the control characters")
        return None
    except RecursionError:
        problems.add(name, 1, "nested too deeply", "write it flatter")
        return None
    if node is None:
        problems.add(name, 1, "the file is empty", "start it with 'version: 1'")
    return node


def _yaml_mend(what: str) -> str:
    if "'\\t'" in what or "tab" in what:
        return "indent with spaces, never with tabs"
    if "document" in what:
        return "keep one policy per file"
    if "alias" in what:
        return "define the anchor first, or write the value out"
    return "quote values that hold ':', '#', '*', '&', '{' or '['"


class _Reader:
    """Turns nodes into plain data, and remembers where each value stood."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.name = name
        self.problems = problems
        self.lines: dict[Path, int] = {}
        self.refused = False
        self._left = NODE_CAP

    def value(self, node: Node, path: Path) -> object:
        from ruamel.yaml.nodes import MappingNode, SequenceNode  # noqa: PLC0415

        line = node.start_mark.line + 1
        self.lines.setdefault(path, line)
        self._left -= 1
        # An alias to something around itself ends here too.
        if self._left < 0 or len(path) > DEPTH_CAP:
            self._refuse()
            return None
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        if isinstance(node, SequenceNode):
            return [
                self.value(item, (*path, index))
                for index, item in enumerate(node.value)
            ]
        return self._scalar(cast("ScalarNode", node), line)

    def _refuse(self) -> None:
        if not self.refused:
            self.refused = True
            self.problems.add(
                self.name,
                1,
                "holds too much, or unfolds into too much",
                "write values out instead of aliases, or split the file",
            )

    def _mapping(self, node: Node, path: Path) -> dict[str, object]:
        mapping: dict[str, object] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if self.refused:
                break
            key = key_node.value
            if not isinstance(key, str) or key == "<<":
                self.problems.add(
                    self.name,
                    line,
                    "a key must be a plain word",
                    "write the keys out; merges are not supported",
                )
                continue
            if key in mapping:
                first = self.lines[(*path, key)]
                self.problems.add(
                    self.name,
                    line,
                    f"{key!r} was already given on line {first}",
                    "keep one of the two",
                )
                continue
            self.lines[(*path, key)] = line
            mapping[key] = self.value(value_node, (*path, key))
        return mapping

    def _scalar(self, node: ScalarNode, line: int) -> object:
        text: str = node.value
        tag = str(node.tag).removeprefix(_TAG)
        if tag == "null":
            return None
        if tag == "bool":
            return text.lower() == "true"
        try:
            if tag == "int":
                return int(text.replace("_", ""), 0)
            if tag == "float":
                return float(text)
        except ValueError:
            return text
        if tag not in ("str", "timestamp"):
            self.problems.add(
                self.name, line, f"the tag {node.tag} has no meaning here", "remove it"
            )
        return text
