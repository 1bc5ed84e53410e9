"""Matching one command, however it is spelled."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.calls import Command, ShellProgram
from ringfence.policy.commands import has_flag, matches, operands, subcommand


def met(wanted, *argv, **more):
    command = Command(argv[0], tuple(argv[1:]), " ".join(argv), **more)
    return matches(wanted, ShellProgram("", (command,)), 0)


@pytest.mark.parametrize(
    "args",
    [
        ["-rf", "x"],
        ["-fr", "x"],
        ["-rfv", "x"],
        ["-r", "-f", "x"],
        ["-r", "x", "-f"],
        ["--recursive", "--force", "x"],
        ["--force", "-R", "x"],
        ["--recurs", "--forc", "x"],
    ],
)
def test_flags_count_in_any_spelling_and_order(args):
    wanted = {"flags": {"all": ["r|R|recursive", "f|force"]}}
    assert met(wanted, "rm", *args)


@pytest.mark.parametrize(
    "args", [["-r", "x"], ["x", "rf"], ["--", "-rf"], ["--recursive-ish", "-f"], ["-"]]
)
def test_what_only_looks_like_the_flags_does_not_count(args):
    wanted = {"flags": {"all": ["r|R|recursive", "f|force"]}}
    assert not met(wanted, "rm", *args)


@given(st.permutations(["-a", "-b", "--color", "x", "y"]))
def test_the_place_of_a_flag_never_counts(args):
    assert met({"flags": {"all": ["a", "b", "color"]}}, "ls", *args)


def test_a_longer_flag_is_another_flag():
    assert not has_flag(["--force-with-lease"], "f|force")
    assert has_flag(["--force=yes"], "f|force")
    assert has_flag(["-auto-approve"], "auto-approve")


def test_a_flag_that_must_be_missing_is_compared_whole():
    wanted = {"flags": {"any": ["f|force"], "none": ["force-with-lease"]}}
    assert met(wanted, "git", "push", "--force")
    assert not met(wanted, "git", "push", "--force", "--force-with-lease")


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["git", "push", "origin"], ("push", "origin")),
        (["git", "-C", "../x", "-c", "a=b", "push"], ("push",)),
        (["git", "--git-dir=.git", "--no-pager", "push"], ("push",)),
        (["kubectl", "-n", "prod", "delete", "pod"], ("delete", "pod")),
        (["docker", "compose", "-f", "x.yml", "down"], ("compose", "x.yml", "down")),
        (["cargo", "+nightly", "publish"], ("publish",)),
        (["terraform", "-chdir=infra", "destroy"], ("destroy",)),
    ],
)
def test_a_subcommand_is_found_past_global_options(argv, words):
    assert subcommand(Command(argv[0], tuple(argv[1:]))) == words


def test_a_subcommand_may_be_several_words():
    wanted = {"program": {"any": ["git"]}, "subcommand": ["stash drop", "stash clear"]}
    assert met(wanted, "git", "stash", "drop")
    assert not met(wanted, "git", "stash")
    assert not met(wanted, "git", "stash", "list")


@pytest.mark.parametrize(
    "args", [["--env=prod"], ["--env", "prod"], ["-v", "--env", "prod", "x"]]
)
def test_an_option_and_its_value_may_be_one_word_or_two(args):
    assert met({"args": {"any": ["--env=prod"]}}, "deploy", *args)
    assert not met({"args": {"none": ["--env=*"]}}, "deploy", *args)


def test_words_count_by_any_all_none_and_prefix():
    assert met({"args": {"all": ["a*", "b"]}}, "x", "b", "ab")
    assert not met({"args": {"all": ["a", "b"]}}, "x", "a")
    assert met({"args": {"prefix": ["run", "dep*"]}}, "npm", "run", "deploy", "now")
    assert not met({"args": {"prefix": ["run", "deploy"]}}, "npm", "deploy", "run")
    assert met({"operands": {"none": ["*"]}}, "python3", "-q")
    assert not met({"operands": {"none": ["*"]}}, "python3", "-m", "json.tool")


def test_after_a_double_dash_every_word_is_an_operand():
    assert list(operands(["-a", "b", "--", "-c", "--"])) == ["b", "-c", "--"]


def test_a_program_may_be_anything_but_some():
    wanted = {"program": {"except": ["source", "."]}}
    assert met(wanted, "cat")
    assert not met(wanted, "source")


def test_text_wrappers_input_and_unknown_programs():
    assert met({"text": [r"\bprod\b"]}, "deploy", "prod")
    assert met({"wrapper": ["sudo"]}, "ls", wrappers=("env", "sudo"))
    assert met({"stdin": ["(?i)drop table"]}, "psql", stdin="DROP TABLE x")
    assert not met({"stdin": [".*"]}, "psql")
    assert met({"dynamic_program": True}, "", dynamic=True)
    assert not met({"dynamic_program": True}, "ls", dynamic=True)


def test_a_pipe_reaches_every_later_command_and_no_earlier_one():
    program = ShellProgram(
        "",
        (Command("curl"), Command("tee"), Command("bash", ("-s",)), Command("python3")),
        pipelines=((0, 1, 2),),
    )
    into_shell = {"piped_into": {"program": {"any": ["bash"]}}}
    assert matches(into_shell, program, 0)
    assert matches(into_shell, program, 1)
    assert not matches(into_shell, program, 2)
    assert not matches({"piped_into": {"program": {"any": ["python3"]}}}, program, 0)
    assert not matches(
        {"piped_into": {"program": {"any": ["bash"]}, "flags": {"any": ["s"]}}},
        program,
        3,
    )
