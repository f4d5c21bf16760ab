"""What a team and a simulated crowd make of figurative tweets, by the rules of the task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from trope.annotate.rules.crowd import CrowdResult, crowd_scores, team_scores
from trope.annotate.rules.gold import team_ranges
from trope.annotate.rules.simulation import SCALE
from trope.core.judgments import Judgment
from trope.recipes import crowd
from trope.recipes.recipe import Context, Finished, Label
from trope.recipes.records import SUBSET, Record

QUESTION, TRIAL = "score", "trial"
SCALE_LABELS = SCALE.labels
TEAM, NATIVES = 7, 3
"""The in-house annotators of the trial set, and how many of them are native speakers."""

TEST_QUESTIONS = 20
"""Trial tweets that each worker of the crowd is asked about."""

_FIGURATIVE_MEAN, _PLAIN_MEAN, _SPREAD = -2.0, -0.3, 1.8


def simulate(items: Sequence[Record], context: Context) -> Finished:
    """The team judges the trial tweets, the crowd the others; the task's rules clean and weigh."""
    truth = _truth(items, context)
    trial = [item.id for item in items if item.fields[SUBSET] == TRIAL]
    work = [item.id for item in items if item.fields[SUBSET] != TRIAL]
    team = _team(trial, truth, context)
    gold = team_ranges(team)
    judgments = _crowd(trial, work, truth, context)
    result = crowd_scores(judgments, gold)
    scores = team_scores(team, native=crowd.names(NATIVES, "t"))
    labels = [*_trial_labels(trial, scores), *_work_labels(work, result)]
    order = {item.id: place for place, item in enumerate(items)}
    labels.sort(key=lambda label: order[label.item])
    return Finished(
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
    """Workers in turn, so that every tweet has as many judgments as are wanted."""
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


def _trial_labels(trial: Sequence[str], scores: Mapping[str, float]) -> list[Label]:
    return [Label(i, str(round(scores[i])), round(scores[i], 4), TEAM) for i in trial]


def _work_labels(work: Sequence[str], result: CrowdResult) -> list[Label]:
    found = {score.item: score for score in result.scores}
    labels = []
    for item in work:
        score = found.get(item)
        if score is None or score.score is None or score.integer is None:
            why = score.note if score else "nobody was asked"
            labels.append(Label(item, None, votes=score.judgments if score else 0, reason=why))
        else:
            rounded = round(score.score, 4)
            labels.append(Label(item, str(score.integer), rounded, score.judgments))
    return labels


def means(items: Sequence[Record], labels: Sequence[Label]) -> dict[str, Any]:
    """Number and mean score by category, as the task's tables have them."""
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
