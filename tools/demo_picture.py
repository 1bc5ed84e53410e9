"""Draws the picture of the demonstration, out of what ``ringfence demo`` prints.

``python -m tools.demo_picture`` runs the real agents; with ``--simulated`` none.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "images" / "demo.svg"
WIDTH = 132

THEME = TerminalTheme(
    background=(22, 25, 31),
    foreground=(204, 209, 217),
    normal=[
        (22, 25, 31),
        (240, 113, 120),
        (145, 201, 130),
        (229, 192, 123),
        (110, 170, 240),
        (198, 146, 233),
        (94, 196, 200),
        (204, 209, 217),
    ],
    bright=[
        (106, 115, 130),
        (240, 113, 120),
        (145, 201, 130),
        (229, 192, 123),
        (110, 170, 240),
        (198, 146, 233),
        (94, 196, 200),
        (240, 243, 247),
    ],
)
FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"


def demonstrated(arguments: list[str]) -> str:
    """Run the demonstration and return what it prints, colours included.

    Raises :class:`SystemExit` where something came out otherwise.
    """
    done = subprocess.run(
        [sys.executable, "-m", "ringfence", "demo", *arguments],
        env={**os.environ, "COLUMNS": str(WIDTH), "FORCE_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(done.stdout + done.stderr)
    return done.stdout


def drawn(printed: str) -> str:
    """Return a terminal's text as SVG that needs nothing from elsewhere."""
    with Path(os.devnull).open("w") as nowhere:
        console = Console(
            record=True, width=WIDTH, file=nowhere, force_terminal=True, highlight=False
        )
        console.print(Text("$ ringfence demo", style="bold"))
        console.print()
        console.print(Text.from_ansi(printed.rstrip()))
        picture = console.export_svg(title="", theme=THEME, unique_id="demo")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    picture = re.sub(r"font-family: [^;]*;", f"font-family: {FONTS};", picture)
    return "\n".join(line.rstrip() for line in picture.splitlines()) + "\n"


def main() -> int:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--simulated", action="store_true", help="run no agent")
    simulated = parser.parse_args().simulated
    printed = demonstrated(["--simulated"] if simulated else [])
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(drawn(printed), "utf-8")
    print(f"wrote: {PICTURE.name}, {len(printed.splitlines())} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())
