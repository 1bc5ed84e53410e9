"""From ``ringfence.yaml`` to a plan."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from ringfence.policy import examples, packs
from ringfence.policy.patterns import glob_matches
from ringfence.policy.plan import (
    DEFAULT_FIELDS,
    STRICTNESS,
    Defaults,
    Layer,
    Plan,
    Rule,
    Verdict,
)
from ringfence.policy.problems import Problems, did_you_mean
from ringfence.policy.rules import Compiled, RuleCompiler
from ringfence.policy.source import Path, Source, read
from ringfence.policy.toolpolicy import EntryError, policy_rule, tool_policy_rules
from ringfence.policy.validation import validate

EXTENDS_DEPTH = 8


@dataclass(frozen=True, slots=True)
class PolicyTest:
    """One of the tests inside a policy file, and where it stands."""

    data: Mapping[str, object]
    source: str
    line: int


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as its files have it: the plan, and the tests beside it."""

    plan: Plan
    tests: tuple[PolicyTest, ...] = ()


def load(path: str | FilePath | None = None) -> Plan:
    """Return the plan of a policy file or ``ringfence:PACK``; else the recommended.

    Raises :class:`PolicyError` with every problem, each as ``FILE:LINE: what is
    wrong; the mend``.
    """
    if path is None:
        return packs.plan(packs.RECOMMENDED)
    if str(path).startswith(packs.PREFIX):
        return packs.plan(str(path).removeprefix(packs.PREFIX))
    return load_policy(path).plan


def load_policy(path: str | FilePath, *, layer: Layer = Layer.USER) -> Policy:
    """Return the policy of a file: its plan and its tests.

    Raises :class:`PolicyError` with every problem.
    """
    loading = _Loading(layer)
    loading.file(FilePath(path), ("the command line", 1, "name an existing file"))
    return loading.policy()


def parse_policy(raw: bytes, name: str, *, layer: Layer = Layer.USER) -> Policy:
    """Return the policy that a file's bytes hold; ``name`` stands in problems.

    Only packs can be extended. Raises :class:`PolicyError` with every problem.
    """
    loading = _Loading(layer)
    loading.bytes(name, raw, None)
    return loading.policy()


@dataclass(slots=True)
class _Part:
    """What one file and all that it extends add up to."""

    rules: list[Rule] = field(default_factory=list)
    default: Verdict | None = None
    defaults: dict[str, object] = field(default_factory=dict)


class _Loading:
    """One policy while its files are read."""

    def __init__(self, layer: Layer) -> None:
        self.layer = layer
        self.problems = Problems()
        self.sources: dict[str, str] = {}
        self.compiled: list[Compiled] = []
        self.tests: list[PolicyTest] = []
        self.root: _Part | None = None
        self._open: list[FilePath] = []

    def policy(self) -> Policy:
        """Return the whole, or raise with every problem."""
        examples.check(self.compiled, self.problems)
        self.problems.check()
        part = self.root or _Part()
        plan = Plan(
            rules=tuple(part.rules),
            default=part.default or Verdict.DEFER,
            defaults=Defaults(**part.defaults),  # type: ignore[arg-type]
            sources=self.sources,
        )
        return Policy(plan, tuple(self.tests))

    def file(self, path: FilePath, asked: tuple[str, int, str]) -> _Part:
        """Read a file; ``asked`` is the place and the mend if it can't be read."""
        try:
            resolved = path.resolve()
            raw = resolved.read_bytes()
        except OSError as error:
            where, line, mend = asked
            reason = error.strerror or "it cannot be read"
            if where == "the command line":
                where = str(path)
            self.problems.add(where, line, f"{path}: {reason}", mend)
            return _Part()
        if resolved in self._open or len(self._open) >= EXTENDS_DEPTH:
            where, line, _ = asked
            self.problems.add(
                where, line, f"{path} extends itself in the end", "break the circle"
            )
            return _Part()
        self._open.append(resolved)
        part = self.bytes(str(resolved), raw, resolved.parent)
        self._open.pop()
        return part

    def bytes(self, name: str, raw: bytes, folder: FilePath | None) -> _Part:
        """Read a file's bytes; ``folder`` is where its ``extends`` start from."""
        self.sources[name] = hashlib.sha256(raw).hexdigest()
        source = read(name, raw, self.problems)
        if source is None:
            return _Part()
        return _File(self, source, folder).part()


class _File:
    """One policy file being compiled."""

    def __init__(
        self, loading: _Loading, source: Source, folder: FilePath | None
    ) -> None:
        self.loading = loading
        self.problems = loading.problems
        self.source = source
        self.folder = folder
        self.spoiled = validate(source, self.problems)

    def part(self) -> _Part:
        part = _Part()
        for index, name in enumerate(self._list("extends")):
            self._extend(part, str(name), ("extends", index))
        self._disable(part)
        inherited = {rule.id: rule for rule in part.rules}
        own = self._own_rules()
        for rule in own:
            if rule.id in inherited:
                first = inherited[rule.id]
                self.problems.add(
                    self.source.name,
                    rule.line,
                    f"the id {rule.id!r} is taken by {first.source}:{first.line}",
                    "choose another id, or 'disable' that rule",
                )
            inherited[rule.id] = rule
        part.rules += own
        self._defaults(part)
        self._note_tests()
        self.loading.root = part
        return part

    def _list(self, key: str) -> list[object]:
        value = self.source.data.get(key)
        if not isinstance(value, list):
            return []
        return [
            item for index, item in enumerate(value) if (key, index) not in self.spoiled
        ]

    def _indexed(self, key: str) -> list[tuple[Path, Mapping[str, object]]]:
        value = self.source.data.get(key)
        return [
            ((key, index), item)
            for index, item in enumerate(value if isinstance(value, list) else [])
            if (key, index) not in self.spoiled
        ]

    def _add_problem(self, path: Path, what: str, mend: str) -> None:
        where = ".".join(map(str, path))
        self.problems.add(
            self.source.name, self.source.line(path), f"{where}: {what}", mend
        )

    def _extend(self, part: _Part, name: str, path: Path) -> None:
        if name.startswith(packs.PREFIX):
            pack = name.removeprefix(packs.PREFIX)
            if pack not in packs.names():
                self._add_problem(
                    path, f"no pack {pack!r}", did_you_mean(pack, packs.names())
                )
                return
            plan = packs.plan(pack)
            self.loading.sources.update(plan.sources)
            other = _Part(list(plan.rules), plan.default)
        elif self.folder is None or self.loading.layer not in (
            Layer.MANAGED,
            Layer.USER,
        ):
            self._add_problem(
                path,
                "this policy can extend packs only",
                "use 'ringfence:recommended', or write the rules here",
            )
            return
        elif FilePath(name).is_absolute() or name.startswith("~"):
            self._add_problem(
                path, "not a relative path", "write it relative to this file"
            )
            return
        else:
            asked = (self.source.name, self.source.line(path), "mend the path")
            other = self.loading.file(self.folder / name, asked)
        known = {rule.id for rule in part.rules}
        part.rules += [rule for rule in other.rules if rule.id not in known]
        part.default = _stricter(part.default, other.default)
        part.defaults |= other.defaults

    def _disable(self, part: _Part) -> None:
        for index, name in enumerate(self._list("disable")):
            glob = str(name)
            off = {rule.id for rule in part.rules if glob_matches(glob, rule.id)}
            if not off:
                own = {str(item.get("id")) for _, item in self._indexed("rules")}
                mend = did_you_mean(glob, {rule.id for rule in part.rules})
                if glob in own:
                    mend = "remove the rule instead"
                self._add_problem(
                    ("disable", index), f"'extends' brings no rule {glob!r}", mend
                )
            part.rules = [rule for rule in part.rules if rule.id not in off]

    def _own_rules(self) -> list[Rule]:
        compiler = RuleCompiler(self.source, self.problems, self.loading.layer)
        rules = self._tool_policy()
        for path, data in self._indexed("policy_rules"):
            rule = policy_rule(
                data,
                source=self.source.name,
                line=self.source.line((*path, "id")),
                layer=self.loading.layer,
            )
            compiler.check_matchers(data, path)
            rules.append(rule)
        for path, data in self._indexed("rules"):
            compiled = compiler.compile(data, path)
            if compiled is not None:
                self.loading.compiled.append(compiled)
                rules.append(compiled.rule)
        return self._unique(rules)

    def _unique(self, rules: list[Rule]) -> list[Rule]:
        known: dict[str, Rule] = {}
        for rule in rules:
            first = known.setdefault(rule.id, rule)
            if first is not rule:
                self.problems.add(
                    self.source.name,
                    rule.line,
                    f"the id {rule.id!r} was already given on line {first.line}",
                    "choose another id",
                )
        return list(known.values())

    def _tool_policy(self) -> list[Rule]:
        policy = self.source.data.get("tool_policy")
        if not isinstance(policy, Mapping):
            return []
        entries = {
            decision: given
            for decision, given in policy.items()
            if ("tool_policy", decision) not in self.spoiled
        }

        def refused(decision: str, index: int, error: EntryError) -> None:
            path = ("tool_policy", decision, index)
            self._add_problem(path, str(error), error.mend)

        return tool_policy_rules(
            entries,
            source=self.source.name,
            line=lambda *place: self.source.line(("tool_policy", *place)),
            refused=refused,
            layer=self.loading.layer,
        )

    def _defaults(self, part: _Part) -> None:
        given = self.source.data.get("defaults")
        if isinstance(given, Mapping) and not any(
            path[:1] == ("defaults",) for path in self.spoiled
        ):
            part.defaults |= {key: given[key] for key in DEFAULT_FIELDS if key in given}
        tool_policy = self.source.data.get("tool_policy")
        allowlist = isinstance(tool_policy, Mapping) and bool(tool_policy.get("allow"))
        said = self.source.data.get("default_decision")
        if said is not None and ("default_decision",) not in self.spoiled:
            part.default = Verdict(str(said))
        elif allowlist:
            part.default = _stricter(part.default, Verdict.DENY)

    def _note_tests(self) -> None:
        for path, data in self._indexed("tests"):
            self.loading.tests.append(
                PolicyTest(data, self.source.name, self.source.line(path))
            )


def _stricter(first: Verdict | None, second: Verdict | None) -> Verdict | None:
    known = [verdict for verdict in (first, second) if verdict is not None]
    return max(known, key=STRICTNESS.index, default=None)
