"""What analogy models learn from, and how: a prepared folder, its trainings, their settings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from trope.core.errors import BadInput, MissingData
from trope.core.files import sha256

Pooling = Literal["mean", "pooler"]


@dataclass(frozen=True, slots=True)
class AnalogySettings:
    """How a multiple-choice model is trained: items per batch, rates that fall to 0, no warm-up."""

    pooling: Pooling
    rate: float
    head_rate: float
    epochs: int = 5
    batch: int = 8
    weight_decay: float = 0.01


PAPER = AnalogySettings("pooler", 2e-5, 2e-5)
"""Pitarch et al. (2023), section 4.1."""


CANDIDATES = {
    "paper": PAPER,
    "mean-2e-5": AnalogySettings("mean", 2e-5, 1e-3),
    "mean-3e-5": AnalogySettings("mean", 3e-5, 1e-3),
    "mean-5e-5": AnalogySettings("mean", 5e-5, 1e-3),
}
"""One of these is chosen, on proposed items of metaphors that no test item is of."""


FIRST_STAGE = AnalogySettings("mean", 2e-5, 1e-3, epochs=3, batch=16)
"""The stage on proposed items."""


OWN = CANDIDATES["mean-2e-5"]
"""The settings for items of a user's own."""


def second_stage(chosen: AnalogySettings) -> AnalogySettings:
    """The settings of the stage on MEAN after the first one: its head is trained already."""
    return replace(chosen, pooling=FIRST_STAGE.pooling, head_rate=chosen.rate)


FORMAT = 1


PREPARED, PREDICTIONS = "prepared.json", "predictions.jsonl"


FIRST, TWO_STAGES, CHOSEN, OF_PAPER, _CHOOSE = "first", "two_stages", "chosen", "paper", "choose"


@dataclass(frozen=True, slots=True)
class AnalogyJob:
    """One training: which run, template, settings; which items it learns from and predicts."""

    run: str
    template: str
    settings: AnalogySettings
    train: tuple[int, ...]
    test: tuple[int, ...]
    part: str
    seed: int
    learns_auxiliary: bool = False
    tests_auxiliary: bool = False

    @property
    def name(self) -> str:
        """What the predictions of the job are called."""
        return f"{self.run}/{self.template}/{self.part}"


@dataclass(frozen=True, slots=True)
class PreparedAnalogies:
    """A prepared folder in memory."""

    content: dict[str, Any]
    sha256: str

    @property
    def templates(self) -> list[str]:
        """The names of the templates."""
        return list(self.content["texts"]["templates"])

    def choosing(self) -> Iterator[AnalogyJob]:
        """Every candidate on every draw of proposed items."""
        for at, draw in enumerate(self.content["draws"]):
            for template in self.templates:
                for name, settings in CANDIDATES.items():
                    yield AnalogyJob(
                        _CHOOSE,
                        template,
                        settings,
                        tuple(draw["train"]),
                        tuple(draw["validation"]),
                        f"{name}/{at}",
                        at,
                        learns_auxiliary=True,
                        tests_auxiliary=True,
                    )

    def first_stages(self) -> Iterator[AnalogyJob]:
        """All proposed items, one model per template; it predicts every item of MEAN unchanged."""
        everything = tuple(range(len(self.content["texts"]["order"])))
        proposed = tuple(range(len(self.content["auxiliary"]["order"])))
        for template in self.templates:
            yield AnalogyJob(
                FIRST, template, FIRST_STAGE, proposed, everything, "all", 0, learns_auxiliary=True
            )

    def folds(
        self, run: str, settings: AnalogySettings, seeds: Sequence[str]
    ) -> Iterator[AnalogyJob]:
        """Every fold of these seeds."""
        count = len(self.content["texts"]["order"])
        for seed in seeds:
            for template in self.templates:
                for kind, by_seed in self.content["folds"].items():
                    for at, fold in enumerate(by_seed[seed]):
                        apart = set(fold)
                        train = tuple(n for n in range(count) if n not in apart)
                        part = f"{kind}/{seed}/{at}"
                        number = 100 * int(seed) + at
                        yield AnalogyJob(run, template, settings, train, tuple(fold), part, number)

    @property
    def seeds(self) -> list[str]:
        """The seeds of the folds."""
        return list(next(iter(self.content["folds"].values())))


def read_prepared(folder: Path) -> PreparedAnalogies:
    """The prepared folder."""
    path = folder / PREPARED
    if not path.is_file():
        raise MissingData(path, "make the folder with trope train analogy --prepare")
    content = json.loads(path.read_text("utf-8"))
    if content.get("format") != FORMAT:
        raise BadInput(
            f"{path}: has the format {content.get('format')}, not {FORMAT}; prepare again"
        )
    return PreparedAnalogies(content, sha256(path))


def choose(results: Iterable[dict[str, Any]]) -> tuple[str, dict[str, float]]:
    """The candidate with the best mean accuracy on proposed items, and all their accuracies."""
    right: dict[str, list[float]] = {name: [] for name in CANDIDATES}
    for result in results:
        run, _, name, *_ = result["job"].split("/")
        if run == _CHOOSE:
            right[name] += [share_of_gold(row) for row in result["scores"]]
    scores = {name: sum(hits) / len(hits) for name, hits in right.items() if hits}
    return max(scores, key=lambda name: (scores[name], -list(CANDIDATES).index(name))), scores


def share_of_gold(scores: Sequence[float]) -> float:
    """1 where the first choice has the best score, its share where others have the same."""
    best = max(scores)
    return (scores[0] == best) / list(scores).count(best)


def weights_file(work: Path, template: str) -> Path:
    """Where the weights of a first stage are kept while the second one needs them."""
    return work / f"first-{template}.safetensors"
