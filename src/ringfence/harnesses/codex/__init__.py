"""Codex: Claude-like payloads, and answers that are void with one key too many."""
