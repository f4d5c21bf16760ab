"""What people make of names: their forms as readings, reconciled by the rules of the task."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from trope.annotate.exchange.records import JudgmentRecord
from trope.core.judgments import Judgment
from trope.recipes.answers import Answers, Complete, Decided, as_rows
from trope.recipes.recipe import Context, Finished, Label
from trope.recipes.records import SUBSET, Record
from trope.recipes.semeval2007.finishing import (
    LITERAL,
    QUESTION,
    is_train,
    labels_of,
    sample_of,
)
from trope.tasks.metonymy.review import Reconciliation, kappas, reconcile_checked
from trope.tasks.metonymy.samples import count_readings

CLASS, SURE, METONYMIC = "class", "sure", "metonymic"


@dataclass(frozen=True, slots=True)
class Said:
    """The readings that people gave a sample, and the one that stands; None where none does."""

    item: Record
    readings: tuple[str | None, ...]
    final: str | None


def finish(items: Sequence[Record], answers: Answers, context: Context) -> Finished:
    """Readings by people: two agree on a train sample, one is sure of a test sample.

    A test sample on which the first was unsure has the reading of the second. What an adjudicator
    decided wins; what nobody settled has no label.
    """
    people = answers.complete({item.id: 2 if is_train(item) else 1 for item in items})
    forms = _forms(items, people)
    votes = {name: len(rows) for name, rows in forms.items()}
    labels: dict[str, Label] = dict(people.lacking)
    agreement: dict[str, Any] = {}
    tables: dict[str, Any] = {}
    for part in dict.fromkeys(item.fields[SUBSET] for item in items):
        own = [item for item in items if item.fields[SUBSET] == part]
        said = [
            _said(item, forms[item.id], people.decisions.get(item.id))
            for item in own
            if item.id not in people.lacking
        ]
        reconciled = _reconcile(said)
        labels |= labels_of(reconciled, votes)
        tables[part] = count_readings(reconciled.kept, own[0].fields["name_class"])
        if is_train(own[0]):
            agreement[part] = _kappas(said, context.seed)
    return Finished(
        tuple(row for item in items for form in forms[item.id] for row in _rows(item, form)),
        people.settle(labels[item.id] for item in items),
        {"measure": "cohen", "subsets": agreement},
        {"tables 1 and 2": tables},
    )


def _forms(items: Sequence[Record], people: Complete) -> dict[str, list[JudgmentRecord]]:
    """The forms of each item; of train samples by annotator, so that kappa compares two people."""
    found: dict[str, list[JudgmentRecord]] = {item.id: [] for item in items}
    for row in people.rows:
        found[row.item].append(row)
    for item in items:
        if is_train(item):
            found[item.id].sort(key=lambda row: row.annotator)
    return found


def _said(item: Record, forms: Sequence[JudgmentRecord], decision: Decided | None) -> Said:
    readings = tuple(reading_of(form.answers, item) for form in forms)
    if decision is not None:
        final = reading_of(decision.answers, item)
    elif not is_train(item) and forms[0].answers.get(SURE) == "no":
        final = readings[1] if len(readings) > 1 else None
    else:
        final = readings[0] if len(set(readings)) == 1 else None
    return Said(item, readings, final)


def reading_of(answers: Mapping[str, Any], item: Record) -> str | None:
    """The fine reading of a form; None where it takes the name for one of another class."""
    name_class = item.fields["name_class"]
    if answers.get(CLASS) != name_class:
        return None
    reading: str | None = answers.get(QUESTION)
    return answers.get(f"{name_class}_pattern") if reading == METONYMIC else reading


def _reconcile(said: Sequence[Said]) -> Reconciliation:
    """Samples with the reading that stands; those without one are left out as unresolved."""
    open_ones = {one.item.id for one in said if one.final is None}
    readings = {one.item.id: one.final or LITERAL for one in said}  # of open ones never looked at
    return reconcile_checked([sample_of(one.item) for one in said], readings, open_ones, {})


def _kappas(said: Sequence[Said], seed: int) -> dict[str, Any]:
    """How far the first two agree on samples to which both gave a reading of its class."""
    pairs = {
        one.item.id: (one.readings[0], one.readings[1])
        for one in said
        if len(one.readings) > 1 and one.readings[0] and one.readings[1]
    }
    samples = [sample_of(one.item) for one in said if one.item.id in pairs]
    first = {name: str(pair[0]) for name, pair in pairs.items()}
    second = {name: str(pair[1]) for name, pair in pairs.items()}
    found = kappas(samples, first, second, seed=seed)
    return {name: asdict(kappa) for name, kappa in found.items()}


def _rows(item: Record, form: JudgmentRecord) -> Iterator[Judgment]:
    """The form as rows; its reading is the fine one, as in the labels."""
    fine = reading_of(form.answers, item)
    for row in as_rows([form], (CLASS, QUESTION, SURE)):
        if row.question != QUESTION:
            yield row
        elif fine is not None:
            yield Judgment(row.item, row.annotator, fine, QUESTION, row.weight, row.seconds)
