"""Judges and mends content: protected files, redaction."""
