"""`trope evaluate metaphor`: words, verbs and whole sentences on test data.

Thresholds come with the model and were chosen on validation data of VUA. The verb sets beyond VUA
(MOH, MOH-X, TroFi) were not used in training, and the threshold of VUA is used for them as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path

from trope.core.errors import MissingData
from trope.core.files import sha256
from trope.corpora.records import LabelledSentence, LabelledTarget
from trope.corpora.verb_corpora import (
    read_moh_formatted,
    read_moh_x,
    read_trofi,
    read_trofi_formatted,
)
from trope.corpora.vua import (
    read_vua_key,
    read_vua_verbs,
    read_vua_words,
    read_vuamc,
    sentence_words,
)
from trope.evaluate.metaphor_baselines import evaluate_baselines, evaluate_labellers
from trope.evaluate.metaphor_newsmet import evaluate_headlines
from trope.evaluate.metaphor_silver import evaluate_silver
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.metrics.calibration import calibration_error, reliability
from trope.metrics.classification import binary_figures
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation

WORDS, VERBS = "metaphor.vua18.words", "metaphor.vua18.verbs"
CHOSEN_ON = "vua18 val"
SCORES = ("f1", "precision", "recall")
_FEWEST = 100  # metaphors of a part of speech that has a figure of its own


@dataclass(frozen=True, slots=True)
class ScoredWords:
    """Words with their probabilities, labels and sentences."""

    probabilities: list[float]
    gold: list[bool]
    groups: list[str]
    data: DataRef

    def part(self, chosen: Sequence[bool]) -> ScoredWords:
        """Those words alone for which `chosen` holds."""

        return ScoredWords(
            list(compress(self.probabilities, chosen)),
            list(compress(self.gold, chosen)),
            list(compress(self.groups, chosen)),
            self.data,
        )


def evaluate_words(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """All figures of words."""
    threshold = pipeline.thresholds[0]
    return [
        *_vua(pipeline, options, threshold),
        *_shared_task(pipeline, options, threshold),
        *_other_verbs(pipeline, options, threshold),
    ]


def score_vua_test(
    pipeline: EvaluatedPipeline, data: Path
) -> tuple[list[LabelledSentence], ScoredWords]:
    """VUA's test sentences, and every word of them with its probability."""
    path = _there(data / "vua18" / "VUA_seq_formatted_test.csv")
    sentences = list(read_vua_words(path))
    parses = pipeline.parse([sentence.words for sentence in sentences])
    judged = ScoredWords(
        [p for parse in parses for p in parse.metaphor],
        [label for sentence in sentences for label in sentence.labels],
        [sentence.id for sentence in sentences for _ in sentence.words],
        DataRef("vua18", "test", sha256(path)),
    )
    return sentences, judged


def _vua(
    pipeline: EvaluatedPipeline, options: EvaluationOptions, threshold: float
) -> list[Measurement]:
    sentences, judged = score_vua_test(pipeline, options.data)
    seed = options.seed
    figures = _figures(WORDS, judged, threshold, seed, SCORES)
    error = calibration_error(judged.probabilities, judged.gold, groups=judged.groups, seed=seed)
    figures.append(
        Measurement(
            f"{WORDS}.ece", error.value, error.low, error.high, len(judged.gold), judged.data,
            CHOSEN_ON, "15 bins of equal width",
        )
    )  # fmt: skip
    if options.plot is not None:
        from trope.render.plots import draw_reliability

        title = f"VUA-18 test, {len(judged.gold):,} words, tier {options.tier}"
        bins = reliability(judged.probabilities, judged.gold)
        draw_reliability(bins, title, error.value or 0.0, options.plot)
    genres = [s.genre for s in sentences for _ in s.words]
    tags = [tag for s in sentences for tag in s.upos]
    often = Counter(t for t, metaphor in zip(tags, judged.gold, strict=True) if metaphor)
    for kind, values, shown in (
        ("genre", genres, sorted(set(genres))),
        ("upos", tags, [tag for tag, count in often.most_common() if count >= _FEWEST]),
    ):
        for value in shown:
            part = judged.part([v == value for v in values])
            figures += _figures(f"{WORDS}.{kind}.{value}", part, threshold, seed, SCORES)
    train = read_vua_words(_there(options.data / "vua18" / "VUA_seq_formatted_train.csv"))
    words = [(w.lower(), m) for s in train for w, m in zip(s.words, s.labels, strict=True)]
    asked = [word.lower() for s in sentences for word in s.words]
    figures += _controls(WORDS, judged, words, asked, seed)
    return [*figures, *_vua_verbs(options, sentences, judged, threshold)]


def _vua_verbs(
    options: EvaluationOptions,
    sentences: list[LabelledSentence],
    words: ScoredWords,
    threshold: float,
) -> list[Measurement]:
    """The verb file, whose rows point at words of the sequence file."""
    folder = options.data / "vua18"
    path = _there(folder / "VUA_formatted_test.csv")
    firsts: dict[str, int] = {}
    for number, sentence in enumerate(words.groups):
        firsts.setdefault(sentence, number)
    verbs = list(read_vua_verbs(path, words=sentence_words(sentences)))
    ids = [verb.id.rsplit("_", 1)[0] for verb in verbs]
    judged = ScoredWords(
        [words.probabilities[firsts[i] + v.target] for i, v in zip(ids, verbs, strict=True)],
        [verb.metaphor for verb in verbs],
        ids,
        DataRef("vua18-verbs", "test", sha256(path)),
    )
    train = read_vua_verbs(_there(folder / "VUA_formatted_train_noVAL.csv"))
    known = [(verb.verb, verb.metaphor) for verb in train]
    return [
        *_figures(VERBS, judged, threshold, options.seed, SCORES),
        *_controls(VERBS, judged, known, [verb.verb for verb in verbs], options.seed),
    ]


def _controls(
    prefix: str,
    judged: ScoredWords,
    train: Iterable[tuple[str, bool]],
    asked: Sequence[str],
    seed: int,
) -> list[Measurement]:
    """Always metaphorical, and what a word mostly was in the training data."""
    votes: Counter[str] = Counter()
    for word, metaphor in train:
        votes[word] += 1 if metaphor else -1
    answers = {
        "constant": ([True] * len(asked), "always metaphorical"),
        "word_alone": ([votes[w] > 0 for w in asked], "what the word mostly is in train"),
    }
    return [
        figure
        for name, (called, note) in answers.items()
        for figure in binary_figures(
            f"{prefix}.{name}", judged.gold, called, groups=judged.groups, data=judged.data,
            seed=seed, scores=("f1",), note=note,
        )
    ]  # fmt: skip


def _shared_task(
    pipeline: EvaluatedPipeline, options: EvaluationOptions, threshold: float
) -> list[Measurement]:
    """The keys of 2018 and 2020 over the same test texts."""
    folder = options.data / "naacl2018"
    sentences = [s for s in read_vuamc(_there(folder / "vuamc_corpus_test.csv")) if s.words]
    parses = pipeline.parse([sentence.words for sentence in sentences])
    found = {s.id: parse.metaphor for s, parse in zip(sentences, parses, strict=True)}
    figures: list[Measurement] = []
    for name, file in (("all_pos", "all_pos_tokens"), ("verbs", "verb_tokens")):
        path = _there(folder / f"{file}_test_gold_labels.csv")
        tokens = list(read_vua_key(path))
        judged = ScoredWords(
            [found[token.sentence][token.position] for token in tokens],
            [bool(token.metaphor) for token in tokens],
            [token.sentence for token in tokens],
            DataRef("naacl2018", f"{name} test", sha256(path)),
        )
        prefix = f"metaphor.naacl2018.{name}"
        figures += _figures(prefix, judged, threshold, options.seed, SCORES)
        figures += _controls(prefix, judged, (), [""] * len(tokens), options.seed)[:1]
    return figures


def _other_verbs(
    pipeline: EvaluatedPipeline, options: EvaluationOptions, threshold: float
) -> list[Measurement]:
    """Verbs of sets that no stage of training has seen; MOH-X and TroFi where they are given."""
    figures: list[Measurement] = []
    for name, places in OTHER_SETS.items():
        path = next((p for place in places for p in sorted(options.data.glob(place))), None)
        if path is None:
            reason = f"no file {places[0]} in the data folder"
            nothing = DataRef(name, "", "")
            figures.append(
                Measurement(f"metaphor.{name}.f1", None, None, None, 0, nothing, "", reason)
            )
            continue
        targets = list(_read_targets(name, path))
        parses = pipeline.parse([target.words for target in targets])
        judged = ScoredWords(
            [p.metaphor[t.target] for p, t in zip(parses, targets, strict=True)],
            [target.metaphor for target in targets],
            [target.id for target in targets],
            DataRef(name, "all", sha256(path)),
        )
        scores = (*SCORES, "accuracy")
        note = "threshold of VUA; not trained on"
        figures += _figures(f"metaphor.{name}", judged, threshold, options.seed, scores, note)
        figures += _controls(f"metaphor.{name}", judged, (), [""] * len(targets), options.seed)[:1]
    return figures


OTHER_SETS: dict[str, tuple[str, ...]] = {
    "moh": ("moh/MOH_formatted.csv",),
    "moh_x": ("moh_x/*.csv", "moh-x/*.csv"),
    "trofi": ("trofi/*.csv", "trofi/*.txt"),
}
"""The possible paths of a set's file, the preferred one first."""


def _read_targets(name: str, path: Path) -> Iterable[LabelledTarget]:
    """The verbs of a set in whichever of its formats the file has."""
    if name == "moh":
        return read_moh_formatted(path)
    if name == "moh_x":
        return read_moh_x(path)
    if path.suffix == ".csv":
        return read_trofi_formatted(path)
    return (
        LabelledTarget(s.id, s.words, s.target, s.verb, s.label, s.line)
        for s in read_trofi(path, annotated_only=True)
        if s.target is not None
    )


def _figures(
    prefix: str,
    judged: ScoredWords,
    threshold: float,
    seed: int,
    scores: Sequence[str],
    note: str = "",
) -> list[Measurement]:
    return binary_figures(
        prefix,
        judged.gold,
        [p >= threshold for p in judged.probabilities],
        groups=judged.groups,
        data=judged.data,
        seed=seed,
        scores=scores,
        chosen_on=CHOSEN_ON,
        note=note,
    )


def _there(path: Path) -> Path:
    if not path.is_file():
        raise MissingData(path, f"give the folder that holds {path.parent.name}/ with --from")
    return path


Part = Callable[[EvaluatedPipeline, EvaluationOptions], list[Measurement]]

PARTS: Mapping[str, Part] = {
    "words": evaluate_words,
    "headlines": evaluate_headlines,
    "baselines": evaluate_baselines,
    "labellers": evaluate_labellers,
    "silver": evaluate_silver,
}
"""What `--part` chooses from."""


def evaluate(options: EvaluationOptions, pipeline: EvaluatedPipeline | None = None) -> Evaluation:
    """All figures of metaphor detection.

    Raises:
        MissingData: where a part has no data.
    """
    if pipeline is None:
        pipeline = options.open_pipeline()
    if {"words", "headlines"} & {*options.choose(tuple(PARTS))}:
        pipeline.check_tasks(("metaphor",))
    figures: list[Measurement] = []
    for part in options.choose(tuple(PARTS)):
        figures += PARTS[part](pipeline, options)
    checksum = getattr(pipeline, "model_sha256", "")
    return new_evaluation("metaphor", options.tier, checksum, figures)
