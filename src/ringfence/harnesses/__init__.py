"""One folder per harness, behind one protocol.

A harness is a codec (pure), facts (data), a simulator and a writer of its
configuration. What several dialects share stands in ``_dialects``.
"""
