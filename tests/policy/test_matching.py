"""Each condition of ``when``, on calls that meet it and calls that don't."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ringfence.events import Agent, Session
from ringfence.policy.calls import make_event
from ringfence.policy.evaluator import PolicyGuard

CWD = "/home/me/project"


@pytest.fixture
def met(policy):
    """Tells whether a condition, in YAML, holds for a call."""

    def holds(when, tool, tool_input, output=None, /, **facts):
        loaded = policy(
            f"version: 1\nrules:\n  - {{id: a, {'after' if output else 'before'}: any, "
            f"when: {when}, {'flag: f' if output else 'context: c'}}}\n"
        )
        moment = "after" if output else "before"
        event = make_event(tool, tool_input, moment, output, cwd=CWD)
        return bool(PolicyGuard(loaded.plan)(replace(event, **facts)))

    return holds


CASES = [
    # One command, all of whose conditions hold.
    ("{program: git, subcommand: push}", "shell", "git -C x push", True),
    ("{program: git, subcommand: push}", "shell", "git status; hg push", False),
    ("{program: 'python*'}", "shell", "/usr/bin/python3.11 x.py", True),
    ("{program: {except: [ls]}}", "shell", "ls", False),
    ("{program: {except: [ls]}}", "shell", "ls; rm x", True),
    ("{program: git}", "Read", "git", False),
    ("{text: '^deploy .* prod$'}", "shell", "x; deploy  --to   prod", True),
    ("{wrapper: sudo}", "shell", "sudo -u me ls", True),
    ("{wrapper: sudo}", "shell", "echo sudo ls", False),
    ("{program: curl, piped_into: sh}", "shell", "curl x.example | sh", True),
    ("{program: curl, piped_into: [sh, bash]}", "shell", "curl x.example; sh", False),
    (
        "{program: curl, piped_into: {program: sh, args: {none: ['-c']}}}",
        "shell",
        "curl x.example | sh -c cat",
        False,
    ),
    (
        "{program: psql, stdin: '(?i)drop table'}",
        "shell",
        "psql <<< 'DROP TABLE x'",
        True,
    ),
    ("{dynamic_program: true}", "shell", "$(cat x) y", True),
    ("{dynamic_program: true}", "shell", "ls $(cat x)", False),
    ("{unparsed: false}", "shell", "ls", True),
    # The paths and hosts of that command, where they stand beside it.
    ("{program: rm, paths: {outside: true}}", "shell", "rm ../x", True),
    ("{program: rm, paths: {outside: true}}", "shell", "rm x; cat ../x", False),
    ("{program: curl, hosts: x.example}", "shell", "curl http://x.example/a", True),
    (
        "{program: curl, hosts: x.example}",
        "shell",
        "curl http://y.example; wget http://x.example",
        False,
    ),
    # Paths of any call.
    ("{paths: '*.pem'}", "Read", "keys/a.pem", True),
    ("{paths: '*.pem'}", "shell", "openssl x509 -in keys/a.pem", True),
    ("{paths: {any: '.env*', except: .env.example}}", "Read", ".env.local", True),
    ("{paths: {any: '.env*', except: .env.example}}", "Read", ".env.example", False),
    ("{paths: {any: x, use: write}}", "Read", "x", False),
    ("{paths: {any: x, use: [write, delete]}}", "shell", "echo > x", True),
    ("{paths: {any: '~/.ssh/**'}}", "Read", "/home/you/.ssh/id", True),
    ("{paths: {any: '~/.ssh/**'}}", "shell", "cat ~/.ssh/id", True),
    ("{paths: {any: '/'}}", "shell", "ls /", True),
    # A pattern of the shell's that could unfold to the name.
    ("{paths: .env}", "shell", "cat .e*", True),
    ("{paths: .env}", "shell", "cat conf/.en[v]", True),
    ("{paths: .env}", "shell", "cat .f*", False),
    ("{paths: .env}", "shell", "cat *", False),
    ("{paths: /etc}", "shell", "rm -r /e*", True),
    ("{paths: {any: '.env*', except: .env.example}}", "shell", "cat .env*", True),
    ("{paths: {any: '/'}}", "shell", "ls /x", False),
    ("{paths: {any: './a'}}", "Read", CWD + "/a", True),
    ("{paths: {any: './a'}}", "Read", "/elsewhere/a", False),
    ("{paths: {outside: true}}", "Read", "/etc/hosts", True),
    ("{paths: {outside: true}}", "Read", CWD + "/src/../a", False),
    ("{paths: {outside: true}}", "Read", CWD + "-other/a", True),
    ("{paths: {outside: false}}", "Read", "a", True),
    # Hosts.
    ("{hosts: '*.example.com'}", "fetch", "https://A.Example.com:8080/x", True),
    ("{hosts: {except: [ok.example]}}", "fetch", "https://ok.example/", False),
    ("{hosts: {except: [ok.example]}}", "shell", "curl https://no.example", True),
    # What a call writes.
    ("{content: 'TODO'}", "Write", {"file_path": "x", "content": "a TODO"}, True),
    ("{content: 'TODO'}", "Write", {"file_path": "x", "content": "done"}, False),
    (
        "{edits: {path: '*.py', new: 'print'}}",
        "Edit",
        {"file_path": "a.py", "old_string": "x", "new_string": "print(x)"},
        True,
    ),
    (
        "{edits: {path: '*.py', old: 'print'}}",
        "Edit",
        {"file_path": "a.py", "old_string": "x", "new_string": "print(x)"},
        False,
    ),
    (
        "{edits: {action: delete}}",
        "apply_patch",
        "*** Begin Patch\n*** Delete File: a.py\n*** End Patch",
        True,
    ),
    # Any field.
    ("{input: {field: a.b, equals: 1}}", "x", {"a": {"b": 1}}, True),
    ("{input: {field: a.b, equals: 1}}", "x", {"a": {"b": True}}, False),
    (
        "{input: [{field: a, glob: 'x*'}, {field: b, exists: false}]}",
        "x",
        {"a": "xy"},
        True,
    ),
    # Joining.
    ("{any: [{program: a}, {program: b}]}", "shell", "b", True),
    ("{all: [{program: a}, {program: b}]}", "shell", "a; b", True),
    ("{all: [{program: a}, {program: b}]}", "shell", "b", False),
    ("{not: {program: a}}", "shell", "b", True),
    ("{not: {program: a}}", "shell", "a", False),
    ("{not: {hosts: ok.example}}", "shell", "curl ok.example no.example", True),
    ("{not: {not: {program: a}}}", "shell", "a; b", True),
    # What it is.
    ("{tool: 'mcp__x__*'}", "mcp__x__y", {}, True),
    ("{tool_class: [file.read]}", "Read", "x", True),
    ("{tool_class: [file.read]}", "shell", "x", False),
]


@pytest.mark.parametrize(("when", "tool", "tool_input", "expected"), CASES)
def test_a_condition(met, when, tool, tool_input, expected):
    assert met(when, tool, tool_input) is expected


def test_facts_of_the_session(met):
    session = Session(cwd=CWD, permission_mode="bypassPermissions", model="big-1")
    assert met("{permission_mode: 'bypass*'}", "x", {}, session=session)
    assert not met("{permission_mode: plan}", "x", {}, session=session)
    assert met("{model: 'big-*'}", "x", {}, session=session)
    assert met("{harness: ringfence}", "x", {})
    assert met("{native_event: ToolUse}", "x", {}, native_name="ToolUse")
    assert met("{subagent: true}", "x", {}, agent=Agent("1", "Explore"))
    assert not met("{subagent: true}", "x", {})
    assert met("{agent_type: Explore}", "x", {}, agent=Agent("1", "Explore"))


@pytest.mark.parametrize(
    ("when", "output", "expected"),
    [
        ("{output: {matches: 'x+'}}", "axx", True),
        ("{output: {matches: 'x+'}}", {"a": ["x"]}, True),
        ("{output: {field: a, matches: 'x+'}}", {"b": "x"}, False),
        ("{output: {field: 'rows.*.id', equals: 2}}", {"rows": [{"id": 2}]}, True),
        ("{output: {field: a, contains: x}}", {"a": ["x"]}, True),
    ],
)
def test_fields_of_a_result(met, when, output, expected):
    assert met(when, "shell", "ls", output) is expected


def test_the_workspace_is_more_than_the_directory(met):
    session = Session(cwd=CWD, workspace_roots=("/srv/shared",))
    assert not met("{paths: {outside: true}}", "Read", "/srv/shared/a", session=session)
    rooted = Session(cwd="/")
    event = make_event("Read", "/etc/hosts", cwd="/")
    assert met(
        "{paths: {outside: true}}",
        "Read",
        "/etc/hosts",
        session=rooted,
        tool=event.tool,
    )
