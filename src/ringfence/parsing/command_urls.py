"""The URLs that the commands of a shell text name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ringfence.calls import Command, ShellProgram
from ringfence.parsing._operands import URL_VALUED
from ringfence.parsing.urls import bare_url, find_urls, remote_host

_BARE_HOSTS = frozenset({"curl", "wget", "http", "https", "xh", "xhs", "aria2c"})
_REMOTES = frozenset({"scp", "rsync", "sftp", "git"})
_SOCKET = re.compile(r"/dev/(tcp|udp)/([^/]+)/(\w+)")


def command_urls(program: ShellProgram) -> tuple[str, ...]:
    """Return every URL in the words of a program, in order, each once.

    A bare host (``curl example.com/x``) is given as written, an scp-like word as an
    ``ssh://`` URL, bash's ``/dev/tcp/HOST/PORT`` as ``tcp://HOST:PORT``.
    """
    found: dict[str, None] = {}
    for command in program.commands:
        for url in _urls(command):
            found[url] = None
    return tuple(found)


def _urls(command: Command) -> Iterator[str]:
    # A word that can't be known has kept its quotes, which end a URL.
    for word in (*command.args, *command.assignments.values()):
        yield from find_urls(word)
    for redirect in command.redirects:
        match = _SOCKET.fullmatch(redirect.target)
        if match:
            yield f"{match[1]}://{match[2]}:{match[3]}"
    if command.program in _BARE_HOSTS:
        yield from _bare(command)
    elif command.program in _REMOTES:
        for word in command.args:
            if "://" not in word and (host := remote_host(word)):
                yield f"ssh://{host}/{word.partition(':')[2].lstrip('/')}"
    elif command.program == "ssh":
        yield from _ssh(command.args)


def _bare(command: Command) -> Iterator[str]:
    valued = URL_VALUED.get(command.program, frozenset())
    words = iter(command.args)
    for word in words:
        if word in valued:
            next(words, None)
        elif not word.startswith("-") and "://" not in word and bare_url(word):
            yield word


def _ssh(args: tuple[str, ...]) -> Iterator[str]:
    words = iter(args)
    for word in words:
        if word.startswith("-"):
            if word[1:] in {*"bcDEeFIiJLlmOopQRSWw"}:
                next(words, None)
            continue
        if "://" not in word:
            yield f"ssh://{word}"
        return
