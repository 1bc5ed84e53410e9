"""Writes hook settings into a throwaway home, for demonstrations and tests.

It overwrites: it is never to be pointed at a person's own home.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from ringfence.harnesses import registry
from ringfence.install import launcher


def write(
    home: Path,
    harness: str,
    *,
    version: str = "",
    options: Sequence[str] = (),
    program: Sequence[str] = (),
) -> Path:
    """Write launcher and hook settings of one harness; return the settings' path.

    State is kept under the home as well. ``options`` are further ones of the hook,
    ``program`` is an author's own command in its place.
    """
    config = registry.config(harness)
    data = home / ".local" / "share" / "ringfence"
    state = home / ".local" / "state" / "ringfence"
    baked = ["--state", str(state), *options]
    if version:
        baked += ["--harness-version", version]
    path = launcher.write(data, baked, program)
    settings = home / config.user_file
    settings.parent.mkdir(parents=True, exist_ok=True)
    block = {"hooks": config.hooks(str(path), version=version)}
    settings.write_text(json.dumps(block, indent=2) + "\n", encoding="utf-8")
    return settings
