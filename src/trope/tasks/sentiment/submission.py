"""Submissions to the task: read strictly, scored by its measures; and a bundle for Codabench.

The organisers' own program skips what it cannot use; here every fault is reported with its line,
since a skipped tweet silently costs the penalty. A missing id is not a fault: it costs the penalty.
A bundle has pages, gold, scoring program and leaderboard in one archive.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from trope.core.errors import BadRecord
from trope.core.files import atomic_write
from trope.corpora.semeval2015 import read_id_texts, whole_number
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.corpora.tweet_ids import checked_id, read_scored_ids
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.scale import scale_figures
from trope.tasks.sentiment.categories import CATEGORIES, category_of

CONSTANT = -2
"""The control: every negative constant has the same cosine, and this one the paper's "tree"."""

_SPREADSHEET_DIGITS = 15

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


@dataclass(frozen=True, slots=True)
class SentimentGold:
    """The right scores by id, and the category of each tweet where it is known."""

    scores: dict[str, int]
    categories: dict[str, str]


def read_gold(source: Source, *, categories: Source | None = None) -> SentimentGold:
    """Gold integers; categories from a file of their own, or by rule from a third column of texts.

    Raises:
        BadRecord: for what is wrong with a row.
    """
    name = source_name(source)
    rows = list(read_scored_ids(source))
    scores = {row.id: whole_number(row, name) for row in rows}
    if categories is not None:
        return SentimentGold(scores, _read_categories(categories, scores))
    columns = _columns(source)
    if columns < 3:
        return SentimentGold(scores, {})
    texts = dict(read_id_texts(source, 2, columns))
    return SentimentGold(
        scores, {identifier: category_of(texts[identifier]) for identifier in scores}
    )


def read_submission(source: Source, gold: Mapping[str, int]) -> dict[str, int]:
    """A submission's integers by id.

    Raises:
        BadRecord: for an empty file, an id that comes twice, is none, was damaged or is not asked
            for, a score that is not a number, not an integer, or off the scale.
    """
    name = source_name(source)
    known = {identifier[:_SPREADSHEET_DIGITS] for identifier in gold}
    found: dict[str, int] = {}
    for row in read_scored_ids(source):
        if row.id not in gold:
            problem = f"id {row.id} is not in the gold file"
            end = row.id[_SPREADSHEET_DIGITS:]
            if end and not end.strip("0") and row.id[:_SPREADSHEET_DIGITS] in known:
                problem += ": a spreadsheet has put zeros for its last digits; export ids as text"
            else:
                problem += "; leave it out"
            raise BadRecord(name, row.line, problem)
        found[row.id] = whole_number(row, name)
    return found


def submission_figures(
    gold: SentimentGold,
    submission: Mapping[str, int],
    *,
    prefix: str,
    by_category: str,
    data: DataRef,
    seed: int,
) -> list[Measurement]:
    """Both measures over all tweets and by category, each with the constant for comparison."""
    figures: list[Measurement] = []
    parts: dict[str, list[str]] = {prefix: list(gold.scores)}
    for category in CATEGORIES if gold.categories else ():
        own = [name for name in gold.scores if gold.categories[name] == category]
        if own:
            parts[f"{by_category}.{category}"] = own
    for name, ids in parts.items():
        answered = [identifier for identifier in ids if identifier in submission]
        truth = [gold.scores[identifier] for identifier in ids]
        missing = len(ids) - len(answered)
        note = f"{missing} of {len(ids)} missing, with the penalty" if missing else ""
        if name != prefix:
            note = "; ".join(part for part in (note, "category by rule") if part)
        if answered:
            figures += scale_figures(
                name,
                [gold.scores[identifier] for identifier in answered],
                [submission[identifier] for identifier in answered],
                asked=len(ids), data=data, seed=seed, note=note,
            )  # fmt: skip
        else:
            why = "undefined: no tweet of this category was answered"
            figures += [
                Measurement(f"{name}.{m}", None, None, None, n=0, data=data, note=why)
                for m in ("cosine", "mse")
            ]
        figures += _constant_figures(f"{name}.constant", truth, data=data, seed=seed)
    return figures


def _constant_figures(
    prefix: str, gold: Iterable[float], *, data: DataRef, seed: int
) -> list[Measurement]:
    """What the same answer for every tweet reaches."""
    truth = list(gold)
    guess = [float(CONSTANT)] * len(truth)
    return scale_figures(prefix, truth, guess, data=data, seed=seed, note=f"always {CONSTANT}")


def write_submission(scores: Iterable[tuple[str, int]], path: str | Path) -> None:
    """Write ids and integers as the task wants them."""
    with atomic_write(path) as file:
        for identifier, score in scores:
            file.write(f"{identifier}\t{score}\n")


def _read_categories(source: Source, scores: Mapping[str, int]) -> dict[str, str]:
    name = source_name(source)
    found: dict[str, str] = {}
    for line, text in numbered_lines(source):
        cells = text.strip().split("\t")
        if not text.strip():
            continue
        if len(cells) != 2 or cells[1].strip().lower() not in CATEGORIES:
            known = ", ".join(CATEGORIES)
            raise BadRecord(name, line, f"write an id, a tab and one of {known}")
        found[checked_id(cells[0].strip(), name, line)] = cells[1].strip().lower()
    missing = next((identifier for identifier in scores if identifier not in found), None)
    if missing is not None:
        raise BadRecord(name, None, f"has no category for id {missing}; give one for every tweet")
    return found


def _columns(source: Source) -> int:
    """How many columns the first row has."""
    return next(text.count("\t") + 1 for _, text in numbered_lines(source) if text.strip())


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
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive,
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
