"""A compiled policy: plain data that loads fast and says what it was made from.

A plan is what the hook path reads. It needs neither YAML nor a schema, and its
header names the hashes of all sources, so that a stale plan is never used.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from enum import StrEnum
from functools import cached_property
from typing import Any, Self, cast

from ringfence import __version__
from ringfence.errors import PolicyError

# Raised whenever the meaning of a compiled plan changes.
FORMAT = 1


class Layer(StrEnum):
    """Where a rule comes from, the strongest first."""

    MANAGED = "managed"
    USER = "user"
    PROJECT = "project"
    AGENT_AUTHOR = "agent-author"

    @property
    def may_allow(self) -> bool:
        """Whether a rule of this layer may say allow."""
        return self in (Layer.MANAGED, Layer.USER)


class Phase(StrEnum):
    """When a rule looks."""

    BEFORE = "before"
    AFTER = "after"
    PROMPT = "prompt"


class Verdict(StrEnum):
    """What a rule may decide; ``block`` is for prompts, the rest for calls."""

    DENY = "deny"
    ASK = "ask"
    ALLOW = "allow"
    DEFER = "defer"
    BLOCK = "block"


# The least restrictive first.
STRICTNESS = (Verdict.DEFER, Verdict.ALLOW, Verdict.ASK, Verdict.DENY)


@dataclass(frozen=True, slots=True)
class Redaction:
    """What a redaction covers in a result.

    Either what the regex ``pattern`` finds in any string (its group ``secret``, if
    it has one), or whole strings under one of ``keys``. What one of the ``unless``
    regexes matches whole is left alone.
    """

    label: str
    pattern: str = ""
    keys: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldRewrite:
    """One change of a call's input, at a dotted path.

    ``pattern`` replaces what a regex finds in the text there by ``value``; without
    it ``value`` takes the place of whatever is there; ``remove`` takes it away.
    """

    field: str
    value: object = None
    pattern: str = ""
    remove: bool = False


@dataclass(frozen=True, slots=True)
class Rule:
    """One compiled rule.

    ``tools`` are classes, native names and globs of canonical names; empty means
    any. ``when`` is a condition as :mod:`ringfence.policy.matching` reads it.
    """

    id: str
    phase: Phase = Phase.BEFORE
    tools: tuple[str, ...] = ()
    when: Mapping[str, object] | None = None
    decision: Verdict | None = None
    reason: str = ""
    suggest: str = ""
    context: str = ""
    rewrite: tuple[FieldRewrite, ...] = ()
    redact: tuple[Redaction, ...] = ()
    flag: str = ""
    withhold: str = ""
    layer: Layer = Layer.USER
    source: str = ""
    line: int = 0

    def to_data(self) -> dict[str, object]:
        """Return the rule as JSON data, empty fields left out."""
        filled = {key: value for key, value in asdict(self).items() if value}
        return {"id": self.id, **filled}

    @classmethod
    def from_data(cls, data: Mapping[str, object]) -> Self:
        """Return the rule that :meth:`to_data` wrote down."""
        known = dict(data)
        for name, kind in (("phase", Phase), ("decision", Verdict), ("layer", Layer)):
            if name in known:
                known[name] = kind(cast("str", known[name]))
        known["tools"] = tuple(cast("Iterable[str]", known.get("tools", ())))
        known["rewrite"] = tuple(
            FieldRewrite(**item) for item in _objects(known.get("rewrite"))
        )
        known["redact"] = tuple(
            Redaction(
                label=item["label"],
                pattern=item["pattern"],
                keys=tuple(item["keys"]),
                unless=tuple(item["unless"]),
            )
            for item in _objects(known.get("redact"))
        )
        return cls(**known)  # type: ignore[arg-type]


def _objects(value: object) -> Iterable[dict[str, Any]]:
    return cast("Iterable[dict[str, Any]]", value or ())


@dataclass(frozen=True, slots=True)
class Defaults:
    """What happens where no rule decides; ``None`` leaves it to Ringfence."""

    fail: str | None = None
    unsupported: str | None = None
    ask_fallback: str | None = None
    timeout: float | None = None
    continuation_cap: int | None = None

    def given(self) -> dict[str, str | float | int]:
        """Return what the policy says, by the names of the fields."""
        said = asdict(self).items()
        return {key: value for key, value in said if value is not None}


@dataclass(frozen=True)
class Plan:
    """A compiled policy.

    ``sources`` maps each file, or pack, to the SHA-256 of its bytes. ``default`` is
    what a call gets that no rule decides: ``deny`` where there is an allowlist.
    """

    rules: tuple[Rule, ...] = ()
    default: Verdict = Verdict.DEFER
    defaults: Defaults = Defaults()
    sources: Mapping[str, str] = field(default_factory=dict)
    version: str = __version__

    @cached_property
    def by_phase(self) -> Mapping[Phase, tuple[Rule, ...]]:
        """The rules of each phase, in the order they stand in."""
        return {
            phase: tuple(rule for rule in self.rules if rule.phase is phase)
            for phase in Phase
        }

    def to_data(self) -> dict[str, object]:
        """Return the plan as JSON data: a header and a body."""
        body: dict[str, object] = {
            "default": self.default.value,
            "defaults": self.defaults.given(),
            "rules": [rule.to_data() for rule in self.rules],
        }
        header = {
            "format": FORMAT,
            "ringfence": self.version,
            "sources": dict(self.sources),
            "digest": _digest(body),
        }
        return {"header": header, "body": body}

    def to_json(self) -> str:
        """Return the plan as one JSON text."""
        return json.dumps(self.to_data(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Return the plan that a text holds.

        Raises :class:`PolicyError` for a text that is no whole, untouched plan of
        this format and this version of Ringfence.
        """
        try:
            data = json.loads(text)
            header, body = data["header"], data["body"]
            _check_header(header, body)
            return cls(
                rules=tuple(Rule.from_data(item) for item in body["rules"]),
                default=Verdict(body["default"]),
                defaults=Defaults(**body["defaults"]),
                sources=dict(header["sources"]),
            )
        except (ValueError, LookupError, TypeError, RecursionError) as error:
            raise PolicyError(["not a compiled plan; recompile the policy"]) from error


def _check_header(header: Mapping[str, object], body: object) -> None:
    if (header["format"], header["ringfence"]) != (FORMAT, __version__):
        raise PolicyError(["the compiled plan is of another version; recompile it"])
    if header["digest"] != _digest(body):
        raise PolicyError(["the compiled plan is damaged; recompile the policy"])


def _digest(body: object) -> str:
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


DEFAULT_FIELDS = tuple(item.name for item in fields(Defaults))
