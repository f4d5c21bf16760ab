"""Sentiment scores of tweets: judgments of a team and a crowd, cleaned by the task's rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from trope.annotate.exchange.records import JudgmentRecord
from trope.annotate.rules.crowd import CrowdResult, crowd_scores, team_scores
from trope.annotate.rules.gold import team_ranges
from trope.annotate.rules.simulation import SCALE
from trope.core.errors import BadInput
from trope.core.judgments import Judgment, round_half_up
from trope.recipes import crowd
from trope.recipes.answers import CompleteAnswers, DemoAnswers, ProjectAnswers, as_rows
from trope.recipes.recipe import Context, JudgedDataset
from trope.recipes.records import SUBSET, ItemLabel, Record

QUESTION, TRIAL = "score", "trial"
SCALE_LABELS = SCALE.labels
TEAM, NATIVES = 7, 3
"""The in-house annotators of the trial set, and how many of them are native speakers."""

TEST_QUESTIONS = 20
"""Trial tweets that each worker of the crowd judges."""

_NOBODY = "nobody was asked"
_NO_TEAM = (
    "no team judged the trial tweets; put the export of the team's judgments into the folder, "
    "as team.jsonl"
)
_NO_TEST = (
    "nobody in the crowd answered a test question; import trial tweets as control items, with the "
    "range of the team's answers as gold"
)
_FIGURATIVE_MEAN, _PLAIN_MEAN, _SPREAD = -2.0, -0.3, 1.8


def simulate(items: Sequence[Record], context: Context) -> JudgedDataset:
    """A simulated team judges the trial tweets, a simulated crowd the others."""
    truth = _truth(items, context)
    trial, work = _parts(items)
    team = _team(trial, truth, context)
    judgments = _crowd(trial, work, truth, context)
    return _judged_dataset(items, team, crowd.names(NATIVES, "t"), judgments, context)


def finish(items: Sequence[Record], answers: ProjectAnswers, context: Context) -> JudgedDataset:
    """The same with answers of people: the team's judgments count for trial tweets.

    Test questions are the trial tweets that the crowd answered as control items or in the demo
    task. The task's rule says how many judgments a tweet needs after workers were dismissed.

    Raises:
        BadInput: no team judged the trial tweets, or nobody answered a test question.
    """
    trial, work = map(set, _parts(items))
    people = answers.complete(dict.fromkeys(crowd.ids_of(items), 1))
    asked = (QUESTION,)
    team_rows = [row for row in people.rows if row.item in trial]
    work_rows = [row for row in people.rows if row.item in work]
    known, workers = {row.item for row in team_rows}, {row.annotator for row in work_rows}
    seen: list[JudgmentRecord | DemoAnswers] = [*answers.demo, *answers.control]
    tests = as_rows([r for r in seen if r.item in known and r.annotator in workers], asked)
    if not team_rows or not tests:
        raise BadInput(f"{answers.path}: {_NO_TEAM if not team_rows else _NO_TEST}")
    judgments = [*tests, *as_rows(work_rows, asked)]
    native = {row.annotator for row in team_rows if row.weight > 1}
    return _judged_dataset(items, as_rows(team_rows, asked), native, judgments, context, people)


def _parts(items: Sequence[Record]) -> tuple[list[str], list[str]]:
    """The ids of the trial tweets, and of the others."""
    trial = [item.id for item in items if item.fields[SUBSET] == TRIAL]
    return trial, [item.id for item in items if item.fields[SUBSET] != TRIAL]


def _judged_dataset(
    items: Sequence[Record],
    team: Sequence[Judgment],
    native: Collection[str],
    judgments: Sequence[Judgment],
    context: Context,
    people: CompleteAnswers | None = None,
) -> JudgedDataset:
    trial, work = _parts(items)
    gold = team_ranges(team)
    result = crowd_scores(judgments, gold)
    labels = [*_trial_labels(trial, team, native), *_work_labels(work, result)]
    order = {item.id: place for place, item in enumerate(items)}
    labels.sort(key=lambda label: order[label.item])
    if people:
        labels = [_decided(label, people) for label in people.settle(labels)]
    return JudgedDataset(
        (*team, *judgments),
        tuple(labels),
        {
            "measure": "alpha_interval",
            "overall": crowd.agreement_of(
                [row for row in result.cleaned.judgments if row.item not in gold],
                seed=context.seed,
            ),
            "subsets": {TRIAL: crowd.agreement_of(team, seed=context.seed)},
        },
        {
            "dismissed": result.cleaned.dismissed,
            "back to the queue": len(result.cleaned.queue),
            "reliability": {k: round(v, 4) for k, v in sorted(result.reliability.items())},
            "tables 2 to 4": means(items, labels),
        },
    )


def _truth(items: Sequence[Record], context: Context) -> dict[str, float]:
    rng = crowd.generator(context.seed, "truth")
    found = {}
    for item in items:
        negative = item.fields["category"] in ("sarcasm", "irony")
        sure = negative and rng.random() < context.settings.crowd.machine
        drawn = rng.normal(_FIGURATIVE_MEAN if sure else _PLAIN_MEAN, _SPREAD)
        found[item.id] = float(min(5, max(-5, drawn)))
    return found


def _team(trial: Sequence[str], truth: Mapping[str, float], context: Context) -> list[Judgment]:
    found = []
    for name in crowd.names(TEAM, "t"):
        rng = crowd.generator(context.seed, name)
        answers = crowd.scale_answers(rng, [truth[item] for item in trial], 0.9)
        found += _rows(rng, name, trial, answers)
    return found


def _crowd(
    trial: Sequence[str], work: Sequence[str], truth: Mapping[str, float], context: Context
) -> list[Judgment]:
    """Judgments of workers in turn, so that every tweet gets the wanted number."""
    settings = context.settings
    kinds = [
        *["honest"] * settings.workers.honest,
        *["constant"] * settings.workers.constant,
        *["guessing"] * settings.workers.guessing,
    ]
    names = crowd.names(len(kinds))
    each = min(settings.crowd.annotators, len(names))
    skills = crowd.skills(crowd.generator(context.seed, "skills"), settings.crowd, len(names))
    asked: dict[str, list[str]] = {name: list(trial[:TEST_QUESTIONS]) for name in names}
    for place, item in enumerate(work):
        for turn in range(each):
            asked[names[(place * each + turn) % len(names)]].append(item)
    found = []
    for name, kind, skill in zip(names, kinds, skills, strict=True):
        rng = crowd.generator(context.seed, name)
        answers = _answers(rng, kind, [truth[item] for item in asked[name]], skill)
        found += _rows(rng, name, asked[name], answers)
    return found


def _answers(rng: crowd.Random, kind: str, truth: Sequence[float], skill: float) -> list[str]:
    if kind == "constant":
        return [SCALE_LABELS[int(rng.integers(len(SCALE_LABELS)))]] * len(truth)
    if kind == "guessing":
        return [SCALE_LABELS[int(rng.integers(len(SCALE_LABELS)))] for _ in truth]
    return crowd.scale_answers(rng, truth, skill)


def _rows(
    rng: crowd.Random, name: str, items: Sequence[str], answers: Sequence[str]
) -> list[Judgment]:
    return [
        Judgment(item, name, label, QUESTION, seconds=crowd.seconds(rng))
        for item, label in zip(items, answers, strict=True)
    ]


def _trial_labels(
    trial: Sequence[str], team: Sequence[Judgment], native: Collection[str]
) -> list[ItemLabel]:
    scores = team_scores(team, native=native)
    votes = Counter(row.item for row in team)
    return [
        ItemLabel(i, str(round_half_up(scores[i])), round(scores[i], 4), votes[i])
        if i in scores
        else ItemLabel(i, None, reason=_NOBODY)
        for i in trial
    ]


def _decided(label: ItemLabel, people: CompleteAnswers) -> ItemLabel:
    """An adjudicator's decision wins over the rules."""
    decision = people.decisions.get(label.item)
    if decision is None or decision.excluded or QUESTION not in decision.answers:
        return label
    score = int(decision.answers[QUESTION])
    return replace(label, label=str(score), score=float(score), reason="")


def _work_labels(work: Sequence[str], result: CrowdResult) -> list[ItemLabel]:
    found = {score.item: score for score in result.scores}
    labels = []
    for item in work:
        score = found.get(item)
        if score is None or score.score is None or score.integer is None:
            why = score.note if score else _NOBODY
            labels.append(ItemLabel(item, None, votes=score.judgments if score else 0, reason=why))
        else:
            rounded = round(score.score, 4)
            labels.append(ItemLabel(item, str(score.integer), rounded, score.judgments))
    return labels


def means(items: Sequence[Record], labels: Sequence[ItemLabel]) -> dict[str, Any]:
    """Number and mean score by category, as in the task's tables."""
    category = {item.id: item.fields["category"] for item in items}
    scores: dict[str, list[float]] = {}
    for label in labels:
        if label.score is not None:
            scores.setdefault(category[label.item], []).append(label.score)
            scores.setdefault("overall", []).append(label.score)
    return {
        name: {"n": len(found), "mean": round(fmean(found), 2)}
        for name, found in sorted(scores.items())
    }
