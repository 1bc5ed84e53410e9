"""A program runs in its own group, and its leftovers end with it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from ringfence.lab import Script, say
from ringfence.lab.model import ModelServer
from ringfence.lab.runners import isolation
from ringfence.lab.runners.process import GroupOptions, run_group


def options(tmp_path: Path, timeout: float = 20, stdin: str = "") -> GroupOptions:
    return GroupOptions(tmp_path, {"PATH": os.environ["PATH"]}, timeout, stdin)


def is_running(pid: int) -> bool:
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


def ends_soon(pid: int) -> bool:
    for _ in range(50):
        if not is_running(pid):
            return True
        time.sleep(0.05)
    return False


def test_output_input_and_exit_code_are_given_back(tmp_path: Path) -> None:
    script = "cat; pwd; echo bad >&2; exit 7"
    done = run_group(["sh", "-c", script], options(tmp_path, stdin="in\n"))
    assert done.exit == 7
    assert done.stdout == f"in\n{tmp_path}\n"
    assert done.stderr == "bad\n"


def test_a_background_child_neither_delays_nor_survives_the_end(tmp_path: Path) -> None:
    done = run_group(["sh", "-c", "sleep 60 & echo $!"], options(tmp_path))
    assert done.exit == 0
    assert done.seconds < 10
    assert ends_soon(int(done.stdout))


def test_a_timeout_ends_the_whole_group(tmp_path: Path) -> None:
    script = "sleep 60 & echo $!; wait"
    done = run_group(["sh", "-c", script], options(tmp_path, timeout=0.5))
    assert done.exit is None
    assert ends_soon(int(done.stdout))


needs_namespaces = pytest.mark.skipif(
    not isolation.available(), reason="this machine lets us make no namespaces"
)

REACH = """
import socket, sys
for port in map(int, sys.argv[1:]):
    with socket.socket() as s:
        s.settimeout(5)
        print(port, s.connect_ex(("127.0.0.1", port)) == 0)
"""


@needs_namespaces
def test_inside_namespaces_only_the_model_can_be_reached(tmp_path: Path) -> None:
    with ModelServer(Script.of(say("x"))) as model, ModelServer(Script()) as other:
        argv = [sys.executable, "-c", REACH, str(model.port), str(other.port)]
        inside = isolation.run_isolated(argv, model, options(tmp_path))
        outside = run_group(argv, options(tmp_path))
    assert inside.stdout.split() == [str(model.port), "True", str(other.port), "False"]
    assert outside.stdout.split() == [str(model.port), "True", str(other.port), "True"]


@needs_namespaces
@pytest.mark.parametrize(
    ("script", "code"), [("exit 7", 7), ("kill -9 $$", 137), ("exit 0", 0)]
)
def test_inside_namespaces_the_exit_code_is_the_programs(
    tmp_path: Path, script: str, code: int
) -> None:
    with ModelServer(Script()) as model:
        done = isolation.run_isolated(["sh", "-c", script], model, options(tmp_path))
    assert done.exit == code


@needs_namespaces
@pytest.mark.parametrize("timeout", [1.0, 20.0], ids=["timeout", "clean end"])
def test_inside_namespaces_even_a_daemon_ends_with_the_run(
    tmp_path: Path, timeout: float
) -> None:
    beat = tmp_path / "beat"
    daemon = f"setsid sh -c 'while :; do date +%N > {beat}; sleep 0.05; done' &"
    rest = "sleep 60" if timeout < 5 else "sleep 0.3"
    with ModelServer(Script()) as model:
        isolation.run_isolated(
            ["sh", "-c", f"{daemon} {rest}"], model, options(tmp_path, timeout)
        )
    assert beat.exists()
    before = beat.read_text()
    time.sleep(0.4)
    assert beat.read_text() == before
