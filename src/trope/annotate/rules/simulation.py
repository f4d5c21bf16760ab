"""A simulated crowd with known behaviour, to measure whom the rules catch, rightly and wrongly.

A room is a group of five who judge the same 120 items, 20 of them test questions: one subject of
the kind that is studied, and four peers, each honest or, once in five, a guesser.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from trope.annotate.rules.crowd import CrowdRules, OutlierRule, clean, dismissed_by_gold
from trope.annotate.rules.gold import KnownAnswer
from trope.annotate.rules.review import review
from trope.core.errors import UnknownName
from trope.core.judgments import Judgment
from trope.metrics.votes import Floats, Ints

GOLD_ITEMS = 20
ITEMS = 120
PEERS = 4
GUESSING_PEERS = 0.2
SUBJECT = "subject"
Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class SimulatedTask:
    """A scale, the items' truths, and how honest people of a given skill answer them."""

    name: str
    labels: tuple[str, ...]
    draw: Callable[[Random], Floats]
    answer: Callable[[Random, Floats, float], Ints]
    gold: Callable[[Random, Floats], list[KnownAnswer]]


@dataclass(frozen=True, slots=True)
class Room:
    """The judgments of one group in the order of time, and its test questions."""

    judgments: tuple[Judgment, ...]
    gold: dict[str, KnownAnswer]


@dataclass(frozen=True, slots=True)
class SimulationOutcome:
    """The results for the subjects of one kind, as shares."""

    kind: str
    task: str
    workers: int
    gold_accuracy: float
    plain_rule: float
    paper_rules: float
    dismissed: float
    reviewed: float

    @property
    def caught(self) -> float:
        """Dismissed, or passed on for review."""
        return self.dismissed + self.reviewed


def _binary_truth(rng: Random) -> Floats:
    """Labels, as places; test questions (the first items) are balanced exactly."""
    gold = rng.permutation(np.arange(GOLD_ITEMS) % 2)
    others = rng.integers(0, 2, ITEMS - GOLD_ITEMS)
    return np.concatenate([gold, others]).astype(np.float64)


def _binary_answer(rng: Random, truth: Floats, skill: float) -> Ints:
    wrong = rng.random(len(truth)) >= skill
    return np.where(wrong, 1 - truth, truth).astype(np.int64)


def _binary_gold(rng: Random, truth: Floats) -> list[KnownAnswer]:
    return [KnownAnswer(frozenset({BINARY.labels[int(place)]})) for place in truth]


def _scale_truth(rng: Random) -> Floats:
    return np.clip(rng.normal(-1.5, 2.2, ITEMS), -5, 5)


def _scale_answer(rng: Random, truth: Floats, skill: float) -> Ints:
    """Places on the scale: near the truth; with 0.85 about that share falls into team ranges."""
    spread = 1.15 * np.clip((1 - skill) / 0.15, 0.2, 5) ** 0.5
    return np.clip(np.rint(truth + rng.normal(0, spread, len(truth))), -5, 5).astype(np.int64) + 5


def _scale_gold(rng: Random, truth: Floats) -> list[KnownAnswer]:
    """The range of seven members of a team."""
    team = np.clip(np.rint(truth + rng.normal(0, 1, (7, len(truth)))), -5, 5)
    return [
        KnownAnswer(low=float(low), high=float(high))
        for low, high in zip(team.min(axis=0), team.max(axis=0), strict=True)
    ]


BINARY = SimulatedTask("binary", ("no", "yes"), _binary_truth, _binary_answer, _binary_gold)

SCALE = SimulatedTask(
    "scale", tuple(str(n) for n in range(-5, 6)), _scale_truth, _scale_answer, _scale_gold
)

TASKS = {"binary": BINARY, "scale": SCALE}
_Answers = tuple[Ints, Floats]  # places of labels, seconds


def _honest(skill: float) -> Callable[[Random, SimulatedTask, Floats, Ints], _Answers]:
    def act(rng: Random, task: SimulatedTask, truth: Floats, copied: Ints) -> _Answers:
        return task.answer(rng, truth, skill), _seconds(rng, 8.0)

    return act


def _constant(rng: Random, task: SimulatedTask, truth: Floats, copied: Ints) -> _Answers:
    return np.full(ITEMS, rng.integers(len(task.labels))), _seconds(rng, 8.0)


def _random(rng: Random, task: SimulatedTask, truth: Floats, copied: Ints) -> _Answers:
    return rng.integers(0, len(task.labels), ITEMS), _seconds(rng, 8.0)


def _copier(rng: Random, task: SimulatedTask, truth: Floats, copied: Ints) -> _Answers:
    slips = rng.random(ITEMS) < 0.05
    return np.where(slips, task.answer(rng, truth, 0.85), copied), _seconds(rng, 8.0)


def _memoriser(rng: Random, task: SimulatedTask, truth: Floats, copied: Ints) -> _Answers:
    """Knows the test questions, which come first, and guesses the rest."""
    answers = rng.integers(0, len(task.labels), ITEMS)
    answers[:GOLD_ITEMS] = task.answer(rng, truth, 1.0)[:GOLD_ITEMS]
    return answers, _seconds(rng, 8.0)


def _fast(rng: Random, task: SimulatedTask, truth: Floats, copied: Ints) -> _Answers:
    """Half of it a glance, half of it a click."""
    answers = task.answer(rng, truth, 0.85)
    clicks = rng.random(ITEMS) < 0.5
    return np.where(clicks, rng.integers(0, len(task.labels), ITEMS), answers), _seconds(rng, 1.2)


KINDS: dict[str, Callable[[Random, SimulatedTask, Floats, Ints], _Answers]] = {
    "constant": _constant,
    "random": _random,
    "copier": _copier,
    "gold-memoriser": _memoriser,
    "good-then-bad": _random,  # what it becomes in the second half
    "fast clicker": _fast,
    "honest 75 %": _honest(0.75),
    "honest 85 %": _honest(0.85),
    "honest 95 %": _honest(0.95),
}


def simulate_room(kind: str, task: SimulatedTask, rng: Random) -> Room:
    """One subject of a kind among four peers."""
    if kind not in KINDS:
        raise UnknownName("kind of annotator", kind, tuple(KINDS))
    truth = task.draw(rng)
    gold = dict(enumerate(task.gold(rng, truth[:GOLD_ITEMS])))
    order = rng.permutation(ITEMS)  # test questions are mixed into the work
    people: dict[str, _Answers] = {}
    nothing = np.zeros(ITEMS, dtype=np.int64)  # peers copy nobody
    for number in range(PEERS):
        act = _random if rng.random() < GUESSING_PEERS else KINDS["honest 85 %"]
        people[f"peer{number}"] = act(rng, task, truth, nothing)
    people[SUBJECT] = KINDS[kind](rng, task, truth, people["peer0"][0])
    if kind == "good-then-bad":
        people[SUBJECT] = _turned(rng, task, truth, people[SUBJECT], order)
    rows = [
        Judgment(
            f"i{item}",
            name,
            task.labels[answers[item]],
            seconds=float(seconds[item]),
        )
        for item in order.tolist()
        for name, (answers, seconds) in people.items()
    ]
    return Room(tuple(rows), {f"i{item}": answer for item, answer in gold.items()})


def measure_kind(kind: str, task: SimulatedTask, *, workers: int, seed: int) -> SimulationOutcome:
    """The results of the rules for many subjects of one kind, each in its own room."""
    rng = np.random.default_rng([seed, list(KINDS).index(kind), list(TASKS).index(task.name)])
    plain = paper = dismissed = reviewed = 0
    right = 0.0
    rules = CrowdRules(outliers=OutlierRule() if task is SCALE else None)
    for _ in range(workers):
        room = simulate_room(kind, task, rng)
        own = [row for row in room.judgments if row.annotator == SUBJECT]
        right += sum(room.gold[r.item].accepts(r.label) for r in own if r.item in room.gold)
        plain += SUBJECT in dismissed_by_gold(own, room.gold, rules)
        paper += SUBJECT in clean(room.judgments, room.gold, rules).dismissed
        action = review(room.judgments, room.gold, task.labels)[SUBJECT].action
        dismissed += action == "dismiss"
        reviewed += action == "review"
    return SimulationOutcome(
        kind,
        task.name,
        workers,
        right / (workers * GOLD_ITEMS),
        plain / workers,
        paper / workers,
        dismissed / workers,
        reviewed / workers,
    )


def _turned(
    rng: Random, task: SimulatedTask, truth: Floats, bad: _Answers, order: Sequence[int] | Ints
) -> _Answers:
    """Honest on the first half of the work, in the order in which it is done."""
    answers = task.answer(rng, truth, 0.85)
    late = np.asarray(order)[ITEMS // 2 :]
    answers[late] = bad[0][late]
    return answers, bad[1]


def _seconds(rng: Random, usual: float) -> Floats:
    seconds: Floats = usual * rng.lognormal(0, 0.3) * rng.lognormal(0, 0.5, ITEMS)
    return seconds
