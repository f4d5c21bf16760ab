"""Figures on development data of the heads for figures, names and valence; their calibration."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch

from trope.core.records import FigureThresholds
from trope.corpora.tagged_tokens import TaggedSpan, tag_spans
from trope.encoder.network import Network
from trope.encoder.session import FIGURE_OUTPUTS, SENTIMENT_OUTPUTS
from trope.tasks.figures.views import noticeable
from trope.train.encoder.calibration import (
    Calibration,
    Floats,
    calibrate,
    figures_when,
    highest_nearly_best,
    lowest_nearly_best,
    lowest_quiet,
)
from trope.train.encoder.corpus import UNKNOWN, ZERO, EncodedCorpus, batches
from trope.train.encoder.fit import on_device
from trope.train.encoder.own_sentences import FIGURES as OWN_FIGURES
from trope.train.encoder.run import DEV_TAGS, EncoderRun

_SETS = {"noticed": "meta4xnli", "idiom": "idiom-sentences", "simile": "similes"}
"""The set that each verdict is learnt from."""
_NOVELTY, _DEV_VALENCE = "novelty", "dev-emobank"
_DEV_SETS = (*_SETS.values(), OWN_FIGURES, _NOVELTY)
"""All sets whose development parts choose something for figures."""
_WORDS_PER_BATCH = 8192
_NEARLY = 0.03
"""How far below the best F1 the threshold of idioms may be, which shows less than the best one."""
_SHOWN_SETS = ("meta4xnli", OWN_FIGURES)
"""The sets that choose what the view `noticed` shows."""
_SHOWN_NEARLY, _FALSE_MARKS = 0.01, 0.03
"""How far below the best mean F1 that view may be, which shows more than the best one; and in how
many of our literal sentences it may mark a word."""
_DOUBTS = tuple(step / 4 for step in range(-4, 13))
"""What may be added to the logit of "no name"."""
_TOP = 0.9
"""The most novel tenth lies above this quantile."""


@torch.inference_mode()
def word_outputs(model: Network, corpus: EncodedCorpus, head: str, device: str) -> Floats:
    """[word, output] of one head; of "metaphor", the words' own."""
    model.to(device).eval()
    found: Floats | None = None
    for arrays in batches(corpus, _WORDS_PER_BATCH, None):
        scores = getattr(model(on_device(arrays, device)), head)
        scores = scores.metaphor.unsqueeze(-1) if head == "metaphor" else scores
        predicted = scores.float().cpu().numpy()
        if found is None:
            found = np.zeros((int(corpus.sentence_starts[-1]), predicted.shape[-1]))
        there = arrays["word"] >= 0
        found[arrays["word"][there]] = predicted[there]
    model.train()
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class JudgedWords:
    """What a model says of the words of a development set, and what people said.

    `figures` is [word, figure]; `metaphor` has logits, None where the model has no such head. A
    sentence begins at each of `starts` but the last.
    """

    figures: Floats
    metaphor: Floats | None
    answers: Mapping[str, npt.NDArray[np.int64]]
    starts: npt.NDArray[np.int64]

    def known(self, name: str) -> tuple[Floats, npt.NDArray[np.int64]]:
        """One output and the answers, for the words that have one."""
        answers = self.answers[name]
        known = answers != UNKNOWN
        return self.figures[known, FIGURE_OUTPUTS.index(name)], answers[known]


JudgedSets = Mapping[str, JudgedWords]
"""Development sets by name, as many as there are."""


def judge_sets(run: EncoderRun, model: Network) -> dict[str, JudgedWords]:
    """The development sets of a run through a model."""
    found = {}
    for name in _DEV_SETS:
        if run.has(f"dev-{name}"):
            corpus = run.corpus(f"dev-{name}")
            figures = word_outputs(model, corpus, "figures", run.device)
            metaphor = None
            if model.metaphor is not None:
                metaphor = word_outputs(model, corpus, "metaphor", run.device)[:, 0]
            found[name] = JudgedWords(figures, metaphor, corpus.labels, corpus.sentence_starts)
    return found


def figure_figures(sets: JudgedSets) -> dict[str, float]:
    """F1 of each verdict on its own set, and how well novelty is told."""
    figures: dict[str, float] = {}
    for name in FIGURE_OUTPUTS:
        if _SETS.get(name, name) not in sets:
            continue
        predicted, answers = sets[_SETS.get(name, name)].known(name)
        if name == _NOVELTY:
            truth = (answers - ZERO) / 1000
            figures["novelty_pearson"] = round(float(np.corrcoef(predicted, truth)[0, 1]), 4)
            figures["novelty_auc"] = round(_auc(predicted, truth > np.quantile(truth, _TOP)), 4)
        else:
            figures |= figures_when(name, predicted, answers, by="f1")
    return figures


def _auc(scores: Floats, truth: npt.NDArray[np.bool_]) -> float:
    """How often a member scores above a non-member."""
    ranks = scores.argsort().argsort()[truth]
    members = int(truth.sum())
    above = ranks.sum() - members * (members - 1) / 2
    return float(above / max(members * (len(truth) - members), 1))


def name_figures(run: EncoderRun, model: Network) -> dict[str, float]:
    """F of exact spans of each class of names."""
    corpus = run.corpus(DEV_TAGS)
    logits = word_outputs(model, corpus, "names", run.device)
    return _name_figures(logits, corpus, run.labels().names)


def doubt_of_names(run: EncoderRun, model: Network) -> float:
    """What to add to the logit of "no name": with it, the mean F of the classes is best."""
    corpus, tags = run.corpus(DEV_TAGS), run.labels().names
    logits = word_outputs(model, corpus, "names", run.device)
    none = np.asarray([tag == "O" for tag in tags])

    def quality(doubt: float) -> float:
        return sum(_name_figures(logits + doubt * none, corpus, tags).values())

    return max(_DOUBTS, key=quality)


def _name_figures(logits: Floats, corpus: EncodedCorpus, tags: tuple[str, ...]) -> dict[str, float]:
    predicted = logits.argmax(-1)
    figures = {}
    for kind in dict.fromkeys(tag[2:] for tag in tags if tag != "O"):
        ours, theirs, shared = 0, 0, 0
        for first, last in pairwise(corpus.sentence_starts):
            mine = _spans(predicted[first:last], tags, kind)
            gold = _spans(corpus.labels["tag"][first:last], tags, kind)
            ours, theirs, shared = ours + len(mine), theirs + len(gold), shared + len(mine & gold)
        figures[f"{kind.lower()}_f"] = round(2 * shared / max(ours + theirs, 1), 4)
    return figures


def _spans(numbers: npt.NDArray[np.int64], tags: tuple[str, ...], kind: str) -> set[TaggedSpan]:
    named = ["O" if number == UNKNOWN else tags[number] for number in numbers]
    return {span for span in tag_spans(named) if span.type == kind}


@torch.inference_mode()
def _valences(model: Network, corpus: EncodedCorpus, device: str) -> Floats:
    model.to(device).eval()
    found = np.zeros(len(corpus))
    place = SENTIMENT_OUTPUTS.index("valence")
    for arrays in batches(corpus, _WORDS_PER_BATCH, None):
        predicted = model(on_device(arrays, device)).sentiment
        found[arrays["sentence"]] = predicted[:, place].float().cpu().numpy()
    model.train()
    return found


def valence_figures(run: EncoderRun, model: Network) -> dict[str, float]:
    """Correlation with the valence that people gave."""
    if not run.has(_DEV_VALENCE):
        return {}
    corpus = run.corpus(_DEV_VALENCE)
    given = (corpus.sentence_labels["valence"] - ZERO) / 100
    predicted = _valences(model, corpus, run.device)
    return {"valence_pearson": round(float(np.corrcoef(predicted, given)[0, 1]), 4)}


@dataclass(frozen=True, slots=True)
class FigureCalibration:
    """For each of `FIGURE_OUTPUTS` a slope and a shift, and the thresholds of verdicts."""

    slopes: tuple[float, ...]
    shifts: tuple[float, ...]
    thresholds: FigureThresholds

    def fold(self, weights: dict[str, torch.Tensor]) -> None:
        """Fold slopes and shifts into the last layer."""
        slopes, shifts = (torch.tensor(values) for values in (self.slopes, self.shifts))
        weight, bias = "figures.figures.weight", "figures.figures.bias"
        weights[weight] = weights[weight] * slopes[:, None]
        weights[bias] = weights[bias] * slopes + shifts


def calibrate_figures(sets: JudgedSets, metaphor: Calibration) -> FigureCalibration:
    """Platt's scaling of verdicts, the line of least error for novelty, the best thresholds.

    The threshold of noticed words is that of the view `noticed`, which also looks at the
    probability of a metaphor, which `metaphor` calibrates. It is the lowest one that is nearly the
    best and leaves our literal sentences alone.
    """
    chosen: dict[str, Calibration] = {}
    for name in FIGURE_OUTPUTS:
        if _SETS.get(name, name) not in sets:
            chosen[name] = Calibration(1.0, 0.0, 0.5)
            continue
        known = sets[_SETS.get(name, name)].known(name)
        if name == _NOVELTY:
            slope, shift = np.polyfit(known[0], (known[1] - ZERO) / 1000, 1)
            chosen[name] = Calibration(float(slope), float(shift), 0.5)
        else:
            chosen[name] = calibrate(*known, by="f1")
            if name == "idiom":
                chosen[name] = replace(
                    chosen[name], threshold=idiom_threshold(*known, chosen[name])
                )
    limits = {name: chosen[name].threshold for name in _SETS}
    shown = {n: _shown(sets[n], chosen["noticed"], metaphor) for n in _SHOWN_SETS if n in sets}
    if shown:
        judged = [_known(sets[name], scores) for name, scores in shown.items()]
        limits["noticed"] = lowest_nearly_best(judged, within=_SHOWN_NEARLY)
    if OWN_FIGURES in shown:  # a false mark in literal prose costs readers more than a miss
        highest = _highest_in_literal(sets[OWN_FIGURES], shown[OWN_FIGURES])
        limits["noticed"] = max(limits["noticed"], lowest_quiet(highest, share=_FALSE_MARKS))
    return FigureCalibration(
        tuple(chosen[name].slope for name in FIGURE_OUTPUTS),
        tuple(chosen[name].shift for name in FIGURE_OUTPUTS),
        FigureThresholds(**limits),
    )


def idiom_threshold(
    logits: Floats, answers: npt.NDArray[np.int64], calibration: Calibration
) -> float:
    """The highest threshold that finds the words of idioms nearly as well as the best.

    Most sentences of the corpora use their idiom as such, so a low one would take literal uses for
    idioms too.
    """
    shares = calibration.probabilities(logits)
    return highest_nearly_best([(shares, answers == 1)], within=_NEARLY)


def _shown(words: JudgedWords, noticed: Calibration, metaphor: Calibration) -> Floats:
    """Scores of the view `noticed`."""
    assert words.metaphor is not None
    rows = zip(
        metaphor.probabilities(words.metaphor),
        noticed.probabilities(words.figures[:, FIGURE_OUTPUTS.index("noticed")]),
        strict=True,
    )
    return np.asarray([noticeable(*row) for row in rows])


def _known(words: JudgedWords, scores: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The scores of the words that people judged, and which of them they marked."""
    answers = words.answers["noticed"]
    known = answers != UNKNOWN
    return scores[known], answers[known] == 1


def _highest_in_literal(words: JudgedWords, scores: Floats) -> Floats:
    """The highest score in each sentence in which people marked nothing."""
    answers = words.answers["noticed"]
    return np.asarray(
        [scores[a:b].max() for a, b in pairwise(words.starts) if (answers[a:b] == 0).all()]
    )
