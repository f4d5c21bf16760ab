"""Large files against the service as it is started: from owners alone, and up to a limit."""

import http.client
import re
import select
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytest.importorskip("django", reason="Django is not installed (pip install 'trope[annotate]')")

from hands import started

_HEAD, _END = "--frontier\r\nContent-Disposition: form-data; name=", "\r\n--frontier--\r\n"


class Owner:
    """An owner's program, signed in at the service."""

    def __init__(self, link: str) -> None:
        self.address, self.path = urlsplit(link).netloc, urlsplit(link).path
        self.cookies: dict[str, str] = {}
        self.token = ""
        page = self.ask("GET", self.path).decode()
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert found
        body = f"csrfmiddlewaretoken={found[1]}".encode()
        self.ask("POST", self.path, body, "application/x-www-form-urlencoded")
        page = self.ask("GET", "/project/items").decode()
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert found, "signed in"
        self.token = found[1]

    def headers(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}

    def ask(self, method: str, path: str, body: bytes = b"", kind: str = "") -> bytes:
        connection = http.client.HTTPConnection(self.address, timeout=120)
        headers = self.headers() | ({"Content-Type": kind} if kind else {})
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        for line in answer.headers.get_all("Set-Cookie") or ():
            name, _, value = line.partition(";")[0].partition("=")
            self.cookies[name] = value
        self.status, self.location = answer.status, answer.headers.get("Location", "")
        content = answer.read()
        connection.close()
        return content


def part(name: str, value: str) -> bytes:
    return f'{_HEAD}"{name}"\r\n\r\n{value}\r\n'.encode()


def file_head(name: str) -> bytes:
    return f'{_HEAD}"items"; filename="{name}"\r\nContent-Type: text/csv\r\n\r\n'.encode()


def announce(owner: Owner, path: str, length: int, cookie: str) -> socket.socket:
    """A connection that has sent the head of a form of that length, and nothing of its body."""
    host, _, port = owner.address.partition(":")
    client = socket.create_connection((host, int(port)), timeout=60)
    client.sendall(
        f"POST {path} HTTP/1.1\r\nHost: {owner.address}\r\nContent-Length: {length}\r\n{cookie}"
        "Content-Type: multipart/form-data; boundary=frontier\r\n\r\n".encode()
    )
    return client


def wait_for(address: str) -> None:
    """Come back when the service listens."""
    host, _, port = address.partition(":")
    while True:
        try:
            socket.create_connection((host, int(port))).close()
            return
        except ConnectionRefusedError:
            select.select([], [], [], 0.1)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Owner]]:
    folder = tmp_path_factory.mktemp("large") / "new"
    with started(folder, "--workers", "1", "--upload-limit", "20") as link:
        wait_for(urlsplit(link).netloc)
        yield folder, Owner(link)


def status_of(client: socket.socket) -> tuple[int, str]:
    answer = http.client.HTTPResponse(client)
    answer.begin()
    return answer.status, answer.read().decode()


def test_upload_of_200_mb_is_refused_before_it_is_sent(service: Any) -> None:
    folder, owner = service
    cookie = f"Cookie: {owner.headers()['Cookie']}\r\n"
    with announce(owner, "/project/items", 200_000_000, cookie) as client:
        status, page = status_of(client)
    assert status == 413
    assert "the request has 200,000,000 bytes, the limit is 20,000,000" in page
    assert not list(folder.glob("uploads/*"))


@pytest.mark.parametrize("path", ["/project/links", "/project/questions", "/judge"])
def test_other_pages_take_no_large_form(path: str, service: Any) -> None:
    _, owner = service
    cookie = f"Cookie: {owner.headers()['Cookie']}\r\n"
    with announce(owner, path, 5_000_000, cookie) as client:
        assert status_of(client)[0] == 413


def test_large_upload_of_a_stranger_is_refused_unread(service: Any) -> None:
    _, owner = service
    with announce(owner, "/project/items", 15_000_000, "") as client:
        assert status_of(client)[0] == 401


def test_file_larger_than_a_form_arrives_whole(service: Any) -> None:
    folder, owner = service
    rows = b"".join(b"x%d,Sentence number %d of many.\n" % (n, n) for n in range(120_000))
    table = b"id,text\n" + rows
    assert len(table) > 3_000_000
    form = part("csrfmiddlewaretoken", owner.token) + part("action", "send")
    body = form + file_head("large.csv") + table + _END.encode()
    owner.ask("POST", "/project/items", body, "multipart/form-data; boundary=frontier")
    assert (owner.status, owner.location[:20]) == (302, "/project/items/file/")
    (path,) = (folder / "uploads").iterdir()
    assert path.read_bytes() == table
    assert path.stat().st_mode & 0o777 == 0o600
    assert b"Sentence number 0 of many." in owner.ask("GET", owner.location)


def test_upload_that_breaks_off_leaves_nothing(service: Any) -> None:
    folder, owner = service
    there = {path.name for path in (folder / "uploads").iterdir()}
    cookie = f"Cookie: {owner.headers()['Cookie']}\r\n"
    with announce(owner, "/project/items", 5_000_000, cookie) as client:
        form = part("csrfmiddlewaretoken", owner.token)
        client.sendall(form + file_head("cut.csv") + b"id,text\n" + b"x" * 2_000_000)
        client.shutdown(socket.SHUT_WR)
        status, page = status_of(client)
    assert status == 400
    assert "the file broke off" in page
    assert {path.name for path in (folder / "uploads").iterdir()} == there
