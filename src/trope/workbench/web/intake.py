"""Requests taken in whole, of a bounded size and within a bounded time, or refused.

What is too large is refused by the length that it announces: none of it is kept. A client that
dribbles is cut off, by `PatientWorker` while it sends headers, by `take_whole` while it sends the
body.
"""

from __future__ import annotations

import io
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from threading import Timer
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from trope.workbench.limits import BODY_LIMIT, READING_S
from trope.workbench.refused import Refused

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

REFUSED = "trope.refused"
"""Where the application finds why a request was not taken in."""

_LINGER_S = 2.0  # a refused client is heard out so long, or it would not hear why
_PIECE = 65_536


class PatientWorker(ThreadWorker):
    """A worker that waits for headers, but not for ever."""

    def handle(self, conn: TConn) -> Any:
        """Answer the next request of a connection."""
        with _hanging_up(conn.sock, READING_S) as conn.watch:
            return super().handle(conn)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        """Answer a request whose headers are there."""
        conn.watch.cancel()
        return super().handle_request(req, conn)


def take_whole(inner: Wsgi) -> Wsgi:
    """The application, called with whole bodies, or with none and the reason for that."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        try:
            body = _body(environ)
        except Refused as refused:
            told = {REFUSED: refused, "wsgi.input": io.BytesIO(), "CONTENT_LENGTH": "0"}
            return _heard_out(inner(environ | told, start_response), environ)
        return inner(environ | {"wsgi.input": io.BytesIO(body)}, start_response)

    return answer


def _body(environ: dict[str, Any]) -> bytes:
    announced = environ.get("CONTENT_LENGTH") or ""
    if not announced:
        if environ.get("HTTP_TRANSFER_ENCODING"):
            message = "the length of the body is missing (the header Content-Length)"
            raise Refused(411, "no-length", message)
        return b""
    length = int(announced)
    if length > BODY_LIMIT:
        message = (
            f"the request has {length:,} bytes, and {BODY_LIMIT:,} are taken at most; for long "
            "texts run trope analyze or trope detect"
        )
        raise Refused(413, "too-large", message)
    with _hanging_up(environ["gunicorn.socket"], READING_S):
        body: bytes = environ["wsgi.input"].read(length)
    if len(body) < length:
        message = f"{len(body):,} of {length:,} bytes arrived within {READING_S:g} seconds"
        raise Refused(408, "too-slow", message)
    return body


def _heard_out(response: Iterable[bytes], environ: dict[str, Any]) -> Iterator[bytes]:
    """The response, after which what the client still sends is thrown away for a moment."""
    try:
        yield from response
    finally:
        if hasattr(response, "close"):
            response.close()
        until = time.monotonic() + _LINGER_S
        with suppress(OSError), _hanging_up(environ["gunicorn.socket"], _LINGER_S):
            while environ["wsgi.input"].read(_PIECE) and time.monotonic() < until:
                pass


@contextmanager
def _hanging_up(connection: socket.socket, seconds: float) -> Iterator[Timer]:
    """Stops reading from a connection after a while, unless that is cancelled."""

    def hang_up() -> None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RD)

    timer = Timer(seconds, hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()
