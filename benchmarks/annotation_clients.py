"""Annotators as a service sees them: real HTTP with cookies and CSRF, and little cost of their own.

The load generator shares the processor with what it measures, so that it speaks HTTP over plain
asyncio streams and searches pages for what it needs instead of parsing them.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from urllib.parse import urlencode

_TOKEN = re.compile(rb'name="token" value="(\w+)"')
_CSRF = re.compile(rb'name="csrfmiddlewaretoken" value="(\w+)"')
_COOKIE = re.compile(rb"^set-cookie: ([^=]+)=([^;]*)", re.I | re.M)
_LENGTH = re.compile(rb"^content-length: (\d+)", re.I | re.M)
_ENDED = b"That is all for now"
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Response:
    """What came back."""

    status: int
    head: bytes
    body: bytes


@dataclass(slots=True)
class Submit:
    """One judgment that was sent: when, how long its answer took, and whether it was accepted."""

    at: float
    seconds: float
    token: str
    ok: bool
    status: int = 200


@dataclass(slots=True)
class Browser:
    """A browser's side of HTTP: one connection that is kept, and cookies."""

    host: str
    port: int
    cookies: dict[bytes, bytes] = field(default_factory=dict)
    _streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> Response:
        """The page at a path."""
        return await self._ask(f"GET {path}", b"", {})

    async def post(
        self, path: str, form: dict[str, str], headers: dict[str, str] | None = None
    ) -> Response:
        """The answer to a form."""
        sent = {"Content-Type": FORM, **(headers or {})}
        return await self._ask(f"POST {path}", urlencode(form).encode(), sent)

    async def post_json(
        self, path: str, message: dict[str, object], headers: dict[str, str] | None = None
    ) -> Response:
        """The answer to a message of a script."""
        sent = {"Content-Type": "application/json", **(headers or {})}
        return await self._ask(f"POST {path}", json.dumps(message).encode(), sent)

    async def close(self) -> None:
        """End the connection."""
        if self._streams:
            self._streams[1].close()
            self._streams = None

    async def _ask(self, line: str, body: bytes, headers: dict[str, str]) -> Response:
        """The response; a kept connection that the server has closed is opened again, once."""
        lines = [f"{line} HTTP/1.1", f"Host: {self.host}:{self.port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        if self.cookies:
            pairs = b"; ".join(b"=".join(pair) for pair in self.cookies.items())
            lines.append(f"Cookie: {pairs.decode()}")
        if line.startswith("POST"):
            lines += [f"Origin: http://{self.host}:{self.port}", f"Content-Length: {len(body)}"]
        message = "\r\n".join(lines).encode() + b"\r\n\r\n" + body
        kept = self._streams is not None
        try:
            return await self._exchange(message)
        except (ConnectionError, asyncio.IncompleteReadError):
            await self.close()
            if not kept:
                raise
            return await self._exchange(message)

    async def _exchange(self, message: bytes) -> Response:
        if self._streams is None:
            self._streams = await asyncio.open_connection(self.host, self.port, limit=1 << 20)
        reader, writer = self._streams
        writer.write(message)
        head = await reader.readuntil(b"\r\n\r\n")
        length, body = _LENGTH.search(head), b""
        if length:
            body = await reader.readexactly(int(length[1]))
        elif head[9:12] != b"204":  # which has none
            body = await _chunks(reader)
        for name, value in _COOKIE.findall(head):
            self.cookies[name] = value
        if b"connection: close" in head.lower():
            await self.close()
        return Response(int(head[9:12]), head, body)


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts = []
    while size := int(await reader.readuntil(b"\r\n"), 16):
        parts.append(await reader.readexactly(size))
        await reader.readexactly(2)
    await reader.readexactly(2)
    return b"".join(parts)


@dataclass(slots=True)
class Annotator:
    """Someone who joins by a link and then judges item after item, as the page's script does."""

    browser: Browser
    link: str
    answers: dict[str, str]
    think: float = 0.0
    drafts: bool = False
    offset: float = 0.0
    skips: float = 0.0
    rng: Random = field(default_factory=lambda: Random(1))
    page: bytes = b""

    async def join(self) -> None:
        """Open the invitation, agree, read the guidelines, open the first item."""
        first = await self.browser.get(self.link)
        agreed = await self.browser.post(self.link, {"csrfmiddlewaretoken": _found(_CSRF, first)})
        if agreed.status != 302:
            raise RuntimeError(f"the invitation was answered with {agreed.status}")
        await self.browser.get("/guidelines")
        self.page = (await self.browser.get("/judge")).body

    async def judge(self, go_on: Callable[[], bool], note: Callable[[Submit], None]) -> None:
        """Judge until nothing is left, or it is time to stop."""
        await asyncio.sleep(self.offset)
        while go_on() and (token := _TOKEN.search(self.page)):
            csrf = _CSRF.search(self.page)
            form = {
                "csrfmiddlewaretoken": csrf[1].decode() if csrf else "",
                "token": token[1].decode(),
                "action": "skip" if self.rng.random() < self.skips else "submit",
                **self.answers,
            }
            await self._think(form)
            note(await self.submit(form))

    async def _think(self, form: dict[str, str]) -> None:
        if not self.think:
            return
        await asyncio.sleep(self.think / 2)
        if self.drafts:
            await self.browser.post("/judge/draft", form)
        await asyncio.sleep(self.think / 2)

    async def submit(self, form: dict[str, str]) -> Submit:
        """Send a filled form; the page of the next item comes back with the answer."""
        began = time.perf_counter()
        answer = await self.browser.post("/judge", form, {"X-Trope": "next"})
        if answer.status == 409 and form["action"] == "skip":  # nobody may skip without end
            answer = await self.browser.post(
                "/judge", form | {"action": "submit"}, {"X-Trope": "next"}
            )
        ended = time.perf_counter()
        self.page = answer.body
        good = answer.status == 200 and (
            _ENDED in answer.body or form["token"].encode() not in answer.body
        )
        return Submit(ended, ended - began, form["token"], good, answer.status)


def _found(pattern: re.Pattern[bytes], response: Response) -> str:
    match = pattern.search(response.body)
    if match is None:
        raise RuntimeError(f"a page without {pattern.pattern!r} ({response.status})")
    return match[1].decode()


async def all_at_once(jobs: Sequence[Awaitable[None]], most: int = 20) -> None:
    """Do all jobs, at most `most` at a time."""
    gate = asyncio.Semaphore(most)

    async def one(job: Awaitable[None]) -> None:
        async with gate:
            await job

    await asyncio.gather(*(one(job) for job in jobs))
