"""Problems of a policy file, gathered so that all of them are told at once."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from ringfence.errors import PolicyError

# Beyond this many, more lines help nobody.
MOST_TOLD = 40


@dataclass(slots=True)
class Problems:
    """The problems found so far, in any of the files of one policy."""

    found: set[tuple[str, int, str]] = field(default_factory=set)

    def add(self, file: str, line: int, what: str, mend: str) -> None:
        """Note one problem: where it is, what is wrong, and how to mend it."""
        self.found.add((file, line, f"{what}; {mend}"))

    def __bool__(self) -> bool:
        return bool(self.found)

    def check(self) -> None:
        """Raise :class:`PolicyError` with every problem, if there is one."""
        if not self.found:
            return
        lines = [f"{file}:{line}: {text}" for file, line, text in sorted(self.found)]
        if len(lines) > MOST_TOLD:
            rest = len(lines) - MOST_TOLD
            lines[MOST_TOLD:] = [f"and {rest} more; mend these first"]
        raise PolicyError(lines)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the mend for an unknown word: the nearest known one, or all of them."""
    names = sorted(known)
    near = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if near:
        return f"did you mean {near[0]!r}?"
    return "known here: " + ", ".join(names) if names else "nothing is known here"
