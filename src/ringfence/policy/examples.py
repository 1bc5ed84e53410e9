"""Trying rules: the examples each rule carries, and the tests of a policy file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from ringfence.decisions import Decision, Result, join
from ringfence.events import Event
from ringfence.policy.calls import event_of, make_prompt
from ringfence.policy.evaluator import PolicyGuard
from ringfence.policy.plan import Phase, Plan, Rule
from ringfence.policy.problems import Problems
from ringfence.policy.rules import Compiled

if TYPE_CHECKING:
    from ringfence.policy.loader import Policy, PolicyTest


def check(compiled: Iterable[Compiled], problems: Problems) -> None:
    """Note every rule that misses a ``match`` or meets a ``not_match``."""
    if problems:
        return
    for one in compiled:
        guard = PolicyGuard(Plan((one.rule,)))
        for wanted, listed in ((True, one.match), (False, one.not_match)):
            for index, example in enumerate(listed):
                if bool(guard.matches(example_event(one.rule, example))) is not wanted:
                    _complain(one, index, problems, wanted=wanted)


def _complain(one: Compiled, index: int, problems: Problems, *, wanted: bool) -> None:
    key = "match" if wanted else "not_match"
    what = "misses" if wanted else "matches"
    place = (*one.path, key, index)
    problems.add(
        one.rule.source,
        one.line(place),
        f"rule {one.rule.id!r} {what} the example {key}.{index}",
        f"mend the rule's conditions, or the example if it is no {key}",
    )


def example_event(rule: Rule, example: object) -> Event:
    """Return the event that an example of a rule stands for.

    A text is a shell command for a rule that looks before a call, an output for one
    that looks after it, a prompt for one about prompts.
    """
    if isinstance(example, Mapping):
        data = cast("Mapping[str, object]", example)
        return event_of(data, when=rule.phase.value)
    text = str(example)
    if rule.phase is Phase.PROMPT:
        return make_prompt(text)
    if rule.phase is Phase.AFTER:
        return event_of({"tool": "shell", "command": "true", "output": text})
    return event_of({"tool": "shell", "command": text})


@dataclass(frozen=True, slots=True)
class TestResult:
    """How a test of a policy file ended."""

    __test__ = False

    name: str
    source: str
    line: int
    expected: str
    got: str
    rules: tuple[str, ...] = ()
    problem: str = ""

    @property
    def passed(self) -> bool:
        """Whether the test came out as its file says."""
        return not self.problem


def run_tests(policy: Policy) -> list[TestResult]:
    """Return how each test of a policy ended, in file order."""
    guard = PolicyGuard(policy.plan)
    return [_run(guard, test) for test in policy.tests]


def _run(guard: PolicyGuard, test: PolicyTest) -> TestResult:
    data = test.data
    event = _test_event(data)
    matches = guard.matches(event)
    decision = join((match.decision for match in matches), event.kind)
    expected, got = str(data["expect"]), verdict(decision)
    rules = tuple(match.rule.id for match in matches)
    problem = (
        "" if expected in verdicts(decision) else f"expected {expected}, got {got}"
    )
    wanted = data.get("rule")
    if not problem and wanted is not None and wanted not in rules:
        said = ", ".join(rules) or "none"
        problem = f"expected rule {wanted}, matched: {said}"
    name = str(data.get("name", "")) or _named(data)
    return TestResult(name, test.source, test.line, expected, got, rules, problem)


def _test_event(data: Mapping[str, object]) -> Event:
    facts = {
        key: str(data[key]) for key in ("harness", "permission_mode") if key in data
    }
    if "prompt" in data:
        facts.pop("permission_mode", None)
        return make_prompt(str(data["prompt"]), **facts)
    return event_of(cast("Mapping[str, object]", data["call"]), **facts)


def _named(data: Mapping[str, object]) -> str:
    call = cast("Mapping[str, object]", data.get("call", {}))
    said = call.get("command") or call.get("input") or data.get("prompt") or ""
    return f"{call.get('tool', 'prompt')} {said}".strip()


def verdict(decision: Decision) -> str:
    """Return the word for a decision as policies and reports use it.

    After a call that is ``withhold``, ``redact``, ``flag`` or ``no_decision``.
    """
    return verdicts(decision)[0]


def verdicts(decision: Decision) -> list[str]:
    """Return every word that fits a decision, the strictest first."""
    if not isinstance(decision, Result):
        return [decision.kind.value]
    words = [
        word
        for word, fits in (
            ("withhold", bool(decision.withheld.reason)),
            ("redact", decision.shows_other),
            ("flag", bool(decision.flag.reason)),
        )
        if fits
    ]
    return words or ["no_decision"]
