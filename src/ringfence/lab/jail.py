"""Started inside fresh network and process namespaces, runs one program there.

``jail.py check`` exits 0 if loopback can be brought up. ``jail.py run FD PORT
PROGRAM ARGUMENTS…`` brings loopback up, listens on PORT of the new namespace's own
127.0.0.1 and hands that socket out through the Unix socket FD: a socket belongs to
the namespace in which it was made, so a server outside can accept from inside. Then
it runs the program and ends with its exit code; as the first process of its
namespace it takes everything that the program left running with it.
"""

from __future__ import annotations

import array
import fcntl
import os
import signal
import socket
import struct
import sys

LOOPBACK = "127.0.0.1"
GET_FLAGS, SET_FLAGS, UP = 0x8913, 0x8914, 0x1  # linux/sockios.h, linux/if.h
IFREQ = "16sH22x"


def raise_loopback() -> None:
    """Bring the namespace's own loopback interface up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = struct.pack(IFREQ, b"lo", 0)
        _, flags = struct.unpack(IFREQ, fcntl.ioctl(control, GET_FLAGS, asked))
        fcntl.ioctl(control, SET_FLAGS, struct.pack(IFREQ, b"lo", flags | UP))


def hand_out_listener(channel: socket.socket, port: int) -> None:
    """Listen on the port and give the socket away; wait until it is served."""
    with socket.create_server((LOOPBACK, port)) as listener:
        right = array.array("i", [listener.fileno()])
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, right)
        channel.sendmsg([b"listener"], [rights])
        channel.recv(1)


def run(argv: list[str]) -> int:
    """Run the program, reap all that ends meanwhile, return its exit code."""
    child = os.spawnvp(os.P_NOWAIT, argv[0], argv)  # noqa: S606
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def main(argv: list[str]) -> int:
    """Do what the command line says."""
    raise_loopback()
    if argv[1] == "check":
        return 0
    with socket.socket(fileno=int(argv[2])) as channel:
        hand_out_listener(channel, int(argv[3]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return run(argv[4:])


if __name__ == "__main__":
    sys.exit(main(sys.argv))
