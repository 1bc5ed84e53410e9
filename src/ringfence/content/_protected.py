"""Compiled from ``facts/config.toml`` by ``tools/generate.py``; do not edit.

Patterns of the files that keep guards in place, of all harnesses.
"""

from __future__ import annotations

PROTECTED: tuple[str, ...] = ('**/.config/ringfence/**',
 '**/.local/*/ringfence/**',
 '/etc/ringfence/**',
 '**/.claude/settings.json',
 '**/.claude/settings.local.json',
 '/etc/claude-code/**',
 '/Library/Application Support/ClaudeCode/**',
 '**/.codex/hooks.json',
 '**/.codex/config.toml',
 '/etc/codex/**')
