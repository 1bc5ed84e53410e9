"""The examples of the documentation hold: policies load, tests pass, programs run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from ringfence.errors import PolicyError
from ringfence.policy.examples import run_tests
from ringfence.policy.loader import parse_policy
from tools.doc_schema import resolved, schema
from tools.generate_docs import ROOT, Block, blocks, pages

WRONG_ON_PURPOSE = "mistaken.yaml"

Found = tuple[Path, Block]


def found(kind: str) -> list[Found]:
    return [
        (page, block)
        for page in pages()
        for block in blocks(page.read_text("utf-8"))
        if block.kind == kind
    ]


def shown(one: Found) -> str:
    page, block = one
    return f"{page.relative_to(ROOT)}:{block.line}"


@pytest.mark.parametrize("example", found("yaml"), ids=shown)
def test_policies_load_and_their_tests_pass(example: Found) -> None:
    _, block = example
    if block.file_name == WRONG_ON_PURPOSE:
        with pytest.raises(PolicyError):
            parse_policy(block.text.encode(), block.file_name)
        return
    policy = parse_policy(block.text.encode(), shown(example))
    assert [one for one in run_tests(policy) if not one.passed] == []


def with_python() -> list[Path]:
    return list(dict.fromkeys(page for page, _ in found("python")))


@pytest.mark.parametrize("page", with_python(), ids=lambda page: page.stem)
def test_programs_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page's blocks are one program; functions named ``test_…`` are called."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page.read_text("utf-8")):
        if block.file_name:
            (tmp_path / block.file_name).write_text(block.text, "utf-8")
        if block.kind == "python":
            place = str(tmp_path / f"{page.stem}.py")
            code = compile("\n" * block.line + block.text, place, "exec")
            exec(code, names)
    for name, value in list(names.items()):
        if name.startswith("test_") and isinstance(value, Callable):  # type: ignore[arg-type]
            value()  # type: ignore[operator]


# -- every key of a policy is shown ----------------------------------------------------


def keys(node: Mapping[str, object], name: str = "policy") -> set[tuple[str, str]]:
    """Return every key that the schema knows, with the object it stands in."""
    known: set[tuple[str, str]] = set()
    todo = [(node, name)]
    while todo:
        node, name = todo.pop()
        for own, inner in objects(node, name):
            if not any(place == own for place, _ in known):
                known |= {(own, key) for key in inner}
                todo += [(child, f"{own}.{key}") for key, child in inner.items()]
    return known


def objects(
    node: Mapping[str, object], name: str
) -> Iterator[tuple[str, Mapping[str, Mapping[str, object]]]]:
    """Yield the object that a node may be, and that its items may be."""
    ref = node.get("$ref")
    if isinstance(ref, str):
        name = ref.rpartition("/")[2]
    node = resolved(node)
    properties = node.get("properties")
    if isinstance(properties, Mapping):
        yield name, properties
    items = node.get("items")
    if isinstance(items, Mapping):
        yield from objects(items, name)


def used(
    node: Mapping[str, object], value: object, name: str = "policy"
) -> Iterator[tuple[str, str]]:
    if isinstance(value, list):
        for item in value:
            yield from used(node, item, name)
    elif isinstance(value, Mapping):
        for own, inner in objects(node, name):
            for key in value.keys() & inner.keys():
                yield own, key
                yield from used(inner[key], value[key], f"{own}.{key}")


def test_every_key_of_a_policy_has_an_example() -> None:
    yaml = YAML(typ="safe")
    shown_keys = {
        pair
        for _, block in found("yaml")
        if block.file_name != WRONG_ON_PURPOSE
        for pair in used(schema(), yaml.load(block.text))
    }
    assert sorted(keys(schema()) - shown_keys) == []
