"""Downloads that resume, are verified, and appear complete or not at all."""

from __future__ import annotations

import http.client
import re
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO
from urllib.parse import quote, urlsplit

from trope import __version__
from trope.core.errors import BadInput, DownloadFailed
from trope.core.files import replace_durably
from trope.corpora.checks import content_digest
from trope.corpora.metadata import CorpusFile, CorpusMetadata

ReportBytes = Callable[[int, int | None], None]
"""Called with the bytes that are there and, where the server tells, those there will be."""

_PIECE = 1 << 16
_TIMEOUT_S = 30.0
MOST_BYTES = 2_000_000_000
"""Most bytes that are taken from a server: the largest corpus is far smaller."""

_RANGE = re.compile(r"bytes (\d+)-\d+/(?:\d+|\*)")


@dataclass(frozen=True, slots=True)
class Download:
    """A file to fetch: from where, to where, and the checksum of its unpacked content."""

    url: str
    to: Path
    sha256: str


def plan_download(
    corpus: CorpusMetadata, file: CorpusFile, root: str | Path, mirror: str = ""
) -> Download | None:
    """What to fetch for a file, None where no address is known.

    A mirror serves a copy of a whole data folder: `MIRROR/CORPUS/FILE`, packed as it is there.
    """
    folder = Path(root) / corpus.name
    if mirror:
        url = f"{mirror.rstrip('/')}/{corpus.name}/{quote(file.name)}"
        return Download(url, folder / file.name, file.sha256)
    if not (url := corpus.address(file)):
        return None
    name = file.name if file.remote.endswith(".gz") else file.unpacked_name
    return Download(url, folder / name, file.sha256)


def fetch(
    order: Download, *, report: ReportBytes | None = None, timeout: float = _TIMEOUT_S
) -> None:
    """Download a file; afterwards it is complete and has the right checksum.

    What arrives is kept in a `.part` file beside the target, from which the next call goes on.

    Raises:
        DownloadFailed: with what failed and what to do; the target is then untouched.
    """
    try:
        place = urlsplit(order.url)
        usable = place.scheme in ("http", "https") and bool(place.hostname)
    except ValueError:
        usable = False
    if not usable:
        raise DownloadFailed(
            order.url, "is not an http address; give one that begins with https://"
        )
    try:
        order.to.parent.mkdir(parents=True, exist_ok=True)
        part = order.to.with_name(order.to.name + ".part")
        resumed = _transfer(order.url, part, report or _silent, timeout)
        if resumed and _digest(part) != order.sha256:
            # the beginning may be that of another version: once more, from the start
            part.unlink()
            _transfer(order.url, part, report or _silent, timeout)
        _accept(order, part)
    except DownloadFailed:
        raise
    except (OSError, http.client.HTTPException) as error:
        raise DownloadFailed(order.url, _advice(error)) from error


def _accept(order: Download, part: Path) -> None:
    found = _digest(part)
    if found != order.sha256:
        part.unlink()
        problem = (
            f"has checksum {found[:12]}… instead of {order.sha256[:12]}…, so it was deleted; "
            "the source has changed or the download was altered: try again or use a mirror"
        )
        raise DownloadFailed(order.url, problem)
    replace_durably(part, order.to)


def _transfer(url: str, part: Path, report: ReportBytes, timeout: float) -> bool:
    """Everything that is left of a file is appended to `part`; True if it had a beginning."""
    have = part.stat().st_size if part.is_file() else 0
    headers = {"User-Agent": f"trope/{__version__}", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    request = urllib.request.Request(url, headers=headers)
    try:
        with _opener().open(request, timeout=timeout) as response:
            resumed = _continues(response, have)
            with part.open("ab" if resumed else "wb") as file:
                _copy(url, response, file, have if resumed else 0, report)
    except urllib.error.HTTPError as error:
        with error:
            # 416: nothing is left to send, so `part` is whole, or longer than it should be
            if error.code == http.HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE and have:
                return True
            raise DownloadFailed(url, _status_advice(error)) from None
    return resumed


def _opener() -> urllib.request.OpenerDirector:
    """Follows redirects to http and https only: not into files, not to FTP."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPRedirectHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _continues(response: http.client.HTTPResponse, have: int) -> bool:
    """Whether the answer goes on where we stopped; a server without ranges starts again."""
    if response.status != http.HTTPStatus.PARTIAL_CONTENT:
        return False
    match = _RANGE.fullmatch(response.headers.get("Content-Range", ""))
    if match is None or int(match[1]) != have:
        raise http.client.HTTPException("the server sent another part than was asked for")
    return True


def _copy(
    url: str, response: http.client.HTTPResponse, file: IO[bytes], have: int, report: ReportBytes
) -> None:
    length = response.headers.get("Content-Length")
    total = have + int(length) if length and length.isdigit() else None
    report(have, total)
    too_long = f"sends more than {MOST_BYTES:,} bytes, more than any corpus has; use another mirror"
    if (total or 0) > MOST_BYTES:
        raise DownloadFailed(url, too_long)
    try:
        while piece := response.read(_PIECE):
            file.write(piece)
            have += len(piece)
            if have > MOST_BYTES:
                raise DownloadFailed(url, too_long)
            report(have, total)
    except http.client.IncompleteRead as error:
        file.write(error.partial)
        have += len(error.partial)
    # a connection that is closed too early ends the data without an error
    if total is not None and have < total:
        problem = f"the connection broke after {have:,} of {total:,} bytes; "
        raise DownloadFailed(url, problem + "run the same command again to resume")


def _digest(path: Path) -> str:
    try:
        return content_digest(path)[1]
    except BadInput:
        return "(damaged gzip file)"


def _silent(have: int, total: int | None) -> None:
    """No report."""


def _status_advice(error: urllib.error.HTTPError) -> str:
    answer = f"the server answered {error.code} {error.reason}".rstrip()
    if error.code in (http.HTTPStatus.NOT_FOUND, http.HTTPStatus.GONE):
        return f"{answer}: the file has moved; get it by hand (trope data info) or from a mirror"
    return f"{answer}; try again later, or get the file by hand (trope data info) or from a mirror"


def _advice(error: OSError | http.client.HTTPException) -> str:
    cause = error.reason if isinstance(error, urllib.error.URLError) else error
    if isinstance(cause, TimeoutError):
        return "the server did not answer in time; run the same command again to resume"
    text = getattr(cause, "strerror", None) or str(cause) or type(cause).__name__
    if isinstance(error, urllib.error.URLError | ConnectionError | http.client.HTTPException):
        return (
            f"is not reachable ({text}); are you online? Run the same command again, "
            "or copy the file from another machine (trope data info)"
        )
    return f"cannot be stored ({text}: {error.filename}); choose another folder"
