"""Compiling the rules of one policy file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from ringfence.policy.conditions import ConditionCompiler, listed
from ringfence.policy.patterns import missing_group
from ringfence.policy.plan import (
    FieldRewrite,
    Layer,
    Phase,
    Redaction,
    Rule,
    Verdict,
)
from ringfence.policy.problems import Problems
from ringfence.policy.source import Path, Source

_EFFECTS: Mapping[Phase, tuple[str, ...]] = {
    Phase.BEFORE: ("decision", "rewrite", "context"),
    Phase.AFTER: ("redact", "flag", "withhold", "context"),
    Phase.PROMPT: ("decision", "context"),
}
_VERDICTS: Mapping[Phase, frozenset[str]] = {
    Phase.BEFORE: frozenset(("deny", "ask", "allow", "defer")),
    Phase.AFTER: frozenset(),
    Phase.PROMPT: frozenset(("block",)),
}
_REASONED = frozenset(("deny", "ask", "block"))


@dataclass(frozen=True, slots=True)
class Compiled:
    """A rule with what its file says it must and must not match."""

    rule: Rule
    source: Source
    path: Path
    match: tuple[object, ...] = ()
    not_match: tuple[object, ...] = ()

    def line(self, path: Path) -> int:
        """Return the line of a value in the rule's file."""
        return self.source.line(path)


class RuleCompiler:
    """Compiles the ``rules`` of one file."""

    def __init__(self, source: Source, problems: Problems, layer: Layer) -> None:
        self.source = source
        self.problems = problems
        self.layer = layer
        self._conditions = ConditionCompiler(source, problems)

    def compile(self, data: Mapping[str, object], path: Path) -> Compiled | None:
        """Return one rule compiled, or ``None`` where it has no phase."""
        phase = self._phase(data, path)
        if phase is None:
            return None
        self._check_effects(data, path, phase)
        when = data.get("when")
        condition = None
        if when is not None:
            condition = self._conditions.compile(
                cast("Mapping[str, object]", when), (*path, "when")
            )
        if phase is Phase.PROMPT and data["prompt"] != "any":
            source = {"prompt_source": data["prompt"]}
            condition = source if condition is None else {"all": [source, condition]}
        decision = data.get("decision")
        rule = Rule(
            id=str(data["id"]),
            phase=phase,
            tools=_tools(data, phase),
            when=condition,
            decision=Verdict(str(decision)) if decision else None,
            reason=_text(data, "reason"),
            suggest=_text(data, "suggest"),
            context=_text(data, "context"),
            rewrite=self._rewrite(data, path),
            redact=self._redact(data, path),
            flag=_text(data, "flag"),
            withhold=_text(data, "withhold"),
            layer=self.layer,
            source=self.source.name,
            line=self.source.line((*path, "id")),
        )
        match, not_match = (
            tuple(cast("list[object]", data.get(key, ())))
            for key in ("match", "not_match")
        )
        return Compiled(rule, self.source, path, match, not_match)

    def check_matchers(self, data: Mapping[str, object], path: Path) -> None:
        """Note regexes of an older rule's ``input_matchers`` that don't compile."""
        matchers = cast("list[Mapping[str, str]]", data.get("input_matchers", []))
        for index, matcher in enumerate(matchers):
            place = (*path, "input_matchers", index, "regex")
            self._conditions.check(matcher["regex"], place)

    def _problem(self, path: Path, what: str, mend: str) -> None:
        where = ".".join(map(str, path))
        self.problems.add(
            self.source.name, self.source.line(path), f"{where}: {what}", mend
        )

    def _phase(self, data: Mapping[str, object], path: Path) -> Phase | None:
        phases = [phase for phase in Phase if phase.value in data]
        if len(phases) == 1:
            return phases[0]
        said = " and ".join(phases) or "none of before, after and prompt"
        self._problem(
            path,
            f"a rule looks at one moment, this one has {said}",
            "give it one of 'before: TOOLS', 'after: TOOLS' or 'prompt: any'",
        )
        return None

    def _check_effects(
        self, data: Mapping[str, object], path: Path, phase: Phase
    ) -> None:
        effects = _EFFECTS[phase]
        if not any(effect in data for effect in effects):
            self._problem(
                path, "the rule does nothing", f"add one of {', '.join(effects)}"
            )
        foreign = {
            effect for of_phase in _EFFECTS.values() for effect in of_phase
        } - set(effects)
        for effect in sorted(foreign & data.keys()):
            self._problem(
                (*path, effect),
                f"{effect!r} has no meaning in a rule for {phase.value!r}",
                f"use one of {', '.join(effects)}",
            )
        decision = data.get("decision")
        if decision is not None and decision not in foreign:
            self._check_decision(data, path, phase)
        if "suggest" in data and decision not in ("deny", "ask"):
            self._problem(
                (*path, "suggest"),
                "only a deny or an ask suggests something else",
                "remove it, or set 'decision'",
            )

    def _check_decision(
        self, data: Mapping[str, object], path: Path, phase: Phase
    ) -> None:
        decision = str(data["decision"])
        allowed = _VERDICTS[phase]
        if allowed and decision not in allowed:
            self._problem(
                (*path, "decision"),
                f"a rule for {phase.value!r} can't {decision}",
                f"use one of {', '.join(sorted(allowed))}",
            )
        if decision in _REASONED and "reason" not in data:
            self._problem(
                path,
                f"a {decision} needs a reason",
                "add 'reason:', one sentence that tells the model what to do instead",
            )
        if decision == "allow" and not self.layer.may_allow:
            self._problem(
                (*path, "decision"),
                f"a policy of layer {self.layer.value} can't allow",
                "remove the rule",
            )

    def _rewrite(
        self, data: Mapping[str, object], path: Path
    ) -> tuple[FieldRewrite, ...]:
        changes = cast("Mapping[str, object]", data.get("rewrite") or {})
        return tuple(
            self._field_rewrite(name, value, (*path, "rewrite", name))
            for name, value in changes.items()
        )

    def _field_rewrite(self, name: str, value: object, path: Path) -> FieldRewrite:
        if not isinstance(value, Mapping):
            return FieldRewrite(name, value=value)
        if value == {"remove": True}:
            return FieldRewrite(name, remove=True)
        if set(value) == {"value"}:
            return FieldRewrite(name, value=value["value"])
        pattern, replacement = value.get("replace"), value.get("with")
        if (
            set(value) == {"replace", "with"}
            and isinstance(pattern, str)
            and isinstance(replacement, str)
        ):
            if self._conditions.check(pattern, (*path, "replace")):
                self._check_groups(pattern, replacement, (*path, "with"))
            return FieldRewrite(name, value=replacement, pattern=pattern)
        self._problem(
            path,
            "no rewrite of a field",
            "write a value, {replace: REGEX, with: TEXT} or {remove: true}",
        )
        return FieldRewrite(name)

    def _check_groups(self, pattern: str, replacement: str, path: Path) -> None:
        missing = missing_group(pattern, replacement)
        if missing:
            self._problem(
                path,
                f"{missing} names a group that the regex has not",
                "put the part to keep in parentheses",
            )

    def _redact(self, data: Mapping[str, object], path: Path) -> tuple[Redaction, ...]:
        items = cast("list[Mapping[str, object]]", data.get("redact") or [])
        return tuple(
            self._redaction(item, (*path, "redact", index))
            for index, item in enumerate(items)
        )

    def _redaction(self, item: Mapping[str, object], path: Path) -> Redaction:
        if ("pattern" in item) == ("keys" in item):
            self._problem(
                path, "a redaction has either a pattern or keys", "give it one of them"
            )
        if "pattern" in item:
            self._conditions.check(str(item["pattern"]), (*path, "pattern"))
        return Redaction(
            label=str(item["label"]),
            pattern=_text(item, "pattern"),
            keys=tuple(name.lower() for name in listed(item.get("keys"))),
            unless=tuple(
                self._conditions.regexes(item.get("unless", []), (*path, "unless"))
            ),
        )


def _text(data: Mapping[str, object], key: str) -> str:
    return str(data.get(key, ""))


def _tools(data: Mapping[str, object], phase: Phase) -> tuple[str, ...]:
    if phase is Phase.PROMPT:
        return ()
    names = listed(data[phase.value])
    return () if {"any", "*"} & set(names) else tuple(names)
