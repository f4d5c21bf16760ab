"""What models are worth in a project: their quality beside people's, rates corrected by what people
judged, and rounds in which a light model chooses what is judged next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from trope.annotate.exchange.records import Losses
from trope.annotate.plan import Plan
from trope.annotate.project import Project
from trope.annotate.questions import Question, watched_question
from trope.annotate.rules.model_quality import ModelComparison, measure_model
from trope.annotate.rules.rounds import RoundOrder, label_texts, order_pool
from trope.annotate.store.imports import import_lock
from trope.annotate.store.labels import labelled_items
from trope.annotate.store.model_answers import model_labels, suggested_labels
from trope.annotate.store.models import Event, Item
from trope.annotate.store.rows import ItemSample, answer_rows, item_rows, marked_words
from trope.annotate.store.slots import OpenedRound, hold_back, open_round, round_items
from trope.core.errors import BadInput
from trope.core.judgments import by_question
from trope.metrics.alternative_annotator import EPSILONS
from trope.metrics.corrected_rates import CorrectedRate, RateDifference, corrected_rate
from trope.metrics.corrected_rates import rate_difference as difference_of

_STEP = 500


def asked_question(plan: Plan, named: str) -> Question:
    """The question of that name, a choice or a scale; the first one if none is named.

    Raises:
        BadInput: if there is none.
    """
    found = watched_question(plan.questions, named)
    if found is None or found.kind not in ("choice", "scale"):
        known = [one.id for one in plan.questions if one.kind in ("choice", "scale")]
        wanted = f"{named!r} is not a choice or a scale" if named else "there is no choice or scale"
        raise BadInput(f"{wanted}; the project has {', '.join(known) or 'none'}")
    return found


def project_quality(
    plan: Plan,
    *,
    sample: ItemSample | None = None,
    epsilon: float = EPSILONS["experts"],
    seed: int = 0,
) -> dict[str, list[ModelComparison]]:
    """Every model that answered, by question that people answered too."""
    texts = {item: text for item, text, _ in item_rows(sample)}
    found: dict[str, list[ModelComparison]] = {}
    for name, judgments in by_question(answer_rows(plan, sample=sample)).items():
        question = next(one for one in plan.questions if one.id == name)
        shown = {
            (one.item, one.annotator): one.run for one in suggested_labels(question) if one.run
        }
        found[name] = [
            measure_model(
                # what another model suggested is no judgment of people alone either
                [one for one in judgments if shown.get((one.item, one.annotator), run) == run],
                answers,
                model=run,
                texts=texts,
                shown=[pair for pair, by in shown.items() if by == run],
                epsilon=epsilon,
                seed=seed,
            )
            for run, answers in model_labels(question).items()
            if answers
        ]
    return found


@dataclass(frozen=True, slots=True)
class LabelRate:
    """The rate of a label, in a group of items or in all (`group` is empty)."""

    group: str
    label: str
    rate: CorrectedRate


@dataclass(frozen=True, slots=True)
class ProjectRates:
    """The rates of the labels of a question; with two groups also the first less the second."""

    question: str
    model: str
    rates: tuple[LabelRate, ...]
    differences: Mapping[str, RateDifference]
    notes: tuple[str, ...]


def project_rates(
    plan: Plan, question: Question, *, model: str = "", group: str = "", beyond: bool = False
) -> ProjectRates:
    """The rates of each label over the items that the model answered, corrected by people's labels.

    Args:
        model: the run; the first one if none is named.
        group: a field of the items; the rates are of each of its values.
        beyond: whether the items stand for more of their kind.

    Raises:
        BadInput: if there is no such model, or nothing that people judged without seeing its
            answers.
    """
    runs = model_labels(question)
    if not runs or model not in ({"", *runs}):
        known = ", ".join(runs) or "none yet: run trope annotate model"
        raise BadInput(f"{model or 'a model'!r} has no answers here; models: {known}")
    model = model or next(iter(runs))
    fields = {item: str(payload.get(group) or "") for item, _, payload in item_rows()}
    answers = {item: label for item, label in runs[model].items() if item in fields}
    seen = {one.item for one in suggested_labels(question) if one.run}
    judged = {
        one.item.id: str(one.labels[question.id].label)
        for one in labelled_items(plan, Losses())
        if question.id in one.labels and one.labels[question.id].label is not None
    }
    people = {item: judged[item] for item in answers if item in judged and item not in seen}
    if not people:
        problem = f"no item that {model!r} answered has a label of people who did not see it"
        raise BadInput(f"{problem}; let people judge some")
    groups = sorted({fields[item] for item in answers}) if group else [""]
    labels = sorted(set(answers.values()) | set(people.values()))
    rates = []
    for name in groups:
        inside = {
            item: label for item, label in answers.items() if not group or fields[item] == name
        }
        own = {item: label for item, label in people.items() if item in inside}
        rates += [
            LabelRate(name, label, _rate(label, own, inside, beyond)) for label in labels if own
        ]
    differences = {}
    if len(groups) == 2 and len(rates) == 2 * len(labels):
        pairs = zip(labels, rates[: len(labels)], rates[len(labels) :], strict=True)
        differences = {label: difference_of(a.rate, b.rate) for label, a, b in pairs}
    notes = _rate_notes(plan, len(fields) - len(answers), len(seen & judged.keys()), groups, rates)
    return ProjectRates(question.id, model, tuple(rates), differences, notes)


def _rate(
    label: str, people: Mapping[str, str], answers: Mapping[str, str], beyond: bool
) -> CorrectedRate:
    return corrected_rate(
        [float(given == label) for given in people.values()],
        [float(answers[item] == label) for item in people],
        [float(given == label) for given in answers.values()],
        beyond=beyond,
    )


def _rate_notes(
    plan: Plan, without: int, shown: int, groups: Iterable[str], rates: list[LabelRate]
) -> tuple[str, ...]:
    notes = []
    if without:
        notes.append(f"{without} items without an answer of the model are left out")
    if shown:
        notes.append(f"{shown} items were judged with a model's answer in view and do not count")
    if missing := [name for name in groups if all(one.group != name for one in rates)]:
        notes.append(f"nothing is judged in: {', '.join(name or 'no group' for name in missing)}")
    orders = {detail["by"] for detail in _rounds()} - {"random"}
    if plan.order == "uncertainty" or orders:
        by = ", ".join(sorted({*orders, *({"uncertainty"} & {plan.order})}))
        notes.append(
            f"items were given out by {by}, so the judged ones are no random sample and the rates "
            "may be off; judge a random sample for rates"
        )
    return tuple(notes)


def _rounds() -> list[dict[str, str]]:
    return list(Event.objects.filter(what="round").values_list("detail", flat=True))


@dataclass(frozen=True, slots=True)
class BegunRound:
    """A round that was opened, how its items were ordered, and on how many labels that rests."""

    opened: OpenedRound
    by: RoundOrder
    labelled: int
    note: str


def begin_round(
    project: Project,
    question: Question,
    by: RoundOrder,
    *,
    size: int,
    seed: int,
    now: datetime,
    who: str = "",
) -> BegunRound:
    """Choose among the items that were given to nobody, and open as many; people may work.

    The model is trained before anything is locked. What is given out meanwhile is not chosen.

    Raises:
        BadInput: if no items are left, or an import is running.
    """
    with import_lock(project):
        ids = round_items()
        names = dict(pair for part in _parts(ids) for pair in _names(part))
        texts = {item: _with_marks(text, payload) for item, text, payload in item_rows()}
        given = [row for row in answer_rows(project.plan) if row.question == question.id]
        labelled = label_texts(given, texts)
        pool = [names[pk] for pk in ids]
        order = order_pool(
            [texts[name] for name in pool],
            labelled,
            by,
            size=size,
            seed=seed,
            answers=_votes(question, pool) if by == "disagreement" else (),
        )
        chosen = [ids[place] for place in order.places]
        hold_back(now=now)  # only now: a model that cannot be trained must leave nothing behind
        opened = open_round(chosen, size, by=order.by, now=now, who=who)
    return BegunRound(opened, order.by, len(labelled), order.note)


def _parts(ids: list[int]) -> Iterable[list[int]]:
    return (ids[at : at + _STEP] for at in range(0, len(ids), _STEP))


def _names(ids: list[int]) -> Iterable[tuple[int, str]]:
    found: Iterable[tuple[int, str]] = Item.objects.filter(pk__in=ids).values_list(
        "pk", "external_id"
    )
    return found


def _with_marks(text: str, payload: Mapping[str, object]) -> str:
    """The text and, once more, what is highlighted in it: that is what the question is about."""
    return " ".join([text, *marked_words(text, payload)])


def _votes(question: Question, items: list[str]) -> list[list[str]]:
    """What two or more models answered to each item; empty if there are not two."""
    runs = [answers for answers in model_labels(question).values() if answers]
    if len(runs) < 2:
        return []
    return [[answers[item] for answers in runs if item in answers] for item in items]
