"""The rules of Claude Code, by what they are about; ``simulator.py`` joins them."""
