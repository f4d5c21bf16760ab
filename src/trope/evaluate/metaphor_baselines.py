"""Figures of the detectors without a network: on verbs with their objects, and on words.

Train and validation data are those of VUA-18. The TSV triplets are a test set alone: what was
chosen on VUA is used there as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.catalog import DETECTORS
from trope.core.files import sha256
from trope.core.records import Parse
from trope.corpora.records import LabelledSentence
from trope.corpora.verb_corpora import read_svo
from trope.corpora.vua import read_vua_words
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.lexicon.vectors import read_vectors
from trope.metrics.classification import binary_figures
from trope.metrics.figures import DataRef, Measurement
from trope.tasks.metaphor.encoder_heads import build as load_encoder_detector
from trope.tasks.metaphor.logistic import Logistic, read_concreteness
from trope.tasks.metaphor.seed_similarity import SeedAbstractness, SeedNeighbours, SeedSimilarity
from trope.tasks.metaphor.task import Detector, Score, VerbExpression, find_expressions

VECTORS = "vectors/glove.6B.100d.top60k.int8.npz"
CONCRETENESS = "lexica/Concreteness_ratings_Brysbaert_et_al_BRM.txt"
_PAIR_SCORES = ("f1", "precision", "recall", "macro_f1", "share")
_WORD_SCORES = ("f1", "precision", "recall")
_CHOSEN_ON = "vua18 val"
_NOTES = {
    "seed_neighbours": "fifty seeds; threshold from vua18 val without its labels",
    "seed_abstractness": "fifty seeds; offset and threshold from vua18 val without its labels",
    "encoder": "its own threshold; read as two words where there is no sentence",
}


@dataclass(frozen=True, slots=True)
class VuaSplit:
    """Sentences of VUA with their parses."""

    sentences: list[LabelledSentence]
    parses: list[Parse]
    data: DataRef

    @property
    def labels(self) -> list[tuple[bool, ...]]:
        """The labels of every sentence."""
        return [sentence.labels for sentence in self.sentences]


@dataclass(frozen=True, slots=True)
class LabelledExpressions:
    """Expressions, their labels, and the sentences that they come from."""

    expressions: list[VerbExpression]
    labels: list[bool]
    groups: list[str]
    data: DataRef


def evaluate_labellers(
    pipeline: EvaluatedPipeline, options: EvaluationOptions
) -> list[Measurement]:
    """The weak labellers of verbs with objects on VUA's test split and TSV, beside constants.

    `seed_neighbours` and `seed_abstractness` have read VUA's validation pairs without their labels.
    `logistic` and `encoder` were trained on VUA's labels; TSV is new to all. `seed_contexts` is
    measured where `options.detector` names its encoder and this part is asked for by name: a
    detector that another part is meant to measure would have learnt metaphors.
    """
    splits = {name: _read_vua(pipeline, options.data, name) for name in ("train", "val", "test")}
    train, val, test = (_vua_pairs(splits[name]) for name in ("train", "val", "test"))
    svo = _tsv_pairs(options.data)
    scored = [*val.expressions, *test.expressions, *svo.expressions]
    near = SeedNeighbours(read_vectors()).without(scored)
    abstract = SeedAbstractness(read_vectors()).without(scored)
    weak: list[tuple[str, SeedAbstractness, str]] = [
        ("seed_neighbours", near, _NOTES["seed_neighbours"]),
        ("seed_abstractness", abstract, _NOTES["seed_abstractness"]),
    ]
    if options.detector is not None and "labellers" in options.parts:
        weak.insert(0, _seeds_in_sentences(options.detector, scored))
    for _, adapted, _ in weak:
        adapted.adapt(val.expressions)
    encoder = load_encoder_detector(tier=options.tier, folder=options.model,
                                    base_weights=options.base_weights)  # fmt: skip
    seeded = SeedSimilarity(read_vectors(options.data / VECTORS)).without(scored)
    shipped = SeedSimilarity(read_vectors()).without(scored)
    linear = Logistic(concreteness=_ratings(options.data / CONCRETENESS))
    linear.fit_expressions(train.expressions, train.labels)
    figures: list[Measurement] = []
    for prefix, pairs in (("metaphor.vua18.verb_object", test), ("metaphor.tsv.svo", svo)):
        labellers: list[tuple[str, Detector, str]] = [
            *weak,
            ("encoder", encoder, _NOTES["encoder"]),
        ]
        for name, labeller, note in labellers:
            figures += _pair_figures(f"{prefix}.{name}", labeller, pairs, options.seed, note)
        for name, detector in (
            ("seed_similarity", shipped),
            ("seed_similarity_glove", seeded),
            ("logistic", linear),
        ):
            detector.tune(val.expressions, val.labels)
            note = _rating_note(linear) if detector is linear else ""
            figures += _pair_figures(f"{prefix}.{name}", detector, pairs, options.seed, note)
        figures += _constant_figures(prefix, pairs, options.seed)
    return figures


def _seeds_in_sentences(
    folder: Path, scored: Sequence[VerbExpression]
) -> tuple[str, SeedAbstractness, str]:
    """`seed-contexts` without the seeds among these expressions, by the encoder of a folder."""
    labeller = DETECTORS.load("seed-contexts")(model=folder)
    note = f"{_NOTES['seed_neighbours']}; by {labeller.encoder}"
    return "seed_contexts", labeller.without(scored), note


def evaluate_baselines(
    pipeline: EvaluatedPipeline, options: EvaluationOptions
) -> list[Measurement]:
    """The linear detector on VUA's words."""
    splits = {name: _read_vua(pipeline, options.data, name) for name in ("train", "val", "test")}
    linear = Logistic(concreteness=_ratings(options.data / CONCRETENESS))
    return _word_figures(linear, splits, options.seed)


def _ratings(path: Path) -> dict[str, float]:
    """Ratings of concreteness where the user has them: they are not free, so most users do not."""
    return read_concreteness(path) if path.is_file() else {}


def _read_vua(pipeline: EvaluatedPipeline, data: Path, split: str) -> VuaSplit:
    path = data / "vua18" / f"VUA_seq_formatted_{split}.csv"
    sentences = list(read_vua_words(path))
    parses = pipeline.parse([sentence.words for sentence in sentences])
    return VuaSplit(sentences, parses, DataRef("vua18", split, sha256(path)))


def _vua_pairs(split: VuaSplit) -> LabelledExpressions:
    """Verbs with a noun as object, found by the parser; the label is that of the verb."""
    found = [
        (expression, sentence.labels[expression.verb_at], sentence.id)
        for sentence, parse in zip(split.sentences, split.parses, strict=True)
        for expression in find_expressions(parse)
        if expression.verb_at is not None
    ]
    return _as_pairs(found, split.data)


def _tsv_pairs(data: Path) -> LabelledExpressions:
    """Verb and object, or verb and subject where there is no object."""
    found: list[tuple[VerbExpression, bool, str]] = []
    checksums: list[str] = []
    for name, metaphor in (("svo_mets", True), ("svo_nonmets", False)):
        path = data / "tsv" / f"{name}.txt"
        checksums.append(sha256(path))
        for triplet in read_svo(path, metaphor=metaphor):
            subject, verb, object_ = triplet.words
            noun = (object_ or subject).lstrip("*")  # "*person": a class in place of a word
            found.append((VerbExpression(verb, noun), metaphor, f"{name}:{triplet.line}"))
    return _as_pairs(found, DataRef("tsv", "test", ",".join(checksums)))


def _as_pairs(
    found: Iterable[tuple[VerbExpression, bool, str]], data: DataRef
) -> LabelledExpressions:
    expressions, labels, groups = map(list, zip(*found, strict=True))
    return LabelledExpressions(expressions, labels, groups, data)


def _rating_note(linear: Logistic) -> str:
    """The note for figures that use ratings of concreteness."""
    return "with ratings of concreteness, which are not free" if linear.concreteness else ""


def _pair_figures(
    prefix: str, detector: Detector, pairs: LabelledExpressions, seed: int, note: str
) -> list[Measurement]:
    scores = detector.score_expressions(pairs.expressions)
    unknown = sum(score is None for score in scores)
    missing = f"{unknown} without a score count as literal" if unknown else ""
    return binary_figures(
        prefix,
        pairs.labels,
        _called(scores, detector.threshold),
        groups=pairs.groups,
        data=pairs.data,
        seed=seed,
        scores=_PAIR_SCORES,
        chosen_on=_CHOSEN_ON,
        note="; ".join(part for part in (missing, note) if part),
    )


def _constant_figures(prefix: str, pairs: LabelledExpressions, seed: int) -> list[Measurement]:
    return [
        figure
        for name, called in (("constant", True), ("constant_literal", False))
        for figure in binary_figures(
            f"{prefix}.{name}",
            pairs.labels,
            [called] * len(pairs.labels),
            groups=pairs.groups,
            data=pairs.data,
            seed=seed,
            scores=("f1", "macro_f1", "share"),
            note="always metaphorical" if called else "always literal",
        )
    ]


def _word_figures(linear: Logistic, splits: dict[str, VuaSplit], seed: int) -> list[Measurement]:
    train, val, test = (splits[name] for name in ("train", "val", "test"))
    linear.fit_words(train.parses, train.labels)
    linear.tune_words(val.parses, val.labels)
    scores = [score for row in linear.score_words(test.parses) for score in row]
    return binary_figures(
        "metaphor.vua18.words.logistic",
        [label for row in test.labels for label in row],
        _called(scores, linear.threshold),
        groups=[sentence.id for sentence in test.sentences for _ in sentence.words],
        data=test.data,
        seed=seed,
        scores=_WORD_SCORES,
        chosen_on=_CHOSEN_ON,
        note=_rating_note(linear),
    )


def _called(scores: Sequence[Score], threshold: float) -> list[bool]:
    return [score is not None and score >= threshold for score in scores]
