"""The command ``ringfence``; the hook entry takes a way of its own."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["hook"] and "--help" not in sys.argv:
        # Called by an agent at each tool call: import nothing but what it needs.
        _hook(sys.argv[2:])
    from ringfence.cli import main as command_line  # noqa: PLC0415

    command_line()


def _hook(arguments: list[str]) -> None:
    """Run the hook entry; if it can't even be loaded, stop what it guards."""
    try:
        from ringfence.edge.hook import run  # noqa: PLC0415
    except BaseException as error:  # noqa: BLE001 - nothing may pass from here
        sys.stderr.write(
            f"ringfence: the hook can't be loaded: {type(error).__name__}\n"
        )
        sys.exit(2)
    run(arguments)


if __name__ == "__main__":
    main()
