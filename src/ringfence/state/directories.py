"""Where Ringfence keeps its things.

The hook never asks the environment: a project can set variables for it. It goes by the
home that the system's user database names, or by paths that were baked in at install.
A person at a terminal may use the usual variables.
"""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from pathlib import Path

from ringfence.errors import StateError

POLICY_NAME = "ringfence.yaml"


@dataclass(frozen=True, slots=True)
class Directories:
    """The folders of one user. They need not exist."""

    config: Path
    state: Path
    data: Path
    cache: Path

    @property
    def policy(self) -> Path:
        """The user's own policy file."""
        return self.config / POLICY_NAME


def of_user() -> Directories:
    """Return the folders of the user that this process runs as.

    Raises :class:`StateError` where the system's user database does not know them.
    """
    try:
        home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:
        raise StateError(
            f"the user database has no home for user {os.getuid()}; "
            "say where with --state and --policy"
        ) from None
    return _under(home, {})


def of_environment() -> Directories:
    """Return the folders that ``HOME`` and the ``XDG_*`` variables name."""
    return _under(Path.home(), dict(os.environ))


def _under(home: Path, environment: dict[str, str]) -> Directories:
    def folder(variable: str, default: str) -> Path:
        value = environment.get(variable, "")
        base = Path(value) if value.startswith("/") else home / default
        return base / "ringfence"

    return Directories(
        config=folder("XDG_CONFIG_HOME", ".config"),
        state=folder("XDG_STATE_HOME", ".local/state"),
        data=folder("XDG_DATA_HOME", ".local/share"),
        cache=folder("XDG_CACHE_HOME", ".cache"),
    )
