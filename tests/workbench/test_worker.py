"""Clients that send too much, too slowly, or too often."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest
from benches import PATIENCE_S, TEXT, Bench, bench, start, stop

QUICK = "from trope.web import worker\nworker.READING_S = 2.0"
PASTE = 200_000_000
BLOCKED = """
from trope.workbench import requests
requests.WAITING, requests.ANSWER_S = 1, {seconds}
import time
from pathlib import Path
import trope.pipeline
class Blocked(trope.pipeline.Pipeline):
    def analyze(self, text, **more):
        Path({begun!r}).touch()
        while not Path({gate!r}).exists():
            time.sleep(0.02)
        return super().analyze(text, **more)
trope.pipeline.Pipeline = Blocked
"""


@pytest.fixture(scope="module")
def quick(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A workbench that waits two seconds for a request to arrive."""
    started = start(tmp_path_factory.mktemp("quick"), before=QUICK)
    yield started
    stop(started)


def head(path: str, length: int) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n"
    ).encode()


def whole_answer(connection: socket.socket) -> bytes:
    got = b""
    while piece := connection.recv(65_536):
        got += piece
    return got


def answer_with(connection: socket.socket, words: bytes) -> bytes:
    """What is answered, up to these words: it may come in pieces."""
    got = b""
    while words not in got and (piece := connection.recv(65_536)):
        got += piece
    return got


def dribble(connection: socket.socket, content: bytes, until: threading.Event) -> None:
    """Send a byte every tenth of a second, as long as it is taken."""
    for at in range(len(content)):
        if until.wait(0.1):
            return
        try:
            connection.send(content[at : at + 1])
        except OSError:
            return


@pytest.mark.parametrize("path", ["/api/analyze", "/api/rewrite", "/api/query", "/"])
def test_body_that_dribbles_is_cut_off(quick: Bench, path: str) -> None:
    over = threading.Event()
    with quick.connect() as connection:
        connection.sendall(head(path, 5_000))
        sender = threading.Thread(target=dribble, args=(connection, b"x" * 5_000, over))
        sender.start()
        answer = whole_answer(connection)
        over.set()
        sender.join()
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b"bytes arrived within 2 seconds" in answer


def test_headers_that_dribble_are_cut_off(quick: Bench) -> None:
    over = threading.Event()
    with quick.connect() as connection:
        slow = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"x" * 5_000
        sender = threading.Thread(target=dribble, args=(connection, slow, over))
        sender.start()
        answer = whole_answer(connection)  # which ends: the connection is closed
        over.set()
        sender.join()
    assert not answer.startswith(b"HTTP/1.1 200")


def test_many_silent_clients_keep_nobody_out(bench: Bench) -> None:
    silent = [bench.connect() for _ in range(20)]
    for connection in silent:
        connection.sendall(head("/api/analyze", 100)[:-4])
    status, _ = bench.call("analyze", text=TEXT)
    assert status == 200
    for connection in silent:
        connection.close()


def test_whole_request_is_taken_however_it_is_cut(bench: Bench) -> None:
    body = json.dumps({"text": TEXT}).encode()
    request = head("/api/analyze", len(body)).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
    with bench.connect() as connection:
        for at in range(0, len(request + body), 40):
            connection.send((request + body)[at : at + 40])
        answer = whole_answer(connection)
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_body_of_unknown_length_is_refused(bench: Bench) -> None:
    with bench.connect() as connection:
        connection.sendall(
            b"POST /api/analyze HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            b"2\r\n{}\r\n0\r\n\r\n"
        )
        answer = whole_answer(connection)
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert b"no-length" in answer


@pytest.mark.parametrize(("path", "words"), [("/api/analyze", b'"too-large"'), ("/", b"Too long")])
def test_enormous_paste_is_refused_and_not_held_in_memory(
    bench: Bench, path: str, words: bytes
) -> None:
    bench.call("analyze", text=TEXT)  # the model is there
    before = bench.peak_memory()
    piece = b"x" * 1_000_000
    with bench.connect() as connection:
        connection.sendall(head(path, PASTE))
        try:
            for _ in range(PASTE // len(piece)):
                connection.sendall(piece)
        except OSError:
            pass  # it may hang up before all is sent; what it said is there to be read
        answer = answer_with(connection, words)
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert words in answer
    assert bench.peak_memory() - before < 20_000_000
    assert bench.call("analyze", text=TEXT)[0] == 200


def test_those_who_cannot_wait_are_told_so(tmp_path: Path) -> None:
    begun, gate = tmp_path / "begun", tmp_path / "gate"
    started = start(
        tmp_path, before=BLOCKED.format(seconds=PATIENCE_S, begun=str(begun), gate=str(gate))
    )
    answers: Queue[tuple[int, dict[str, str], bytes]] = Queue()
    body = json.dumps({"text": TEXT}).encode()

    def ask() -> None:
        answers.put(started.ask("POST", "/api/analyze", body, Content_Type="application/json"))

    try:
        clients = [threading.Thread(target=ask) for _ in range(3)]
        for client in clients:
            client.start()
        status, headers, content = answers.get()  # one is served, one waits, one is sent away
        assert status == 503
        assert json.loads(content)["error"]["code"] == "busy"
        assert headers["retry-after"]
        assert started.ask("GET", "/")[0] == 200, "pages that need no model are there meanwhile"
        gate.touch()
        for client in clients:
            client.join()
        assert [answers.get()[0] for _ in range(2)] == [200, 200]
    finally:
        gate.touch()
        stop(started)


def test_work_without_end_is_told_after_a_while(tmp_path: Path) -> None:
    begun, gate = tmp_path / "begun", tmp_path / "gate"
    started = start(tmp_path, before=BLOCKED.format(seconds=0.5, begun=str(begun), gate=str(gate)))
    try:
        status, answer = started.call("analyze", text=TEXT)
        assert (status, answer["error"]["code"]) == (503, "timeout")
        gate.touch()
    finally:
        stop(started)
