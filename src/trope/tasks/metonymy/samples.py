"""A lexical sample of names from any corpus: frames, occurrences, contexts, random subsets.

As in the task: all hits of the names of a frame, plurals and small letters too; each in its
sentence with two before and one after; then random subsets, from which people remove what is not
understandable and what is not a name of the class.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from trope.core.errors import BadInput
from trope.corpora.name_samples import NameSample
from trope.corpora.records import TextRecord
from trope.lexicon.names import (
    package_countries,
    read_name_list,
    shipped_companies,
    shipped_countries,
)
from trope.lexicon.readings import NameClass, readings
from trope.tasks.metonymy.names import NameFinder
from trope.text import read

BEFORE, AFTER = 2, 1
"""Sentences of context; fewer at the edges of a text."""

_BLANK = re.compile(r"\s")


@dataclass(frozen=True, slots=True)
class NameFrame:
    """The names to look for: usual name → all its spellings."""

    name_class: NameClass
    names: Mapping[str, Sequence[str]]


def country_frame(*, package: bool = False) -> NameFrame:
    """The countries that trope ships, or those of pycountry (the extra `names`)."""
    return NameFrame("location", package_countries() if package else shipped_countries())


def company_frame(path: str | Path | None = None) -> NameFrame:
    """The companies of a list (one per line, other names after tabs), or well-known ones."""
    return NameFrame("organisation", read_name_list(path) if path else shipped_companies())


def collect_samples(
    texts: Iterable[TextRecord], frame: NameFrame, *, ignore_case: bool = True
) -> Iterator[NameSample]:
    """Every occurrence of a name of the frame as a sample of its own, `samp1` and so on.

    A name across the end of a sentence does not count; `title` is the id of the text.
    """
    finder = NameFinder({frame.name_class: frame.names}, ignore_case=ignore_case)
    number = 0
    for record in texts:
        for sample in _occurrences(record, finder):
            number += 1
            yield replace(sample, id=f"samp{number}")


def _occurrences(record: TextRecord, finder: NameFinder) -> Iterator[NameSample]:
    text = record.text
    names = finder.find(text)
    if not names:
        return
    bounds = [(sentence.start, sentence.end) for sentence in read(text).sentences]
    for name in names:
        target = next((at for at, (a, b) in enumerate(bounds) if a <= name.start < b), None)
        if target is None or name.end > bounds[target][1]:
            continue
        first = max(0, target - BEFORE)
        begin = bounds[target][0]
        yield NameSample(
            id="samp",
            name=_BLANK.sub(" ", text[name.start : name.end]),
            name_class=name.name_class,
            sentences=tuple(
                _BLANK.sub(" ", text[a:b]) for a, b in bounds[first : target + AFTER + 1]
            ),
            target=target - first,
            start=name.start - begin,
            end=name.end - begin,
            title=record.id,
            line=record.line,
        )


def draw_subsets(
    samples: Sequence[NameSample], *, train: int, test: int, seed: int
) -> tuple[list[NameSample], list[NameSample]]:
    """Random train and test samples without overlap, each in the order of the corpus.

    Raises:
        BadInput: where there are not as many samples.
    """
    if train < 0 or test < 0 or train + test > len(samples):
        raise BadInput(f"{len(samples)} samples do not give {train} and {test}; ask for fewer")
    drawn = Random(seed).sample(range(len(samples)), train + test)
    return (
        [samples[at] for at in sorted(drawn[:train])],
        [samples[at] for at in sorted(drawn[train:])],
    )


def count_readings(samples: Iterable[NameSample], name_class: NameClass) -> dict[str, int]:
    """How many samples have each fine reading, as Tables 1 and 2 do: zeros and a total too.

    Raises:
        BadInput: for a sample of the other class, or without a fine reading.
    """
    counts = dict.fromkeys(readings(name_class), 0)
    for sample in samples:
        reading = sample.label("fine")
        if sample.name_class != name_class or reading is None:
            raise BadInput(f"sample {sample.id!r} has no fine reading of a {name_class}")
        counts[reading] += 1
    return {**counts, "total": sum(counts.values())}
