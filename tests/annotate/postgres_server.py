"""A PostgreSQL server of the tests' own, on a free port of this machine, gone when they end."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ports import free_port

PLACES = "/usr/lib/postgresql/*/bin"  # where Debian keeps programs that are not for everybody


PATIENCE_S = 600  # of a machine that is busy
_restarts: dict[str, Callable[[], None]] = {}


def restart_server(address: str) -> None:
    """Stop a server as a power cut would, and start it again."""
    _restarts[address.rpartition("/")[0]]()


def find_programs() -> Path | None:
    """The folder with initdb and pg_ctl, None where PostgreSQL is not installed."""
    found = sorted(Path("/").glob(PLACES.removeprefix("/") + "/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@contextmanager
def running_server(programs: Path) -> Iterator[str]:
    """The address of a server whose data are in a folder of its own.

    Not in pytest's folder: every run of pytest closes that to other users, the server's too.
    """
    data = Path(tempfile.mkdtemp(prefix="trope-postgres-"))
    owner = _owner(data)
    port = free_port()
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={data}"
    _run(owner, programs / "initdb", "-D", data, "-U", "trope", "-A", "trust", "--no-sync")
    begin = (
        programs / "pg_ctl",
        "-D",
        data,
        "-w",
        "-t",
        PATIENCE_S,
        "-l",
        data / "log",
        "-o",
        options,
    )
    _run(owner, *begin, "start")
    address = f"postgresql://trope@127.0.0.1:{port}"
    _restarts[address] = lambda: _run(owner, *begin, "-m", "immediate", "restart")
    try:
        yield address
    finally:
        del _restarts[address]
        stop = ("-w", "-t", PATIENCE_S, "-m", "immediate", "stop")
        _run(owner, programs / "pg_ctl", "-D", data, *stop)
        shutil.rmtree(data)


def _owner(data: Path) -> int | None:
    """Who runs the server: it refuses to run as root, so then the user `postgres` does."""
    if os.getuid() != 0:
        return None
    owner = pwd.getpwnam("postgres").pw_uid
    os.chown(data, owner, -1)
    return owner


def _run(owner: int | None, *command: object) -> None:
    subprocess.run(
        [str(part) for part in command],
        check=True,
        user=owner,
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
