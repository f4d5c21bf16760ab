"""Decisions of people about samples: removals, two independent annotations, reconciliation.

Training samples are annotated by two people, test samples by one, with doubtful ones checked by a
second; what stays unresolved is left out. Every removal has a reason that can be counted.
"""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import get_args

from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.core.judgments import Judgment
from trope.corpora.name_samples import NameSample
from trope.corpora.rows import CheckedRow, UniqueIds
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows
from trope.lexicon.readings import Granularity, check_label, coarsen
from trope.metrics.agreement import Agreement, cohen_kappas, with_intervals
from trope.metrics.votes import encode_votes

DECISIONS = ("keep", "homonym", "not understood")
_UNRESOLVED = "unresolved"
"""The reason for leaving out what two people could not agree on."""


@dataclass(frozen=True, slots=True)
class ReviewOutcome:
    """The samples that stay, and why each of the others does not (id → reason)."""

    kept: list[NameSample]
    removed: dict[str, str]


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


def apply_review(samples: Sequence[NameSample], decisions: Mapping[str, str]) -> ReviewOutcome:
    """The samples without homonyms and incomprehensible contexts.

    Raises:
        BadInput: for a sample without a decision, and a decision about no sample.
    """
    _check_ids(samples, decisions, "decision")
    removed = {sample: why for sample, why in decisions.items() if why != "keep"}
    return ReviewOutcome([sample for sample in samples if sample.id not in removed], removed)


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
