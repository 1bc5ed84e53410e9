"""Claude Code: hooks are processes that read JSON and answer JSON."""
