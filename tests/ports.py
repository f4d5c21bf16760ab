"""Ports for servers that tests start: nobody else takes one before its server listens."""

import errno
import os
import socket
import tempfile
from pathlib import Path

# below the ports that systems give to whoever asks for any, such as a browser that connects
_PORTS = range(20_000, 28_000)
_held: list[int] = []


def free_port() -> int:
    """A port of this machine that no other test run is given while this process lives."""
    first = os.getpid() * 31 % len(_PORTS)
    for number in (*_PORTS[first:], *_PORTS[:first]):
        if _reserve(number):
            return number
    raise AssertionError("no port is free")


def _reserve(number: int) -> bool:
    import fcntl  # the services that tests start need a Unix

    folder = Path(tempfile.gettempdir()) / f"trope-test-ports-{os.getuid()}"
    folder.mkdir(exist_ok=True)
    lock = os.open(folder / str(number), os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", number))
    except OSError as taken:
        os.close(lock)
        if taken.errno in (errno.EAGAIN, errno.EACCES, errno.EADDRINUSE):
            return False
        raise
    _held.append(lock)  # until the process ends
    return True
