"""Reverts mitigations of quirks, one at a time, and sees their tests turn red.

Takes some at random; the seed is printed, and ``--seed`` takes the same again.
``--quirk ID`` takes one, ``--count 0`` takes all. Exits with 1 where a test stays
green without what it is there for, or is red with it.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ringfence.harnesses.quirk_facts import Quirk, registered

ROOT = Path(__file__).resolve().parent.parent
PASSED, FAILED = 0, 1


def chosen(count: int, seed: int, names: Sequence[str]) -> list[Quirk]:
    """Return the quirks to revert, in a fixed order."""
    quirks = {quirk.id: quirk for quirk in registered().values() if not quirk.gap}
    if names:
        return [quirks[name] for name in names]
    ids = sorted(quirks)
    if count:
        ids = random.Random(seed).sample(ids, min(count, len(ids)))  # noqa: S311
    return [quirks[quirk_id] for quirk_id in ids]


def run(tests: Sequence[str], *options: str) -> int:
    """Run tests; return pytest's exit code."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, *options, *tests], cwd=ROOT, capture_output=True, check=False
    )
    return done.returncode


def main() -> int:
    """Revert mitigations and tell which tests notice."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().getrandbits(32)
    )
    parser.add_argument("--quirk", action="append", default=[])
    given = parser.parse_args()
    quirks = chosen(given.count, given.seed, given.quirk)
    print(f"seed {given.seed}")
    tests = list(dict.fromkeys(quirk.test for quirk in quirks))
    if run(tests) != PASSED:
        print("with all mitigations in force, these tests must pass:", *tests)
        return 1
    missed = 0
    for quirk in quirks:
        noticed = run([quirk.test], f"--without-quirk={quirk.id}") == FAILED
        missed += not noticed
        print(f"{'red' if noticed else 'STAYS GREEN'}  {quirk.id}  {quirk.test}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
