"""Run an agent where there is no network but loopback, if this machine can.

The proxy settings of a run already catch whatever honours them. Inside namespaces
there is nothing else to reach: the only socket is the scripted model's, and no
background process outlives the run. They need Linux, and root or a kernel that lets
users make namespaces of their own.
"""

from __future__ import annotations

import functools
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from ringfence.lab.model.server import ModelServer
from ringfence.lab.runners.process import Finished, GroupOptions, run_group

JAIL = (sys.executable, "-I", "-S", str(Path(__file__).parents[1] / "jail.py"))
NAMESPACES = ("--net", "--pid", "--fork", "--kill-child", "--mount-proc")
HANDSHAKE_TIMEOUT = 20.0


def _unshare() -> list[str]:
    own_user = () if os.geteuid() == 0 else ("--map-current-user", "--keep-caps")
    return ["unshare", *own_user, *NAMESPACES, "--"]


@functools.cache
def available() -> bool:
    """Tell whether this machine lets us make the namespaces; tried once."""
    if shutil.which("unshare") is None:
        return False
    try:
        tried = subprocess.run(
            [*_unshare(), *JAIL, "check"],
            capture_output=True,
            timeout=HANDSHAKE_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return False
    return tried.returncode == 0


def run_isolated(
    argv: Sequence[str], server: ModelServer, options: GroupOptions
) -> Finished:
    """Run a program in namespaces from which only ``server`` can be reached.

    The program finds the model at the same address as outside.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(HANDSHAKE_TIMEOUT)

        def serve_inside() -> None:
            theirs.close()
            _, received, _, _ = socket.recv_fds(ours, 16, 1)
            # Nothing received: the program never started, and its output tells why.
            for number in received:
                server.listen_also(socket.socket(fileno=number))
                ours.send(b"\n")

        jailed = [*_unshare(), *JAIL, "run", str(theirs.fileno()), str(server.port)]
        return run_group(
            [*jailed, *argv],
            options,
            pass_fds=[theirs.fileno()],
            started=serve_inside,
        )
