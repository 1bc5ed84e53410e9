"""``ringfence hook``: only its help is here; calls take :mod:`ringfence.edge.hook`."""

from __future__ import annotations

import click

from ringfence.harnesses.registry import NAMES


@click.command(name="hook")
@click.argument("harness", type=click.Choice(NAMES))
@click.argument("event", required=False)
@click.option("--event", "event_option", help="The native event of the payload.")
@click.option(
    "--policy", metavar="FILE", help="The policy file; the user's own by default."
)
@click.option(
    "--fail", type=click.Choice(["open", "closed"]), help="What trouble means."
)
@click.option("--timeout", type=float, help="Seconds until an answer is due. [10]")
@click.option("--session", help="The session to record, in place of the payload's.")
@click.option("--state", metavar="DIR", help="The folder of records and counters.")
@click.option("--harness-version", help="The agent's version, remembered at install.")
def command(**_options: object) -> None:
    """Answer an agent's hook: payload on stdin, answer on stdout.

    Agents call this; their settings name it. Whatever goes wrong, the answer is a
    block in the harness's own way (--fail closed, the default). Exit codes are those
    that the harness knows.
    """
    raise click.UsageError("a hook is called as `ringfence hook HARNESS`")
