"""How fast a light model learns from labels in different orders: curves against random order.

python benchmarks/active_learning.py ../shared/data [--plot docs/images/active-learning.svg]

Training splits of four corpora. A fifth is held out to measure on; the rest is the pool, of which
a first random part is labelled, and then one round after another. The same seed begins with the
same items in every order. No test set is read.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import io
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import record

from trope.annotate.rules.rounds import (
    ROUND_ORDERS,
    RoundOrder,
    fit_light,
    order_pool,
    weigh_words,
)
from trope.core.files import sha256
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.ranking import area_under_curve

FIRST, SIZE, ROUNDS, SEEDS = 50, 50, 11, (0, 1, 2)
MOST = 3000
"""Texts of a corpus that are used, so that all curves take minutes."""

Labelled = list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Corpus:
    """A training split: its file, and the columns of text and label.

    Without columns, the labels are the lines of the file with `_labels` instead of `_text`.
    """

    name: str
    path: str
    text: str = ""
    label: str = ""


CORPORA = (
    Corpus("moh", "moh/MOH_formatted_train.csv", "sentence", "label"),
    Corpus("newsmet", "newsmet/train_goldplus.csv", "Text", "label"),
    Corpus("isarcasm", "figures/isarcasm-en-train.csv.gz", "tweet", "sarcastic"),
    Corpus("irony", "tweets-emotion/tweeteval/irony/train_text.txt"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all curves, print where they end, keep the figures, draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path, help="folder with the corpora")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    options = parser.parse_args(arguments)
    figures: list[Measurement] = []
    curves: dict[str, dict[RoundOrder, np.ndarray]] = {}
    for corpus in CORPORA:
        texts = read_texts(options.data / corpus.path, corpus)
        data = DataRef(corpus.name, "train", sha256(options.data / corpus.path))
        curves[corpus.name] = found = measure(texts, options.rounds)
        figures += [figure for by in found for figure in curve_figures(corpus, by, found, data)]
        for by, curve in found.items():
            points = " ".join(f"{value:.3f}" for value in curve.mean(axis=0))
            print(f"{corpus.name:<9} {by:<12} {points}")
    record.keep_beside(figures, options.results)
    if options.plot:
        draw(curves, options.plot)
    return 0


def read_texts(path: Path, corpus: Corpus) -> Labelled:
    """Up to `MOST` labelled texts in a random order, each text once."""
    if corpus.text:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        table = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""))
        rows = {row[corpus.text]: row[corpus.label] for row in table}
    else:
        labels = path.with_name(path.name.replace("_text", "_labels"))
        lines = (one.read_text("utf-8").rstrip("\n").split("\n") for one in (path, labels))
        rows = dict(zip(*lines, strict=True))
    texts = [(text, label) for text, label in rows.items() if text and label in ("0", "1")]
    Random(0).shuffle(texts)
    return texts[:MOST]


def measure(texts: Labelled, rounds: int) -> dict[RoundOrder, np.ndarray]:
    """For each order, seeds × rounds: area under the ROC curve on what is held out."""
    return {by: np.array([learn(texts, by, rounds, seed) for seed in SEEDS]) for by in ROUND_ORDERS}


def learn(texts: Labelled, by: RoundOrder, rounds: int, seed: int) -> list[float]:
    """The area after the first labels and after each round."""
    mixed = list(texts)
    Random(seed).shuffle(mixed)
    held, pool = mixed[: len(mixed) // 5], mixed[len(mixed) // 5 :]
    known, pool = pool[:FIRST], pool[FIRST:]
    found = [score(known, held, pool)]
    for number in range(rounds):
        order = order_pool(
            [text for text, _ in pool], known, by, size=SIZE, seed=seed * 1000 + number
        )
        chosen = set(order.places[:SIZE])
        known = known + [pool[at] for at in order.places[:SIZE]]
        pool = [one for at, one in enumerate(pool) if at not in chosen]
        found.append(score(known, held, pool))
    return found


def score(known: Labelled, held: Labelled, pool: Labelled) -> float:
    """The area under the ROC curve of the light model on the held-out texts.

    It needs no threshold, which few labels of a rare class do not give. Words are weighed over all.
    """
    rows = weigh_words([text for text, _ in (*known, *held, *pool)])
    labels = [label for _, label in known]
    if len(set(labels)) < 2:
        return 0.5
    shares = fit_light(rows[: len(known)], labels).probabilities(
        rows[len(known) : len(known) + len(held)]
    )
    gold = [label == "1" for _, label in held]
    return area_under_curve(shares[:, 1], gold) or 0.0


def curve_figures(
    corpus: Corpus, by: RoundOrder, curves: dict[RoundOrder, np.ndarray], data: DataRef
) -> list[Measurement]:
    """The end of a curve, its mean, and the mean less that of random order with the same seeds."""
    curve = curves[by]
    labels = FIRST + SIZE * (curve.shape[1] - 1)
    name, note = (
        f"active.{corpus.name}.{by}",
        f"area under the ROC curve, {FIRST} to {labels} labels",
    )
    values = {"last": curve[:, -1], "mean": curve[:, 1:].mean(axis=1)}
    if by != "random":
        values["gain"] = (curve - curves["random"])[:, 1:].mean(axis=1)
    return [
        record.measured(f"{name}.{what}", seeds.tolist(), n=labels, note=note, data=data)
        for what, seeds in values.items()
    ]


def draw(curves: dict[str, dict[RoundOrder, np.ndarray]], path: Path) -> None:
    """One panel per corpus, one line per order; bands are the lowest and highest seed."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams["svg.hashsalt"] = "trope"
    import matplotlib.pyplot as plt

    figure, panels = plt.subplots(1, len(curves), figsize=(12, 3.2), sharex=True)
    for panel, (name, orders) in zip(panels, curves.items(), strict=True):
        for by, curve in orders.items():
            labels = FIRST + SIZE * np.arange(curve.shape[1])
            style = "--" if by == "random" else "-"
            (line,) = panel.plot(labels, curve.mean(axis=0), style, label=by)
            panel.fill_between(
                labels, curve.min(axis=0), curve.max(axis=0), alpha=0.12, color=line.get_color()
            )
        panel.set_title(name)
        panel.set_xlabel("labels")
    panels[0].set_ylabel("area under the ROC curve")
    panels[0].legend(fontsize=8)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


if __name__ == "__main__":
    sys.exit(main())
