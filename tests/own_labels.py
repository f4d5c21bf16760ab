"""Labelled texts from templates of our own: metaphors and literal uses, scores, names."""

from __future__ import annotations

import csv
import random
from collections.abc import Sequence
from itertools import product
from pathlib import Path

WHO = ("the baker", "our neighbour", "Aunt May", "a tired nurse", "the twins", "two farmers")
WHEN = ("on Monday", "after lunch", "last spring", "in the rain")
METAPHORS = (("swallow", "pride"), ("plant", "doubt"), ("bury", "grief"), ("digest", "news"),
             ("harvest", "praise"))  # fmt: skip
LITERAL = (("swallow", "pill"), ("plant", "tree"), ("bury", "bone"), ("wash", "car"),
           ("slice", "bread"))  # fmt: skip
FEELINGS = {"wonderful": 4, "lovely": 3, "dull": -2, "dreadful": -4}
NAMES = ("Norway", "Chile", "Ghana", "Peru")


def verb_rows(number: int = 120) -> list[tuple[str, str, str]]:
    """Text, verb and label."""
    rows = [
        (f"{who} had to {verb} the {noun} {when}.", verb, label)
        for label, pairs in (("metaphor", METAPHORS), ("literal", LITERAL))
        for (verb, noun), who, when in product(pairs, WHO, WHEN)
    ]
    random.Random(3).shuffle(rows)
    return rows[:number]


def score_rows() -> list[tuple[str, str]]:
    """Text and score."""
    return [
        (f"{who} had a {word} day {when}.", str(score))
        for (word, score), who, when in product(FEELINGS.items(), WHO, WHEN)
    ]


def name_rows() -> list[tuple[str, str, str]]:
    """Text, name and reading."""
    said = [(f"{n} {v} the {o}.", n, "place-for-people")
            for n, v, o in product(NAMES, ("rejected", "signed", "welcomed"),
                                   ("treaty", "offer", "plan"))]  # fmt: skip
    been = [(f"{who} spent a week in {n}.", n, "literal") for who, n in product(WHO, NAMES)]
    return said + been


def write_table(
    path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], *, delimiter: str = ","
) -> Path:
    """A table as a spreadsheet program writes it."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter)
        writer.writerow(header)
        writer.writerows(rows)
    return path
