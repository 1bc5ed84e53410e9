"""How a worker hands an answer to the process that speaks to the harness.

A frame is a letter, exit code, two lengths, then stdout and stderr. Nothing is
imported here that a hook that only denies would not need.
"""

from __future__ import annotations

import os

PREPARED = b"R"
"""What to say if the worker dies or is late; a later one replaces it."""
ANSWER = b"A"
"""What to say; nothing follows it."""
LIMIT = b"L"
"""How many seconds all of it may take, in the place of stdout."""

_HEADER = 1 + 1 + 4 + 4


def pack(letter: bytes, stdout: str, stderr: str, exit_code: int) -> bytes:
    """Return the frame of an answer."""
    out = stdout.encode("utf-8", "backslashreplace")
    err = stderr.encode("utf-8", "backslashreplace")
    return b"".join(
        (
            letter,
            exit_code.to_bytes(1, "big"),
            len(out).to_bytes(4, "big"),
            len(err).to_bytes(4, "big"),
            out,
            err,
        )
    )


class Frames:
    """Collects bytes into whole frames: ``(letter, exit code, stdout, stderr)``."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> list[tuple[bytes, int, bytes, bytes]]:
        """Add bytes; return the frames that are whole now."""
        self._bytes += data
        whole = []
        while len(self._bytes) >= _HEADER:
            out = int.from_bytes(self._bytes[2:6], "big")
            err = int.from_bytes(self._bytes[6:10], "big")
            end = _HEADER + out + err
            if len(self._bytes) < end:
                break
            body = bytes(self._bytes[_HEADER:end])
            whole.append(
                (bytes(self._bytes[:1]), self._bytes[1], body[:out], body[out:])
            )
            del self._bytes[:end]
        return whole


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of ``data``, however many writes it takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
