r"""Rewrites shell text into the part of bash that the grammar reads right.

The grammar reads some of bash wrongly or not at all. One pass over the text, which
knows quoting, comments and nesting, rewrites just that:

==========================================  ==========================================
``<<EOF`` with its lines, ``<<<word``        ``<"…"``, marked, the lines taken out
``3<>f``, ``{fd}>f``                         ``3>f``, ``>f``, marked
`````…`````                                  ``$(…)``, one level of escapes removed
``time -p x``, ``coproc NAME { x; }``        ``x`` (marked as timed), ``{ x; }``
``! x``                                     ``x``
``;&`` and ``;;&``                           ``;;``
``$"…"``, ``\\ ``, ``((a); b)``                 ``"…"``, ``' '``, ``( (a); b)``
an unquoted brace of a word                  a mark (see :mod:`.quoting`)
line continuations, comments                 nothing
==========================================  ==========================================
"""

from __future__ import annotations

from ringfence.parsing.shell.lexer import Lexer
from ringfence.parsing.shell.quoting import MARKED
from ringfence.parsing.shell.rewritten import Normalized, NormalizeError, flatten

__all__ = ["NormalizeError", "Normalized", "normalize"]


def normalize(text: str) -> Normalized:
    """Return ``text`` in a form that the grammar reads as bash reads ``text``.

    Raises :class:`NormalizeError` for text that is no shell text: characters that
    bash drops, quotes or brackets without an end, nesting without measure.
    """
    try:
        encoded = text.replace("\r\n", "\n").encode()
    except UnicodeEncodeError:
        raise NormalizeError("the shell text is not valid Unicode") from None
    # One character per byte: offsets are then those of the grammar.
    source = encoded.decode("latin-1")
    if "\0" in source or MARKED.search(source):
        raise NormalizeError("the shell text holds control characters")
    lexer = Lexer(source)
    lexer.code("")
    lexer.finish()
    return flatten(lexer.out)
