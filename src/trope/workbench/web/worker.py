"""Reads whole requests of limited size within a limited time.

A request that announces a body that is too large is refused unread. A slow client is cut off: by
`TimedWorker` while it sends headers, by `read_whole_body` while it sends the body.
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

from trope.workbench.requests import BODY_LIMIT, READING_S, RequestRefused

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

REFUSED = "trope.refused"
"""The key of the WSGI environment with the reason why a body was not read."""

_LINGER_S = 2.0  # keep reading from a refused client so long, so that it gets the answer
_PIECE = 65_536


class TimedWorker(ThreadWorker):
    """A worker that waits for headers only a limited time."""

    def handle(self, conn: TConn) -> Any:
        """Answer the next request of a connection."""
        with _time_limit(conn.sock, READING_S) as conn.watch:
            return super().handle(conn)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        """Answer a request whose headers have arrived."""
        conn.watch.cancel()
        return super().handle_request(req, conn)


def read_whole_body(inner: Wsgi) -> Wsgi:
    """The application, called with the whole body, or without one and the reason."""

    def answer(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        try:
            body = _body(environ)
        except RequestRefused as refused:
            told = {REFUSED: refused, "wsgi.input": io.BytesIO(), "CONTENT_LENGTH": "0"}
            return _then_discard(inner(environ | told, start_response), environ)
        return inner(environ | {"wsgi.input": io.BytesIO(body)}, start_response)

    return answer


def _body(environ: dict[str, Any]) -> bytes:
    announced = environ.get("CONTENT_LENGTH") or ""
    if not announced:
        if environ.get("HTTP_TRANSFER_ENCODING"):
            message = "the header Content-Length is missing; send the length of the body"
            raise RequestRefused(411, "no-length", message)
        return b""
    length = int(announced)
    if length > BODY_LIMIT:
        message = (
            f"the request has {length:,} bytes, the limit is {BODY_LIMIT:,}; for long texts use "
            "trope analyze or trope detect"
        )
        raise RequestRefused(413, "too-large", message)
    with _time_limit(environ["gunicorn.socket"], READING_S):
        body: bytes = environ["wsgi.input"].read(length)
    if len(body) < length:
        message = f"only {len(body):,} of {length:,} bytes arrived within {READING_S:g} seconds"
        raise RequestRefused(408, "too-slow", message)
    return body


def _then_discard(response: Iterable[bytes], environ: dict[str, Any]) -> Iterator[bytes]:
    """The response; then what the client still sends is discarded for a moment."""
    try:
        yield from response
    finally:
        if hasattr(response, "close"):
            response.close()
        until = time.monotonic() + _LINGER_S
        with suppress(OSError), _time_limit(environ["gunicorn.socket"], _LINGER_S):
            while environ["wsgi.input"].read(_PIECE) and time.monotonic() < until:
                pass


@contextmanager
def _time_limit(connection: socket.socket, seconds: float) -> Iterator[Timer]:
    """Stops reading from a connection after some seconds, unless cancelled."""

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
