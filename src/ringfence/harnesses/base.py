"""The protocol that every harness's codec keeps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ringfence.capabilities import Loss
from ringfence.decisions import Decision
from ringfence.events import Confidence, Event
from ringfence.failure import Settings
from ringfence.harnesses.facts import Facts


@dataclass(frozen=True, slots=True)
class WireAnswer:
    """What a hook process gives back to the harness."""

    stdout: str = ""
    stderr: str = ""
    exit_code: int = 0


@dataclass(frozen=True, slots=True)
class Context:
    """What is known beside the payload.

    ``event_name`` is the native event that the hook was installed for, ``version``
    the harness's version as remembered at install; either may be empty.
    """

    event_name: str = ""
    version: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    received_at: float = field(default_factory=time.time)
    confidence: Confidence = Confidence.FLAG


@dataclass(frozen=True, slots=True)
class Encoded:
    """An answer, the decision that it renders, and what was lost on the way."""

    answer: WireAnswer
    decision: Decision
    losses: tuple[Loss, ...] = ()


class Codec(Protocol):
    """Translates between one harness's wire and events and decisions. Pure."""

    @property
    def facts(self) -> Facts:
        """What is known of the harness."""

    @property
    def silence(self) -> WireAnswer:
        """The neutral answer to an event whose payload can't be read."""

    def decode(self, payload: bytes, context: Context) -> Event:
        """Read a native payload.

        Raises :class:`~ringfence.errors.DecodeError` where the payload, or a part
        that the answer depends on, can't be understood.
        """

    def encode(
        self, event: Event, decision: Decision, settings: Settings | None = None
    ) -> Encoded:
        """Render a decision as the harness wants it, degraded to what it honours.

        Raises :class:`~ringfence.errors.UnsupportedDecisionError` under ``strict``
        where something would be lost.
        """

    def refuse(self, event_name: str, reason: str) -> WireAnswer:
        """Return the strongest stop for an event whose payload can't be read."""


class Config(Protocol):
    """What to write where, so that a harness's hooks call Ringfence. Pure."""

    @property
    def user_file(self) -> str:
        """The user's file of hook settings, relative to the home."""

    def hooks(
        self, launcher: str, *, version: str = "", timeout: int = 60
    ) -> dict[str, object]:
        """Return the ``hooks`` part of that file.

        ``launcher`` is the absolute path of the hook launcher, ``version`` the
        harness's, ``timeout`` the hook's own in seconds, which has to lie above
        Ringfence's.
        """
