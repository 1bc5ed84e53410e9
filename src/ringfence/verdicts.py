"""The verdicts of all families of decisions, with their grounds and their order."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """The verdicts, of all families."""

    NO_DECISION = "no_decision"
    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"
    ACCEPT = "accept"
    BLOCK = "block"
    OBSERVED = "observed"
    FLAG = "flag"
    REPLACE = "replace"
    FINISH = "finish"
    CONTINUE = "continue"
    OBSERVE = "observe"


RANK = {
    Kind.NO_DECISION: 0,
    Kind.ALLOW: 1,
    Kind.ASK: 2,
    Kind.DENY: 3,
    Kind.ACCEPT: 0,
    Kind.BLOCK: 1,
    Kind.OBSERVED: 0,
    Kind.FLAG: 1,
    Kind.REPLACE: 2,
    Kind.FINISH: 0,
    Kind.CONTINUE: 1,
    Kind.OBSERVE: 0,
}
"""How restrictive a verdict is, among those of its family; 0 says nothing."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict with its grounds, which join as one.

    ``suggest`` is what would pass instead; ``block_reason`` what a person is told
    where a harness tells the person something else than the model.
    """

    kind: Kind
    reason: str = ""
    rule: str = ""
    suggest: str = ""
    block_reason: str = ""

    def __post_init__(self) -> None:
        if RANK[self.kind] == 0 and (self.reason or self.rule or self.suggest):
            raise ValueError(f"a verdict of {self.kind} has no grounds to tell")

    def stricter(self, other: Judgement) -> Judgement:
        """Return the more restrictive of two; of equals, this one."""
        return other if RANK[other.kind] > RANK[self.kind] else self


UNDECIDED = Judgement(Kind.NO_DECISION)
ACCEPTED = Judgement(Kind.ACCEPT)
PASSED = Judgement(Kind.OBSERVED)
