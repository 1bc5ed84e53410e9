"""``ringfence demo``: the real agents being guarded, offline."""

from __future__ import annotations

import sys
from dataclasses import asdict

import click
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ringfence.cli.output import console, emit_json
from ringfence.lab import demo
from ringfence.lab.agents import AgentUnavailableError, ensure
from ringfence.lab.demo import Shown
from ringfence.lab.runners import runner_for
from ringfence.lab.simulated import simulate

WIDTH = 132
COLUMNS = {
    "the model calls": 31,
    "verdict": 12,
    "rule": 25,
    "the agent": 11,
}
SAW = "what the model saw"
_COLOURS = {"deny": "red", "ask → deny": "red", "redact": "yellow"}


@click.command(name="demo")
@click.option(
    "--harness",
    "harnesses",
    type=click.Choice(demo.HARNESSES),
    multiple=True,
    help="Only this agent.",
)
@click.option("--simulated", is_flag=True, help="Run no agent; simulate them.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(harnesses: tuple[str, ...], simulated: bool, as_json: bool) -> None:
    """Show the real agents being guarded by the recommended policy, offline.

    The pinned agents are installed into a cache at the first time (npm is needed),
    each runs in a throwaway home with no network, and a scripted model has it make
    about ten calls. Without npm, captured payloads are replayed through simulators.
    Exit 1 if a call came out otherwise than the policy says.
    """
    progress = console(stderr=True)
    shown = [
        _show(harness, progress, simulated=simulated)
        for harness in harnesses or demo.HARNESSES
    ]
    if as_json:
        emit_json([asdict(one) | {"held": one.held} for one in shown])
    else:
        for one in shown:
            _print(one, console(at_least=WIDTH))
    sys.exit(0 if all(one.held for one in shown) else 1)


def _show(harness: str, progress: Console, *, simulated: bool) -> Shown:
    if simulated:
        return simulate(harness)
    try:
        with progress.status(f"{harness}: looking for the pinned agent …") as status:
            installed = ensure(
                harness, progress=lambda said: status.update(f"{harness}: {said}")
            )
            status.update(f"{harness} {installed.version}: running, offline …")
            return demo.show(runner_for(installed), harness)
    except AgentUnavailableError as error:
        progress.print(f"[yellow]{escape(str(error))}[/]")
        progress.print("[yellow]The agent's part is simulated instead.[/]")
        return simulate(harness)


def _print(shown: Shown, out: Console) -> None:
    title = f"{shown.harness} {shown.version} · {shown.how} · {shown.seconds:.1f} s"
    table = Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=SIMPLE_HEAD,
        pad_edge=False,
    )
    taken = sum(COLUMNS.values()) + 2 * len(COLUMNS)
    for name, width in {**COLUMNS, SAW: max(out.width - taken - 2, 20)}.items():
        table.add_column(name, width=width, no_wrap=True, overflow="ellipsis")
    for row in shown.rows:
        colour = _COLOURS.get(row.verdict, "green")
        mark = "" if row.as_wanted else " [bold red]✗[/]"
        verdict = "passes" if row.verdict == "no_decision" else row.verdict
        table.add_row(
            escape(row.call),
            f"[{colour}]{verdict}[/]{mark}",
            escape(row.rule),
            row.did,
            escape(row.saw),
        )
    out.print(table)
    for check, holds in shown.checks.items():
        sign = "[green]✓[/]" if holds else "[bold red]✗[/]"
        out.print(f"  {sign} {check}")
    out.print()
