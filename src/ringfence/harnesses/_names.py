"""Compiled from the folders of harnesses by ``tools/generate.py``; do not edit."""

from __future__ import annotations

NAMES: tuple[str, ...] = ('claude-code', 'codex')
