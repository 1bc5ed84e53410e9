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

    ``question`` is the answer whose question is put, ``None`` if none is asked.
    """

    input: Input | None = None
    problem: str = ""
    question: Answer | None = None


def rewrite(tool: str, finished: Sequence[Answer], contract: Contract) -> Rewrite:
    """Return what answers, in the order of finishing, make of a call's input."""
    if contract.rewrites_are_checked_last:
        return _checked_last(tool, finished)
    return _checked_at_once(tool, finished)


def _checked_last(tool: str, finished: Sequence[Answer]) -> Rewrite:
    """Take the last rewrite; an allow's doesn't count once there is a question."""
    tool_input: Input | None = None
    question: Answer | None = None
    for answer in finished:
        outranked = answer.verdict == "allow" and question is not None
        if answer.updated_input is not None and not outranked:
            tool_input = answer.updated_input
        if answer.verdict == "ask" and question is None:
            question = answer
    problem = "" if tool_input is None else invalid_input(tool, tool_input)
    return Rewrite(tool_input, problem, question)


def _checked_at_once(tool: str, finished: Sequence[Answer]) -> Rewrite:
    """Take rewrites as hooks finish, those with a verdict before those without.

    An invalid one stands as a refusal until a later verdict takes its place. Of
    several questions the last is put.
    """
    bare: Input | None = None
    own: Input | None = None
    problem = ""
    question: Answer | None = None
    asked = False
    for answer in finished:
        if answer.verdict == "allow" and asked:
            continue
        asked = asked or answer.verdict == "ask"
        given = answer.updated_input
        wrong = "" if given is None else invalid_input(tool, given)
        if wrong:
            problem = wrong
        elif answer.verdict is not None:
            own, problem = given, ""
            question = answer if answer.verdict == "ask" else None
        elif given is not None:
            bare = given
    return Rewrite(bare if own is None else own, problem, question)
