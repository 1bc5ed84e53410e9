"""The register of quirks as Markdown, out of each harness's ``quirks.toml``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ringfence.harnesses import registry
from ringfence.harnesses.quirk_facts import Quirk, registered

_PAGE = "../quirks.md"


def slug(title: str) -> str:
    """Return the anchor that a heading gets."""
    kept = re.sub(r"[^\w\- ]", "", title.lower())
    return kept.replace(" ", "-")


def quirks(harness: str = "", form: str = "full") -> str:
    """Return quirks as Markdown.

    ``form`` is ``full`` (a section each), ``table`` or ``gaps`` (a list of what no
    hook can help).
    """
    found = [
        quirk
        for quirk in registered().values()
        if harness in ("", "all") or harness in quirk.harnesses
    ]
    if form == "gaps":
        return "\n".join(_gap(quirk) for quirk in found if quirk.gap) + "\n"
    known = [quirk for quirk in found if not quirk.gap]
    if form == "table":
        return "\n".join(_rows(known)) + "\n"
    return "\n".join(_section(quirk) for quirk in known)


def gaps() -> str:
    """Return a section for each thing that no hook can help."""
    return "\n".join(_section(quirk) for quirk in registered().values() if quirk.gap)


def _gap(quirk: Quirk) -> str:
    versions = f" (versions {quirk.versions})" if quirk.versions else ""
    instead = quirk.mitigation.removeprefix("none").removeprefix(";").strip()
    said = f"- **{quirk.title}**{versions}. {quirk.behaviour}"
    return f"{said} Instead: {instead}" if instead else said


def _rows(found: list[Quirk]) -> Iterator[str]:
    yield "| quirk | versions | native events |"
    yield "| --- | --- | --- |"
    for quirk in found:
        name = f"[{quirk.title}]({_PAGE}#{slug(quirk.title)})"
        yield f"| {name} | {quirk.versions or 'all'} | {_events(quirk)} |"


def _events(quirk: Quirk) -> str:
    return ", ".join("any" if name == "*" else f"`{name}`" for name in quirk.events)


def _section(quirk: Quirk) -> str:
    titles = [registry.codec(name).facts.title for name in quirk.harnesses]
    where = f"{' and '.join(titles)}, {quirk.versions or 'all versions'}"
    lines = [
        f"### {quirk.title}",
        "",
        f"`{quirk.id}` · {where} · {_events(quirk)}",
        "",
        quirk.behaviour,
        "",
    ]
    if not quirk.gap:
        lines += [f"- What is done: {_code(quirk.mitigation)}"]
        lines += [f"- Test: `{quirk.test}`"]
    elif quirk.mitigation != "none":
        lines += [f"- What is done: {_code(quirk.mitigation)}"]
    lines += [f"- Evidence: {quirk.evidence} {quirk.date}; {quirk.source}", ""]
    return "\n".join(lines)


def _code(text: str) -> str:
    """Mark file and function names as code."""
    return re.sub(
        r"(?<![\w`])([\w/]+\.(?:py|toml)|[\w.]+\(\)|on\w+: \w+)", r"`\1`", text
    )
