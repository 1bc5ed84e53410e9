"""Shell texts from public bug reports about guards that misread them."""

from __future__ import annotations

import pytest

from ringfence.parsing.shell import parse

RUNS_RM_RF = [
    "FOO=1 rm -rf /",
    "LC_ALL=C rm -rf /",
    "r''m -rf /",
    'r"m" -rf /',
    "\\rm -rf /",
    "$'\\x72m' -rf /",
    "{rm,-rf,/}",
    "X=rm; $X -rf /",
    "X='rm -rf /'; $X",
    "$(echo rm) -rf /",
    'echo "$(rm -rf /)"',
    "echo `rm -rf /`",
    "echo ${x:-$(rm -rf /)}",
    "cat <<EOF\n$(rm -rf /)\nEOF",
    "true && rm -rf /",
    "true\nrm -rf /",
    "echo hi | rm -rf /",
    "sleep 1 & rm -rf /",
    "{ rm -rf /; }",
    "(rm -rf /)",
    "if true; then rm -rf /; fi",
    "f() { rm -rf /; }; f",
    "! rm -rf /",
    "time rm -rf /",
    "coproc rm -rf /",
    "time { rm -rf /; }",
    "coproc { rm -rf /; }",
    "case x in x) rm -rf / ;;& esac",
    "exec 3<>f; rm -rf /",
    "cat <<A <<B\n1\nA\n2\nB\nrm -rf /",
    "sudo -u root rm -rf /",
    "env -i A=1 rm -rf /",
    "timeout 5 rm -rf /",
    "bash -c 'rm -rf /'",
    "bash -c \"bash -c 'rm -rf /'\"",
    "eval 'rm -rf /'",
    "sh <<EOF\nrm -rf /\nEOF",
    "echo 'rm -rf /' | sh",
    "echo / | xargs rm -rf",
    "find / -exec rm -rf / \\;",
    "ssh host rm -rf /",
    "docker run -v /:/ image rm -rf /",
    "rm -rf / # only a comment",
    "r\\\nm -rf /",
    "rm \\\n  -rf /",
    "trap 'rm -rf /' EXIT",
    "alias ls='rm -rf /'; ls",
]

RUNS_NO_RM = [
    "git commit -F - <<'EOF'\ndocs: note that rm -rf / is denied\nEOF",
    "cat > notes.md <<EOF\nrm -rf /\nEOF",
    "true <<'EOF'\nrm -rf /\nEOF",
    "git apply --cached <<'PATCH'\n-rm -rf /\nPATCH",
    "echo rm -rf /",
    "echo 'a; rm -rf /'",
    "git commit -m 'rm -rf /'",
    "ls # rm -rf /",
    "command -v rm",
    "grep 'rm -rf /' log | wc -l",
    "printf '%s' '$(rm -rf /)'",
    "cat <<'EOF'\n$(rm -rf /)\nEOF",
    "cat <<EOF\n\\$(rm -rf /)\nEOF",
    "rmdir x",
    "X='rm -rf /'",
    "[[ $x == 'rm -rf /' ]]",
]


@pytest.mark.parametrize("script", RUNS_RM_RF)
def test_a_dangerous_command_is_seen_however_it_is_written(script: str) -> None:
    program = parse(script, cwd="/w")
    assert program.problem == ""
    assert ("rm", "-rf", "/") in [command.argv for command in program.commands]


@pytest.mark.parametrize("script", RUNS_NO_RM)
def test_text_that_is_only_data_runs_nothing(script: str) -> None:
    program = parse(script, cwd="/w")
    assert program.problem == ""
    assert "rm" not in [command.program for command in program.commands]
    assert not any(command.program == "" for command in program.commands)


def test_a_heredocs_consumer_decides() -> None:
    body = "git reset --hard origin/main"
    programs = [c.program for c in parse(f"bash <<EOF\n{body}\nEOF").commands]
    assert programs == ["bash", "git"]
    programs = [c.program for c in parse(f"cat >n.md <<EOF\n{body}\nEOF").commands]
    assert programs == ["cat"]


def test_a_safe_word_in_an_argument_hides_nothing() -> None:
    (command,) = parse("mkfs.ext4 -L lsblk /dev/sdb1").commands
    assert command.argv == ("mkfs.ext4", "-L", "lsblk", "/dev/sdb1")
