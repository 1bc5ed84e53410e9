"""The rules of Codex, by what they are about; ``simulator.py`` joins them."""
