"""Gold labels of expressions: the annotation project, judgments of people or a simulated crowd."""

from __future__ import annotations

import csv
import io
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any

import msgspec

from trope.annotate.project import edited_text
from trope.annotate.rules.paper_tables import TweetExpression, paper_tables
from trope.annotate.rules.selection import Applicant, RankedApplicant, best, ranked
from trope.core.judgments import Judgment
from trope.recipes import crowd
from trope.recipes.answers import CompleteAnswers, DemoAnswers, ProjectAnswers, as_rows
from trope.recipes.recipe import Context, JudgedDataset, ProjectParts
from trope.recipes.records import SUBSET, ItemLabel, Record
from trope.recipes.steps import template
from trope.recipes.tweets2019.expressions import DEMO, GOLD, METAPHOR

QUESTION, UNDERSTOOD, CERTAINTY = "metaphorical", "understood", "certainty"
ASKED = (UNDERSTOOD, QUESTION, CERTAINTY)
YES, NO = "yes", "no"
CERTAINTIES = ("certain", "mostly_sure", "unsure", "no_clue")
_CERTAINTY_SHARES = (0.6, 0.25, 0.12, 0.03)
_ANALYSED_VERBS = 20
_NOT_UNDERSTOOD, _NO_TRIAL = "not understood", "no trial"


def make_project(items: Sequence[Record], context: Context) -> ProjectParts:
    """The paper's project: a demo task with gold, the two subsets, a list for review by hand."""
    demo, work = _parts(items)
    return ProjectParts(
        _plan(with_demo=bool(demo)),
        tuple(map(_row, work)),
        tuple(map(_row, demo)),
        {"review.csv": _review_sheet(items)},
    )


def _plan(*, with_demo: bool) -> str:
    """The paper's plan; without a demo task, and selection by it, if there is none."""
    text = template("tweets2019")
    if with_demo:
        return text
    plan = tomllib.loads(text)
    plan["demo"] |= {"items": 0, "gold": 0}
    plan["selection"]["by"] = ""
    return edited_text(text, plan)


def _row(item: Record) -> dict[str, Any]:
    fields = item.fields
    row = {
        "id": item.id,
        "text": item.text,
        "highlight": [[fields["start"], fields["end"]]],
        "verb": fields["verb"],
        "object": fields["object"],
        SUBSET: fields[SUBSET],
    }
    return row | ({"gold": {QUESTION: fields[GOLD]}} if fields[GOLD] else {})


def _review_sheet(items: Sequence[Record]) -> str:
    """A sheet for reviewing expressions by hand, for idioms and similes that no list has."""
    sheet = io.StringIO()
    rows = csv.writer(sheet, lineterminator="\n")
    rows.writerow(["id", "expression", "text", "decision"])
    rows.writerows([item.id, item.fields["expression"], item.text, ""] for item in items)
    return sheet.getvalue()


def simulate(items: Sequence[Record], context: Context) -> JudgedDataset:
    """Simulated applicants do the demo task; the best judge both subsets."""
    truth = _truth(items, context)
    demo, work = _parts(items)
    chosen, ranking, judgments = _demo_task(demo, truth, context)
    for name, skill in chosen.items():
        judgments += _judge(name, skill, work, truth, context)
    votes = crowd.of_question(judgments, QUESTION)
    labels = crowd.majority_labels(
        votes, crowd.ids_of(items), why_none=dict.fromkeys(truth, _NOT_UNDERSTOOD)
    )
    return _judged_dataset(items, judgments, labels, ranking, len(chosen), context)


def finish(items: Sequence[Record], answers: ProjectAnswers, context: Context) -> JudgedDataset:
    """The same with answers of people, who were chosen in the annotation service."""
    demo, work = _parts(items)
    usual = answers.plan.judgments_per_item
    people = answers.complete(dict.fromkeys(crowd.ids_of(work), usual))
    chosen = {row.annotator for row in answers.counted}
    tried = [row for row in answers.demo if row.annotator in chosen]
    judgments = [*as_rows(tried, ASKED), *people.judgments(ASKED)]
    labels = _labels_of_people(items, tried, people)
    return _judged_dataset(items, judgments, labels, _ranking(demo, answers), usual, context)


def _labels_of_people(
    items: Sequence[Record], tried: Sequence[DemoAnswers], people: CompleteAnswers
) -> tuple[ItemLabel, ...]:
    votes = [*as_rows(tried, (QUESTION,)), *people.votes((QUESTION,))]
    seen = {row.item for row in tried} | {row.item for row in people.rows}
    why = {item.id: _NOT_UNDERSTOOD if item.id in seen else _NO_TRIAL for item in items}
    return people.settle(crowd.majority_labels(votes, crowd.ids_of(items), why_none=why))


def _ranking(demo: Sequence[Record], answers: ProjectAnswers) -> list[dict[str, Any]]:
    """The ranking of all who did the demo task, by the weights of the project."""
    by_person: dict[str, list[DemoAnswers]] = {}
    for row in answers.demo:
        by_person.setdefault(row.annotator, []).append(row)
    gold = _gold_answers(demo)
    selection = answers.plan.selection
    applicants = [_applicant_of(name, rows, gold) for name, rows in by_person.items()]
    return _ranking_rows(ranked(applicants, weights=selection.weights, pace=selection.pace))


def _applicant_of(name: str, rows: Sequence[DemoAnswers], gold: Mapping[str, str]) -> Applicant:
    return Applicant(
        name,
        shown=len(rows),
        skipped=sum(row.skipped or QUESTION not in row.answers for row in rows),
        gold=sum(row.item in gold for row in rows),
        right=sum(gold.get(row.item) == row.answers.get(QUESTION, "") for row in rows),
        seconds=median(row.seconds for row in rows),
        finished=max(row.at for row in rows),
    )


def _judged_dataset(
    items: Sequence[Record],
    judgments: Sequence[Judgment],
    labels: tuple[ItemLabel, ...],
    ranking: list[dict[str, Any]],
    usual: int,
    context: Context,
) -> JudgedDataset:
    return JudgedDataset(
        tuple(judgments),
        labels,
        _agreement(items, crowd.of_question(judgments, QUESTION), context),
        {"selection": ranking, **_tables(items, judgments, labels, usual, context)},
    )


def _parts(items: Sequence[Record]) -> tuple[list[Record], list[Record]]:
    """The items of the demo task, and the others."""
    demo = [item for item in items if item.fields[SUBSET] == DEMO]
    return demo, [item for item in items if item.fields[SUBSET] != DEMO]


def _truth(items: Sequence[Record], context: Context) -> dict[str, str]:
    rng = crowd.generator(context.seed, "truth")
    weak = [YES if item.fields["weak"] == METAPHOR else NO for item in items]
    drawn = crowd.hidden_truth(rng, weak, (NO, YES), context.settings.crowd.machine)
    return {item.id: item.fields[GOLD] or own for item, own in zip(items, drawn, strict=True)}


def _demo_task(
    demo: Sequence[Record], truth: Mapping[str, str], context: Context
) -> tuple[dict[str, float], list[dict[str, Any]], list[Judgment]]:
    """The chosen with their skills, the ranking of all, and the chosen ones' demo judgments."""
    rng = crowd.generator(context.seed, "applicants")
    number = max(context.settings.demo.applicants, context.settings.crowd.annotators)
    people = crowd.names(number)
    skills = dict(zip(people, crowd.skills(rng, context.settings.crowd, number), strict=True))
    by_name = {name: _judge(name, skills[name], demo, truth, context) for name in people}
    gold = _gold_answers(demo)
    ranking = ranked(_applicant(at, name, by_name[name], gold) for at, name in enumerate(people))
    taken = [one.name for one in best(ranking, context.settings.crowd.annotators)]
    judgments = [judgment for name in taken for judgment in by_name[name]]
    return {name: skills[name] for name in taken}, _ranking_rows(ranking), judgments


def _gold_answers(demo: Sequence[Record]) -> dict[str, str]:
    return {item.id: item.fields[GOLD] for item in demo if item.fields[GOLD]}


def _ranking_rows(ranking: Sequence[RankedApplicant]) -> list[dict[str, Any]]:
    return [
        {"place": one.place, "annotator": one.applicant.name, "score": round(one.score.total, 4)}
        for one in ranking
    ]


def _applicant(
    at: int, name: str, judgments: Sequence[Judgment], gold: Mapping[str, str]
) -> Applicant:
    shown = [judgment for judgment in judgments if judgment.question == UNDERSTOOD]
    votes = [judgment for judgment in judgments if judgment.question == QUESTION]
    return Applicant(
        name,
        shown=len(shown),
        skipped=len(shown) - len(votes),
        gold=len(gold),
        right=sum(gold.get(vote.item) == vote.label for vote in votes),
        seconds=median([judgment.seconds or 0.0 for judgment in shown] or [0.0]),
        finished=datetime(2000, 1, 1, tzinfo=UTC) + timedelta(minutes=at),
    )


def _judge(
    name: str, skill: float, items: Sequence[Record], truth: Mapping[str, str], context: Context
) -> list[Judgment]:
    """All judgments of one annotator about items."""
    part = items[0].fields[SUBSET] if items else ""
    rng = crowd.generator(context.seed, f"{name} {part}")
    found = []
    for item in items:
        took = crowd.seconds(rng)
        lost = rng.random() < context.settings.demo.not_understood
        found.append(Judgment(item.id, name, NO if lost else YES, UNDERSTOOD, seconds=took))
        vote = crowd.answer(rng, truth[item.id], (NO, YES), skill)
        sure = str(rng.choice(CERTAINTIES, p=_CERTAINTY_SHARES))
        if not lost:
            found.append(Judgment(item.id, name, vote, QUESTION, seconds=took))
            found.append(Judgment(item.id, name, sure, CERTAINTY, seconds=took))
    return found


def _agreement(
    items: Sequence[Record], votes: Sequence[Judgment], context: Context
) -> dict[str, Any]:
    subset = {item.id: item.fields[SUBSET] for item in items}
    classes = {item.id: item.fields["verb_class"] for item in items}
    parts = dict.fromkeys(subset.values())
    return {
        "measure": "fleiss",
        "overall": crowd.agreement_of(votes, verb_classes=classes, seed=context.seed),
        "subsets": {
            part: crowd.agreement_of(
                [vote for vote in votes if subset[vote.item] == part],
                verb_classes=classes,
                seed=context.seed,
            )
            for part in parts
        },
    }


def _tables(
    items: Sequence[Record],
    judgments: Sequence[Judgment],
    labels: Sequence[ItemLabel],
    usual: int,
    context: Context,
) -> dict[str, Any]:
    by_question = {
        name: [judgment for judgment in judgments if judgment.question == name]
        for name in (QUESTION, UNDERSTOOD)
    }
    parts = paper_tables(
        [
            TweetExpression(
                item.id,
                item.text,
                item.fields["expression"],
                item.fields["verb"],
                item.fields["object"],
                item.fields[SUBSET],
            )
            for item in items
        ],
        by_question[QUESTION],
        by_question[UNDERSTOOD],
        {item.id: item.fields["verb_class"] for item in items},
        positive=YES,
        usual=usual,
        seed=context.seed,
    )
    final = {label.item: label.label for label in labels}
    return {
        "table 2": weak_against_majority(items, final),
        "tables 3 to 6": [msgspec.to_builtins(part) for part in parts],
        "section 5.2": by_verb(items, final),
    }


def weak_against_majority(
    items: Sequence[Record], final: Mapping[str, str | None]
) -> dict[str, dict[str, int]]:
    """Counts of weak labels by final label and subset."""
    found: dict[str, Counter[str]] = {}
    for item in items:
        label = final.get(item.id)
        if label is not None:
            counts = found.setdefault(item.fields[SUBSET], Counter())
            counts[f"{item.fields['weak']} became {'metaphor' if label == YES else 'literal'}"] += 1
    return {part: dict(sorted(counts.items())) for part, counts in found.items()}


def by_verb(
    items: Sequence[Record], final: Mapping[str, str | None]
) -> dict[str, dict[str, list[str]]]:
    """For the most frequent verbs: objects with which they are metaphorical or literal."""
    found: dict[str, dict[str, list[str]]] = {}
    for item in items:
        label = final.get(item.id)
        if label is not None:
            own = found.setdefault(item.fields["verb"], {"metaphorical": [], "literal": []})
            own["metaphorical" if label == YES else "literal"].append(item.fields["object"])
    ranked_verbs = sorted(found, key=lambda verb: (-sum(map(len, found[verb].values())), verb))
    return {
        verb: {side: sorted(objects) for side, objects in found[verb].items()}
        for verb in ranked_verbs[:_ANALYSED_VERBS]
    }
