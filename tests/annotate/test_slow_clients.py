"""The service as it is started: slow clients, large bodies, a database that is locked."""

import fcntl
import re
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
from projects import START, add_items, make_project

from ports import free_port
from trope.annotate.store import people

PATIENCE_S = 300.0
_TOO_SLOW = b"HTTP/1.1 408"
QUICK = """
import sys
from trope.web import worker
from trope.annotate.store import database
worker.READING_S, database.REQUEST_S = 2.0, 0.2
from trope.cli.main import main
main(["annotate", "serve", *sys.argv[1:]])
"""


@dataclass
class Service:
    """A running service, and the cookie of someone who is signed in."""

    port: int
    folder: Path
    cookie: str = ""

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def ask(self, line: str, body: bytes = b"", *headers: str) -> bytes:
        """The answer; a busy machine may be too slow even for this, and asks again."""
        answer = _TOO_SLOW
        while answer.startswith(_TOO_SLOW):
            with closing(self.connect()) as connection:
                connection.sendall(self.request(line, len(body), *headers) + body)
                answer = whole_answer(connection)
        return answer

    def request(self, line: str, length: int, *headers: str) -> bytes:
        own = (f"Host: 127.0.0.1:{self.port}", f"Cookie: {self.cookie}", *headers)
        if line.startswith("POST"):
            own += (f"Content-Length: {length}", f"Origin: http://127.0.0.1:{self.port}")
        return "\r\n".join((f"{line} HTTP/1.1", *own, "", "")).encode()


def whole_answer(connection: socket.socket) -> bytes:
    got = b""
    while piece := connection.recv(65_536):
        got += piece
    return got


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    project = make_project(tmp_path_factory.mktemp("slow") / "p")
    add_items(project, 3)
    token = people.invite("Ann", now=START, trusted=True)
    port = free_port()
    command = [sys.executable, "-c", QUICK, str(project.folder), "--port", str(port)]
    running = subprocess.Popen([*command, "--workers", "1"], stdout=subprocess.PIPE, text=True)
    try:
        assert running.stdout is not None
        assert "http" in running.stdout.readline()
        found = Service(port, project.folder)
        _wait_until_it_listens(found, running)
        page = found.ask(f"GET /join/{token}")
        csrf = re.search(rb'csrfmiddlewaretoken" value="(\w+)"', page)
        assert csrf, page
        found.cookie = _cookies(page)
        form = b"csrfmiddlewaretoken=" + csrf[1]
        kind = "Content-Type: application/x-www-form-urlencoded"
        found.cookie = _cookies(found.ask(f"POST /join/{token}", form, kind))
        yield found
    finally:
        running.terminate()
        running.communicate()


def _wait_until_it_listens(service: Service, running: subprocess.Popen[str]) -> None:
    while running.poll() is None:
        try:
            service.connect().close()
            return
        except ConnectionRefusedError:
            continue
    pytest.fail("the service ended")


def _cookies(answer: bytes) -> str:
    return "; ".join(
        found.decode() for found in re.findall(rb"(?im)^set-cookie: ([^;\r\n]+)", answer)
    )


def test_many_unfinished_requests_keep_nobody_out(service: Service) -> None:
    head = service.request("POST /judge", 1000)
    slow = [service.connect() for _ in range(120)]
    for number, connection in enumerate(slow):
        connection.sendall(head[: len(head) // 2] if number % 2 else head + b"x" * 10)
    assert service.ask("GET /judge").startswith(b"HTTP/1.1 200")
    with closing(slow[1]), closing(slow[0]):
        assert whole_answer(slow[1]).startswith(b"HTTP/1.1 408")
        answer = whole_answer(slow[0])
        assert answer.startswith(b"HTTP/1.1 408"), answer
        assert b"10 of 1,000 bytes arrived" in answer
    for connection in slow:
        connection.close()


def test_clients_that_do_not_hang_up_keep_nobody_out(service: Service) -> None:
    idle = [service.connect() for _ in range(40)]
    for connection in idle:
        connection.sendall(service.request("GET /", 0))
    for connection in idle:
        assert whole_answer(connection).startswith(b"HTTP/1.1 302")
    assert service.ask("GET /judge").startswith(b"HTTP/1.1 200")
    for connection in idle:
        connection.close()


def test_upload_of_someone_unknown_is_neither_read_nor_stored(service: Service) -> None:
    unknown = Service(service.port, service.folder)
    kind = "Content-Type: multipart/form-data; boundary=x"
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    with closing(service.connect()) as connection:  # announced, and never sent
        connection.sendall(unknown.request("POST /judge", 600_000_000, kind) + part)
        assert whole_answer(connection).startswith(b"HTTP/1.1 413")
    assert unknown.ask("POST /judge", part + b"y" * 900_000, kind).startswith(b"HTTP/1.1 401")
    assert unknown.ask("POST /judge", b"", "Transfer-Encoding: chunked").startswith(b"HTTP/1.1 4")


def test_body_that_the_client_asks_to_send_is_asked_for(service: Service) -> None:
    with closing(service.connect()) as connection:
        connection.sendall(service.request("POST /judge", 5, "Expect: 100-continue"))
        assert connection.recv(65_536).startswith(b"HTTP/1.1 100")
        connection.sendall(b"a=b&c")
        assert b"HTTP/1.1 403" in whole_answer(connection)  # it has no CSRF token


def _all_are_told(service: Service, form: bytes) -> None:
    """Every one of many requests at once is answered, with the time to come back."""
    kind = "Content-Type: application/x-www-form-urlencoded"
    with ThreadPoolExecutor(10) as askers:
        asked = [askers.submit(service.ask, "POST /judge/draft", form, kind) for _ in range(10)]
    for one in asked:
        answer = one.result()
        assert answer.startswith(b"HTTP/1.1 503"), answer[:200]
        assert b"Retry-After: " in answer


def test_all_waits_of_a_request_end_together(service: Service) -> None:
    """A database that another program keeps locked, and a queue that a stopped process holds."""
    page = service.ask("GET /judge")
    names = (b"csrfmiddlewaretoken", b"token")
    found = [re.search(rb'name="' + name + rb'" value="(\w+)"', page) for name in names]
    form = b"&".join(name + b"=" + one[1] for name, one in zip(names, found, strict=True) if one)
    with closing(sqlite3.connect(service.folder / "project.db")) as other:
        other.execute("BEGIN IMMEDIATE")
        _all_are_told(service, form)
    with (service.folder / "project.db.line").open() as line:
        fcntl.flock(line, fcntl.LOCK_EX)
        _all_are_told(service, form)
    kind = "Content-Type: application/x-www-form-urlencoded"
    assert service.ask("POST /judge/draft", form, kind).startswith(b"HTTP/1.1 204")


@pytest.mark.parametrize("name", ["serve", "demo"])
def test_second_server_of_a_project_is_refused(name: str, service: Service) -> None:
    command = [sys.executable, "-m", "trope", "annotate", name, str(service.folder)]
    second = subprocess.run(
        [*command, "--port", str(free_port())], capture_output=True, text=True, check=False
    )
    assert second.returncode == 2
    assert "is already being served; stop that server first" in second.stderr
    assert "/join/" not in second.stdout
    assert service.ask("GET /judge").startswith(b"HTTP/1.1 200")
