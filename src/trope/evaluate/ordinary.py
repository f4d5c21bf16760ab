"""`trope evaluate ordinary`: plain English, on our own sentences and on public corpora.

The 300 sentences ship with trope (`ordinary.jsonl`): literal, conventional, novel and idiomatic
ones, idioms used literally, names, and neutral information. Each was annotated in two independent
passes; `gold` is what both agree on, or was decided afterwards. No model was trained on them. Parts
that read public corpora need `--from`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import compress
from pathlib import Path
from typing import Literal

import msgspec

from trope.core.errors import BadInput, BadRecord
from trope.core.files import read_lines, sha256
from trope.core.judgments import Judgment
from trope.core.records import Analysis, Metonymy, Token
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.evaluate.ordinary_folds import (
    evaluate_idioms,
    evaluate_relocar,
    evaluate_similes,
    folds_of,
)
from trope.evaluate.ordinary_sets import (
    evaluate_noticed,
    evaluate_novelty,
    evaluate_uner,
    evaluate_valence,
)
from trope.lexicon.readings import LITERAL
from trope.metrics.agreement import cohen_kappas, with_intervals
from trope.metrics.figures import (
    DataRef,
    Evaluation,
    Measurement,
    Share,
    new_evaluation,
    share_figures,
)
from trope.metrics.intervals import bootstrap_ratios
from trope.metrics.votes import encode_votes

PREFIX = "ordinary.own"
PARTS = ("words", "names", "sentiment", "agreement")
CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV"})
FUNCTION = frozenset({"ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"})

_MARKED = ("metaphor", "idiom", "simile")
"""Figures whose words count as marked; names are counted by themselves."""

AnnotatedKind = Literal["conventional", "novel", "idiom", "simile"]
SentenceKind = Literal[
    "literal", "conventional", "novel", "idiom", "idiom_literal", "name", "neutral"
]


class Annotation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Figures and names as `start, end, …` in characters, and the sentiment from −5 to 5."""

    figures: tuple[tuple[int, int, AnnotatedKind], ...]
    names: tuple[
        tuple[
            int, int, Literal["place", "organisation", "person"], Literal["literal", "metonymic"]
        ],
        ...,
    ]
    sentiment: float

    @property
    def spans(self) -> list[tuple[int, int]]:
        """Where all figures and names are."""
        return [span[:2] for span in self.figures] + [span[:2] for span in self.names]

    def kind_at(self, token: Token) -> AnnotatedKind | None:
        """The kind of the figure that a token belongs to, None for a literal one."""
        for start, end, kind in self.figures:
            if start <= token.start and token.end <= end:
                return kind
        return None


class OrdinarySentence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence, the kind for which it was written, two annotations and what holds."""

    id: str
    kind: SentenceKind
    text: str
    first: Annotation
    second: Annotation
    gold: Annotation


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence with its analysis."""

    sentence: OrdinarySentence
    analysis: Analysis

    def marked(self, classes: frozenset[str]) -> list[bool]:
        """For each token whether it is of one of the word classes and shown in a figure."""
        shown = {
            place
            for figure in self.analysis.figures
            if figure.kind in _MARKED
            for place in figure.tokens
        }
        tokens = enumerate(self.analysis.tokens)
        return [token.upos in classes and at in shown for at, token in tokens]

    def found(self, kind: AnnotatedKind) -> Share:
        """How many content words of the figures of a kind are shown in figures."""
        gold = [
            token.upos in CONTENT and self.sentence.gold.kind_at(token) == kind
            for token in self.analysis.tokens
        ]
        hits = sum(compress(self.marked(CONTENT), gold))
        return Share(hits, sum(gold), sum(gold))


def shipped_sentences() -> Path:
    """The file of sentences that comes with trope."""
    return Path(str(files("trope.evaluate").joinpath("ordinary.jsonl")))


def read_ordinary(path: Path) -> Iterator[OrdinarySentence]:
    """The annotated sentences of a file.

    Raises:
        BadRecord: for a line that is not such a sentence, or whose spans leave its text.
    """
    for number, line in read_lines(path):
        try:
            sentence = msgspec.json.decode(line, type=OrdinarySentence)
        except msgspec.DecodeError as error:
            raise BadRecord(path, number, f"is not an annotated sentence ({error})") from None
        for annotation in (sentence.first, sentence.second, sentence.gold):
            for start, end in annotation.spans:
                if not 0 <= start < end <= len(sentence.text):
                    raise BadRecord(path, number, f"{start} to {end} is not within the text")
        yield sentence


def evaluate_words(rows: Sequence[_Read], data: DataRef, seed: int) -> list[Measurement]:
    """Figurative content words found by kind, and marks where nothing is figurative."""
    figures = share_figures(
        PREFIX,
        rows,
        {
            "conventional.found": lambda row: row.found("conventional"),
            "novel.found": lambda row: row.found("novel"),
            "idiom.found": lambda row: row.found("idiom"),
        },
        data=data,
        seed=seed,
        note="content words of such figures that are shown (--words noticed)",
    )
    literal = [row for row in rows if not row.sentence.gold.figures]
    plain = [row for row in literal if row.sentence.kind in ("literal", "neutral")]
    idioms = [row for row in literal if row.sentence.kind == "idiom_literal"]
    counts: list[tuple[str, Sequence[_Read], Callable[[_Read], int], str]] = [
        ("literal.false_marks", plain, lambda row: any(row.marked(CONTENT)),
         "literal sentences in which a content word is shown as a figure"),
        ("literal.function_words", plain, lambda row: sum(row.marked(FUNCTION)),
         "function words shown as figures per literal sentence"),
        ("idiom_literal.false_marks", idioms, lambda row: any(row.marked(CONTENT)),
         "idioms used literally in which a content word is shown as a figure"),
    ]  # fmt: skip
    for name, chosen, count, note in counts:
        figures.append(_mean(name, [count(row) for row in chosen], data, seed, note))
    return figures


def evaluate_names(rows: Sequence[_Read], data: DataRef, seed: int) -> list[Measurement]:
    """Places and organisations found, and read rightly as literal or not, of all."""

    def found(row: _Read) -> Share:
        names = _names(row)
        return Share(sum(name is not None for name, _ in names), len(names), len(names))

    def read(row: _Read) -> Share:
        names = _names(row)
        right = [n is not None and (n.reading == LITERAL) == literal for n, literal in names]
        return Share(sum(right), len(names), len(names))

    return share_figures(
        PREFIX, rows, {"names.found": found, "names.read": read}, data=data, seed=seed,
        note="of all places and organisations",
    )  # fmt: skip


def _names(row: _Read) -> list[tuple[Metonymy | None, bool]]:
    """For each place and organisation what the model found there, and whether it is literal."""
    by_span = {(name.start, name.end): name for name in row.analysis.metonymies}
    return [
        (by_span.get((start, end)), reading == LITERAL)
        for start, end, name_class, reading in row.sentence.gold.names
        if name_class != "person"
    ]


def evaluate_sentiment(rows: Sequence[_Read], data: DataRef, seed: int) -> list[Measurement]:
    """How far neutral sentences are from 0."""
    neutral = [row for row in rows if row.sentence.kind in ("literal", "neutral")]
    neutral = [row for row in neutral if row.sentence.gold.sentiment == 0]
    scores = [row.analysis.sentiment for row in neutral]
    strength = [abs(score.score) for score in scores if score is not None]
    note = "mean strength of the sentiment of sentences that are neutral"
    return [_mean("neutral.strength", strength, data, seed, note)]


def evaluate_agreement(rows: Sequence[_Read], data: DataRef, seed: int) -> list[Measurement]:
    """How well the two annotations agree on which content words are figurative."""
    judgments = [
        Judgment(f"{row.sentence.id}.{at}", annotator, "literal" if kind is None else "figurative")
        for row in rows
        for at, token in enumerate(row.analysis.tokens)
        if token.upos in CONTENT
        for annotator, kind in (
            ("first", row.sentence.first.kind_at(token)),
            ("second", row.sentence.second.kind_at(token)),
        )
    ]
    statistic = cohen_kappas(encode_votes(judgments))
    assert statistic is not None  # two annotators share every item
    kappa = with_intervals([statistic], seed=seed)[-1]
    note = "Cohen's kappa of the two annotations, content words figurative or not"
    return [
        Measurement(
            f"{PREFIX}.agreement.kappa", kappa.value, kappa.low, kappa.high, kappa.n, data,
            note=note if kappa.value is not None else "undefined: both use one label only",
        )
    ]  # fmt: skip


def _mean(name: str, values: Sequence[float], data: DataRef, seed: int, note: str) -> Measurement:
    interval = bootstrap_ratios(values, [1] * len(values), seed=seed)[0]
    return Measurement(
        f"{PREFIX}.{name}", interval.value, interval.low, interval.high, len(values), data,
        note=note if interval.value is not None else "undefined: there is no such sentence",
    )  # fmt: skip


SETS: Mapping[str, Callable[[EvaluatedPipeline, EvaluationOptions], list[Measurement]]] = {
    "novelty": evaluate_novelty,
    "meta4xnli": evaluate_noticed,
    "emobank": evaluate_valence,
    "uner": evaluate_uner,
    "idioms": evaluate_idioms,
    "similes": evaluate_similes,
    "relocar": evaluate_relocar,
}
"""The parts that read public corpora."""


def why_not(part: str, pipeline: EvaluatedPipeline, options: EvaluationOptions) -> str:
    """Why a part on a public corpus cannot be measured; empty where it can."""
    if options.data == Path():
        return "it needs the research data; give their directory with --from"
    labels = pipeline.heads.labels
    small = getattr(pipeline, "encoder", pipeline.heads).labels
    heads = {
        "novelty": (labels.figures is not None, "novelty"),
        "meta4xnli": (labels.figures is not None, "noticed metaphors"),
        "emobank": ("valence" in labels.sentiment, "the valence of prose"),
        "uner": (bool(labels.names or small.names), "names"),
    }
    there, head = heads.get(part, (True, ""))
    if not there:
        return f"this model has no head for {head}"
    if part == "relocar" and folds_of(options, part) is None:
        command = f"trope train {'encoder' if options.tier == 'small' else options.tier}"
        return f"the model has learnt this set; give folds of '{command} --folds' by --predictions"
    return ""


def evaluate(options: EvaluationOptions, pipeline: EvaluatedPipeline | None = None) -> Evaluation:
    """All figures of the sentences of our own and, where there are research data, of these.

    Raises:
        BadInput: where a part that was asked for cannot be measured.
    """
    every = (*PARTS, *SETS)
    options.choose(every)  # an unknown part is refused before a model is loaded
    if pipeline is None:
        pipeline = options.open_pipeline()
    needs = {"words": "metaphor", "names": "metonymy", "sentiment": "sentiment"}
    parts = options.choose_readable(every, pipeline, needs)
    figures = _own_figures([part for part in parts if part in PARTS], pipeline, options)
    for part in parts:
        if part in SETS:
            reason = why_not(part, pipeline, options)
            if reason and part in options.parts:
                raise BadInput(f"part {part} cannot be measured: {reason}")
            if reason:
                options.say(f"part {part} is skipped: {reason}")
            else:
                figures += SETS[part](pipeline, options)
    return new_evaluation("ordinary", options.tier, getattr(pipeline, "model_sha256", ""), figures)


def _own_figures(
    parts: Sequence[str], pipeline: EvaluatedPipeline, options: EvaluationOptions
) -> list[Measurement]:
    """The figures of the sentences that ship."""
    if not parts:
        return []
    path = shipped_sentences()
    data = DataRef("ordinary", "test", sha256(path))
    sentences = list(read_ordinary(path))
    analyses = pipeline.analyze_many([sentence.text for sentence in sentences])
    rows = [_Read(s, analysis) for s, analysis in zip(sentences, analyses, strict=True)]
    measured = {
        "words": evaluate_words,
        "names": evaluate_names,
        "sentiment": evaluate_sentiment,
        "agreement": evaluate_agreement,
    }
    return [figure for part in parts for figure in measured[part](rows, data, options.seed)]
