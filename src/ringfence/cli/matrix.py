"""``ringfence matrix``: what each harness honours at each event."""

from __future__ import annotations

import click
from rich.table import Table

from ringfence.capabilities import Capability
from ringfence.cli.output import console, emit_json
from ringfence.harnesses import matrix
from ringfence.harnesses.registry import NAMES

_SIGNS = {"yes": "[green]yes[/]", "degraded": "[yellow]degraded[/]", "no": "[dim]·[/]"}


@click.command(name="matrix")
@click.option("--harness", type=click.Choice(NAMES), help="Only this one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(harness: str | None, as_json: bool) -> None:
    """List what each harness honours at each event, with evidence and date.

    "degraded" means that the intent is reached by other means, such as a deny where
    nobody can be asked.
    """
    rows = [row for row in matrix.rows() if harness in (None, row["harness"])]
    if as_json:
        emit_json(rows)
        return
    for name in dict.fromkeys(row["harness"] for row in rows):
        table = Table(title=str(name), title_justify="left")
        for column in ("event", "versions", *(c.value for c in Capability), "evidence"):
            table.add_column(column)
        for row in rows:
            if row["harness"] != name:
                continue
            support = row["capabilities"]
            assert isinstance(support, dict)
            cells = [_SIGNS[support[capability.value]] for capability in Capability]
            evidence = f"{row['evidence']} {row['date']}"
            table.add_row(str(row["event"]), str(row["versions"]), *cells, evidence)
        console().print(table)
