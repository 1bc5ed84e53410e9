from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringfence.parsing.urls import bare_url, find_urls, host_of, remote_host


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://example.com/x?y#z", "example.com"),
        ("HTTPS://EXAMPLE.com.:443/", "example.com"),
        ("https://good.com@evil.com/", "evil.com"),
        ("https://good.com:pw@evil.com:8/", "evil.com"),
        ("https://evil.com\\@good.com/", "evil.com"),
        ("https://evil.com?@good.com/", "evil.com"),
        ("https://evil.com#@good.com/", "evil.com"),
        ("http://[::1]:80/x", "::1"),
        ("http://[fe80::1%25eth0]/", "fe80::1"),
        ("http://[0:0:0:0:0:0:0:1]/", "::1"),
        ("http://127.1/", "127.0.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://0x7f.0.0.1/", "127.0.0.1"),
        ("http://0177.0.0.1/", "127.0.0.1"),
        ("http://exa%6dple.com/", "example.com"),
        ("https://münchen.de/", "xn--mnchen-3ya.de"),
        ("https://EXAMPLE\u3002com/", "example.com"),
        ("https://example\uff0ecom/", "example.com"),
        ("//cdn.example.com/x", "cdn.example.com"),
        ("example.com/path", "example.com"),
        ("localhost:8080", "localhost"),
        ("user@host.example:22/x", "host.example"),
        ("file:///etc/passwd", ""),
        ("http://[bad/", ""),
        ("", ""),
    ],
)
def test_the_host_is_the_one_that_is_reached(url: str, host: str) -> None:
    assert host_of(url) == host


def test_urls_are_found_in_text_without_its_punctuation() -> None:
    text = 'See https://a.example/x, (http://b.example/y_(z)) or "ftp://c.example".'
    assert find_urls(text) == (
        "https://a.example/x",
        "http://b.example/y_(z)",
        "ftp://c.example",
    )


def test_each_url_is_found_once() -> None:
    assert find_urls("http://a/ http://b/ http://a/") == ("http://a/", "http://b/")


@pytest.mark.parametrize(
    "word", ["example.com", "example.com/x", "[::1]:8/x", "h:80/x"]
)
def test_a_bare_host_is_taken_as_written(word: str) -> None:
    assert bare_url(word) == word


@pytest.mark.parametrize("word", ["/x", "./x", "a b", "", "@file", "-x"])
def test_what_is_no_host_is_none(word: str) -> None:
    assert bare_url(word) == ""


@pytest.mark.parametrize(
    ("word", "host"),
    [
        ("git@github.com:o/r.git", "github.com"),
        ("host:path", "host"),
        ("u@[::1]:x", "::1"),
        ("./a:b", ""),
        ("C:\\x", ""),
        ("plain", ""),
    ],
)
def test_the_host_of_a_remote_path(word: str, host: str) -> None:
    assert remote_host(word) == host


@given(st.text())
def test_nothing_makes_them_raise(text: str) -> None:
    host_of(text)
    host_of(f"http://{text}")
    find_urls(text)
    bare_url(text)
    remote_host(text)
