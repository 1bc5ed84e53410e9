"""Writes hook settings into a throwaway home, for demonstrations and tests.

It overwrites: it is never to be pointed at a person's own home.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ringfence.harnesses.claude_code import config as claude_code
from ringfence.harnesses.codex import config as codex
from ringfence.install import launcher

_FILES: Mapping[str, tuple[str, Callable[..., dict[str, object]]]] = {
    "claude-code": (".claude/settings.json", claude_code.hooks),
    "codex": (".codex/hooks.json", codex.hooks),
}


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
    name, hooks = _FILES[harness]
    data = home / ".local" / "share" / "ringfence"
    state = home / ".local" / "state" / "ringfence"
    baked = ["--state", str(state), *options]
    if version:
        baked += ["--harness-version", version]
    path = launcher.write(data, baked, program)
    settings = home / name
    settings.parent.mkdir(parents=True, exist_ok=True)
    block = {"hooks": hooks(str(path), version=version)}
    settings.write_text(json.dumps(block, indent=2) + "\n", encoding="utf-8")
    return settings
