"""Pages hang together: links lead somewhere, commands exist, nothing is left out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

import ringfence
from ringfence.cli import root
from ringfence.harnesses import registry
from ringfence.harnesses.quirk_facts import registered
from tools.doc_quirks import slug
from tools.doc_schema import ALIKE, PLACES, part, resolved, schema
from tools.generate_docs import ROOT, commands, pages

LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#{1,4} (?P<title>.+)$", re.MULTILINE)
FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
INCLUDED = re.compile(r"^```\{include\} (?P<path>\S+)$", re.MULTILINE)


def read(name: str) -> str:
    return (ROOT / name).read_text("utf-8")


def anchors(page: Path) -> set[str]:
    text = page.read_text("utf-8")
    for found in INCLUDED.finditer(text):
        text += (page.parent / found["path"]).read_text("utf-8")
    text = FENCED.sub("", text)
    titles = (found["title"].replace("`", "") for found in HEADING.finditer(text))
    return {slug(title) for title in titles}


@pytest.mark.parametrize("page", list(pages()), ids=lambda page: page.stem)
def test_links_within_the_project_lead_somewhere(page: Path) -> None:
    broken = []
    for found in LINK.finditer(FENCED.sub("", page.read_text("utf-8"))):
        path, _, anchor = found["target"].partition("#")
        if "://" in path:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(found["target"])
    assert broken == []


def test_the_command_line_page_names_every_verb_and_option() -> None:
    page = read("docs/command-line.md")
    missing = [
        f"{' '.join(path)} {option}"
        for path, command in commands(root, ("ringfence",))
        for parameter in command.params
        if isinstance(parameter, click.Option)
        for option in ("", *parameter.opts)
        if " ".join(path) not in page or option not in page
    ]
    assert missing == []


def test_commands_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", read("Makefile"), re.MULTILINE))
    named = {
        target
        for page in pages()
        for target in re.findall(
            r"(?:^|`)make ([a-z]+)\b", page.read_text("utf-8"), re.M
        )
    }
    assert {"demo", "test"} <= named <= targets


def test_every_public_name_has_its_entry() -> None:
    page = read("docs/api.md")
    public = set(ringfence.__all__) - {"__version__"}
    entries = set(re.findall(r"auto\w+:: ringfence\.(\w+)$", page, re.MULTILINE))
    assert public - entries == {"RingfenceError"}  # stands among the errors
    assert entries <= public | {"errors"}


def test_every_harness_has_its_page() -> None:
    harnesses = {page.stem for page in (ROOT / "docs" / "harnesses").glob("*.md")}
    assert harnesses == set(registry.NAMES)


def test_every_quirk_is_told() -> None:
    page = read("docs/quirks.md")
    assert [quirk for quirk in registered() if f"`{quirk}`" not in page] == []


def test_every_key_says_in_the_schema_what_it_means() -> None:
    silent = [
        f"{table}.{key}"
        for table in (*schema()["$defs"], *PLACES)
        for key, value in part(table).get("properties", {}).items()
        if not resolved(value).get("description") and table not in ALIKE
    ]
    assert silent == []


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    picture = read("docs/images/demo.svg")
    assert "@font-face" not in picture
    assert not re.search(r"(?:href|src)=\"http|url\(['\"]?http", picture)
    assert "✓" in picture
    assert "✗" not in picture


@pytest.mark.slow
def test_the_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [
            *(sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet"),
            *("-d", str(tmp_path / "trees")),
            *(str(ROOT / "docs"), str(tmp_path / "html")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "html" / "index.html").exists()
