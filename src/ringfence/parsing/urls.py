"""URLs in text and in words, and the host that each of them reaches."""

from __future__ import annotations

import ipaddress
import re
import unicodedata
from urllib.parse import unquote

_URL = re.compile(r"\b[A-Za-z][A-Za-z0-9+.\-]{0,31}://[^\s\"'<>`{}|\\^]+", re.ASCII)
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.\-]*)://", re.ASCII)
_TRAILING = ".,;:!?)]"
_BARE = re.compile(
    r"(?:[^/@\s]+@)?(?:\[[0-9A-Fa-f:.]+\]|\w[\w\-]*(?:\.[\w\-]+)*\.?)(?::\d+)?(?:[/?#]\S*)?"
)
# One letter before the colon is a drive, unless a user comes before it.
_SCP = re.compile(
    r"(?:[\w.\-]+@|(?=\[|[\w.\-]{2}))(\[[0-9A-Fa-f:.]+\]|[\w.\-]+):(?!//)\S*"
)


def find_urls(text: str) -> tuple[str, ...]:
    """Return the URLs with a scheme in a text, in order, each once."""
    found = (_trimmed(match.group()) for match in _URL.finditer(text))
    return tuple(dict.fromkeys(found))


def _trimmed(url: str) -> str:
    # Punctuation of the sentence around it, but not the bracket of an address.
    while url and url[-1] in _TRAILING:
        if url[-1] == ")" and url.count("(") >= url.count(")"):
            break
        if url[-1] == "]" and url.count("[") >= url.count("]"):
            break
        url = url[:-1]
    return url


def host_of(url: str) -> str:
    """Return the host that a URL or a bare ``host/path`` reaches, empty if none.

    User and port are dropped, the name is lower case, without the final dot, in its
    ASCII form (IDNA); an IP address is in its canonical form, however it was written
    (``0x7f.1`` and ``2130706433`` are ``127.0.0.1``, as curl and browsers read them).
    """
    rest = url.strip()
    scheme = _SCHEME.match(rest)
    if scheme:
        if scheme[1].lower() == "file":
            return ""
        rest = rest[scheme.end() :]
    elif rest.startswith("//"):
        rest = rest[2:]
    # Browsers take a backslash for a slash; the part before it is the host.
    authority = re.split(r"[/?#\\]", rest, maxsplit=1)[0]
    host = unquote(authority.rpartition("@")[2])
    if host.startswith("["):
        host, closed, _ = host[1:].partition("]")
        host = host.partition("%")[0] if closed else ""
    elif host.count(":") == 1:
        host = host.partition(":")[0]
    return _canonical(host)


def _canonical(host: str) -> str:
    name = unicodedata.normalize("NFKC", host).lower()
    # The other full stops that browsers take for a dot; NFKC does the rest.
    name = name.replace("\u3002", ".")
    name = name.removesuffix(".")
    if ":" in name:
        try:
            return ipaddress.ip_address(name).compressed
        except ValueError:
            return ""
    address = _loose_ipv4(name)
    if address:
        return address
    if name.isascii():
        return name
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        return name


def _loose_ipv4(name: str) -> str:
    """Return the dotted form of an address written as inet_aton takes it."""
    parts = name.split(".")
    if not 1 <= len(parts) <= 4:
        return ""
    numbers: list[int] = []
    for part in parts:
        match = re.fullmatch(r"0x([0-9a-f]*)|(0[0-7]*)|([1-9]\d*)", part, re.ASCII)
        if not match or len(part) > 16:
            return ""
        hexadecimal, octal, decimal = match.groups()
        if hexadecimal is not None:
            numbers.append(int(hexadecimal or "0", 16))
        else:
            numbers.append(int(octal, 8) if octal is not None else int(decimal))
    *head, last = numbers
    if any(number > 255 for number in head) or last >= 256 ** (5 - len(numbers)):
        return ""
    value = last
    for position, number in enumerate(head):
        value += number << (8 * (3 - position))
    return str(ipaddress.IPv4Address(value))


def bare_url(word: str) -> str:
    """Return a word that names a host without a scheme, else empty.

    For programs that take one (``curl example.com/x``): the word is as written.
    """
    return word if _BARE.fullmatch(word) else ""


def remote_host(word: str) -> str:
    """Return the host of an scp-like word (``user@host:path``), else empty."""
    match = _SCP.fullmatch(word)
    return host_of(match[1]) if match else ""
