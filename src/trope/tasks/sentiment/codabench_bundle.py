"""A bundle for a Codabench server: pages, gold, scoring program, leaderboard, in one archive."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from trope.core.files import atomic_write

_DATE = (1980, 1, 1, 0, 0, 0)  # the same gold makes the same bytes
_PROGRAM = Path(__file__).with_name("codabench_score.py")

_COMPETITION = """\
version: 2
title: {title}
description: Sentiment of figurative tweets, from -5 to 5
image: logo.png
terms: terms.md
registration_auto_approve: true
pages:
  - title: Overview
    file: overview.md
tasks:
  - index: 0
    name: {title}
    description: One integer from -5 to 5 for every tweet
    is_public: false
    reference_data: reference_data
    scoring_program: scoring_program
phases:
  - index: 0
    name: Test
    description: {count} tweets
    start: {start}
    max_submissions_per_day: 5
    tasks: [0]
leaderboards:
  - title: Results
    key: results
    columns:
      - title: Cosine
        key: cosine
        index: 0
        sorting: desc
      - title: Mean squared error
        key: mse
        index: 1
        sorting: asc
"""
_OVERVIEW = """\
# {title}

Give each of {count} tweets an integer from -5 (strongly critical) to 5 (strongly upbeat); what is
meant counts, not what is said. Submit one archive with one file `*.tsv`: id, tab, integer.

Cosine is taken over the submitted tweets and multiplied by submitted / all, the mean squared error
by all / submitted. An id that comes twice or is not asked for, and a score that is no integer of
the scale, are refused. A submission of zeros has no cosine.
"""
_TERMS = "Tweet texts may not be passed on; fetch them by their ids.\n"
_METADATA = """\
command: python3 /app/program/score.py /app/input /app/output
description: cosine and mean squared error, with penalties for what is missing
"""


def write_bundle(
    gold: Mapping[str, int], path: str | Path, *, title: str, start: str = "2030-01-01"
) -> None:
    """Write the archive to upload; it holds ids and scores, and no text."""
    names = {"title": title, "count": len(gold), "start": start}
    files: dict[str, bytes] = {
        "competition.yaml": _COMPETITION.format(**names).encode(),
        "overview.md": _OVERVIEW.format(**names).encode(),
        "terms.md": _TERMS.encode(),
        "logo.png": _square(128, (31, 78, 121)),
        "scoring_program/metadata.yaml": _METADATA.encode(),
        "scoring_program/score.py": _PROGRAM.read_bytes(),
        "reference_data/gold.tsv": "".join(f"{i}\t{s}\n" for i, s in gold.items()).encode(),
    }
    with (
        atomic_write(path, "wb") as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,  # type: ignore[call-overload]
    ):
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, _DATE), content)


def _square(side: int, colour: tuple[int, int, int]) -> bytes:
    """An image of one colour as PNG: the server requires a logo."""
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(colour) * side) * side
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in chunks
    )
