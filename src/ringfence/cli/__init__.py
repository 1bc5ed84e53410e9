"""The command line: one module a verb, imported when that verb is called."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib import import_module

import click

from ringfence import __version__
from ringfence.errors import PolicyError, RingfenceError

VERBS: Mapping[str, str] = {
    "demo": "Show the real agents being guarded, offline.",
    "explain": "Say what would happen to a call, and why.",
    "hook": "Answer an agent's hook: payload on stdin, answer on stdout.",
    "matrix": "List what each harness honours at each event.",
    "policy": "Check, test and compile policies.",
}

EXIT_CODES = """\b
Exit codes: 0 done, nothing wrong · 1 a finding (a failing policy test, drift)
2 wrong usage or unreadable input · 3 could not run (agent missing, no permission)
`hook` alone speaks each harness's own exit codes."""


class _Verbs(click.Group):
    """Finds a verb's command in the module of its name."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"ringfence.cli.{cmd_name}").command
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.command(cls=_Verbs, epilog=EXIT_CODES)
@click.version_option(__version__, prog_name="ringfence")
def root() -> None:
    """Guard coding agents: deny, ask, rewrite or let pass before a tool call.

    After it, redact what the model must not see. One policy holds on every agent.

    \b
    Begin here:
      ringfence explain shell 'git push --force'   what would happen, and why
      ringfence policy check ringfence.yaml        is the policy sound?
      ringfence demo                               the real agents, offline
    """


def main() -> None:
    """Run the command line; a known trouble ends in one line and its exit code."""
    try:
        root(standalone_mode=False)
    except click.exceptions.Abort:
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except PolicyError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    except RingfenceError as error:
        click.echo(f"ringfence: {error}", err=True)
        sys.exit(3)
    except BrokenPipeError:
        sys.exit(0)
