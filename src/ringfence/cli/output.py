"""How verbs print."""

from __future__ import annotations

import json

import click
from rich.console import Console


def printable(text: str) -> str:
    """Return a text with control characters spelled out: a terminal obeys them."""
    return "".join(
        char if char.isprintable() or char == "\n" else ascii(char)[1:-1]
        for char in text
    )


def emit_json(value: object) -> None:
    """Print one JSON document, and nothing else."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def emit_json_line(value: object) -> None:
    """Print one JSON document on one line."""
    click.echo(json.dumps(value, ensure_ascii=False))


def console(*, stderr: bool = False, at_least: int = 0) -> Console:
    """Return a console that keeps to plain text where there is no terminal.

    ``at_least`` is the width, in columns, that a wide table needs where the output
    goes to a file or a pipe.
    """
    out = Console(stderr=stderr, highlight=False, emoji=False)
    if not out.is_terminal:
        out.width = max(out.width, at_least)
    return out
