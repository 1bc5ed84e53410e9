"""``ringfence explain``: what would happen to a call, and why."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import click
from rich.markup import escape as _escape
from rich.tree import Tree

from ringfence.api import Ringfence
from ringfence.calls import Command, ShellProgram, ToolClass
from ringfence.cli.fences import fence_for, policy_option
from ringfence.cli.output import console, emit_json, emit_json_line, printable
from ringfence.errors import DecodeError
from ringfence.events import ToolEvent
from ringfence.explaining import (
    DEFAULT_HARNESS,
    Explanation,
    explain_call,
    explain_payload,
    verdict,
)
from ringfence.harnesses.registry import NAMES


def escape(text: str) -> str:
    """Return a text as it may stand in a tree."""
    return _escape(printable(text))


_COLOURS = {"deny": "red", "ask": "yellow", "allow": "green", "no_decision": "green"}


@click.command(name="explain")
@click.argument("tool", required=False)
@click.argument("tool_input", metavar="[INPUT]", required=False)
@click.option(
    "--harness", type=click.Choice(NAMES), default=DEFAULT_HARNESS, show_default=True
)
@policy_option
@click.option("--payload", metavar="FILE", help="A native payload in place of a call.")
@click.option(
    "--batch",
    metavar="FILE",
    help='One {"tool": …, "input": {…}} a line; - is stdin. Answers as JSON lines.',
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(
    tool: str | None,
    tool_input: str | None,
    harness: str,
    policy: str | None,
    payload: str | None,
    batch: str | None,
    as_json: bool,
) -> None:
    """Say what would happen to a call, and why. Nothing is run.

    TOOL is a class (shell, read, write, edit, search, fetch), an agent's own name
    (Bash, apply_patch) or mcp__SERVER__TOOL. INPUT is the command, path or URL, or a
    JSON object of the tool's input.

    \b
      ringfence explain shell 'rm -rf /'
      ringfence explain read .env
      ringfence explain mcp__mail__send '{"message": {"bcc": "a@b.example"}}'
    """
    fence = fence_for(policy)
    if batch is not None:
        sys.exit(0 if _batch(fence, batch, harness) else 2)
    if payload is not None:
        try:
            explained = explain_payload(fence, _read(payload), harness=harness)
        except DecodeError as error:
            raise click.UsageError(f"{payload}: {error.what}") from None
    elif tool is None or tool_input is None:
        raise click.UsageError("give TOOL and INPUT, or --payload, or --batch")
    else:
        explained = _call(fence, tool, tool_input, harness)
    _note_unknown_tool(explained)
    if as_json:
        emit_json(explained.to_data())
    else:
        console().print(_tree(explained))


def _note_unknown_tool(explained: Explanation) -> None:
    event = explained.event
    if isinstance(event, ToolEvent) and event.tool.tool_class is ToolClass.OTHER:
        note = "no class of tools is known by that name; rules for any tool apply"
        click.echo(f"{event.tool.name}: {note}", err=True)


def _call(fence: Ringfence, tool: str, text: str, harness: str) -> Explanation:
    given: dict[str, object] | str = text
    if text.lstrip().startswith("{"):
        try:
            value = json.loads(text)
        except ValueError:
            value = None  # a shell group begins with a brace as well
        if isinstance(value, dict):
            given = value
    return explain_call(fence, tool, given, harness=harness, cwd=str(Path.cwd()))


def _read(name: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    except OSError as error:
        raise click.UsageError(f"{name}: {error.strerror}") from None


def _batch(fence: Ringfence, name: str, harness: str) -> bool:
    """Answer each line in order; tell whether all of them could be read."""
    whole = True
    for number, line in _lines(name):
        call = _batched(line)
        if call is None:
            whole = False
            problem = f'line {number} is no {{"tool": …, "input": {{…}}}}'
            emit_json_line({"error": problem})
            continue
        tool, given, cwd = call
        explained = explain_call(fence, tool, given, harness=harness, cwd=cwd)
        emit_json_line(explained.to_data())
    return whole


def _batched(line: str) -> tuple[str, dict[str, object] | str, str] | None:
    """Return tool, input and directory of one line, ``None`` if it holds no call."""
    try:
        data = json.loads(line)
        tool, given = data["tool"], data["input"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    if not isinstance(tool, str) or not isinstance(given, (dict, str)):
        return None
    cwd = data.get("cwd")
    return tool, given, cwd if isinstance(cwd, str) else str(Path.cwd())


def _lines(name: str) -> Iterator[tuple[int, str]]:
    text = _read(name).decode("utf-8-sig", "replace")
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, line


def _tree(explained: Explanation) -> Tree:
    """Draw an explanation for a person."""
    colour = _COLOURS.get(explained.verdict, "cyan")
    head = f"[bold {colour}]{explained.verdict}[/]"
    if explained.decision.rule:
        head += f"  by rule [bold]{escape(explained.decision.rule)}[/]"
    tree = Tree(head)
    if explained.decision.reason:
        tree.add(escape(explained.decision.reason))
    suggest = getattr(explained.decision, "suggest", "")
    if suggest:
        tree.add(f"instead: [green]{escape(suggest)}[/]")
    if explained.program is not None:
        _add_program(tree, explained.program)
    _add_views(tree, explained)
    for loss in explained.losses:
        tree.add(f"[yellow]{escape(explained.event.harness)}: {escape(loss)}[/]")
    return tree


def _add_program(tree: Tree, program: ShellProgram) -> None:
    runs = tree.add("runs")
    if program.problem:
        runs.add(f"[yellow]not understood: {escape(program.problem)}[/]")
    for command in program.commands:
        runs.add(_command(command))


def _add_views(tree: Tree, explained: Explanation) -> None:
    views = tree.add("guards")
    for view in explained.views:
        if view.decision is None:
            views.add(f"[red]{escape(view.error)}[/]")
            continue
        rule = f" · {escape(view.decision.rule)}" if view.decision.rule else ""
        views.add(f"{escape(view.guard)}{rule}: {verdict(view.decision)}")
    if not explained.views:
        views.add("none has an opinion: the agent's own permissions decide")


def _command(command: Command) -> str:
    wrapped = (
        f"  [dim]through {' '.join(command.wrappers)}[/]" if command.wrappers else ""
    )
    text = escape(command.text or " ".join(command.argv))
    return (text or "[yellow]a command that can't be known beforehand[/]") + wrapped
