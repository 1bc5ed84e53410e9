"""Compiled from ``facts/config.toml`` by ``tools/generate.py``; do not edit.

Patterns of the files that keep guards in place, and the words that start an agent
without them, of all harnesses.
"""

from __future__ import annotations

from typing import NamedTuple


class Unhooked(NamedTuple):
    """How a program is started so that it does not load its hooks."""

    words: frozenset[str]
    parts: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    variables: frozenset[str]


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

UNHOOKED: dict[str, Unhooked] = {
    'claude': Unhooked(
        words=frozenset(['--bare', '--safe-mode']),
        parts=('disableallhooks',),
        pairs=frozenset([]),
        variables=frozenset(['CLAUDE_CODE_SIMPLE', 'CLAUDE_CONFIG_DIR', 'HOME']),
    ),
    'codex': Unhooked(
        words=frozenset(['--disable=hooks']),
        parts=('--dangerously-bypass-hook-trust', 'features.hooks=false'),
        pairs=frozenset([('--disable', 'hooks')]),
        variables=frozenset(['CODEX_HOME', 'HOME']),
    ),
}
