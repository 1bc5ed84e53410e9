"""Which policy a verb works with."""

from __future__ import annotations

from pathlib import Path

import click

from ringfence.api import Ringfence
from ringfence.state import directories

RECOMMENDED = "ringfence:recommended"

policy_option = click.option(
    "--policy",
    metavar="FILE",
    help="The policy to go by; by default your own, else the recommended one.",
)


def policy_for(wanted: str | None) -> str:
    """Return the policy that is asked for, the user's own, or the recommended one."""
    if wanted:
        return wanted
    own = directories.of_environment().policy
    return str(own) if own.exists() else RECOMMENDED


def fence_for(wanted: str | None) -> Ringfence:
    """Return a fence for that policy.

    Raises :class:`~ringfence.errors.PolicyError` where it can't be loaded.
    """
    policy = policy_for(wanted)
    if not policy.startswith("ringfence:"):
        policy = str(Path(policy).absolute())
    return Ringfence(policy=policy)


def shown(policy: str) -> str:
    """Return how to speak of a policy."""
    return policy if policy.startswith("ringfence:") else str(Path(policy))
