"""What is known of a harness, as data: events, capabilities, tools.

The data is written in ``facts/*.toml`` beside each harness, and compiled into its
``_table.py`` so that a hook reads no TOML.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ringfence.calls import ToolClass
from ringfence.capabilities import SUPPORT_ORDER, Capabilities, Capability, Support
from ringfence.events import EventKind
from ringfence.harnesses import versions
from ringfence.harnesses.quirks import mitigated


@dataclass(frozen=True, slots=True)
class EventFact:
    """One native event.

    ``answer`` names the shape of its answer, ``closed`` the harness's own means of
    stopping what it is about (``deny``, ``block``, ``withhold``, ``finish``,
    ``none``), ``output`` the payload's key that holds a result.
    """

    name: str
    kind: EventKind
    answer: str
    closed: str
    output: str = ""
    since: str = ""
    evidence: str = ""
    date: str = ""
    source: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class CapabilityRow:
    """Support for capabilities at some events, under conditions."""

    events: tuple[str, ...]
    support: Mapping[Capability, Support]
    versions: str = ""
    modes: tuple[str, ...] = ()
    attended: bool | None = None
    quirk: str = ""
    evidence: str = ""
    date: str = ""
    source: str = ""
    note: str = ""

    def holds(self, event: str, version: str, mode: str, attended: bool | None) -> bool:
        """Tell whether the row speaks of this event under these conditions."""
        return (
            event in self.events
            and versions.within(version, self.versions)
            and (not self.modes or mode in self.modes)
            and (self.attended is None or self.attended is attended)
            and (not self.quirk or mitigated(self.quirk))
        )


@dataclass(frozen=True, slots=True)
class ToolFact:
    """One native tool.

    ``needs`` names the keys of its input without which a call can't be judged;
    ``text`` leads to the texts of its results.
    """

    tool_class: ToolClass
    needs: tuple[str, ...] = ()
    text: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """All that is known of one harness. ``measured`` versions are oldest first."""

    harness: str
    title: str
    measured: tuple[str, ...]
    session_fields: Mapping[str, str]
    agent_fields: Mapping[str, str]
    events: Mapping[str, EventFact]
    rows: tuple[CapabilityRow, ...]
    tools: Mapping[str, ToolFact] = field(default_factory=dict)

    @property
    def gate(self) -> str:
        """The native event that asks before a call."""
        kinds = ((name, fact.kind) for name, fact in self.events.items())
        return next(name for name, kind in kinds if kind is EventKind.TOOL_PRE)

    def capabilities(
        self,
        event: str,
        *,
        version: str = "",
        mode: str = "",
        attended: bool | None = None,
    ) -> Capabilities:
        """Return what is honoured at a native event.

        For a version that was never measured: the least that holds in the measured
        ones around it, or in all of them if it is unknown or newer.
        """
        fact = self.events.get(event)
        kind = fact.kind if fact is not None else EventKind.OTHER
        around = self.around(version)
        known = [self._support(event, one, mode, attended) for one in around]
        support = {
            capability: min(
                (one.get(capability, Support.NO) for one in known),
                key=SUPPORT_ORDER.index,
            )
            for capability in Capability
        }
        return Capabilities(kind, support, extrapolated=version not in self.measured)

    def around(self, version: str) -> tuple[str, ...]:
        """Return the measured versions that a version has to be judged by."""
        if version in self.measured:
            return (version,)
        own = versions.parse(version)
        below = [one for one in self.measured if versions.parse(one) < own]
        above = [one for one in self.measured if versions.parse(one) > own]
        if own and below and above:
            return (below[-1], above[0])
        return self.measured

    def _support(
        self, event: str, version: str, mode: str, attended: bool | None
    ) -> dict[Capability, Support]:
        support: dict[Capability, Support] = {}
        for row in self.rows:
            if row.holds(event, version, mode, attended):
                support.update(row.support)
        return support

    def tool_class(self, name: str) -> ToolClass:
        """Return what a native tool is to us; MCP tools go by their prefix."""
        if name.startswith("mcp__"):
            return ToolClass.MCP
        fact = self.tools.get(name)
        return fact.tool_class if fact is not None else ToolClass.OTHER


def from_data(data: Mapping[str, dict[str, object]]) -> Facts:
    """Build facts from the merged TOML documents.

    Raises :class:`KeyError`, :class:`TypeError` or :class:`ValueError` where the data
    is not what this module describes.
    """
    meta: dict[str, object] = data["meta"]
    return Facts(
        harness=str(meta["harness"]),
        title=str(meta["title"]),
        measured=_strings(meta["measured"]),
        session_fields=_table(meta["session"]),
        agent_fields=_table(meta["agent"]),
        events={
            name: _event(name, row)  # type: ignore[arg-type]
            for name, row in data["events"].items()
        },
        rows=tuple(_row(row) for row in data["rows"]["rows"]),  # type: ignore[attr-defined]
        tools={
            name: _tool(row)  # type: ignore[arg-type]
            for name, row in data["tools"].items()
        },
    )


def _tool(row: Mapping[str, object]) -> ToolFact:
    return ToolFact(
        ToolClass(str(row["class"])),
        needs=_strings(row.get("needs", ())),
        text=_strings(row.get("text", ())),
    )


def _event(name: str, row: Mapping[str, str]) -> EventFact:
    return EventFact(name, EventKind(row["kind"]), **_without(row, "kind"))


def _row(row: Mapping[str, object]) -> CapabilityRow:
    support = _table(row["support"])
    attended = row.get("attended")
    texts = _without(row, "support", "events", "modes", "attended")
    return CapabilityRow(
        events=_strings(row["events"]),
        support={Capability(key): Support(value) for key, value in support.items()},
        modes=_strings(row.get("modes", ())),
        attended=attended if isinstance(attended, bool) else None,
        **texts,
    )


def _without(row: Mapping[str, object], *keys: str) -> dict[str, str]:
    return {key: str(value) for key, value in row.items() if key not in keys}


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise TypeError(f"{value!r} is no list of texts")
    return tuple(str(item) for item in value)


def _table(value: object) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is no table")
    return {str(key): str(item) for key, item in value.items()}
