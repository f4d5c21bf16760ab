"""`trope evaluate analogy`: MEAN's metaphoric analogies, with controls for every accuracy.

Tier `small` trains a light ranker here; tier `base` reads predictions of `trope train analogy`
(`--predictions`). Folds grouped by metaphor are the headline, random ones are the paper's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import sha256
from trope.core.progress import MessageWriter, counted
from trope.corpora.conceptual_metaphors import read_frames, read_metaphors
from trope.corpora.mean import Analogy, items_file, read_mean, read_own_items
from trope.encoder.session import Encoder
from trope.evaluate.analogy_figures import (
    PREFIX,
    AnalogyItems,
    answer_figures,
    domain_figures,
    error_figures,
    paired_tests,
)
from trope.evaluate.analogy_predictions import (
    HEADLINE,
    AnalogyPredictions,
    read_analogy_predictions,
)
from trope.evaluate.options import EvaluationOptions
from trope.lexicon.vectors import SHIPPED, Vectors, read_vectors
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation
from trope.tasks.analogy.checks import repair_items
from trope.tasks.analogy.controls import LEARNT, control_scores, overlap_scores
from trope.tasks.analogy.cross_validation import (
    KINDS,
    SEEDS,
    FoldAnswers,
    make_folds,
    right,
    right_shares,
)
from trope.tasks.analogy.distractors import FrameInventory
from trope.tasks.analogy.ranker import Floats, cross_validate
from trope.tasks.analogy.similarity import (
    Meaning,
    answer,
    answer_as_released,
    meaning_of_encoder,
    meaning_of_folder,
    similarity_features,
)
from trope.tasks.analogy.templates import Template, read_templates
from trope.tasks.analogy.zero_shot import by_likelihood
from trope.tasks.own_systems import open_system

PARTS = ("choice", "static", "zero_shot", "errors", "domains")
_UNASKED = "domains"  # fifty figures, for those who ask
_RIVALS = ("overlap", "static", "surface")  # the strongest controls, tested against
_CONTROL_SEEDS = 2  # fold seeds of the controls that learn: many features, little to learn
_GLOVE = Path("vectors") / "glove.6B.100d.top60k.int8.npz"
_RELEASED = "every item compared with the query of item 7, as the released script does"


@dataclass(frozen=True, slots=True)
class AnalogyData:
    """The items with their folds, and the repaired variant where metaphors are at hand."""

    measured: AnalogyItems
    repaired: Sequence[Analogy] | None
    templates: Mapping[str, Template]
    folds: Mapping[str, Mapping[int, list[list[int]]]]

    @property
    def items(self) -> Sequence[Analogy]:
        """The items as they were published."""
        return self.measured.items


def evaluate(options: EvaluationOptions, meaning: Meaning | None = None) -> Evaluation:
    """All figures of analogies.

    Args:
        options: the data, the model and the parts.
        meaning: vectors of meaning for the tier `small`; otherwise those of the folder that
            `--base-weights` names, or of the shipped encoder.
    """
    parts = [p for p in options.choose(PARTS) if p != _UNASKED or _UNASKED in options.parts]
    data = read_analogy_data(options)
    predictions = _predictions(options, data)
    checksum = predictions.model_sha256 if predictions else sha256(SHIPPED)
    if meaning is None and predictions is None:
        meaning, checksum = _meaning(options)
    answers = _answers(data, predictions, meaning)
    note = "" if predictions or meaning else "static vectors alone: no vectors of meaning"
    controls = all_controls(data)
    figures = [*_control_figures(data, controls)]
    if "choice" in parts:
        figures += _choice_figures(data, answers, predictions, controls, note)
    if "static" in parts:
        figures += _static_figures(options, data)
    if "zero_shot" in parts:
        figures += _zero_shot_figures(options, data)
    if "errors" in parts:
        figures += error_figures(data.measured, answers, "random")
    if "domains" in parts:
        figures += domain_figures(data.measured, answers, "grouped")
    if options.plot is not None:
        from trope.render.plots import draw_errors

        draw_errors(answers, options.tier, options.plot)
    return new_evaluation("analogy", options.tier, checksum, figures)


def choice_scores(
    items: Sequence[Analogy], system: Path | None = None, vectors: Path | None = None
) -> Floats:
    """The scores of all choices, by a system's folder or by word vectors, items × choices.

    Raises:
        BadModel: for a folder of another task.
    """
    if system is not None:
        found: Floats = open_system(system, "analogy").system.score(items)
        return found
    known = read_vectors(vectors or SHIPPED)
    return np.array([answer(item, known).scores for item in items])


def evaluate_own(
    source: Path,
    *,
    system: Path | None,
    folds: int,
    vectors: Path | None,
    seed: int,
    threads: int | None,
    say: MessageWriter,
) -> Evaluation:
    """Accuracies on a user's own items: a system's or, by folds, a light one's, beside controls.

    Raises:
        BadRecord: where no item is left that the system has not seen.
    """
    items, opened = read_own_items(source), None
    if system is not None:
        opened, number = open_system(system, "analogy"), len(items)
        items = [item for item in items if item.digest not in opened.seen]
        if not items:
            remedy = "give other items, or measure with --folds 5"
            raise BadRecord(source, None, f"the system was trained on all items; {remedy}")
        if len(items) < number:
            say(f"{counted(number - len(items), 'item')} left out: {system} was trained on them")
    data = DataRef(source.name, "own items", sha256(items_file(source)))
    measured = AnalogyItems(items, data, seed, "analogy.own")
    scores: dict[str, tuple[Floats, str]] = {}
    if folds:
        scores["light"] = _by_folds(items, folds, seed, threads), f"{folds} folds by metaphor"
    if opened is not None:
        scores["system"] = opened.system.score(items), opened.name
    scores["static"] = choice_scores(items, None, vectors), (vectors or SHIPPED).name
    scores["spelling"] = overlap_scores(items), "likeness of spelling alone"
    scores["chance"] = np.zeros_like(scores["static"][0]), "all choices alike"
    figures = [
        measured.accuracy(f"{name}.accuracy", right(given), note=note)
        for name, (given, note) in scores.items()
    ]
    return new_evaluation("analogy", "small", opened.sha256 if opened else sha256(SHIPPED), figures)


def _by_folds(items: Sequence[Analogy], count: int, seed: int, threads: int | None) -> Floats:
    encoder = Encoder(threads=threads)
    meaning = meaning_of_encoder(encoder) if encoder.labels.meaning else None
    template = next(iter(read_templates().values()))
    features = similarity_features(items, template, read_vectors(), meaning)
    groups = [item.metaphor for item in items]
    return cross_validate(features, groups, make_folds(items, "grouped", seed, count), seed=seed)[0]


def _meaning(options: EvaluationOptions) -> tuple[Meaning | None, str]:
    """Vectors of meaning for the light ranker, and the checksum of what gives them."""
    if options.base_weights is not None:
        folder = options.base_weights
        return meaning_of_folder(folder), sha256(folder / "model.safetensors")
    encoder = Encoder(threads=options.threads, folder=options.model)
    if not encoder.labels.meaning:
        return None, sha256(SHIPPED)
    return meaning_of_encoder(encoder), sha256(encoder.folder / "encoder.onnx")


def read_analogy_data(options: EvaluationOptions) -> AnalogyData:
    """MEAN, its folds, and its repaired variant if the conceptual metaphors are there too."""
    path = options.data / "mean" / "MEAN_datasetV1.csv"
    items = list(read_mean(path))
    measured = AnalogyItems(items, DataRef("mean", "all", sha256(path)), options.seed)
    conceptual = options.data / "conceptual"
    repaired = None
    if (conceptual / "metaphors.yaml").is_file():
        inventory = FrameInventory.of(
            read_metaphors(conceptual / "metaphors.yaml"),
            read_frames(conceptual / "frames.yaml"),
            read_vectors(),
        )
        repaired = repair_items(items, inventory)[0]
    folds: dict[str, dict[int, list[list[int]]]] = {
        kind: {seed: make_folds(items, kind, seed) for seed in SEEDS} for kind in KINDS
    }
    return AnalogyData(measured, repaired, read_templates(), folds)


def all_controls(data: AnalogyData) -> dict[str, dict[str, dict[int, Floats]]]:
    """Control → kind of folds → seed → scores; what learns nothing is the same for all."""
    fixed = {
        "overlap": overlap_scores(data.items),
        "static": static_scores(data.items, read_vectors()),
    }
    found: dict[str, dict[str, dict[int, Floats]]] = {
        name: {kind: {0: scores} for kind in KINDS} for name, scores in fixed.items()
    }
    for name in LEARNT:
        found[name] = {
            kind: {
                seed: control_scores(name, data.items, folds, seed=seed)
                for seed, folds in list(data.folds[kind].items())[:_CONTROL_SEEDS]
            }
            for kind in KINDS
        }
    return found


def static_scores(items: Sequence[Analogy], vectors: Vectors, *, unit: bool = True) -> Floats:
    """Scores of the formula, items × choices."""
    return np.array([answer(item, vectors, unit=unit).scores for item in items])


def small_answers(data: AnalogyData, vectors: Vectors, meaning: Meaning | None) -> FoldAnswers:
    """The light ranker, trained fold by fold."""
    answers = FoldAnswers()
    groups = [item.metaphor for item in data.items]
    for name, template in data.templates.items():
        table = similarity_features(data.items, template, vectors, meaning)
        repaired = data.repaired or data.items
        other = similarity_features(repaired, template, vectors, meaning)
        for kind, by_seed in data.folds.items():
            for seed, folds in by_seed.items():
                scores, fixed = cross_validate(table, groups, folds, seed=seed, also=other)
                answers.scores.setdefault((name, kind), {})[seed] = scores
                if data.repaired:
                    answers.repaired.setdefault((name, kind), {})[seed] = fixed
    return answers


def _predictions(options: EvaluationOptions, data: AnalogyData) -> AnalogyPredictions | None:
    if options.tier == "small":
        return None
    if options.tier != "base":
        raise BadInput(f"there is no tier {options.tier!r} for analogies; known: small, base")
    if options.predictions is None:
        raise MissingData(
            "--predictions",
            "tier base needs predictions; run trope train analogy and give its folder",
        )
    return read_analogy_predictions(options.predictions, data.items, data.measured.data.sha256)


def _answers(
    data: AnalogyData, predictions: AnalogyPredictions | None, meaning: Meaning | None
) -> FoldAnswers:
    if predictions is not None:
        return predictions.runs.get(HEADLINE, FoldAnswers())
    return small_answers(data, read_vectors(), meaning)


def _choice_figures(
    data: AnalogyData,
    answers: FoldAnswers,
    predictions: AnalogyPredictions | None,
    controls: Mapping[str, Mapping[str, Mapping[int, Floats]]],
    note: str,
) -> Iterator[Measurement]:
    overlap = controls["overlap"]["grouped"][0]
    if predictions is None:
        yield from answer_figures(
            data.measured,
            answers,
            data.folds,
            overlap,
            note=note,
            chosen_on="inner folds of each training part",
        )
    else:
        yield from _predicted_figures(data, predictions, overlap)
    for template in data.templates:
        for kind in KINDS:
            first = {name: controls[name][kind][0] for name in _RIVALS}
            yield from paired_tests(data.measured, answers, first, (template, kind))


def _predicted_figures(
    data: AnalogyData, predictions: AnalogyPredictions, overlap: Floats
) -> Iterator[Measurement]:
    chosen_on = "proposed items of other metaphors"
    notes = {HEADLINE: "first trained on proposed items of other metaphors", "paper": "the paper's"}
    for run, answers in predictions.runs.items():
        yield from answer_figures(
            data.measured,
            answers,
            data.folds,
            overlap,
            system="" if run == HEADLINE else run,
            note=notes.get(run, ""),
            chosen_on="" if run == "paper" else chosen_on,
        )
    for template, scores in sorted(predictions.first.items()):
        note = "trained on proposed items of other metaphors alone, on no item of MEAN"
        name = f"{template}.proposed_only.accuracy"
        yield data.measured.accuracy(name, right(scores), note=note)
    for name, shares in predictions.tried.items():
        full = f"{PREFIX}.choosing.{name}.accuracy"
        note = "on proposed items; the best was taken"
        value, ref = float(np.mean(shares)), DataRef("conceptual", "proposed", "")
        yield Measurement(full, value, None, None, len(shares), ref, note=note)


def _control_figures(
    data: AnalogyData, controls: Mapping[str, Mapping[str, Mapping[int, Floats]]]
) -> Iterator[Measurement]:
    for name, by_kind in controls.items():
        if name not in LEARNT:
            shares = right(by_kind["grouped"][0])
            yield data.measured.accuracy(f"{name}.accuracy", shares, note="control; ties shared")
            continue
        for kind in KINDS:
            shares = right_shares(dict(by_kind[kind]))
            full = f"{name}.accuracy" if kind == "grouped" else f"{name}.{kind}.accuracy"
            seeds = ", ".join(map(str, by_kind[kind]))
            note = f"control, {kind} folds, fold seeds {seeds}"
            yield data.measured.accuracy(full, shares, note=note)
    if data.repaired is not None:
        changed = sum(a != b for a, b in zip(data.items, data.repaired, strict=True))
        note = f"the repaired variant: {changed} items have another wrong choice"
        fixed = {
            "overlap": overlap_scores(data.repaired),
            "static": static_scores(data.repaired, read_vectors()),
        }
        for name, scores in fixed.items():
            yield data.measured.accuracy(f"{name}.repaired.accuracy", right(scores), note=note)


def _static_figures(options: EvaluationOptions, data: AnalogyData) -> Iterator[Measurement]:
    sets: dict[str, Vectors] = {"shipped": read_vectors()}
    if (options.data / _GLOVE).is_file():
        sets["glove"] = read_vectors(options.data / _GLOVE)
    if options.vectors is not None:
        sets["own"] = read_vectors(options.vectors)
    for name, vectors in sets.items():
        for unit, kind in ((False, "raw"), (True, "unit")):
            found = [answer(item, vectors, unit=unit) for item in data.items]
            cut = len({word for one in found for word in one.cut})
            unknown = len({word for one in found for word in one.unknown})
            note = f"{cut} words lost letters until they were known, {unknown} are unknown"
            shares = right(np.array([one.scores for one in found]))
            yield data.measured.accuracy(f"static.{name}.{kind}.accuracy", shares, note=note)
        released = np.array([one.scores for one in answer_as_released(data.items, vectors)])
        full = f"static.{name}.released.accuracy"
        yield data.measured.accuracy(full, right(released), note=_RELEASED)


def _zero_shot_figures(options: EvaluationOptions, data: AnalogyData) -> Iterator[Measurement]:
    """Likelihood by your own language model, where its folder is given."""
    if options.detector is None:
        return
    for name, template in data.templates.items():
        scores = by_likelihood(data.items, template, options.detector)
        note = f"likelihood of the sentence, {options.detector.name}, untrained"
        yield data.measured.accuracy(f"{name}.likelihood.accuracy", right(scores), note=note)
