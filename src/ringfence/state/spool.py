"""Records of decisions, written before the answer: one ``write()`` each.

A record names what was decided, by whom and how long it took. It never holds a tool's
input or output, a prompt or a reason.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping
from pathlib import Path

from ringfence.errors import StateError


class Spool:
    """Appends records to files of one folder, a file a day."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def append(self, record: Mapping[str, object]) -> None:
        """Write one record.

        Raises :class:`StateError` where it can't be written whole.
        """
        line = json.dumps(record, separators=(",", ":")).encode() + b"\n"
        name = time.strftime("decisions-%Y%m%d.jsonl", time.gmtime())
        try:
            descriptor = self._open(self.folder / name)
            try:
                written = os.write(descriptor, line)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StateError(
                f"the record of a decision can't be written to {self.folder}: "
                f"{error.strerror}; free space there or mend its permissions"
            ) from None
        if written != len(line):
            raise StateError(f"the disk under {self.folder} is full")

    def _open(self, path: Path) -> int:
        # A pipe put in its place would hold the hook until somebody reads it.
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            return os.open(path, flags, 0o600)
        except FileNotFoundError:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            return os.open(path, flags, 0o600)
