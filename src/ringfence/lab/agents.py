"""Coding agents at pinned versions, installed on demand into a cache.

``agents.toml`` beside this file holds the pins. Each package gets a folder of its
own, ``<root>/<name>-<version>/node_modules/.bin/<binary>``; a folder takes its
final name only once npm is done, and is used only if its binary reports exactly
the pinned version.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ringfence.errors import RingfenceError

PINS_FILE = Path(__file__).with_name("agents.toml")
INSTALL_TIMEOUT = 600.0
VERSION_TIMEOUT = 60.0

Progress = Callable[[str], None]


class AgentUnavailableError(RingfenceError):
    """An agent is not here and could not be installed; the message has the mend."""


class AgentVersionError(RingfenceError):
    """An installed agent reports another version than the one pinned."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One npm package at one version; ``model`` is empty for Node itself."""

    name: str
    package: str
    version: str
    binary: str
    model: str = ""

    @property
    def folder(self) -> str:
        """The folder below the cache root that this pin is installed into."""
        return f"{self.name}-{self.version}"


@dataclass(frozen=True, slots=True)
class Pins:
    """Everything that a pins file says."""

    node: Pin
    agents: tuple[Pin, ...]

    @classmethod
    def load(cls, path: Path = PINS_FILE) -> Pins:
        """Read a pins file (see ``agents.toml`` for its form)."""
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return cls(
            node=Pin(name="node", **data["node"]),
            agents=tuple(Pin(**entry) for entry in data["agents"]),
        )

    def find(self, name: str, version: str | None = None) -> Pin:
        """Return the pin of an agent; without a version, its first.

        Raises :class:`AgentUnavailableError` for what is not pinned.
        """
        for pin in self.agents:
            if pin.name == name and version in (None, pin.version):
                return pin
        known = ", ".join(f"{pin.name} {pin.version}" for pin in self.agents)
        raise AgentUnavailableError(
            f"{name} {version or ''}".rstrip() + f" is not pinned; pinned are {known}"
        )


@dataclass(frozen=True, slots=True)
class Installed:
    """An agent that is on this machine, with the Node that it runs on."""

    name: str
    version: str
    binary: Path
    node: Path
    model: str

    def search_path(self, rest: str | None = None) -> str:
        """Return a ``PATH`` with this agent and its Node before ``rest``."""
        tail = os.environ.get("PATH", os.defpath) if rest is None else rest
        return os.pathsep.join([str(self.binary.parent), str(self.node.parent), tail])


def pinned() -> tuple[Pin, ...]:
    """Return the agents that the lab is pinned to, default version first."""
    return Pins.load().agents


def default_root() -> Path:
    """Return the cache folder: below ``XDG_CACHE_HOME``, else ``~/.cache``."""
    base = os.environ.get("XDG_CACHE_HOME")
    cache = Path(base) if base else Path.home() / ".cache"
    return cache / "ringfence" / "agents"


def ensure(
    name: str,
    version: str | None = None,
    *,
    root: Path | None = None,
    pins: Pins | None = None,
    progress: Progress | None = None,
) -> Installed:
    """Return an agent at its pinned version, installing it first where missing.

    ``progress`` is told in a line each about what takes long. Raises
    :class:`AgentUnavailableError` where the agent cannot be had (no npm, no
    network, not pinned) and :class:`AgentVersionError` where what is installed
    reports another version than the pin.
    """
    pins = pins or Pins.load()
    root = root or default_root()
    say = progress or _silent
    pin = pins.find(name, version)
    node = _ensure_pin(pins.node, root, os.environ.get("PATH", os.defpath), say)
    path = os.pathsep.join([str(node.parent), os.environ.get("PATH", os.defpath)])
    binary = _ensure_pin(pin, root, path, say)
    return Installed(pin.name, pin.version, binary, node, pin.model)


def _silent(_line: str) -> None:
    """Take a line of progress and drop it."""


def _ensure_pin(pin: Pin, root: Path, path: str, say: Progress) -> Path:
    binary = root / pin.folder / "node_modules" / ".bin" / pin.binary
    if _is_at_pin(pin, binary, path):
        return binary
    if shutil.which("npm", path=path) is None:
        raise AgentUnavailableError(
            f"{pin.name} {pin.version} is not installed and npm is not on PATH; "
            f"install Node.js with npm, or put {pin.package}@{pin.version} into "
            f"{root / pin.folder} by other means"
        )
    with _lock(root, pin.folder):
        # Another process may have installed it while this one waited.
        if not _is_at_pin(pin, binary, path):
            say(f"installing {pin.package} {pin.version} with npm")
            _install(pin, root, path)
            if not _is_at_pin(pin, binary, path):
                raise AgentUnavailableError(
                    f"npm installed {pin.package} {pin.version}, but its command "
                    f"{pin.binary} does not run; see {_log(pin, root)}"
                )
            say(f"installed {pin.name} {pin.version}")
    return binary


def _is_at_pin(pin: Pin, binary: Path, path: str) -> bool:
    """Tell whether the binary is there and works; raise if it is another version."""
    if not binary.exists():
        return False
    try:
        done = subprocess.run(
            [binary, "--version"],
            capture_output=True,
            text=True,
            timeout=VERSION_TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PATH": path},
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    found = re.search(r"\d+\.\d+\.\d+[-+.\w]*", done.stdout)
    if done.returncode != 0 or found is None:
        return False
    if found.group() != pin.version:
        raise AgentVersionError(
            f"{binary} reports version {found.group()}, pinned is {pin.version}; "
            f"remove {binary.parents[2]} to have it installed again"
        )
    return True


@contextmanager
def _lock(root: Path, folder: str) -> Iterator[None]:
    """Hold the installer's lock of one folder; the kernel drops it at any end."""
    root.mkdir(parents=True, exist_ok=True)
    with (root / f".{folder}.lock").open("w") as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _log(pin: Pin, root: Path) -> Path:
    return root / f".{pin.folder}.log"


def _install(pin: Pin, root: Path, path: str) -> None:
    """Install into a folder beside the final one, then rename. Needs the lock."""
    partial = root / f".{pin.folder}.partial"
    final = root / pin.folder
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    manifest = {"private": True, "dependencies": {pin.package: pin.version}}
    (partial / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
    argv = ["npm", "install", "--no-audit", "--no-fund", "--no-progress"]
    with _log(pin, root).open("w", encoding="utf-8") as log:
        try:
            done = subprocess.run(
                argv,
                cwd=partial,
                env={**os.environ, "PATH": path},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                timeout=INSTALL_TIMEOUT,
                check=False,
            )
            failure = "" if done.returncode == 0 else f"exit {done.returncode}"
        except subprocess.TimeoutExpired:
            failure = f"no end after {INSTALL_TIMEOUT:.0f} s"
    if failure:
        raise AgentUnavailableError(
            f"npm could not install {pin.package} {pin.version} ({failure}); "
            f"see {_log(pin, root)}, mend the network or registry and try again"
        )
    # What stands at the final name did not work, or this would not have run.
    shutil.rmtree(final, ignore_errors=True)
    partial.rename(final)
