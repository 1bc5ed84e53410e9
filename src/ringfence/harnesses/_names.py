"""Compiled from the folders of harnesses by ``tools/generate.py``; do not edit."""

from __future__ import annotations

NAMES: tuple[str, ...] = ('claude-code', 'codex')

FORWARDED: tuple[str, ...] = ('AI_AGENT',
 'CLAUDE_CODE_ENTRYPOINT',
 'CLAUDE_CODE_REMOTE',
 'CLAUDE_CODE_SESSION_ATTENDED')
"""The variables that codecs may see: version, variant, session; no credential."""

SIGNS: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {'claude-code': (('prompt_id',), '/.claude/', ('CLAUDECODE',)),
 'codex': (('turn_id',), '/.codex/', ('CODEX_HOME',))}
"""Keys, part of the transcript's path and variables that give a harness away."""
