"""Which rewrite of a call's input counts, where several hooks have an opinion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ringfence.harnesses.claude_code.simulation.answers import Answer
from ringfence.harnesses.claude_code.simulation.contract import Contract
from ringfence.harnesses.claude_code.simulation.tools import invalid_input
from ringfence.harnesses.simulation import Input


@dataclass(frozen=True, slots=True)
class Rewrite:
    """The input that a call gets, or why the one that it was to get is invalid.

    ``question`` is the answer whose question is put, ``None`` if none is asked;
    ``deferred`` tells that the call is left to whoever resumes the session.
    """

    input: Input | None = None
    problem: str = ""
    question: Answer | None = None
    deferred: bool = False


# A verdict of lower rank than one before it doesn't count, nor does its rewrite.
_RANK = {None: 0, "allow": 1, "ask": 2, "defer": 3}


def rewrite(tool: str, finished: Sequence[Answer], contract: Contract) -> Rewrite:
    """Return what answers, in the order of finishing, make of a call's input.

    None of them denies. A deferred call keeps its input, unless a hook without a
    verdict rewrote it.
    """
    if contract.rewrites_are_checked_last:
        return _checked_last(tool, finished)
    return _checked_at_once(tool, finished)


def told_instead(tool: str, finished: Sequence[Answer], contract: Contract) -> str:
    """Return the problem that is told in place of a denial, mostly nothing.

    Where rewrites are checked as hooks finish, an invalid one without a verdict that
    comes with the last denial, or after it, takes the place of what that said.
    """
    if contract.rewrites_are_checked_last:
        return ""
    problem = ""
    for answer in finished:
        if answer.block is not None:
            problem = ""
        if answer.verdict is None and answer.updated_input is not None:
            problem = invalid_input(tool, answer.updated_input) or problem
    return problem


def _checked_last(tool: str, finished: Sequence[Answer]) -> Rewrite:
    """Take the last rewrite that counts, and the first question."""
    own: Input | None = None
    highest: str | None = None
    question: Answer | None = None
    for answer in finished:
        if answer.verdict is not None:
            if _RANK[answer.verdict] < _RANK[highest]:
                continue
            highest = answer.verdict
        if answer.verdict == "ask" and question is None:
            question = answer
        if answer.verdict == "defer":
            own = None
        elif answer.updated_input is not None:
            own = answer.updated_input
    problem = "" if own is None else invalid_input(tool, own)
    return Rewrite(own, problem, question, deferred=highest == "defer")


def _checked_at_once(tool: str, finished: Sequence[Answer]) -> Rewrite:
    """Take rewrites as hooks finish, those with a verdict before those without.

    An invalid one stands as a refusal until a later verdict takes its place. Of
    several questions the last is put.
    """
    bare: Input | None = None
    own: Input | None = None
    problem = ""
    highest: str | None = None
    question: Answer | None = None
    for answer in finished:
        if answer.verdict is not None:
            if _RANK[answer.verdict] < _RANK[highest]:
                continue
            highest = answer.verdict
        given = None if answer.verdict == "defer" else answer.updated_input
        wrong = "" if given is None else invalid_input(tool, given)
        if wrong:
            problem = wrong
        elif answer.verdict is not None:
            own, problem = given, ""
            question = answer if answer.verdict == "ask" else None
        elif given is not None:
            bare = given
    tool_input = bare if own is None else own
    return Rewrite(tool_input, problem, question, deferred=highest == "defer")
