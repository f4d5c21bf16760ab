"""Words and emoji with their polarity, from lexica in a folder of the user's.

None of them ships with trope: VADER (MIT) and the opinion lexicon (CC BY) could, AFINN (ODbL),
SentiWordNet and the emoji (CC BY-SA) would put their terms on the package. `trope data info
lexica` says where each comes from.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from trope.core.errors import BadRecord, MissingData
from trope.core.files import read_lines, read_text

_WORDNET_TAGS = {"a": "ADJ", "s": "ADJ", "n": "NOUN", "r": "ADV", "v": "VERB"}
_LEAST_OCCURRENCES = 5  # an emoji seen less often has no reliable score


@dataclass(frozen=True, slots=True)
class PolarityLexica:
    """Five polarity lexica; any of them may be empty.

    `valence` (VADER) goes from −4 to 4, `strength` (AFINN) from −5 to 5, `opinion` is 1 or −1,
    `senses` (SentiWordNet) has positive and negative share by tag and lemma, averaged over senses,
    `emoji` from −1 to 1.
    """

    valence: Mapping[str, float] = field(default_factory=dict)
    strength: Mapping[str, float] = field(default_factory=dict)
    opinion: Mapping[str, int] = field(default_factory=dict)
    senses: Mapping[tuple[str, str], tuple[float, float]] = field(default_factory=dict)
    emoji: Mapping[str, float] = field(default_factory=dict)


def read_lexica(folder: str | Path) -> PolarityLexica:
    """All five lexica of a folder.

    Raises:
        MissingData: where one is not there.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise MissingData(folder, "see `trope data info lexica` for where the lexica come from")
    words = folder / "opinion_lexicon"
    return PolarityLexica(
        valence=read_numbers(folder / "vader_lexicon.txt"),
        strength=read_numbers(folder / "AFINN-en-165.txt"),
        opinion={
            **dict.fromkeys(read_word_list(words / "positive-words.txt"), 1),
            **dict.fromkeys(read_word_list(words / "negative-words.txt"), -1),
        },
        senses=read_senses(folder / "modifiedSentiWordNet.json.gz"),
        emoji=read_emoji(folder / "Emoji_Sentiment_Data_v1.0.csv"),
    )


def read_numbers(path: str | Path) -> dict[str, float]:
    """A number per word from a tab-separated table whose first two columns are these."""
    numbers: dict[str, float] = {}
    for line, text in read_lines(path):
        cells = text.split("\t")
        if not text.strip():
            continue
        try:
            numbers.setdefault(cells[0].lower(), float(cells[1]))
        except (IndexError, ValueError):
            raise BadRecord(path, line, "has no number in its second column") from None
    return numbers


def read_word_list(path: str | Path) -> list[str]:
    """The words of a list, one per line; a line that begins with ";" is a comment."""
    lines = (text.strip() for _, text in read_lines(path))
    return [text.lower() for text in lines if text and not text.startswith(";")]


def read_senses(path: str | Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Positive and negative share by tag and lemma, the mean of a lemma's senses."""
    sums: dict[tuple[str, str], list[float]] = {}
    try:
        lists = json.loads(read_text(path))
        for row in (row for rows in lists.values() for row in rows):
            key = _WORDNET_TAGS[row["# POS"]], row["SynsetTerms"].replace("_", " ").lower()
            found = sums.setdefault(key, [0.0, 0.0, 0.0])
            found[0] += float(row["PosScore"])
            found[1] += float(row["NegScore"])
            found[2] += 1
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise BadRecord(path, None, f"is not SentiWordNet in JSON ({error})") from None
    return {key: (p / n, m / n) for key, (p, m, n) in sums.items() if p or m}


def read_emoji(path: str | Path) -> dict[str, float]:
    """(positive − negative) / all of the tweets an emoji was seen in, for the frequent ones."""
    scores: dict[str, float] = {}
    for number, row in enumerate(csv.DictReader(read_text(path).splitlines()), start=2):
        try:
            low, middle, high = (int(row[name]) for name in ("Negative", "Neutral", "Positive"))
        except (KeyError, TypeError, ValueError):
            raise BadRecord(path, number, "lacks a count of tweets by sentiment") from None
        if (total := low + middle + high) >= _LEAST_OCCURRENCES:
            scores[row["Emoji"]] = (high - low) / total
    return scores
