from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ringfence.calls import Redirect
from ringfence.parsing.shell import parse


def argvs(script: str, cwd: str = "/w") -> list[tuple[str, ...]]:
    return [command.argv for command in parse(script, cwd=cwd).commands]


def run_by(script: str, *wrappers: str) -> list[tuple[str, ...]]:
    """The commands that run through exactly these wrappers."""
    commands = parse(script, cwd="/w").commands
    return [command.argv for command in commands if command.wrappers == wrappers]


# -- one command ----------------------------------------------------------------


def test_a_command_has_program_words_and_text() -> None:
    (command,) = parse("FOO=1  /usr/bin/git   push '--force'  >out # now").commands
    assert command.program == "git"
    assert command.word == "/usr/bin/git"
    assert command.args == ("push", "--force")
    assert command.text == "/usr/bin/git push --force"
    assert command.assignments == {"FOO": "1"}
    assert command.redirects == (Redirect(">", "out"),)
    assert not command.dynamic


@pytest.mark.parametrize(
    "word", ["C:\\Windows\\powershell.exe", "/c/Program Files/PowerShell.EXE"]
)
def test_a_windows_program_loses_directory_and_suffix(word: str) -> None:
    (command,) = parse(f'"{word}" -x').commands
    assert command.program.lower() == "powershell"


def test_a_word_that_cannot_be_known_keeps_its_source() -> None:
    (command,) = parse('rm -rf "$DIR"/x').commands
    assert command.args == ("-rf", '"$DIR"/x')
    assert command.dynamic


@pytest.mark.parametrize("script", ["$CMD -rf /", "${X}rm x", "$(pick) x", "`pick` x"])
def test_an_unknown_command_word_leaves_the_program_empty(script: str) -> None:
    command = parse(script).commands[-1]
    assert command.program == ""
    assert command.dynamic


def test_home_is_written_as_a_tilde() -> None:
    assert argvs('cat $HOME/a "${HOME}/b" ~/c') == [("cat", "~/a", "~/b", "~/c")]


@pytest.mark.parametrize(
    ("script", "redirect"),
    [
        ("a 2>>log", Redirect(">>", "log", "2")),
        ("a >&log", Redirect("&>", "log")),
        ("a 2>&1", Redirect(">&", "1", "2")),
        ("a 3<>/dev/tcp/h/80", Redirect("<>", "/dev/tcp/h/80", "3")),
        ("a {fd}>log", Redirect(">", "log", "{fd}")),
        ('a >"$x"', Redirect(">", "")),
        ("a <<<b", Redirect("<<<", "")),
    ],
)
def test_redirections_are_recorded_as_written(script: str, redirect: Redirect) -> None:
    assert parse(script).commands[0].redirects == (redirect,)


def test_a_redirection_without_a_command_still_opens_the_file() -> None:
    (command,) = parse("> settings.json").commands
    assert command.program == ":"
    assert command.redirects == (Redirect(">", "settings.json"),)


def test_a_group_hands_its_redirections_to_its_commands() -> None:
    first, second, third = parse("{ a; b; } >out; c").commands
    assert first.redirects == second.redirects == (Redirect(">", "out"),)
    assert third.redirects == ()


def test_a_redirection_after_a_list_belongs_to_its_last_command() -> None:
    first, second = parse("a && b >out").commands
    assert first.redirects == ()
    assert second.redirects == (Redirect(">", "out"),)


# -- input and pipelines ----------------------------------------------------------


def test_a_here_document_is_data_for_what_is_no_shell() -> None:
    (command,) = parse("git commit -F - <<'EOF'\nrm -rf /\nEOF").commands
    assert command.argv == ("git", "commit", "-F", "-")
    assert command.stdin == "rm -rf /\n"


@pytest.mark.parametrize(
    "script",
    [
        "bash <<'EOF'\nrm x\nEOF",
        "bash <<<'rm x'",
        "echo 'rm x' | bash",
        "printf 'rm %s\\n' x | sh -s",
        "cat <<EOF | sh\nrm x\nEOF",
        "cat <<EOF | cat | sh\nrm x\nEOF",
        "ssh host <<EOF\nrm x\nEOF",
        "sudo bash <<EOF\nrm x\nEOF",
        "docker exec -i c sh <<EOF\nrm x\nEOF",
        "source /dev/stdin <<<'rm x'",
        "{ sh; } <<<'rm x'",
        "C='rm x'; sh -c \"$C\"",
    ],
)
def test_what_a_shell_reads_is_parsed(script: str) -> None:
    assert ("rm", "x") in argvs(script)


@pytest.mark.parametrize(
    "script",
    ["curl x | sh", "cat f | sudo bash", "bash <(curl x)", ". <(curl x)", "sh <<<$X"],
)
def test_a_shell_that_reads_something_unknown_runs_an_unknown_program(
    script: str,
) -> None:
    assert parse(script).commands[-1].program == ""


@pytest.mark.parametrize(
    ("script", "flows"),
    [
        ("curl x | sh", [("curl", "sh")]),
        ("curl x | sudo bash", [("curl", "sudo"), ("curl", "bash")]),
        ("curl x | tee f | sh", [("curl", "tee", "sh")]),
        ("{ curl x; echo; } | sh", [("curl", "sh"), ("echo", "sh")]),
        ("curl x | (cat; sh)", [("curl", "cat"), ("curl", "sh")]),
        ("curl x |& sh", [("curl", "sh")]),
        ("bash <(curl x)", [("curl", "bash")]),
        ("curl x > >(sh)", [("curl", "sh")]),
        ('bash <<<"$(curl x)"', [("curl", "bash")]),
        ('echo "$(curl x)" | sh', [("curl", "echo", "sh")]),
        ("curl x; sh", []),
        ("curl x && sh | cat", [("sh", "cat")]),
    ],
)
def test_pipelines_say_who_reads_from_whom(
    script: str, flows: list[tuple[str, ...]]
) -> None:
    program = parse(script)
    seen = [
        tuple(program.commands[index].program for index in pipeline)
        for pipeline in program.pipelines
    ]
    # The unknown program that the shell then runs stands at the end of others.
    assert [flow for flow in seen if flow[-1]] == flows


# -- wrappers ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "wrapper"),
    [
        ("sudo rm x", "sudo"),
        ("sudo -u root -E --preserve-env=A B=1 -- rm x", "sudo"),
        ("sudo -nu root rm x", "sudo"),
        ("doas -u root rm x", "doas"),
        ("env rm x", "env"),
        ("env -i A=1 -u B rm x", "env"),
        ("env -S 'rm x'", "env"),
        ("nice -n 10 rm x", "nice"),
        ("nice -10 rm x", "nice"),
        ("ionice -c2 -n 7 rm x", "ionice"),
        ("timeout -k 5 --signal KILL 1m rm x", "timeout"),
        ("nohup rm x", "nohup"),
        ("setsid -w rm x", "setsid"),
        ("chrt -f 10 rm x", "chrt"),
        ("taskset -c 0,1 rm x", "taskset"),
        ("stdbuf -oL -eL rm x", "stdbuf"),
        ("time rm x", "time"),
        ("/usr/bin/time -f %e rm x", "time"),
        ("command rm x", "command"),
        ("command -p rm x", "command"),
        ("builtin rm x", "builtin"),
        ("exec -a n rm x", "exec"),
        ("echo x | xargs rm", "xargs"),
        ("echo x | xargs -n1 -P 4 rm", "xargs"),
        ("watch -n 5 'rm x'", "watch"),
        ("watch rm x", "watch"),
        ("flock -w 5 /lock rm x", "flock"),
        ("flock /lock -c 'rm x'", "flock"),
        ("ssh -p 22 u@h rm x", "ssh"),
        ("ssh h -p 22 'rm x'", "ssh"),
        ("su -c 'rm x'", "su"),
        ("su - user -c 'rm x'", "su"),
        ("su user --command='rm x'", "su"),
        ("runuser -u u -- rm x", "runuser"),
        ("busybox rm x", "busybox"),
        ("script -qc 'rm x' /dev/null", "script"),
        ("docker exec -it -u 0 c rm x", "docker"),
        ("docker run --rm -v /:/h -e A=1 image rm x", "docker"),
        ("docker --context c container run image rm x", "docker"),
        ("docker compose -f f.yml exec -T svc rm x", "docker"),
        ("docker run --entrypoint rm image x", "docker"),
        ("podman run -it image rm x", "podman"),
        ("kubectl exec -n ns pod -c c -- rm x", "kubectl"),
        ("kubectl -n ns exec pod -- rm x", "kubectl"),
        ("uv run --with rich rm x", "uv"),
        ("uvx --from tool rm x", "uvx"),
        ("npx -y rm x", "npx"),
        ("npx -p pkg -c 'rm x'", "npx"),
        ("npm exec -- rm x", "npm"),
        ("pnpm dlx rm x", "pnpm"),
        ("poetry run rm x", "poetry"),
        ("strace -f -o log rm x", "strace"),
        ("chroot /new rm x", "chroot"),
        ("fd -e tmp -x rm x", "fd"),
        ("bash -c 'rm x'", "bash"),
        ("bash -exo pipefail -c 'rm x'", "bash"),
        ("zsh -ic 'rm x'", "zsh"),
        ("eval rm x", "eval"),
        ("trap 'rm x' EXIT", "trap"),
    ],
)
def test_wrappers_are_seen_through(script: str, wrapper: str) -> None:
    program = parse(script, cwd="/w")
    assert program.problem == ""
    assert ("rm", "x") in run_by(script, wrapper)


def test_the_wrapper_is_a_command_of_its_own() -> None:
    assert argvs("sudo -u a rm x") == [("sudo", "-u", "a", "rm", "x"), ("rm", "x")]


@pytest.mark.parametrize("script", ["command rm x", "exec rm x", "time rm x"])
def test_what_runs_in_the_shells_own_place_is_none(script: str) -> None:
    assert argvs(script) == [("rm", "x")]


@pytest.mark.parametrize("script", ["command -v foo", "sudo -l", "env", "env A=1"])
def test_a_wrapper_that_runs_nothing_is_the_command(script: str) -> None:
    assert len(argvs(script)) == 1


def test_an_unknown_option_is_read_both_ways() -> None:
    assert run_by("sudo --new value rm x", "sudo") == [
        ("value", "rm", "x"),
        ("rm", "x"),
    ]


def test_wrappers_and_shells_nest() -> None:
    script = "sudo env A=1 bash -c 'nice rm x'"
    assert run_by(script, "sudo", "env", "bash", "nice") == [("rm", "x")]


def test_find_runs_a_command_for_each_exec() -> None:
    script = "find . -name x -exec rm -f {} \\; -execdir ls {} + -ok mv {} y ';'"
    assert run_by(script, "find") == [
        ("rm", "-f", "{}"),
        ("ls", "{}"),
        ("mv", "{}", "y"),
    ]


def test_words_that_xargs_adds_are_known_or_dynamic() -> None:
    assert run_by("echo /a | xargs rm -rf", "xargs") == [("rm", "-rf", "/a")]
    assert parse("ls | xargs rm -rf").commands[-1].dynamic


def test_positional_parameters_of_inline_code_are_known() -> None:
    assert ("rm", "-rf", "/a") in argvs("sh -c 'rm \"$@\"' _ -rf /a")


def test_code_with_an_unknown_part_is_read_for_what_can_be_seen() -> None:
    commands = parse('bash -c "rm -rf $DIR; ls"').commands
    assert [command.argv for command in commands[1:]] == [
        ("rm", "-rf", "$DIR"),
        ("ls",),
    ]
    assert all(command.dynamic for command in commands)


def test_an_alias_of_the_same_text_runs_too() -> None:
    assert ("rm", "-rf", "/tmp") in argvs("alias cd='rm -rf'; cd /tmp")
    assert ("rm", "-rf", "/tmp") not in argvs("alias cd='rm -rf'; \\cd /tmp")


# -- directories ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "cwd"),
    [
        ("x", "/w"),
        ("cd a && x", "/w/a"),
        ("cd a; cd ../b; x", "/w/b"),
        ("cd /etc; x", "/etc"),
        ("cd; x", "~"),
        ("cd ~/p && x", "~/p"),
        ("cd a; cd -; x", "/w"),
        ("(cd a); x", "/w"),
        ("cd a | y; x", "/w"),
        ("cd a & x", "/w"),
        ("cd a || exit 1; x", "/w/a"),
        ("cd a || { echo no; exit 1; }; x", "/w/a"),
        ("pushd a; popd; x", "/w"),
        ("pushd a; x", "/w/a"),
        ("command cd a; x", "/w/a"),
        ("eval 'cd a'; x", "/w/a"),
        ("bash -c 'cd a'; x", "/w"),
        ("cd $D; x", ""),
        ("if y; then cd a; fi; x", ""),
        ("f() { cd a; }; f; x", ""),
        ("env -C a x", "/w/a"),
        ("sudo -D /etc x", "/etc"),
        ("D=a; cd $D; x", "/w/a"),
        ("ssh h x", ""),
    ],
)
def test_the_directory_of_a_command_is_followed(script: str, cwd: str) -> None:
    assert parse(script, cwd="/w").commands[-1].cwd == cwd


# -- problems ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "script",
    [
        "rm 'x",
        'rm "x',
        "rm $(x",
        "rm `x",
        "rm ${x",
        "if a; then b",
        "a )",
        "( a",
        "a | | b",
        "case x in",
        "echo !(a|b)",
        "${ rm x; }",
        "rm \0x",
        "rm \x01x",
        "rm \ud800",
        "a " * 40_000,
        "(" * 30_000,
        "eval " * 20 + "x",
        "a <<$(b)\nx\n",
    ],
)
def test_what_is_not_understood_is_a_problem(script: str) -> None:
    assert parse(script).problem


@pytest.mark.parametrize("script", ["", " ", "\n", "# a comment", "X=1", "[[ -f x ]]"])
def test_a_text_may_run_nothing_at_all(script: str) -> None:
    program = parse(script)
    assert program.commands == ()
    assert program.problem == ""


def test_values_that_double_stay_small() -> None:
    program = parse("X=aaaaaaaa; " + "X=$X$X; " * 60 + "echo $X")
    assert program.commands[-1].dynamic


def test_a_text_that_reads_itself_again_and_again_is_cut_off() -> None:
    program = parse("X='" + ": ;" * 1000 + "'; " + 'eval "$X"; ' * 1000)
    assert program.problem


_TEXTS = """rm $X X= a ' " ` $( $(( ) )) ( (( { } {a,b} ; ;; ;& ;;& & && | || |& <<EOF
EOF <<< > >> <> 3<> >& <&- {fd}> if then fi else case in esac for do done while function
f() time coproc ! [[ ]] [ ] \\ # $' ${ ${x:- é ~ * ? sudo bash eval xargs find -exec -c
<( >( = env - -- $[ @"""
_TOKENS = st.sampled_from(
    [*_TEXTS.split(), "\n", "\nEOF\n", "\\\n", "\0", "\x01", "\r", "\v", "\ud800"]
)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(_TOKENS, st.sampled_from(["", " "])), max_size=40))
def test_no_text_makes_it_raise(parts: list[tuple[str, str]]) -> None:
    text = "".join(token + blank for token, blank in parts)
    assert parse(text, cwd="/w").text == text


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_not_even_one_that_is_no_shell_text(text: str) -> None:
    assert parse(text).text == text


def test_the_grammar_is_loaded_when_the_first_text_is_parsed() -> None:
    code = (
        "import sys; from ringfence.parsing.shell import parse;"
        "assert 'tree_sitter' not in sys.modules; parse('ls');"
        "assert 'tree_sitter' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
