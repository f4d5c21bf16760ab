"""A lexical sample of names from any corpus, and the decisions of people about it.

As in the task: all hits of the names of a frame, plurals and small letters too; each in its
sentence with two before and one after; then random subsets, from which people remove what is not
understandable and what is not a name of the class. Training samples are annotated by two people,
test samples by one, with doubtful ones checked by a second; what stays unresolved is left out.
Every removal has a reason that can be counted.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import get_args

from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.core.judgments import Judgment
from trope.corpora.records import NameSample, TextRecord
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows
from trope.lexicon.names import (
    package_countries,
    read_name_list,
    shipped_companies,
    shipped_countries,
)
from trope.lexicon.readings import Granularity, NameClass, check_label, coarsen, readings
from trope.metrics.agreement import Agreement, cohen_kappas, with_intervals
from trope.metrics.votes import encode_votes
from trope.tasks.metonymy.names import NameFinder
from trope.text import read

BEFORE, AFTER = 2, 1
"""Sentences of context; fewer at the edges of a text."""

_BLANK = re.compile(r"\s")

DECISIONS = ("keep", "homonym", "not understood")
_UNRESOLVED = "unresolved"
"""The reason for leaving out what two people could not agree on."""


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
            raise BadInput(f"sample {sample.id!r} has no fine reading of the class {name_class}")
        counts[reading] += 1
    return {**counts, "total": sum(counts.values())}


@dataclass(frozen=True, slots=True)
class Reconciliation:
    """Annotated samples, those left out, and how far two annotators agreed (else None)."""

    kept: list[NameSample]
    removed: dict[str, str]
    kappas: dict[Granularity, Agreement] | None


def write_review_sheet(samples: Iterable[NameSample], path: str | Path) -> None:
    """A CSV table for a reviewer: id, name and text, with an empty column for the decision."""
    with atomic_write(path) as file:
        rows = csv.writer(file)
        rows.writerow(["id", "name", "text", "decision"])
        for sample in samples:
            rows.writerow([sample.id, sample.name, " ".join(sample.sentences), ""])


def read_review_sheet(source: Source) -> dict[str, str]:
    """Id → decision; an empty one means keep.

    Raises:
        BadRecord: for unknown decisions and ids that come twice.
    """
    name, decisions, seen = source_name(source), {}, UniqueIds()
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        sample, decision = row.text("id"), row.optional("decision") or "keep"
        seen.add(sample, row, sample)
        if decision not in DECISIONS:
            known = ", ".join(DECISIONS)
            raise row.fault(f"sample {sample!r}: unknown decision {decision!r}; known: {known}")
        decisions[sample] = decision
    return decisions


def reconcile_both(
    samples: Sequence[NameSample],
    first: Mapping[str, str],
    second: Mapping[str, str],
    settled: Mapping[str, str],
    *,
    seed: int = 0,
) -> Reconciliation:
    """Samples that two people annotated: equal readings stand, others are settled or left out.

    Args:
        first: id → fine reading; `second` likewise, independently.
        settled: the reading that both agreed on later, for samples where they differed.
        seed: decides the resamples of the kappas' intervals.
    """
    _check_ids(samples, first, "reading of the first annotator")
    _check_ids(samples, second, "reading of the second annotator")
    final = {
        sample.id: first[sample.id]
        if first[sample.id] == second[sample.id]
        else settled.get(sample.id)
        for sample in samples
    }
    kept, removed = _with_readings(samples, final)
    return Reconciliation(kept, removed, kappas(samples, first, second, seed=seed))


def reconcile_checked(
    samples: Sequence[NameSample],
    first: Mapping[str, str],
    doubtful: Collection[str],
    checked: Mapping[str, str],
) -> Reconciliation:
    """Samples that one person annotated and another checked where the first was in doubt.

    A doubtful sample without a checked reading is left out.
    """
    _check_ids(samples, first, "reading")
    unknown = sorted(set(doubtful) - set(first))
    if unknown:
        raise BadInput(f"the doubtful sample {unknown[0]!r} is not among the samples")
    final = {
        sample.id: checked.get(sample.id) if sample.id in doubtful else first[sample.id]
        for sample in samples
    }
    kept, removed = _with_readings(samples, final)
    return Reconciliation(kept, removed, None)


def kappas(
    samples: Sequence[NameSample],
    first: Mapping[str, str],
    second: Mapping[str, str],
    *,
    seed: int = 0,
) -> dict[Granularity, Agreement]:
    """Cohen's kappa of two annotators at every granularity, with intervals over the samples.

    The task's paper says "kappa" alone; with two annotators who judged all samples this is
    Cohen's, whose chance agreement comes from the shares of each annotator.
    """
    found: dict[Granularity, Agreement] = {}
    for granularity in get_args(Granularity):
        judgments = [
            Judgment(sample.id, who, coarsen(given[sample.id], sample.name_class, granularity))
            for sample in samples
            for who, given in (("first", first), ("second", second))
        ]
        statistic = cohen_kappas(encode_votes(judgments)) if judgments else None
        if statistic is None:
            found[granularity] = Agreement("cohen", None, None, None, 0, "no sample")
            continue
        pair = with_intervals([statistic], seed=seed)[0]
        why = "" if pair.value is not None else "both always gave the same label"
        found[granularity] = replace(pair, name="cohen", note=why)
    return found


def _with_readings(
    samples: Sequence[NameSample], final: Mapping[str, str | None]
) -> tuple[list[NameSample], dict[str, str]]:
    kept: list[NameSample] = []
    removed: dict[str, str] = {}
    for sample in samples:
        reading = final[sample.id]
        if reading is None:
            removed[sample.id] = _UNRESOLVED
            continue
        usual = check_label(reading, sample.name_class, "fine")
        kept.append(replace(sample, reading=usual, known_at="fine"))
    return kept, removed


def _check_ids(samples: Sequence[NameSample], given: Mapping[str, str], what: str) -> None:
    ids = {sample.id for sample in samples}
    missing, unknown = sorted(ids - set(given)), sorted(set(given) - ids)
    if missing:
        raise BadInput(f"sample {missing[0]!r} has no {what}; {len(missing)} are missing")
    if unknown:
        raise BadInput(f"sample {unknown[0]!r} has a {what} but is not among the samples")
