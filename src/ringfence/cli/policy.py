"""``ringfence policy``: check, test and compile policies."""

from __future__ import annotations

import sys
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from ringfence.cli.fences import policy_for, shown
from ringfence.cli.output import console, emit_json
from ringfence.errors import PolicyError
from ringfence.policy import packs
from ringfence.policy.examples import TestResult, run_tests
from ringfence.policy.loader import Policy, load_policy, parse_policy

file_argument = click.argument("file", required=False)
json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document.")


@click.group(name="policy")
def command() -> None:
    """Check, test and compile policies.

    Without FILE the policy is your own, else the recommended one.
    """


def _loaded(file: str | None) -> tuple[str, Policy]:
    name = policy_for(file)
    if name.startswith("ringfence:"):
        pack = packs.FOLDER / f"{name.removeprefix(packs.PREFIX)}.yaml"
        return name, parse_policy(pack.read_bytes(), name)
    return shown(name), load_policy(Path(name))


@command.command()
@file_argument
@json_option
def check(file: str | None, as_json: bool) -> None:
    """Say what is wrong with a policy: file, line, and the mend. Exit 1 if anything."""
    name = shown(policy_for(file))
    problems: list[str] = []
    rules = tests = 0
    try:
        _, policy = _loaded(file)
        rules, tests = len(policy.plan.rules), len(policy.tests)
    except PolicyError as error:
        problems = error.problems
    if as_json:
        emit_json(
            {"policy": name, "problems": problems, "rules": rules, "tests": tests}
        )
    elif problems:
        for problem in problems:
            click.echo(problem)
    else:
        click.echo(f"{name}: sound; {rules} rules, {tests} tests")
    sys.exit(1 if problems else 0)


@command.command()
@file_argument
@json_option
def test(file: str | None, as_json: bool) -> None:
    """Run the tests inside a policy file. Exit 1 if one fails."""
    name, policy = _loaded(file)
    results = run_tests(policy)
    failed = [result for result in results if not result.passed]
    if as_json:
        emit_json([_data(result) for result in results])
    else:
        for result in failed:
            place = f"{result.source}:{result.line}"
            click.echo(f"{place}: {result.name}: {result.problem}")
        click.echo(f"{name}: {len(results) - len(failed)} passed, {len(failed)} failed")
    sys.exit(1 if failed else 0)


def _data(result: TestResult) -> dict[str, object]:
    return {
        "name": result.name,
        "source": result.source,
        "line": result.line,
        "expected": result.expected,
        "got": result.got,
        "rules": list(result.rules),
        "passed": result.passed,
        "problem": result.problem,
    }


@command.command("compile")
@file_argument
@click.option("--output", metavar="FILE", help="Write the compiled plan there.")
@json_option
def compile_(file: str | None, output: str | None, as_json: bool) -> None:
    """Show the compiled plan of a policy, or write it."""
    name, policy = _loaded(file)
    plan = policy.plan
    if output is not None:
        if file is not None and Path(output).resolve() == Path(file).resolve():
            raise click.UsageError("--output is the policy itself; name another file")
        try:
            Path(output).write_text(plan.to_json(), encoding="utf-8")
        except OSError as error:
            raise click.UsageError(f"{output}: {error.strerror}") from None
    if as_json:
        emit_json(plan.to_data())
        return
    title = escape(f"{name}: {len(plan.rules)} rules")
    table = Table(title=title, title_justify="left")
    for column in ("rule", "when", "about", "decides", "source"):
        table.add_column(column)
    for rule in plan.rules:
        decides = rule.decision.value if rule.decision is not None else "mends"
        about = ", ".join(rule.tools) or "any"
        cells = (rule.id, rule.phase.value, about, decides, rule.source)
        table.add_row(*map(escape, cells))
    console().print(table)
    click.echo(f"a call that no rule decides: {plan.default.value}")
