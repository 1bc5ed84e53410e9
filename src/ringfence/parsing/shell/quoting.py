"""Quote removal and brace expansion, as the bash manual describes them.

The normalizer marks every unquoted brace, so that a quoted one stays a character:
``OPEN`` and ``CLOSE`` stand for ``{`` and ``}``, ``COMMA`` for a comma between them.
"""

from __future__ import annotations

import re
from itertools import pairwise, product

OPEN, CLOSE, COMMA = "\x01", "\x02", "\x03"
MARKED = re.compile(f"[{OPEN}{CLOSE}{COMMA}]")
MARKS = str.maketrans({OPEN: "{", CLOSE: "}", COMMA: ","})
MAX_WORDS = 512

_SIMPLE_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "?": "?",
}
_ANSI_C = re.compile(
    r"\\(?:([abeEfnrtv\\'\"?])|([0-7]{1,3})|x([0-9a-fA-F]{1,2})"
    r"|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.))",
    re.DOTALL,
)
_RANGE = re.compile(r"(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?")


def unmark(text: str) -> str:
    """Return the text as it was written, marks turned back into braces."""
    return text.translate(MARKS)


def unescape_bare(text: str) -> str:
    """Remove the backslashes of an unquoted word, and mark its commas."""
    return re.sub(r"\\(.)|,", lambda m: m[1] or COMMA, text, flags=re.DOTALL)


def unescape_double(text: str) -> str:
    """Remove the backslashes that mean something inside double quotes."""
    return re.sub(r'\\(?:\n|([$`"\\]))', lambda m: m[1] or "", text)


def decode_ansi_c(text: str) -> str | None:
    """Decode the inside of ``$'…'``; ``None`` where that is no text, or has marks."""
    # The bytes are put together first: \xc3\xa9 is one character in bash.
    parts: list[bytes] = []
    at = 0
    for match in _ANSI_C.finditer(text):
        parts.append(text[at : match.start()].encode())
        at = match.end()
        simple, octal, byte, short, long, control = match.groups()
        if simple is not None:
            parts.append(_SIMPLE_ESCAPES[simple].encode())
        elif octal is not None or byte is not None:
            number = int(octal, 8) if octal is not None else int(byte, 16)
            parts.append(bytes([number & 0xFF]))
        elif control is not None:
            parts.append(bytes([ord(control) & 0x1F]))
        else:
            number = int(short or long, 16)
            if number > 0x10FFFF or 0xD800 <= number < 0xE000:
                return None
            parts.append(chr(number).encode())
    parts.append(text[at:].encode())
    raw = b"".join(parts)
    # bash ends the string at a NUL.
    raw, _, _ = raw.partition(b"\0")
    try:
        decoded = raw.decode()
    except UnicodeDecodeError:
        return None
    return None if MARKED.search(decoded) else decoded


def expand_braces(text: str) -> list[str] | None:
    """Expand the marked braces of a word; ``None`` if it makes too many words."""
    if OPEN not in text:
        return [text]
    try:
        words = _expand(text, 0)
    except OverflowError:
        return None
    return words


def _expand(text: str, depth: int) -> list[str]:
    if depth > 8:
        raise OverflowError
    start = text.find(OPEN)
    while start >= 0:
        end, commas = _matching(text, start)
        if end < 0:
            start = text.find(OPEN, start + 1)
            continue
        parts = _alternatives(text, start, end, commas, depth)
        if parts is None:
            # ``{a}`` and ``{}`` are not expanded, but braces within and after are.
            inner = _expand(text[start + 1 : end], depth + 1)
            parts = [f"{{{part}}}" for part in inner]
        tails = _expand(text[end + 1 :], depth + 1)
        if len(parts) * len(tails) > MAX_WORDS:
            raise OverflowError
        head = text[:start]
        return [head + part + tail for part, tail in product(parts, tails)]
    return [text]


def _matching(text: str, start: int) -> tuple[int, list[int]]:
    """Return the place of the closing brace (-1: none) and of the commas between."""
    depth = 0
    commas: list[int] = []
    for index in range(start, len(text)):
        char = text[index]
        if char == OPEN:
            depth += 1
        elif char == CLOSE:
            depth -= 1
            if depth == 0:
                return index, commas
        elif char == COMMA and depth == 1:
            commas.append(index)
    return -1, commas


def _alternatives(
    text: str, start: int, end: int, commas: list[int], depth: int
) -> list[str] | None:
    if commas:
        bounds = [start, *commas, end]
        parts: list[str] = []
        for left, right in pairwise(bounds):
            parts.extend(_expand(text[left + 1 : right], depth + 1))
        return parts
    match = _RANGE.fullmatch(text, start + 1, end)
    return _range(*match.groups()) if match else None


def _range(first: str, last: str, step_text: str | None) -> list[str] | None:
    step = abs(int(step_text or 1)) or 1
    numeric = first.lstrip("-").isdigit(), last.lstrip("-").isdigit()
    if numeric[0] != numeric[1]:
        return None
    low, high = (int(first), int(last)) if numeric[0] else (ord(first), ord(last))
    if abs(high - low) // step > MAX_WORDS:
        raise OverflowError
    numbers = range(low, high + 1, step) if low <= high else range(low, high - 1, -step)
    if not numeric[0]:
        return [chr(number) for number in numbers]
    padded = any(
        part.lstrip("-").startswith("0") and len(part.lstrip("-")) > 1
        for part in (first, last)
    )
    width = max(len(first), len(last)) if padded else 0
    return [f"{number:0{width}d}" if width else str(number) for number in numbers]
