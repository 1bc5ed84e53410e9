"""``tool_policy`` in Claude's matcher syntax, and the older ``policy_rules``.

=========================  ===================================================
entry                      is about
=========================  ===================================================
``Bash``                   every shell call
``Bash(* --live*)``        the text of each command that will run
``Bash(git push:*)``       commands that begin with these words
``Read(./.env)``           paths that are read, by any tool or command
``Edit(src/**)``           paths that are written, by any tool or command
``Glob(…)`` ``Grep(…)``    paths that are searched
``WebFetch(domain:x.org)`` hosts
``mcp__github__*``         tools by name
``*``                      every call
=========================  ===================================================

A deny or an ask is unanchored and concerns the one command, path or host among many;
an allow is anchored and needs every one of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from ringfence.policy.patterns import glob_to_regex
from ringfence.policy.plan import STRICTNESS, Layer, Rule, Verdict

_ENTRY = re.compile(r"(?P<name>[^()\s]+)(?:\((?P<argument>.*)\))?", re.DOTALL)
_PREFIX = ":*"

# Claude's names of built-in tools: the names that rules know them by anywhere.
_CLASSES: Mapping[str, tuple[str, ...]] = {
    "Bash": ("Bash", "shell"),
    "Read": ("Read", "file.read"),
    "Write": ("Write", "file.write"),
    "Edit": ("Edit", "file.edit"),
    "Grep": ("Grep", "search"),
    "Glob": ("Glob", "search"),
    "WebFetch": ("WebFetch", "fetch"),
    "Task": ("Task", "task"),
    "Agent": ("Agent", "task"),
}
_PATH_USES: Mapping[str, tuple[str, ...]] = {
    "Read": ("read", "search"),
    "Write": ("write", "delete"),
    "Edit": ("write", "delete"),
    "Grep": ("search",),
    "Glob": ("search",),
}
_DOMAIN = "domain:"


class EntryError(ValueError):
    """An entry that means nothing: what is wrong, and the mend."""

    def __init__(self, what: str, mend: str) -> None:
        """Take both halves of the message."""
        super().__init__(what)
        self.mend = mend


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, read: the tools it is about and its condition."""

    tools: tuple[str, ...]
    when: dict[str, object] | None = None


def read_entry(text: str, decision: Verdict) -> Entry:
    """Return what an entry means under a decision.

    Raises :class:`EntryError` for an entry that is none.
    """
    found = _ENTRY.fullmatch(text.strip())
    if found is None:
        raise EntryError(
            f"{text!r} is no tool entry", "write Tool, Tool(glob) or mcp__server__tool"
        )
    name, argument = found["name"], found["argument"]
    if name == "*" and argument is None:
        return Entry(())
    if argument is None or argument.strip() in ("", "*"):
        return Entry(_CLASSES.get(name, (name,)))
    if name == "Bash":
        return Entry(_CLASSES[name], {"segments": [_segment(argument)]})
    if name in _PATH_USES:
        return _paths(name, argument, decision)
    if name == "WebFetch" and argument.startswith(_DOMAIN):
        host = argument.removeprefix(_DOMAIN)
        tools = _CLASSES[name] if decision is Verdict.ALLOW else ()
        return Entry(tools, {"host": {"any": [host]}})
    raise EntryError(
        f"{name} takes no argument here",
        "use a rule with 'when: {input: ...}' to look at its input",
    )


def _segment(argument: str) -> str:
    if argument.endswith(_PREFIX):
        return _words(argument.removesuffix(_PREFIX))
    return glob_to_regex(argument)


def _words(text: str) -> str:
    return "^" + glob_to_regex(text.rstrip()) + r"(?:\s.*)?$"


def _paths(name: str, argument: str, decision: Verdict) -> Entry:
    # Claude writes a path from the root with two slashes, one from the project's
    # directory with one.
    if argument.startswith("//"):
        glob = argument[1:]
    elif argument.startswith("/"):
        glob = "." + argument
    else:
        glob = argument
    if decision is not Verdict.ALLOW:
        return Entry((), {"path": {"any": [glob], "use": list(_PATH_USES[name])}})
    if "/" not in glob:
        glob = f"./**/{glob}"
    elif not glob.startswith(("/", "./", "~/")):
        glob = f"./{glob}"
    return Entry(_CLASSES[name], {"path": {"any": [glob]}})


def tool_policy_rules(
    policy: Mapping[str, Iterable[str]],
    *,
    source: str,
    line: Callable[[str, int], int] = lambda decision, index: 0,  # noqa: ARG005
    refused: Callable[[str, int, EntryError], None] | None = None,
    layer: Layer = Layer.USER,
) -> list[Rule]:
    """Return the rules that a ``tool_policy`` block means.

    ``line`` tells the line of an entry. All ``Bash(...)`` entries of an allow list
    make one rule, since together they must allow every command of a call. An entry
    that is none is told to ``refused``, or raises :class:`EntryError` without it.
    """
    rules: list[Rule] = []
    shell: Rule | None = None
    for decision in (Verdict.DENY, Verdict.ASK, Verdict.ALLOW):
        for index, text in enumerate(policy.get(decision.value, ())):
            try:
                entry = read_entry(text, decision)
            except EntryError as error:
                if refused is None:
                    raise
                refused(decision.value, index, error)
                continue
            rule = Rule(
                id=f"tool_policy.{decision.value}: {text}",
                tools=entry.tools,
                when=entry.when,
                decision=decision,
                reason=_REASONS[decision].format(text),
                layer=layer,
                source=source,
                line=line(decision.value, index),
            )
            if decision is Verdict.ALLOW and "segments" in (entry.when or {}):
                shell = _together(shell, rule)
            else:
                rules.append(rule)
    return rules if shell is None else [*rules, shell]


_REASONS = {
    Verdict.DENY: "The policy's tool_policy denies {}; do it another way.",
    Verdict.ASK: "The policy's tool_policy wants a person to confirm {}.",
    Verdict.ALLOW: "The policy's tool_policy allows {}.",
}


def _together(first: Rule | None, second: Rule) -> Rule:
    if first is None:
        return second
    a, b = (cast("Mapping[str, list[str]]", rule.when) for rule in (first, second))
    return replace(
        first,
        id=f"{first.id}, {second.id.partition(': ')[2]}",
        reason=f"{first.reason.removesuffix('.')}, {second.id.partition(': ')[2]}.",
        when={"segments": [*a["segments"], *b["segments"]]},
    )


def policy_rule(
    data: Mapping[str, object],
    *,
    source: str = "",
    line: int = 0,
    layer: Layer = Layer.USER,
) -> Rule:
    """Return the rule that one of the older ``policy_rules`` means.

    Its ``input_matchers`` must all match; the field ``command`` is the text of each
    command, as it is for ``Bash(...)``.
    """
    names = cast("Iterable[str]", data.get("tools", ()))
    known = [alias for name in names for alias in _CLASSES.get(name, (name,))]
    conditions = [
        _matcher_condition(matcher)
        for matcher in cast(
            "Iterable[Mapping[str, str]]", data.get("input_matchers", ())
        )
    ]
    when = {"all": conditions} if len(conditions) > 1 else next(iter(conditions), None)
    return Rule(
        id=str(data["id"]),
        tools=() if "*" in known else tuple(dict.fromkeys(known)),
        when=when,
        decision=Verdict(str(data["decision"])),
        reason=str(data.get("reason", ""))
        or f"The policy's rule {data['id']} says so.",
        layer=layer,
        source=source,
        line=line,
    )


def _matcher_condition(matcher: Mapping[str, str]) -> dict[str, object]:
    if matcher["field"] == "command":
        return {"segments": [matcher["regex"]]}
    return {"input": {"field": matcher["field"], "matches": matcher["regex"]}}


def tightened(rules: Iterable[Rule], default: Verdict) -> list[Rule]:
    """Return an agent author's rules so that they can only tighten.

    A deny stays. An ask stays where it is stricter than ``default``, the decision
    about calls that no rule is about. Any other rule stops deciding, and so does
    what could change a call or put words before the model.
    """
    kept = []
    for rule in rules:
        decision = rule.decision or Verdict.DEFER
        if decision is Verdict.ASK and not _stricter(decision, default):
            decision = Verdict.DEFER
        if decision not in (Verdict.ASK, Verdict.DENY):
            decision = Verdict.DEFER
        kept.append(
            replace(
                rule,
                decision=decision,
                layer=Layer.AGENT_AUTHOR,
                rewrite=(),
                context="",
            )
        )
    return kept


def _stricter(first: Verdict, second: Verdict) -> bool:
    return STRICTNESS.index(first) > STRICTNESS.index(second)
