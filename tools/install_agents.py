"""Installs every pinned agent into the cache, and says which versions are there."""

from __future__ import annotations

from ringfence.lab.agents import ensure, pinned


def main() -> None:
    """Install what is missing; raises where a version is not the pinned one."""
    for pin in pinned():
        installed = ensure(pin.name, pin.version, progress=print)
        print(f"{installed.name} {installed.version}: {installed.binary.name}")


if __name__ == "__main__":
    main()
