from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.parsing.paths import absolute, matches

CWD, HOME = "/w/p", "/home/u"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", "/w/p/a"),
        ("./a/../b//c/.", "/w/p/b/c"),
        ("../../../../etc", "/etc"),
        ("/etc/../etc/passwd", "/etc/passwd"),
        ("//etc/passwd", "/etc/passwd"),
        ("~", "/home/u"),
        ("~/.ssh/id", "/home/u/.ssh/id"),
        ("$HOME/.ssh", "/home/u/.ssh"),
        ("${HOME}/.ssh", "/home/u/.ssh"),
        ("~other/x", "~other/x"),
        ("~x", "~x"),
        ("file:///etc/passwd", "/etc/passwd"),
        ("C:\\Users\\u\\.env", "C:/Users/u/.env"),
        ("", ""),
    ],
)
def test_paths_are_made_absolute(path: str, expected: str) -> None:
    assert absolute(path, CWD, HOME) == expected


def test_what_is_not_known_stays_relative() -> None:
    assert absolute("a/../b") == "b"
    assert absolute("~/a", CWD) == "~/a"


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        # without a slash: the last segment, at any depth
        (".env", "/w/p/.env"),
        (".env", "deep/down/.env"),
        ("*.pem", "/x/y/z.pem"),
        (".env*", ".env.local"),
        # with one: at any depth as well
        ("secrets/*.key", "/w/p/a/secrets/x.key"),
        # anchored
        ("/etc/*", "/etc/passwd"),
        ("/etc/**", "/etc/ssl/private/key"),
        ("~/.ssh/**", "~/.ssh/id_rsa"),
        ("~/.ssh/**", "/home/u/.ssh/id_rsa"),
        ("~/.*", "~/.bashrc"),
        ("./src/*.py", "src/a.py"),
        ("./src/*.py", "/w/p/src/a.py"),
        # any depth
        ("**/node_modules/**", "/w/p/node_modules/a/b.js"),
        ("/w/**/x", "/w/x"),
        ("/w/**/x", "/w/a/b/x"),
        ("a/**/b", "/z/a/b"),
        # a directory and all below it
        ("~/.ssh/", "~/.ssh"),
        ("~/.ssh/", "~/.ssh/a/b"),
        (".git/", "/w/p/.git/hooks/pre-commit"),
        ("/", "/"),
        ("/", "/anything"),
        # single characters and sets
        ("?.txt", "a.txt"),
        ("[a-c].txt", "b.txt"),
        ("[!a-c].txt", "d.txt"),
        ("a[", "a["),
        ("a\\*b", "a*b"),
        ("*", "/w/p/anything"),
        ("a*b*c", "axxbxxc"),
    ],
)
def test_a_pattern_matches(pattern: str, path: str) -> None:
    assert matches(pattern, path, cwd=CWD, home=HOME)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (".env", ".env.example"),
        (".env", "x.env"),
        (".env", ".env/x"),
        ("*.pem", "x.pem/y"),
        ("secrets/*.key", "secrets/a/x.key"),
        ("secrets/*.key", "mysecrets/x.key"),
        ("/etc/*", "/etc/a/b"),
        ("/etc/**", "/etc"),
        ("/etc/**", "/w/etc/passwd"),
        ("~/.ssh/**", "/home/other/.ssh/id"),
        ("~/.ssh/**", "/w/p/.ssh/id"),
        ("./src/*.py", "/w/src/a.py"),
        ("?.txt", "ab.txt"),
        ("[a-c].txt", "d.txt"),
        ("[!a-c].txt", "a.txt"),
        (".Env", ".env"),
        ("a\\*b", "axb"),
        ("~/.ssh/", "~/.sshx"),
    ],
)
def test_a_pattern_does_not_match(pattern: str, path: str) -> None:
    assert not matches(pattern, path, cwd=CWD, home=HOME)


def test_dots_do_not_hide_a_path() -> None:
    assert matches("~/.ssh/**", "/tmp/../home/u/./.ssh/id", cwd=CWD, home=HOME)
    assert matches("/etc/passwd", "../../etc/passwd", cwd=CWD, home=HOME)


def test_case_may_be_ignored() -> None:
    assert matches("~/.SSH/**", "/Home/u/.ssh/ID", home="/home/U", ignore_case=True)


def test_many_stars_take_no_time() -> None:
    start = time.perf_counter()
    assert not matches("*a" * 50 + "b", "a" * 5000)
    assert not matches("**/a/" * 50 + "b", "a/" * 2000)
    assert time.perf_counter() - start < 2


@given(st.text(), st.text(), st.text(), st.text())
def test_nothing_makes_it_raise(pattern: str, path: str, cwd: str, home: str) -> None:
    matches(pattern, path, cwd=cwd, home=home)


_PLAIN = st.text("ab.-_é", min_size=1).filter(lambda text: set(text) != {"."})


@given(st.lists(_PLAIN, min_size=1, max_size=4))
def test_a_path_without_wildcards_matches_itself(parts: list[str]) -> None:
    path = "/" + "/".join(parts)
    assert matches(path, path)
    assert matches(parts[-1], path)
    assert matches("/**", path)
    assert not matches(path, path + "x")
