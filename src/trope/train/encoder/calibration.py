"""From what heads say to what users read: probabilities with the threshold of the best figure, and
the scale of prose (`trope train valence`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

import msgspec
import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.encoder.models import model_folder
from trope.encoder.session import FILES, SENTIMENT, SENTIMENT_OUTPUTS, Encoder, passes
from trope.train.encoder.corpus import UNKNOWN, ZERO
from trope.train.encoder.sentiment_sets import read_sentiment_set, whole_words

Floats = npt.NDArray[np.float64]
_PLACES = 4


@dataclass(frozen=True, slots=True)
class Calibration:
    """Probability = sigmoid(slope · logit + shift); a metaphor if at least `threshold`."""

    slope: float
    shift: float
    threshold: float

    def probabilities(self, logits: Floats) -> Floats:
        """The calibrated probabilities of logits."""
        return _sigmoid(self.slope * logits + self.shift)


def calibrate(logits: Floats, answers: npt.NDArray[np.int64], *, by: str) -> Calibration:
    """Platt's scaling, and the threshold of the best figure: "f1" of metaphors or "macro_f1"."""
    from scipy.optimize import minimize  # which the scale of prose does without

    known = answers != UNKNOWN
    logits, truth = logits[known], answers[known].astype(float)

    def loss(parameters: Floats) -> float:
        line = parameters[0] * logits + parameters[1]
        return float((np.logaddexp(0, line) - truth * line).mean())

    # without derivatives: two parameters, and no step that could run away
    slope, shift = minimize(loss, np.array([1.0, 0.0]), method="Nelder-Mead").x
    shares = _sigmoid(slope * logits + shift)
    return Calibration(float(slope), float(shift), best_threshold([(shares, truth > 0)], by=by))


def _sigmoid(x: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -60, 60))))


_GRID = np.arange(0.05, 0.951, 0.005)


Judged = Sequence[tuple[Floats, npt.NDArray[np.bool_]]]
"""For each of some sets its scores and answers; the mean over them counts none by its size."""


def best_threshold(sets: Judged, *, by: str) -> float:
    """The threshold, in steps of 0.005, with the best mean figure; the middle of the best ones."""
    figures = _figures_by_threshold(sets, by)
    return round(float(_GRID[figures >= figures.max() - 1e-9].mean()), 4)


def highest_nearly_best(sets: Judged, *, within: float) -> float:
    """The highest threshold, in steps of 0.005, whose mean F1 is so near the best."""
    figures = _figures_by_threshold(sets, "f1")
    return round(float(_GRID[figures >= figures.max() - within].max()), 4)


def lowest_nearly_best(sets: Judged, *, within: float) -> float:
    """The lowest threshold, in steps of 0.005, whose mean F1 is so near the best."""
    figures = _figures_by_threshold(sets, "f1")
    return round(float(_GRID[figures >= figures.max() - within].min()), 4)


def lowest_quiet(highest: Floats, *, share: float) -> float:
    """The lowest threshold, in steps of 0.005, that at most this share of the scores reach."""
    quiet = [t for t in _GRID if (highest >= t).mean() <= share]
    return round(float(quiet[0] if quiet else _GRID[-1]), 4)


def _figures_by_threshold(sets: Judged, by: str) -> Floats:
    return np.array(
        [np.mean([_quality(shares >= t, truth, by) for shares, truth in sets]) for t in _GRID]
    )


def _quality(called: npt.NDArray[np.bool_], truth: npt.NDArray[np.bool_], by: str) -> float:
    def f1(a: npt.NDArray[np.bool_], b: npt.NDArray[np.bool_]) -> float:
        return float(2 * (a & b).sum() / max(a.sum() + b.sum(), 1))

    return f1(called, truth) if by == "f1" else (f1(called, truth) + f1(~called, ~truth)) / 2


def figures_when(
    name: str, logits: Floats, answers: npt.NDArray[np.int64], *, by: str
) -> dict[str, float]:
    """How well a set is judged when calibration and threshold are chosen on that very set.

    Such figures are too high; they serve to compare models.
    """
    chosen = calibrate(logits, answers, by=by)
    called = chosen.probabilities(logits) >= chosen.threshold
    figures = {f"{name}_{by}": round(_quality(called, answers == 1, by), 4)}
    if by == "macro_f1":
        figures[f"{name}_accuracy"] = round(float((called == (answers == 1)).mean()), 4)
    return figures


def train_valence(*, data: Path, out: Path, model: Path | None, say: MessageWriter) -> None:
    """Write the model of a folder (the shipped one) with a scale of prose into another folder.

    The network stays the same. A line is fitted to the valence that people gave to ordinary prose;
    it reads all outputs of the head, because polarity tells more about prose than the score of a
    tweet.

    Raises:
        BadInput: the network has an output for valence, or none for sentiment.
    """
    folder = model or model_folder("small")
    encoder = Encoder(folder=folder)
    own = SENTIMENT_OUTPUTS[:-1]
    if encoder.labels.sentiment[: len(own)] != own:
        raise BadInput(f"{folder} has no head for sentiment; give another model")
    if "valence" in encoder.labels.sentiment and not encoder.labels.valence:
        raise BadInput(f"the network of {folder} tells valence itself; there is nothing to train")
    weights = fit_valence(*_outputs(encoder, data, "train"))
    scores, given = _outputs(encoder, data, "dev")
    predicted = weights[0] + scores @ weights[1:]
    correlation = np.corrcoef(predicted, given)[0, 1]
    say(f"development texts: Pearson {correlation:.3f}, error {abs(predicted - given).mean():.3f}")
    _write(encoder, tuple(round(float(w), _PLACES) for w in weights), out)
    say(f"the model is in {out}")


def fit_valence(scores: Floats, given: Floats) -> Floats:
    """The constant and the weights of the outputs that err least, by squares."""
    ones = np.ones((len(scores), 1))
    return np.asarray(np.linalg.lstsq(np.hstack([ones, scores]), given, rcond=None)[0])


def _outputs(encoder: Encoder, data: Path, split: str) -> tuple[Floats, Floats]:
    """What the head says of each text, and people's valence from −5 to 5."""
    read = ((whole_words(text), text) for text in read_sentiment_set(data, "emobank", split))
    texts = [(words, text) for words, text in read if words]
    found = np.zeros((len(texts), len(SENTIMENT_OUTPUTS) - 1))
    sizes = np.zeros(len(texts))
    for done in passes(encoder, [words for words, _ in texts], SENTIMENT):
        for row, window in enumerate(done.windows):
            size = window.core_last - window.core_first
            found[window.sentence] += size * done.outputs["sentiment"][row, : found.shape[1]]
            sizes[window.sentence] += size
    given = np.asarray([(text.valence - ZERO) / 100 for _, text in texts])
    return found / sizes[:, None], given


def _write(encoder: Encoder, weights: tuple[float, ...], out: Path) -> None:
    labels = msgspec.structs.replace(encoder.labels, sentiment=SENTIMENT_OUTPUTS, valence=weights)
    out.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        if name != "labels.json" and encoder.folder != out:
            copyfile(encoder.folder / name, out / name)
    with atomic_write(out / "labels.json", "wb") as file:
        file.write(msgspec.json.format(msgspec.json.encode(labels), indent=1))
