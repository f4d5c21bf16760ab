"""What the crowd rules of SemEval-2015 do to a simulated crowd, and to the gold scores.

python benchmarks/crowd_gold.py [--tweets 5000] [--json]

Seven people judge each tweet; each person works on 60 tweets and 15 test questions. Truth is known,
so that the distance of the gold from it can be measured: plain mean of all, plain mean after
cleaning, mean weighted by reliability.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from statistics import fmean

import numpy as np

from trope.annotate.rules.crowd import CrowdRules, OutlierRule, Variant, crowd_scores
from trope.annotate.rules.gold import KnownAnswer
from trope.core.judgments import Judgment

ANSWERS, OWN, TESTS, TEST_POOL = 7, 60, 15, 100
SPREADS = {"honest, good": 0.8, "honest, fair": 1.2, "honest, weak": 1.7, "near-honest": 2.6}
MIXTURE = {
    "honest, good": 0.35, "honest, fair": 0.3, "honest, weak": 0.12, "near-honest": 0.08,
    "constant": 0.06, "random": 0.09,
}  # fmt: skip
VARIANTS: tuple[Variant, ...] = ("loo", "all", "signed", "loo-both")


@dataclass(frozen=True, slots=True)
class Crowd:
    """Judgments in rows, test questions, the truth, and what everybody is."""

    judgments: list[Judgment]
    gold: dict[str, KnownAnswer]
    truth: dict[str, float]
    kinds: dict[str, str]


@dataclass(frozen=True, slots=True)
class Effect:
    """Shares dismissed by kind, and root mean squared distances of the gold from the truth."""

    rule: str
    dismissed: dict[str, float]
    queued: float
    all_mean: float | None
    clean_mean: float | None
    weighted: float | None


def simulate(tweets: int, seed: int) -> Crowd:
    """A crowd large enough for seven judgments per tweet."""
    rng = np.random.default_rng(seed)
    people = math.ceil(tweets * ANSWERS / OWN)
    kinds = {
        f"w{n}": str(rng.choice(list(MIXTURE), p=list(MIXTURE.values()))) for n in range(people)
    }
    truth = {f"t{n}": float(np.clip(rng.normal(-1.5, 2.0), -5, 5)) for n in range(tweets)}
    tests = {f"q{n}": float(np.clip(rng.normal(-1.5, 2.0), -5, 5)) for n in range(TEST_POOL)}
    gold = {}
    for name, value in tests.items():
        team = np.clip(np.rint(value + rng.normal(0, 1, 7)), -5, 5)
        gold[name] = KnownAnswer(low=float(team.min()), high=float(team.max()))
    deck = [name for name in truth for _ in range(ANSWERS)]
    rng.shuffle(deck)
    rows: list[Judgment] = []
    worth = truth | tests
    for number, (worker, kind) in enumerate(kinds.items()):
        own = dict.fromkeys(deck[number * OWN : (number + 1) * OWN])  # each tweet once per person
        own |= dict.fromkeys(rng.choice(list(tests), TESTS, replace=False).tolist())
        same = int(rng.integers(-5, 6))
        for item in own:
            label = _answer(kind, worth[item], same, rng)
            rows.append(Judgment(item, worker, str(label)))
    return Crowd(rows, gold, truth, kinds)


def measure(crowd: Crowd, rules: CrowdRules, name: str) -> Effect:
    """What one set of rules does."""
    result = crowd_scores(crowd.judgments, crowd.gold, rules)
    members = {kind: [w for w, k in crowd.kinds.items() if k == kind] for kind in MIXTURE}
    scores = {
        s.item: s.score for s in result.scores if s.score is not None and s.item in crowd.truth
    }
    kept = result.cleaned.judgments
    return Effect(
        name,
        {
            kind: sum(w in result.cleaned.dismissed for w in own) / max(1, len(own))
            for kind, own in members.items()
        },
        len(result.cleaned.queue) / len(crowd.truth),
        _distance(_means(crowd.judgments), crowd.truth, scores),
        _distance(_means(kept), crowd.truth, scores),
        _distance(scores, crowd.truth, scores),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of all variants."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tweets", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    crowd = simulate(options.tweets, options.seed)
    effects = [measure(crowd, CrowdRules(outliers=None), "no outlier rule")]
    effects += [measure(crowd, CrowdRules(outliers=OutlierRule(v)), v) for v in VARIANTS]
    effects.append(
        measure(crowd, CrowdRules(outliers=OutlierRule("loo", sample=True)), "loo, sample")
    )
    if options.json:
        print(json.dumps({"seed": options.seed, "effects": [asdict(e) for e in effects]}, indent=1))
    else:
        print(table(effects, len(crowd.kinds), options))
    return 0


def table(effects: Sequence[Effect], people: int, options: argparse.Namespace) -> str:
    """The effects as a Markdown table."""
    titles = ["rule", *MIXTURE, "queued", "mean of all", "cleaned", "weighted"]
    lines = [
        f"{options.tweets} tweets, {people} people, seed {options.seed}. Percent dismissed",
        "by kind and of tweets back to the queue, then the gold's distance from truth (RMSE).",
        "",
        "| " + " | ".join(titles) + " |",
        "|---|" + "---:|" * (len(titles) - 1),
    ]
    for effect in effects:
        shares = [f"{100 * share:.0f}" for share in (*effect.dismissed.values(), effect.queued)]
        gaps = [_shown(gap) for gap in (effect.all_mean, effect.clean_mean, effect.weighted)]
        lines.append("| " + " | ".join([effect.rule, *shares, *gaps]) + " |")
    return "\n".join(lines)


def _answer(kind: str, truth: float, same: int, rng: np.random.Generator) -> int:
    if kind == "constant":
        return same
    if kind == "random":
        return int(rng.integers(-5, 6))
    return int(np.clip(np.rint(truth + rng.normal(0, SPREADS[kind])), -5, 5))


def _means(judgments: Sequence[Judgment]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for judgment in judgments:
        found.setdefault(judgment.item, []).append(float(judgment.label))
    return {item: fmean(own) for item, own in found.items()}


def _distance(
    scores: dict[str, float], truth: dict[str, float], over: dict[str, float]
) -> float | None:
    """The root mean squared distance over the tweets that have a score in the end, if any has."""
    squares = [(scores[item] - truth[item]) ** 2 for item in over]
    return math.sqrt(fmean(squares)) if squares else None


def _shown(gap: float | None) -> str:
    return "–" if gap is None else f"{gap:.3f}"


if __name__ == "__main__":
    sys.exit(main())
