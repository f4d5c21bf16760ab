"""Requests of limited size that have arrived whole before a thread sees them.

Whoever sends slowly, or does not hang up, has a connection and no thread. Both cost little, and
both end: after some seconds, or earlier for the oldest if there are too many.
"""

from __future__ import annotations

import errno
import io
import re
import selectors
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from socket import SHUT_RD, SHUT_WR
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

READING_S = 10.0
"""Seconds within which the headers, and then the body, of a request must arrive."""

WRITING_S = 30.0
"""Seconds that a client may take to receive a part of an answer."""

REFUSED = "trope.refused"
"""The key of the WSGI environment with the reason why a body was not read."""

NO_FILES: Mapping[str, int] = {}

_MOST_HEADERS = 65_536  # gunicorn refuses longer ones
_MOST_WAITING, _MOST_HELD = 256, 32_000_000  # connections, and bytes of all of them
_LINGER_S = 2.0  # keep reading from a client so long after the answer, so that it gets it
_PIECE = 65_536
_LENGTH = re.compile(rb"(?im)^content-length:[ \t]*(\d{1,18})[ \t]*\r?$")
_CHUNKED = re.compile(rb"(?im)^transfer-encoding:")
_EXPECTS = re.compile(rb"(?im)^expect:[ \t]*100-continue")
_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class RefusedBody:
    """Why a body was not read: an HTTP status, a code for programs, a message for people."""

    status: int
    code: str
    message: str


@dataclass(slots=True)
class _Sender:
    """A client that has not sent its whole request; `length` is known with the headers."""

    until: float
    data: bytearray = field(default_factory=bytearray)
    length: int | None = None


class PatientWorker(ThreadWorker):
    """Threads for requests that have arrived; the others wait in the poller.

    There is one request per connection.
    """

    body_limit = 1_000_000

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._senders: dict[TConn, _Sender] = {}
        self._leaving: dict[TConn, float] = {}

    def accept(self, listener: Any) -> None:
        """Expect a request from a new client."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE) and self._senders:
                self._drop(next(iter(self._senders)))
            return  # or the client has hung up
        conn = TConn(self.cfg, sock, client, listener.getsockname())
        self._senders[conn] = _Sender(time.monotonic() + READING_S)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._receive, conn))
        while len(self._senders) > _MOST_WAITING:
            self._drop(next(iter(self._senders)))

    def _receive(self, conn: TConn, _: Any) -> None:
        """Take what a client has sent; the whole request goes to a thread."""
        sender = self._senders[conn]
        try:
            piece = conn.sock.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self._drop(conn)
            return
        sender.data += piece
        if sender.length is None:
            self._read_headers(conn, sender)
        if sender.length is not None and len(sender.data) >= sender.length:
            self._hand_over(conn)
        while sum(len(one.data) for one in self._senders.values()) > _MOST_HELD:
            self._drop(next(iter(self._senders)))

    def _read_headers(self, conn: TConn, sender: _Sender) -> None:
        sender.length = request_length(bytes(sender.data), self.body_limit)
        if sender.length is None:
            return
        sender.until = time.monotonic() + READING_S
        if len(sender.data) < sender.length and _EXPECTS.search(sender.data):
            with suppress(OSError):
                conn.sock.send(b"HTTP/1.1 100 Continue\r\n\r\n")

    def _hand_over(self, conn: TConn) -> None:
        self.poller.unregister(conn.sock)
        data = self._senders.pop(conn).data
        self.nr_conns += 1
        conn.init()
        conn.parser.unreader.unread(bytes(data))
        self.enqueue_req(conn)

    def murder_pending(self) -> None:
        """Cut off clients that are too slow; called about once a second."""
        now = time.monotonic()
        for conn, sender in list(self._senders.items()):
            if sender.until > now:
                continue
            with suppress(OSError):
                if sender.length is None:
                    conn.sock.send(_TOO_SLOW)
                else:  # the application says what is missing
                    conn.sock.shutdown(SHUT_RD)
                    self._hand_over(conn)
                    continue
            self._drop(conn)
        for conn in [conn for conn, until in self._leaving.items() if until <= now]:
            self._close(conn)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        """Answer a request; whoever does not take the answer is cut off, too."""
        conn.sock.settimeout(WRITING_S)
        return super().handle_request(req, conn)

    def finish_request(self, conn: TConn, fs: Future[Any]) -> None:
        """Hang up, once the client has or after a moment: an answer may still be on its way."""
        self.nr_conns -= 1
        try:
            conn.sock.shutdown(SHUT_WR)
            conn.sock.setblocking(False)
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._discard, conn))
        except (OSError, ValueError):
            conn.close()
            return
        self._leaving[conn] = time.monotonic() + _LINGER_S
        while len(self._leaving) > _MOST_WAITING:
            self._close(next(iter(self._leaving)))

    def _discard(self, conn: TConn, _: Any) -> None:
        try:
            piece = conn.sock.recv(_PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self._close(conn)

    def _close(self, conn: TConn) -> None:
        del self._leaving[conn]
        self.poller.unregister(conn.sock)
        conn.close()

    def _drop(self, conn: TConn) -> None:
        del self._senders[conn]
        self.poller.unregister(conn.sock)
        conn.close()


def request_length(data: bytes, body_limit: int) -> int | None:
    """How many bytes of a request must arrive before it is answered; None until that is known.

    A request that will be refused, because its body is too long or of unknown length, is answered
    without its body.
    """
    end = data.find(b"\r\n\r\n")
    if end < 0:
        return len(data) if len(data) > _MOST_HEADERS else None
    head, end = data[: end + 2], end + 4
    announced = _LENGTH.findall(head)
    if len(announced) != 1 or _CHUNKED.search(head) or int(announced[0]) > body_limit:
        return end
    return end + int(announced[0])


SENDING_S = 600.0
"""Seconds within which a file must arrive."""


class _FileInput:
    """The body of a request that brings a file, read while it arrives: in time, and whole."""

    def __init__(self, stream: Any, length: int) -> None:
        self._stream, self._left = stream, length
        self._until = time.monotonic() + SENDING_S

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        return self._counted(self._stream.read, size)

    def readline(self, size: int = -1) -> bytes:
        """The next line."""
        return self._counted(self._stream.readline, size)

    def _counted(self, read: Callable[[int], bytes], size: int) -> bytes:
        if time.monotonic() > self._until:
            raise TimeoutError(f"the file did not arrive within {SENDING_S:g} seconds")
        piece = read(size)
        self._left -= len(piece)
        if not piece and size and self._left > 0:
            raise ConnectionError(f"the file broke off, {self._left:,} bytes before its end")
        return piece


def read_whole_body(
    inner: Wsgi, limit: int, advice: str = "", files: Mapping[str, int] = NO_FILES
) -> Wsgi:
    """The application, called with the whole body, or without one and the reason.

    `files` are the paths whose bodies may be longer, and up to which length. They are not read
    here: the application first looks who sends them.
    """

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        most = files.get(environ.get("PATH_INFO", ""), limit)
        length = int(environ.get("CONTENT_LENGTH") or 0)
        if limit < length <= most:
            sent = {"wsgi.input": _FileInput(environ["wsgi.input"], length)}
            return inner(environ | sent, start_response)
        body = _body(environ, most, advice)
        if isinstance(body, bytes):
            return inner(environ | {"wsgi.input": io.BytesIO(body)}, start_response)
        told = {REFUSED: body, "wsgi.input": io.BytesIO(), "CONTENT_LENGTH": "0"}
        return inner(environ | told, start_response)

    return answer


def _body(environ: dict[str, Any], limit: int, advice: str) -> bytes | RefusedBody:
    announced = environ.get("CONTENT_LENGTH") or ""
    if not announced:
        if not environ.get("HTTP_TRANSFER_ENCODING"):
            return b""
        message = "the header Content-Length is missing; send the length of the body"
        return RefusedBody(411, "no-length", message)
    length = int(announced)
    if length > limit:
        message = f"the request has {length:,} bytes, the limit is {limit:,}{advice}"
        return RefusedBody(413, "too-large", message)
    body: bytes = environ["wsgi.input"].read(length)
    if len(body) == length:
        return body
    within = f"within {READING_S:g} seconds"
    message = f"only {len(body):,} of {length:,} bytes arrived {within}"
    return RefusedBody(408, "too-slow", message)
