"""Tables of tweet ids with scores: how such a task is delivered, and joined with texts again.

The terms of the service forbid redistributing texts, so that a set is ids and scores. Some texts
are no longer available when they are fetched; `rejoin` says which.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trope.core.errors import BadInput, BadRecord
from trope.core.files import atomic_write
from trope.core.judgments import as_number, round_half_up
from trope.core.progress import counted
from trope.corpora.sources import Source, numbered_lines, source_name

LOWEST, HIGHEST = -5, 5
"""The ends of the scale, strongly critical and strongly upbeat."""

_ID = re.compile(r"(?=\D*\d)[\w.:/#-]{1,64}")
"""Digits, or what other services and archives use (t3_x9, P-0001)."""
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


@dataclass(frozen=True, slots=True)
class ScoredId:
    """A tweet by its id, with a score from −5 to 5, and the line that says so."""

    id: str
    score: float
    line: int


@dataclass(frozen=True, slots=True)
class ScoredTweet:
    """A tweet with its text; `whole` is False where the harvesting hashtags were cut out of it.

    `score` is the real number, `integer` what the task scores by.
    """

    id: str
    text: str
    score: float
    integer: int
    whole: bool = True


@dataclass(frozen=True, slots=True)
class JoinedTweets:
    """Tweets that have a text, and the ids of those whose text has perished, both in order."""

    tweets: tuple[ScoredTweet, ...]
    perished: tuple[str, ...]

    @property
    def asked(self) -> int:
        """How many ids there were."""
        return len(self.tweets) + len(self.perished)

    def describe(self) -> str:
        """One line: how many texts there are, and how many are gone."""
        return f"{len(self.tweets)} of {self.asked} texts, {len(self.perished)} perished"


def read_scored_ids(source: Source, *, id_at: int = 0, score_at: int = 1) -> Iterator[ScoredId]:
    """The ids and scores of a table without a header, separated by tabs or blanks.

    Raises:
        BadRecord: for an id that is none or was damaged on the way, an id that comes twice, a
            score that is not a number or is outside the scale.
    """
    name = source_name(source)
    lines: dict[str, int] = {}
    for number, text in numbered_lines(source):
        if not text.strip():
            continue
        cells = [cell.strip() for cell in text.strip().split("\t" if "\t" in text else None)]
        if len(cells) <= max(id_at, score_at):
            problem = (
                f"has {counted(len(cells), 'column')}; write an id, a tab and a score, as "
                "`trope data deliver` does of a table"
            )
            raise BadRecord(name, number, problem)
        identifier = checked_id(cells[id_at], name, number)
        if identifier in lines:
            problem = f"id {identifier} is also in line {lines[identifier]}; give each id once"
            raise BadRecord(name, number, problem)
        lines[identifier] = number
        yield ScoredId(identifier, _checked_score(cells[score_at], name, number), number)
    if not lines:
        raise BadRecord(name, 1, "holds no ids; give a table of ids and scores")


def checked_id(text: str, name: str, line: int) -> str:
    """The id as it is written; one that has gone through a number is refused.

    Raises:
        BadRecord: for what is no id, or was turned into a number and lost its last digits.
    """
    plain = text.isascii() and text.isdigit()
    if not plain and _NUMBER.fullmatch(text.replace(",", ".")):
        problem = f"id {text!r} was turned into a number, which loses digits; export ids as text"
        raise BadRecord(name, line, problem)
    if not _ID.fullmatch(text):
        problem = f"{text!r} is not an id; an id has digits, and no blanks"
        raise BadRecord(name, line, problem)
    return text


def _checked_score(text: str, name: str, line: int) -> float:
    """The score as a number of the scale.

    Raises:
        BadRecord: for what is not a finite number, and for what is off the scale.
    """
    number = as_number(text)
    if number is None:
        raise BadRecord(name, line, f"score {text!r} is not a number; give one from -5 to 5")
    if not LOWEST <= number <= HIGHEST:
        raise BadRecord(name, line, f"score {text} is outside the scale; it goes from -5 to 5")
    return number


def rejoin(
    scores: Iterable[ScoredId],
    texts: Mapping[str, str],
    *,
    integers: Mapping[str, int] | None = None,
    cut: Mapping[str, str] | None = None,
) -> JoinedTweets:
    """Ids with their texts again, in the order of the scores; what has no text has perished.

    Args:
        integers: the integers that were delivered; without, a score is rounded half up.
        cut: texts without their harvesting hashtags, taken where there is no whole one.
    """
    tweets: list[ScoredTweet] = []
    perished: list[str] = []
    for row in scores:
        text = texts.get(row.id, "") or (cut or {}).get(row.id, "")
        if not text.strip():
            perished.append(row.id)
            continue
        integer = round_half_up(row.score) if integers is None else integers[row.id]
        tweets.append(ScoredTweet(row.id, text, row.score, integer, bool(texts.get(row.id))))
    return JoinedTweets(tuple(tweets), tuple(perished))


def write_delivery(
    scores: Iterable[tuple[str, float]], path: str | Path, *, integer: bool = False
) -> int:
    """Write ids and scores as the task delivers them; return the number of rows.

    Real scores have two places behind the point; integers are rounded half up.

    Raises:
        BadInput: for an id that comes twice, is none, or has a score off the scale.
    """
    seen: set[str] = set()
    with atomic_write(path) as file:
        for identifier, score in scores:
            checked_id(identifier, str(path), len(seen) + 1)
            if identifier in seen or not LOWEST <= score <= HIGHEST:
                problem = f"id {identifier} occurs twice or has a score outside the scale ({score})"
                raise BadInput(f"{problem}; nothing was written to {path}")
            seen.add(identifier)
            shown = str(round_half_up(score)) if integer else f"{score:.2f}"
            file.write(f"{identifier}\t{shown}\n")
    return len(seen)
