"""Whether a compiled condition holds for an event.

A condition is JSON data with one key a node. ``all``, ``any`` and ``not`` join
conditions; every other key is one question about the event.

Whoever restricts must see the one bad command of many; whoever allows must see that
all of them are good. So a question about commands, paths or hosts is asked of *some*
of them for a rule that restricts, and of *every one* for a rule that allows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, TypeVar, cast
from urllib.parse import urlsplit

from ringfence.calls import Command, Edit, PathRef, PathUse, ShellProgram, ToolCall
from ringfence.events import AfterTool, Event, Prompt, ToolEvent
from ringfence.parsing.command_paths import command_paths
from ringfence.parsing.command_urls import command_urls
from ringfence.policy import commands, facts, places
from ringfence.policy.patterns import fullmatch, glob_matches, search

T = TypeVar("T")

Condition: TypeAlias = Mapping[str, object]
Globs: TypeAlias = "Mapping[str, Sequence[str] | bool]"


@dataclass(frozen=True, slots=True)
class View:
    """An event as one rule looks at it: ``every`` for a rule that allows."""

    event: Event
    every: bool = False

    @property
    def tool(self) -> ToolCall | None:
        """The tool call, where the event is about one."""
        return self.event.tool if isinstance(self.event, ToolEvent) else None

    def over(self, things: Sequence[T], test: Callable[[T], bool]) -> bool:
        """Ask a question of some of the things, or of every one of them."""
        if self.every:
            return bool(things) and all(map(test, things))
        return any(map(test, things))


def holds(condition: Condition | None, view: View) -> bool:
    """Tell whether a condition holds; no condition always does."""
    if condition is None:
        return True
    ((key, wanted),) = condition.items()
    if key == "all":
        return all(holds(one, view) for one in cast("Iterable[Condition]", wanted))
    if key == "any":
        return any(holds(one, view) for one in cast("Iterable[Condition]", wanted))
    if key == "not":
        turned = replace(view, every=not view.every)
        return not holds(cast("Condition", wanted), turned)
    return _QUESTIONS[key](wanted, view)


def result_of(event: AfterTool) -> object:
    """Return what the model would see of a call: its output, else its error."""
    return event.error if event.output is None else event.output


def _command(wanted: Mapping[str, object], view: View) -> bool:
    program = view.tool.shell if view.tool is not None else None
    if program is None:
        return False
    indexes = _judged(program) if view.every else range(len(program.commands))
    return view.over(
        indexes,
        lambda index: (
            commands.matches(wanted, program, index)
            and _names(wanted, program.commands[index], view)
        ),
    )


# Wrappers that change when a program runs, not what it may do.
_HARMLESS = frozenset(("time", "timeout", "nice", "nohup", "stdbuf", "command"))


def _judged(program: ShellProgram) -> list[int]:
    """Return the commands that an allow must be about: all but harmless wrappers."""
    seen_through = {name for one in program.commands for name in one.wrappers}
    return [
        index
        for index, command in enumerate(program.commands)
        if command.program not in _HARMLESS & seen_through
    ]


def _names(wanted: Mapping[str, object], command: Command, view: View) -> bool:
    """Tell whether the paths and hosts that one command names are those wanted."""
    alone = ShellProgram(command.text, (command,))
    if "path" in wanted:
        refs = command_paths(alone, cwd=command.cwd, home="")
        if not _refs(cast("Globs", wanted["path"]), refs, view):
            return False
    if "host" not in wanted:
        return True
    return _hosts(cast("Globs", wanted["host"]), command_urls(alone), view)


def _segments(wanted: Sequence[str], view: View) -> bool:
    """Match the text of each command, as ``tool_policy`` and ``command`` do.

    Restricting is unanchored, and looks at the text as written where it could not
    be understood. Allowing is anchored, and needs every command to match.
    """
    if view.tool is None:
        return False
    program = view.tool.shell
    if program is None:
        return _input_command(wanted, view)
    if view.every:
        judged = [program.commands[index] for index in _judged(program)]
        return view.over(
            judged,
            lambda command: any(
                fullmatch(regex, _allowable(command), dot_all=True) for regex in wanted
            ),
        )
    texts = [text for command in program.commands for text in _spoken(command)]
    if program.problem:
        texts += [program.text, *map(str.strip, _SEPARATORS.split(program.text))]
    return any(search(regex, text, dot_all=True) for regex in wanted for text in texts)


_SEPARATORS = re.compile(r"[;&|(){}`\n]+")


def _input_command(wanted: Sequence[str], view: View) -> bool:
    """Match the field ``command`` of a tool that runs no shell."""
    text = view.tool.input.get("command") if view.tool is not None else None
    test = fullmatch if view.every else search
    return isinstance(text, str) and any(
        test(regex, text, dot_all=True) for regex in wanted
    )


def _redirected(command: Command) -> str:
    redirects = "".join(
        f" {one.fd}{one.operator} {one.target}" for one in command.redirects
    )
    return command.text + redirects


def _spoken(command: Command) -> list[str]:
    """Return the ways to say a command: bare, by its name, behind its wrappers."""
    said = _redirected(command)
    texts = [said] if said == command.text else [command.text, said]
    if "/" in command.word and command.program:
        texts.append(" ".join(command.argv))
    for wrapper in reversed(command.wrappers):
        said = f"{wrapper} {said}"
        texts.append(said)
    return texts


_QUIET_TARGETS = frozenset(("/dev/null", "/dev/stdout", "/dev/stderr"))


def _allowable(command: Command) -> str:
    """Return the text that an allow must match: with all that makes it stronger.

    A wrapper such as sudo, a file written by redirection and a variable that says
    what runs are part of it, so ``Bash(ls *)`` allows none of them.
    """
    said = command.text
    written = {one.target for one in command.redirects if one.writes}
    if written - _QUIET_TARGETS:
        said = f"> {_redirected(command)}"
    steering = [name for name in command.assignments if _steers(name)]
    stronger = [one for one in command.wrappers if one not in _HARMLESS]
    return " ".join([*steering, *stronger, said])


def unaided(program: ShellProgram) -> bool:
    """Tell whether nothing makes a program's commands stronger than their words."""
    commands_of = [program.commands[index] for index in _judged(program)]
    return all(
        _allowable(command) == command.text and _from_the_system(command)
        for command in commands_of
    )


def _from_the_system(command: Command) -> bool:
    folder, slash, _ = command.word.rpartition("/")
    return not slash or folder in ("/bin", "/usr/bin")


_STEERING_PREFIXES = ("LD_", "DYLD_", "PYTHON", "NODE_", "RUBY", "PERL", "GIT_", "BASH")
_STEERING = frozenset(
    ("PATH", "IFS", "ENV", "SHELL", "SHELLOPTS", "PAGER", "EDITOR", "VISUAL", "HOME")
)


def _steers(name: str) -> bool:
    return name in _STEERING or name.startswith(_STEERING_PREFIXES)


def _path(wanted: Globs, view: View) -> bool:
    return view.tool is not None and _refs(wanted, view.tool.paths, view)


def _refs(wanted: Globs, refs: Sequence[PathRef], view: View) -> bool:
    uses = {PathUse(use) for use in cast("Sequence[str]", wanted.get("use", ()))}
    about = [ref for ref in refs if not uses or ref.use in uses]
    return view.over(about, lambda ref: _is_path(wanted, ref, view))


def _is_path(wanted: Globs, ref: PathRef, view: View) -> bool:
    event, maybe = view.event, not view.every
    globs = cast("Sequence[str]", wanted.get("any", ()))
    if globs and not any(places.matches(one, ref, event, maybe=maybe) for one in globs):
        return False
    exceptions = cast("Sequence[str]", wanted.get("except", ()))
    if any(places.matches(one, ref, event) for one in exceptions):
        return False
    outside = wanted.get("outside")
    return outside is None or outside is places.outside(ref, event)


def _host(wanted: Globs, view: View) -> bool:
    return view.tool is not None and _hosts(wanted, view.tool.urls, view)


def _hosts(wanted: Globs, urls: Sequence[str], view: View) -> bool:
    hosts = [host for url in urls if (host := _hostname(url))]
    return view.over(hosts, lambda host: _is_host(wanted, host))


def _is_host(wanted: Globs, host: str) -> bool:
    globs = cast("Sequence[str]", wanted.get("any", ("*",)))
    exceptions = cast("Sequence[str]", wanted.get("except", ()))
    return any(_same_host(glob, host) for glob in globs) and not any(
        _same_host(glob, host) for glob in exceptions
    )


def _same_host(glob: str, host: str) -> bool:
    return glob_matches(glob.lower(), host)


def _hostname(url: str) -> str:
    try:
        split = urlsplit(url if "//" in url else "//" + url)
        return (split.hostname or "").rstrip(".")
    except ValueError:
        return ""


def _content(wanted: Sequence[str], view: View) -> bool:
    content = view.tool.content if view.tool is not None else ""
    return bool(content) and any(search(regex, content) for regex in wanted)


def _edit(wanted: Mapping[str, Sequence[str]], view: View) -> bool:
    if view.tool is None:
        return False
    return view.over(
        view.tool.edits,
        lambda edit: (
            _edit_path(wanted.get("path"), edit, view.event)
            and ("action" not in wanted or edit.action.value in wanted["action"])
            and _any_search(wanted.get("old"), edit.old)
            and _any_search(wanted.get("new"), edit.new)
        ),
    )


def _edit_path(globs: Sequence[str] | None, edit: Edit, event: Event) -> bool:
    names = [name for name in (edit.path, edit.moved_to) if name]
    return globs is None or any(
        places.name_matches(glob, name, event) for glob in globs for name in names
    )


def _any_search(regexes: Sequence[str] | None, text: str) -> bool:
    return regexes is None or any(search(regex, text) for regex in regexes)


def _input(wanted: Mapping[str, object], view: View) -> bool:
    return view.tool is not None and facts.field_holds(wanted, view.tool.input)


def _output(wanted: Mapping[str, object], view: View) -> bool:
    event = view.event
    return isinstance(event, AfterTool) and facts.field_holds(wanted, result_of(event))


def _prompt(wanted: Sequence[str], view: View) -> bool:
    event = view.event
    return isinstance(event, Prompt) and _any_search(wanted, event.prompt)


def _prompt_source(wanted: str, view: View) -> bool:
    event = view.event
    return isinstance(event, Prompt) and event.source.value == wanted


def _fact(wanted: Mapping[str, Sequence[str]], view: View) -> bool:
    ((name, globs),) = wanted.items()
    value = FACTS[name](view.event)
    return any(glob_matches(glob, value) for glob in globs)


def _subagent(wanted: bool, view: View) -> bool:
    return wanted is (view.event.agent is not None)


def _unparsed(wanted: bool, view: View) -> bool:
    program = view.tool.shell if view.tool is not None else None
    return program is not None and wanted is bool(program.problem)


def _tool_name(event: Event) -> str:
    return event.tool.name if isinstance(event, ToolEvent) else ""


def _tool_class(event: Event) -> str:
    return event.tool.tool_class.value if isinstance(event, ToolEvent) else ""


FACTS: Mapping[str, Callable[[Event], str]] = {
    "tool": _tool_name,
    "tool_class": _tool_class,
    "harness": lambda event: event.harness,
    "permission_mode": lambda event: event.session.permission_mode,
    "agent_type": lambda event: event.agent.type if event.agent is not None else "",
    "model": lambda event: event.session.model,
    "native_event": lambda event: event.native_name,
}

_QUESTIONS: Mapping[str, Callable[..., bool]] = {
    "command": _command,
    "segments": _segments,
    "path": _path,
    "host": _host,
    "content": _content,
    "edit": _edit,
    "input": _input,
    "output": _output,
    "prompt": _prompt,
    "prompt_source": _prompt_source,
    "fact": _fact,
    "subagent": _subagent,
    "unparsed": _unparsed,
}
