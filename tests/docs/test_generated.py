"""What the documentation shows is what the code says and prints now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.generate_docs import PARTS, ROOT, filled, pages


def shown(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("page", list(pages()), ids=shown)
def test_generated_parts_and_outputs_are_up_to_date(page: Path) -> None:
    text = page.read_text("utf-8")
    assert filled(text) == text, "run: python -m tools.generate_docs"


def test_a_part_that_drifted_is_made_anew() -> None:
    page = "<!-- generated: verbs -->\nold\n<!-- end -->\n"
    made = filled(page)
    assert "old" not in made
    assert "ringfence-explain" in made
    assert filled(made) == made


def test_outputs_are_those_of_the_files_above_them() -> None:
    policy = "```yaml\n# p.yaml\nversion: 2\n```\n"
    asked = "```console\n$ ringfence policy check p.yaml\nfine\n```\n"
    made = filled(policy + asked)
    assert "/home/me/project/p.yaml:2: version" in made
    assert "fine" not in made


def test_every_kind_of_part_is_used() -> None:
    text = "".join(page.read_text("utf-8") for page in pages())
    assert [name for name in PARTS if f"<!-- generated: {name} " not in text] == []
