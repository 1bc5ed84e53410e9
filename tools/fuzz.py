"""Hands mangled payloads to Ringfence for a while and holds it to its promises.

Whatever comes in: an answer comes out, on one channel, JSON or nothing; and a command
that the policy denies is never passed, however the payload around it is mangled. The
seed is printed, and ``--seed`` takes the same way again. Exit 1 with the payload's
hash, and the payload in a file, where a promise is broken.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import tempfile
import time
from pathlib import Path

from ringfence.api import Ringfence
from ringfence.edge.handling import Desk
from ringfence.harnesses import registry
from ringfence.harnesses.base import Context, WireAnswer
from ringfence.state.memory import Memory
from ringfence.state.spool import Spool
from ringfence.testing import Captured, captured

DENIED = "git push --force origin main"
JUNK: tuple[object, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    "",
    "\x00",
    "\ud800",
    [],
    {},
    [[]],
    {"a": {}},
    "x" * 9,
)


def mangled(one: Captured, rng: random.Random) -> tuple[bytes, bool]:
    """Return a mangled payload, and whether it still asks for the denied command.

    Only mangling that leaves the command and what makes it one in place keeps the
    second true.
    """
    native = json.loads(one.raw)
    gate = one.name.startswith("PreToolUse-Bash")
    if gate:
        native["tool_input"]["command"] = DENIED
    needed = {"hook_event_name", "tool_name", "tool_input"}
    for _ in range(rng.randrange(4)):
        key = rng.choice(sorted(native) or [""])
        if rng.random() < 0.3:
            key = "key" + str(rng.randrange(9))
        if key in needed:
            gate = False
        native[key] = rng.choice(JUNK)
    data = json.dumps(native).encode()
    if rng.random() < 0.4:
        return mangled_bytes(data, rng), False
    return data, gate


def mangled_bytes(data: bytes, rng: random.Random) -> bytes:
    """Cut, repeat, flip or insert bytes."""
    place = rng.randrange(len(data))
    way = rng.randrange(5)
    if way == 0:
        return data[:place]
    if way == 1:
        return data[:place] + bytes([rng.randrange(256)]) + data[place:]
    if way == 2:
        return (
            data[:place]
            + bytes([data[place] ^ (1 << rng.randrange(8))])
            + data[place + 1 :]
        )
    if way == 3:
        return data + data[place:]
    return data[:place] + data[place + rng.randrange(1, 40) :]


def broken(answer: WireAnswer, *, denied: bool) -> str:
    """Say which promise an answer breaks, nothing if it keeps them all."""
    if answer.exit_code not in (0, 2):
        return f"exit code {answer.exit_code}"
    if answer.exit_code == 2 and (answer.stdout or not answer.stderr.strip()):
        return "exit 2 with output, or without a reason"
    if answer.stdout:
        try:
            document = json.loads(answer.stdout)
        except ValueError:
            return "stdout is not one JSON document"
        if not isinstance(document, dict):
            return "stdout is not an object"
    if denied and not (answer.exit_code == 2 or '"deny"' in answer.stdout):
        return "the denied command passes"
    return ""


def main() -> int:
    """Fuzz until the time is over."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument(
        "--seed", type=int, default=random.SystemRandom().getrandbits(32)
    )
    options = parser.parse_args()
    print(f"fuzzing for {options.seconds:.0f} s with --seed {options.seed}")
    rng = random.Random(options.seed)  # noqa: S311 - a reproducible choice
    fence = Ringfence(policy="ringfence:recommended")
    samples = list(captured())
    end, count = time.monotonic() + options.seconds, 0
    with tempfile.TemporaryDirectory(prefix="ringfence-fuzz-") as folder:
        state = Path(folder)
        desks = {
            name: Desk(fence, registry.codec(name), Spool(state), Memory(state))
            for name in registry.NAMES
        }
        while time.monotonic() < end:
            count += 1
            one = rng.choice(samples)
            payload, denied = mangled(one, rng)
            answer = desks[one.harness].answer(payload, Context(version=one.version))
            promise = broken(answer, denied=denied)
            if promise:
                name = hashlib.sha256(payload).hexdigest()[:12]
                kept = Path(tempfile.gettempdir()) / f"ringfence-fuzz-{name}.json"
                kept.write_bytes(payload)
                print(f"broken after {count}: {promise}; the payload is in {kept}")
                return 1
    print(f"{count} payloads, no promise broken")
    return 0


if __name__ == "__main__":
    sys.exit(main())
