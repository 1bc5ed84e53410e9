"""What has to be remembered from one event to a later one."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from ringfence.errors import StateError

if TYPE_CHECKING:
    import sqlite3

_SCHEMA = """
create table if not exists continuations (
    chain text primary key,
    count integer not null,
    at real not null
) strict;
create table if not exists originals (
    call text primary key,
    input text not null,
    at real not null
) strict;
"""
_KEEP = 24 * 3600.0


class Memory:
    """Counters and inputs of a user's sessions, shared by all hooks of that user.

    Every method raises :class:`StateError` where the file can't be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / "memory.sqlite3"

    def continuations(self, chain: tuple[str, ...]) -> int:
        """Return how often the agent was made to go on in a chain of stops."""
        with closing(self._connected()) as database, _told():
            row = database.execute(
                "select count from continuations where chain = ?", (_key(*chain),)
            ).fetchone()
        return int(row[0]) if row else 0

    def continue_once_more(self, chain: tuple[str, ...], cap: int) -> bool:
        """Count one continuation, unless that would be more than ``cap``.

        Counting and checking are one step, also for hooks that run at once.
        """
        with closing(self._connected()) as database, _told():
            now = time.time()
            database.execute("delete from continuations where at < ?", (now - _KEEP,))
            changed = database.execute(
                "insert into continuations (chain, count, at) "
                "select ?, 1, ? where ? >= 1 "
                "on conflict (chain) do update set count = count + 1, at = excluded.at "
                "where count < ?",
                (_key(*chain), now, cap, cap),
            ).rowcount
            database.commit()
        return changed > 0

    def keep_original(self, call: str, tool_input: Mapping[str, object]) -> None:
        """Remember the input of a call that is about to be rewritten."""
        with closing(self._connected()) as database, _told():
            now = time.time()
            database.execute("delete from originals where at < ?", (now - _KEEP,))
            database.execute(
                "insert or replace into originals values (?, ?, ?)",
                (_key(call), json.dumps(tool_input), now),
            )
            database.commit()

    def original(self, call: str) -> Mapping[str, object] | None:
        """Return the input that a call had before it was rewritten, if it was."""
        with _told():
            try:
                self.path.stat()
            except FileNotFoundError:
                return None
        with closing(self._connected()) as database, _told():
            row = database.execute(
                "select input from originals where call = ?", (_key(call),)
            ).fetchone()
        if row is None:
            return None
        original: Mapping[str, object] = json.loads(row[0])
        return original

    def _connected(self) -> sqlite3.Connection:
        import sqlite3  # noqa: PLC0415 - most calls need no memory

        with _told():
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
            database = sqlite3.connect(self.path, timeout=5.0)
            try:
                database.execute("pragma journal_mode = wal")
                database.executescript(_SCHEMA)
            except sqlite3.Error:
                database.close()
                raise
            return database


class _told:  # noqa: N801 - reads as a word in a with statement
    """Turn trouble with the file into a StateError without its content."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, _type: object, error: BaseException | None, _tb: object) -> None:
        if error is None:
            return
        import sqlite3  # noqa: PLC0415 - most calls need no memory

        if isinstance(error, (sqlite3.Error, OSError)):
            raise StateError(
                f"Ringfence's memory can't be used: {type(error).__name__}; free space "
                "in its state folder or mend its permissions"
            ) from None


def _key(*parts: str) -> str:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()
