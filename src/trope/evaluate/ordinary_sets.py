"""Ordinary English on public corpora: novelty of metaphors, noticed words, valence, names."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np

from trope.core.errors import MissingData
from trope.core.files import sha256
from trope.core.records import Analysis, EntityClass
from trope.corpora.emobank import read_emobank
from trope.corpora.tagged_tokens import TaggedSentence, read_tagged_tokens, read_uner
from trope.corpora.vua import read_vua_words
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.metrics.classification import Counts, binary_figures, count_sets
from trope.metrics.figures import DataRef, Measurement, Share, share_figures
from trope.metrics.intervals import RESAMPLES
from trope.metrics.ranking import area_under_curve
from trope.metrics.scale import correlation_figures
from trope.tasks.figures.views import is_content
from trope.train.encoder.corpus import UNKNOWN, ZERO
from trope.train.encoder.figure_sets import FigureSentence, novelty_sentences

NOVELTY, NOTICED, EMOBANK = "novelty.vua.test", "metaphor.meta4xnli.dev", "sentiment.emobank.dev"
NAMES = "names.uner.test"
_TOP = 0.9
"""The most novel tenth lies above this quantile."""
_CLASSES: dict[str, EntityClass] = {"LOC": "location", "ORG": "organisation", "PER": "person"}


def evaluate_novelty(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """How well the novelty of metaphors is told in the test texts of the shared task, by genre."""
    path = set_file(options.data / "novelty" / "vuamc_novelty.csv")
    data = DataRef("novelty", "test texts of naacl2018", sha256(path))
    sentences = novelty_sentences(options.data, "test")
    parses = pipeline.parse([sentence.words for sentence in sentences])
    genres = _genres(options.data / "vua18")
    known = _mean_novelty(novelty_sentences(options.data, "train"))
    rows = [
        _ScoredWord(
            gold / 1000, parse.novelty[at], known(s.words[at]), s.group, genres.get(s.group, "")
        )
        for s, parse in zip(sentences, parses, strict=True)
        for at, gold in _scored(s)
    ]
    figures = _novelty_figures(NOVELTY, rows, data, options.seed)
    for genre in sorted({row.genre for row in rows} - {""}):
        part = [row for row in rows if row.genre == genre]
        figures += _novelty_figures(f"{NOVELTY}.genre.{genre}", part, data, options.seed)
    note = "the mean novelty of the word in the training texts"
    return figures + _novelty_figures(
        f"{NOVELTY}.word_alone", rows, data, options.seed, note, lambda row: row.alone
    )


@dataclass(frozen=True, slots=True)
class _ScoredWord:
    gold: float
    given: float
    alone: float
    text: str
    genre: str


def _scored(sentence: FigureSentence) -> list[tuple[int, int]]:
    """The places of metaphors with their novelty in thousandths."""
    return [(at, value - ZERO) for at, value in enumerate(sentence.novelty) if value != UNKNOWN]


def _mean_novelty(sentences: Sequence[FigureSentence]) -> Callable[[str], float]:
    """What a word is scored on average, or all words if it is not known."""
    scores: defaultdict[str, list[float]] = defaultdict(list)
    for sentence in sentences:
        for at, value in _scored(sentence):
            scores[sentence.words[at].lower()].append(value / 1000)
    overall = fmean([score for own in scores.values() for score in own]) if scores else 0.5
    return lambda word: fmean(scores[word.lower()]) if word.lower() in scores else overall


def _genres(folder: Path) -> dict[str, str]:
    """The genre of each text."""
    return {
        sentence.id.rsplit("_", 1)[0]: sentence.genre
        for path in sorted(folder.glob("VUA_seq_formatted_*.csv"))
        for sentence in read_vua_words(path)
    }


def _novelty_figures(
    prefix: str,
    rows: Sequence[_ScoredWord],
    data: DataRef,
    seed: int,
    note: str = "",
    answer: Callable[[_ScoredWord], float] = lambda row: row.given,
) -> list[Measurement]:
    gold, given = [row.gold for row in rows], [answer(row) for row in rows]
    figures = correlation_figures(
        prefix, gold, given, groups=[row.text for row in rows], data=data, seed=seed, note=note
    )
    top = [score > np.quantile(gold, _TOP) for score in gold]
    drawn = np.random.default_rng(seed).integers(0, len(rows), (RESAMPLES, len(rows)))
    areas = [area_under_curve(given, top, np.bincount(draw, minlength=len(rows))) for draw in drawn]
    known = [area for area in areas if area is not None]
    value = area_under_curve(given, top)
    low, high = np.quantile(known, [0.025, 0.975]).tolist() if known else (None, None)
    why = note or "the most novel tenth against the rest"
    return [*figures, Measurement(f"{prefix}.auc", value, low, high, len(rows), data, note=why)]


def evaluate_noticed(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """Words that readers notice: what is shown by default, and by the other views."""
    folder = options.data / "meta4xnli"
    path = set_file(folder / "dev.tsv.gz")
    sentences = list(read_tagged_tokens(path))
    data = DataRef("meta4xnli", "dev", sha256(path))
    texts = [" ".join(sentence.tokens) for sentence in sentences]
    analyses = list(pipeline.analyze_many(texts, tasks=("syntax", "metaphor")))
    gold = [tag != "O" for sentence in sentences for tag in sentence.tags]
    groups = [sentence.id for sentence in sentences for _ in sentence.tags]
    votes: Counter[str] = Counter()
    for sentence in read_tagged_tokens(set_file(folder / "train.tsv.gz")):
        for word, tag in zip(sentence.tokens, sentence.tags, strict=True):
            votes[word.lower()] += -1 if tag == "O" else 1
    views: dict[str, tuple[Callable[[Analysis], set[int]], str]] = {
        "noticed": (lambda a: {*a.metaphor_places}, "shown as metaphors (--words noticed)"),
        "noticed_or_idiom": (_with_idioms, "the same with the content words of idioms"),
        "content": (_marked_content, "content words that MIPVU marks (--words content)"),
        "all": (_marked, "all words that MIPVU marks (--words all)"),
    }
    figures: list[Measurement] = []
    for name, (places, note) in views.items():
        called = [
            called
            for sentence, analysis in zip(sentences, analyses, strict=True)
            for called in _called(sentence, analysis, places(analysis))
        ]
        scores = ("f1", "precision", "recall") if name == "noticed" else ("f1",)
        figures += binary_figures(
            f"{NOTICED}.{name}", gold, called, groups=groups, data=data, seed=options.seed,
            scores=scores, chosen_on="meta4xnli train, a tenth", note=note,
        )  # fmt: skip
    alone = [votes[word.lower()] > 0 for sentence in sentences for word in sentence.tokens]
    note = "what the word mostly is in train"
    return figures + binary_figures(
        f"{NOTICED}.word_alone", gold, alone, groups=groups, data=data, seed=options.seed,
        scores=("f1",), note=note,
    )  # fmt: skip


def _with_idioms(analysis: Analysis) -> set[int]:
    idioms = {at for f in analysis.figures if f.kind == "idiom" for at in f.tokens}
    return {*analysis.metaphor_places, *(at for at in idioms if is_content(analysis.tokens[at]))}


def _marked(analysis: Analysis) -> set[int]:
    return {at for at in range(len(analysis.tokens)) if analysis.is_metaphor(at)}


def _marked_content(analysis: Analysis) -> set[int]:
    return {at for at in _marked(analysis) if is_content(analysis.tokens[at])}


def _called(sentence: TaggedSentence, analysis: Analysis, places: set[int]) -> list[bool]:
    """Whether a shown token lies in each of the words, which a blank separates."""
    shown = sorted((analysis.tokens[at].start, analysis.tokens[at].end) for at in places)
    called, start = [], 0
    for token in sentence.tokens:
        end = start + len(token)
        called.append(any(first < end and last > start for first, last in shown))
        start = end + 1
    return called


def evaluate_valence(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """The sentiment of prose against people's ratings, by genre, beside always 0."""
    path = set_file(options.data / "emobank" / "emobank-train-dev.csv.gz")
    data = DataRef("emobank", "dev", sha256(path))
    rows = [row for row in read_emobank(path) if row.split == "dev"]
    given = [
        analysis.sentiment.score if analysis.sentiment else 0.0
        for analysis in pipeline.analyze_many([row.text for row in rows], tasks=("sentiment",))
    ]
    gold = [row.sentiment for row in rows]

    def figures(prefix: str, chosen: Sequence[int], scores: Sequence[str]) -> list[Measurement]:
        return correlation_figures(
            prefix, [gold[at] for at in chosen], [given[at] for at in chosen], data=data,
            seed=options.seed, scores=scores, note="valence from -5 to 5",
        )  # fmt: skip

    found = figures(EMOBANK, range(len(rows)), ("pearson", "mae"))
    for genre in sorted({row.genre for row in rows} - {""}):
        own = [at for at, row in enumerate(rows) if row.genre == genre]
        found += figures(f"{EMOBANK}.genre.{genre}", own, ("pearson", "mae"))
    return found + correlation_figures(
        f"{EMOBANK}.constant", gold, [0.0] * len(gold), data=data, seed=options.seed,
        scores=("mae",), note="always 0",
    )  # fmt: skip


def evaluate_uner(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """F of the names of places, organisations and people with exact spans, from raw sentences."""
    path = set_file(options.data / "names" / "uner-ewt-test.iob2.gz")
    data = DataRef("uner-ewt", "test", sha256(path))
    sentences = list(read_uner(path))
    analyses = pipeline.analyze_many(
        [sentence.text for sentence in sentences], tasks=("syntax", "metonymy")
    )
    rows = list(zip(sentences, analyses, strict=True))
    figures: list[Measurement] = []
    for tag, name_class in _CLASSES.items():
        counts = [_count_names(s, a, tag, name_class) for s, a in rows]
        figures += share_figures(
            f"{NAMES}.{tag.lower()}", counts, _SPAN_SHARES, data=data, seed=options.seed,
            note="exact spans",
        )  # fmt: skip
    return figures


_SPAN_SHARES: Mapping[str, Callable[[Counts], Share]] = {
    "f": lambda c: Share(2 * c.right, c.predicted + c.gold, n=c.gold),
    "precision": lambda c: Share(c.right, c.predicted, n=c.predicted),
    "recall": lambda c: Share(c.right, c.gold, n=c.gold),
}


def _count_names(
    sentence: TaggedSentence, analysis: Analysis, tag: str, name_class: EntityClass
) -> Counts:
    places = []
    at = 0
    for token in sentence.tokens:
        start = sentence.text.index(token, at)
        at = start + len(token)
        places.append((start, at))
    gold = [
        (places[span.start][0], places[span.end - 1][1])
        for span in sentence.spans
        if span.type == tag
    ]
    found = [(n.start, n.end) for n in analysis.names if n.name_class == name_class]
    return count_sets(gold, found)


def set_file(path: Path) -> Path:
    """A file of the research data, if it is there."""
    if not path.is_file():
        raise MissingData(path, f"give the folder that holds {path.parent.name}/ with --from")
    return path
