"""Keys and submissions of SemEval-2007 Task 8: one line per sample, `id|label`.

A submission begins with three lines: `# system`, `# location` or `# org`, and the granularity. A
key has the same lines without or with that beginning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from trope.core.errors import BadInput, BadRecord, UnknownName
from trope.core.files import atomic_write
from trope.corpora.records import NameSample, OnRefused, refuse
from trope.corpora.semeval2007 import UNKNOWN
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.lexicon.readings import (
    Granularity,
    NameClass,
    bring_to,
    check_label,
    to_granularity,
    to_name_class,
)

_HEADER = ("system", "class of names (location or org)", "granularity (coarse, medium or fine)")


@dataclass(frozen=True, slots=True)
class NameAnswers:
    """The labels of samples by id, None where a system abstains; `lines` says where they stood."""

    path: str
    system: str
    name_class: NameClass
    granularity: Granularity
    labels: dict[str, str | None]
    lines: dict[str, int]


def read_submission(source: Source, *, refused: OnRefused | None = None) -> NameAnswers:
    """A submission: its three lines, then one label per sample in any order.

    Raises:
        BadRecord: for a missing or wrong beginning; and with id and line, for lines of another
            form, samples that come twice, labels that the granularity does not have. With
            `refused` the latter are reported and skipped.
    """
    path = source_name(source)
    lines = numbered_lines(source)
    system, name_class, granularity = _read_header(lines, path)
    return _read_labels(lines, path, system, name_class, granularity, refused)


def read_name_key(
    source: Source,
    name_class: NameClass,
    granularity: Granularity,
    *,
    refused: OnRefused | None = None,
) -> NameAnswers:
    """A gold key, `id|label` per line; lines that begin with # are skipped.

    Labels may be finer than the granularity, to which they are brought.

    Raises:
        BadRecord: as `read_submission` does, and for `unknown`, which is no gold label.
    """
    path = source_name(source)
    lines = ((line, text) for line, text in numbered_lines(source) if not text.startswith("#"))
    answers = _read_labels(lines, path, "key", name_class, granularity, refused, finer=True)
    for sample, label in answers.labels.items():
        if label is None:
            problem = (
                f"sample {sample!r}: 'unknown' is not a gold label; give the key with readings"
            )
            raise BadRecord(path, answers.lines[sample], problem)
    return answers


def key_of(samples: Mapping[str, NameSample], granularity: Granularity, path: str) -> NameAnswers:
    """The gold key of samples, at a granularity.

    Raises:
        BadRecord: where a sample has no reading, or none of that granularity, and for samples of
            both classes of names.
    """
    classes = {sample.name_class for sample in samples.values()}
    if len(classes) != 1:
        raise BadRecord(path, None, "has no samples, or samples of two classes; give one class")
    found: dict[str, str | None] = {}
    for sample in samples.values():
        found[sample.id] = sample.label(granularity)
        if found[sample.id] is None:
            known = sample.known_at or "no"
            problem = f"sample {sample.id!r} has {known} reading, so no {granularity} gold label"
            raise BadRecord(path, sample.line, f"{problem}; give the gold file")
    lines = {sample.id: sample.line for sample in samples.values()}
    return NameAnswers(path, "key", classes.pop(), granularity, found, lines)


def write_submission(
    path: str | Path,
    system: str,
    name_class: NameClass,
    granularity: Granularity,
    labels: Mapping[str, str | None],
) -> None:
    """Write answers to a submission file, patterns in their long spelling.

    Raises:
        BadInput: for labels that the granularity does not have, and a system without a name.
    """
    if not system.strip() or "\n" in system:
        raise BadInput("a submission needs the name of a system, on one line")
    word = "org" if name_class == "organisation" else name_class
    rows = [f"# {system.strip()}", f"# {word}", f"# {granularity}"]
    for sample, label in labels.items():
        shown = UNKNOWN if label is None else check_label(label, name_class, granularity)
        rows.append(f"{sample}|{shown}")
    with atomic_write(path) as file:
        file.write("\n".join(rows) + "\n")


def _read_header(lines: Iterator[tuple[int, str]], path: str) -> tuple[str, NameClass, Granularity]:
    found: list[str] = []
    for number, what in enumerate(_HEADER, start=1):
        line, text = next(lines, (number, ""))
        if not text.startswith("#") or not text.lstrip("# \t").strip():
            problem = (
                f"has no line '# …' with the {what}; a submission begins with three such lines"
            )
            raise BadRecord(path, line, problem)
        found.append(text.lstrip("# \t").strip())
    try:
        return found[0], to_name_class(found[1]), to_granularity(found[2])
    except UnknownName as error:
        line = 2 if error.kind == "class of names" else 3
        raise BadRecord(path, line, str(error)) from None


def _read_labels(
    lines: Iterator[tuple[int, str]],
    path: str,
    system: str,
    name_class: NameClass,
    granularity: Granularity,
    refused: OnRefused | None,
    *,
    finer: bool = False,
) -> NameAnswers:
    labels: dict[str, str | None] = {}
    places: dict[str, int] = {}
    for line, text in lines:
        if not text.strip():
            continue
        try:
            sample, label = _read_answer(text, name_class, granularity, finer)
            if sample in places:
                problem = f"sample {sample!r} is also in line {places[sample]}"
                raise BadInput(f"{problem}; give one answer per sample")
        except BadInput as error:
            refuse(BadRecord(path, line, str(error)), refused)
            continue
        labels[sample], places[sample] = label, line
    return NameAnswers(path, system, name_class, granularity, labels, places)


def _read_answer(
    text: str, name_class: NameClass, granularity: Granularity, finer: bool
) -> tuple[str, str | None]:
    sample, bar, label = (part.strip() for part in text.partition("|"))
    if not bar or not sample or not label or "|" in label:
        raise BadInput(f"{text[:40]!r} is not a line id|label; check the format")
    if label == UNKNOWN:
        return sample, None
    try:
        read = bring_to if finer else check_label
        return sample, read(label, name_class, granularity)
    except BadInput as error:
        raise BadInput(f"sample {sample!r}: {error}") from None
