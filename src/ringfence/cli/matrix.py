"""``ringfence matrix``: what each harness honours at each event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click
from rich.box import SIMPLE_HEAD
from rich.table import Table

from ringfence.capabilities import Capability
from ringfence.cli.output import console, emit_json
from ringfence.harnesses import matrix
from ringfence.harnesses.registry import NAMES

WIDTH = 144
SIGNS = {"yes": "[green]yes[/]", "degraded": "[yellow]~[/]", "no": ""}
HEADINGS = {
    Capability.DENY: "deny",
    Capability.ASK: "ask",
    Capability.ALLOW: "allow",
    Capability.UPDATE_INPUT: "input",
    Capability.ADD_CONTEXT: "context",
    Capability.FLAG_OUTPUT: "flag",
    Capability.REPLACE_OUTPUT: "replace",
    Capability.CONTINUE_AGENT: "continue",
    Capability.STOP_AGENT: "stop",
    Capability.SYSTEM_MESSAGE: "message",
}


@click.command(name="matrix")
@click.option("--harness", type=click.Choice(NAMES), help="Only this one.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document.")
def command(harness: str | None, as_json: bool) -> None:
    """List what each harness honours at each event, and on what evidence.

    "degraded" means that the intent is reached by other means, such as a deny where
    nobody can be asked. --json has the dates as well.
    """
    rows = [row for row in matrix.rows() if harness in (None, row["harness"])]
    if as_json:
        emit_json(rows)
        return
    for name in dict.fromkeys(str(row["harness"]) for row in rows):
        own = [row for row in rows if row["harness"] == name]
        console(at_least=WIDTH).print(_table(name, own))
    click.echo("yes: honoured · ~: reached by other means · blank: not honoured")


def _table(name: str, rows: Sequence[Mapping[str, object]]) -> Table:
    table = Table(title=name, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    for heading in ("event", "versions", *HEADINGS.values(), "evidence"):
        table.add_column(heading, no_wrap=True)
    for row in rows:
        support = row["capabilities"]
        assert isinstance(support, dict)
        signs = [SIGNS[support[capability.value]] for capability in HEADINGS]
        versions = str(row["versions"]).replace(">=", "").replace(",<=", " … ")
        versions = versions.replace("==", "")
        table.add_row(str(row["event"]), versions, *signs, str(row["evidence"]))
    return table
