"""Matching one resolved command: its program, flags, words and neighbours.

How a flag is spelled and where it stands must not matter: ``-rf``, ``-fr``,
``-r -f`` and ``--recursive --force`` are one thing here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import cast

from ringfence.calls import Command, ShellProgram
from ringfence.policy.patterns import glob_matches, search

# Options before a subcommand that take the next word as their value. A program that
# isn't here has none that its manual allows there.
_VALUE_OPTIONS: Mapping[str, frozenset[str]] = {
    program: frozenset(options.split())
    for program, options in {
        "git": "-C -c --git-dir --work-tree --namespace --config-env --super-prefix",
        "kubectl": "-n --namespace --context --cluster --user --kubeconfig -s --server"
        " --as --as-group --token --request-timeout",
        "helm": "-n --namespace --kube-context --kubeconfig",
        "docker": "-c --context --config -H --host -l --log-level"
        " -f --file -p --project-name --profile --env-file --project-directory",
        "podman": "-c --connection --url --log-level --root",
        "terraform": "",
        "npm": "--prefix -w --workspace --registry --userconfig --loglevel",
        "pnpm": "-C --dir --filter -F",
        "yarn": "--cwd",
        "cargo": "-C -Z --config --color --manifest-path",
        "aws": "--profile --region --endpoint-url --output --query",
        "gcloud": "--project --account --configuration --format --verbosity",
        "az": "--subscription --output -o --query",
        "gh": "-R --repo",
        "uv": "--directory --project --config-file --cache-dir --python -p",
        "poetry": "-C --directory -P --project",
        "systemctl": "-H --host -M --machine -t --type -s --signal",
        "heroku": "-a --app -r --remote",
    }.items()
}


def flags(args: Sequence[str]) -> Iterator[str]:
    """Return the option words, up to a ``--``."""
    for word in args:
        if word == "--":
            return
        if word.startswith("-") and word != "-":
            yield word


def operands(args: Sequence[str]) -> Iterator[str]:
    """Return the words that are no options; after ``--`` none are."""
    ended = False
    for word in args:
        if word == "--" and not ended:
            ended = True
        elif ended or word == "-" or not word.startswith("-"):
            yield word


def subcommand(command: Command) -> tuple[str, ...]:
    """Return the words that are no options and no values of global options."""
    takes_value = _VALUE_OPTIONS.get(command.program, frozenset())
    words: list[str] = []
    skip = False
    for word in command.args:
        if skip:
            skip = False
        elif word in takes_value and not words:
            skip = True
        elif word == "--":
            break
        elif not word.startswith(("-", "+")):
            words.append(word)
    return tuple(words)


def has_flag(args: Sequence[str], spellings: str, *, abbreviated: bool = True) -> bool:
    """Tell whether a flag is set, by any of its ``|``-separated spellings.

    A spelling of one letter is found in a cluster (``r`` in ``-fr``); a longer one
    as ``--word``, ``--word=value`` or ``-word``, and, with ``abbreviated``, cut
    short as GNU programs and Git accept it (``--recurs``).
    """
    names = spellings.split("|")
    return any(
        _is_flag(word, name, abbreviated) for word in flags(args) for name in names
    )


def _is_flag(word: str, name: str, abbreviated: bool) -> bool:
    if len(name) == 1:
        return not word.startswith("--") and name in word[1:].partition("=")[0]
    given = word.partition("=")[0]
    if given in ("--" + name, "-" + name):
        return True
    if not abbreviated or not given.startswith("--") or len(given) < 5:
        return False
    return name.startswith(given[2:])


def _spellings(args: Sequence[str]) -> list[str]:
    """Return the words, and each ``--option value`` also as ``--option=value``."""
    words = list(args)
    words += [
        f"{first}={second}"
        for first, second in pairwise(args)
        if first.startswith("-") and "=" not in first
    ]
    return words


def _counted(wanted: Mapping[str, Sequence[str]], found: Callable[[str], bool]) -> bool:
    """Tell whether any, all and none hold of what may be found."""
    if "any" in wanted and not any(map(found, wanted["any"])):
        return False
    if "all" in wanted and not all(map(found, wanted["all"])):
        return False
    return not any(map(found, wanted.get("none", ())))


def _some(globs: Iterable[str], words: Iterable[str]) -> bool:
    listed = list(words)
    return any(glob_matches(glob, word) for glob in globs for word in listed)


def _program(wanted: Mapping[str, Sequence[str]], command: Command) -> bool:
    if "any" in wanted and not _some(wanted["any"], [command.program]):
        return False
    return not _some(wanted.get("except", ()), [command.program])


def _subcommand(wanted: Sequence[str], command: Command) -> bool:
    words = subcommand(command)
    return any(_begins(words, one.split()) for one in wanted)


def _begins(words: Sequence[str], globs: Sequence[str]) -> bool:
    return len(words) >= len(globs) and all(map(glob_matches, globs, words))


def _args(wanted: Mapping[str, Sequence[str]], command: Command) -> bool:
    if "prefix" in wanted and not _begins(command.args, wanted["prefix"]):
        return False
    words = _spellings(command.args)
    return _counted(wanted, lambda glob: _some([glob], words))


def _flags(wanted: Mapping[str, Sequence[str]], command: Command) -> bool:
    exact = {"none": wanted.get("none", ())}
    return _counted(
        {key: value for key, value in wanted.items() if key != "none"},
        lambda name: has_flag(command.args, name),
    ) and _counted(exact, lambda name: has_flag(command.args, name, abbreviated=False))


def _operands(wanted: Mapping[str, Sequence[str]], command: Command) -> bool:
    words = list(operands(command.args))
    return _counted(wanted, lambda glob: _some([glob], words))


def _text(wanted: Sequence[str], command: Command) -> bool:
    return any(search(regex, command.text) for regex in wanted)


def _stdin(wanted: Sequence[str], command: Command) -> bool:
    return command.stdin is not None and any(
        search(regex, command.stdin) for regex in wanted
    )


def _wrapper(wanted: Sequence[str], command: Command) -> bool:
    return _some(wanted, command.wrappers)


def _dynamic(wanted: bool, command: Command) -> bool:
    return wanted is (not command.program)


# In this order: what needs a regex comes last.
_CONDITIONS: Mapping[str, Callable[..., bool]] = {
    "program": _program,
    "dynamic_program": _dynamic,
    "wrapper": _wrapper,
    "subcommand": _subcommand,
    "flags": _flags,
    "args": _args,
    "operands": _operands,
    "text": _text,
    "stdin": _stdin,
}

COMMAND_KEYS = frozenset((*_CONDITIONS, "piped_into"))


def matches(wanted: Mapping[str, object], program: ShellProgram, index: int) -> bool:
    """Tell whether the command at ``index`` meets every condition about it."""
    command = program.commands[index]
    if not all(
        test(wanted[key], command) for key, test in _CONDITIONS.items() if key in wanted
    ):
        return False
    return "piped_into" not in wanted or _reaches(wanted["piped_into"], program, index)


def _reaches(wanted: object, program: ShellProgram, index: int) -> bool:
    """Tell whether what a command prints may reach one that meets conditions."""
    receivers = {
        position
        for pipeline in program.pipelines
        if index in pipeline
        for position in pipeline[pipeline.index(index) + 1 :]
    }
    conditions = cast("Mapping[str, object]", wanted)
    return any(matches(conditions, program, position) for position in receivers)
