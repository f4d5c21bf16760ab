"""`trope evaluate domains`: what metaphors are drawn from, on the marked words of LCC.

The free system ships; the learnt one is measured where `trope-domains` is installed. Beside them
stand the most frequent answer of train, and the most frequent one of spans with the same stems.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, compress
from pathlib import Path

import numpy as np

from trope.core.errors import MissingData
from trope.core.files import sha256
from trope.core.records import Analysis
from trope.corpora.conceptual_metaphors import ConceptText, read_concept_texts
from trope.corpora.leaks import read_leaks
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation
from trope.metrics.intervals import Floats, Interval, bootstrap_sums
from trope.tasks.figures.views import (
    DomainSpan,
    DomainSystem,
    FreeDomains,
    SourceDomain,
    domain_span,
    open_domains,
)

PREFIX = "domains.lcc.dev"
CORPUS = "lcc-domains"
PARTS = ("learnt", "free", "lookup", "majority")
LEVELS = ("group", "name")
_MISSING = "the package trope-domains, which has the learnt system, is not installed"
MEASURES = ("accuracy", "macro_f1")
_MARKS = "\"'.,;:!?()"
NOTHING = Interval(None, None, None)


@dataclass(frozen=True, slots=True)
class ConceptSpan:
    """The metaphorical words of a text with their concept."""

    text: ConceptText
    place: tuple[int, int]

    @property
    def gold(self) -> SourceDomain:
        """The group and the concept."""
        return SourceDomain(self.text.group, self.text.name)

    @property
    def stems(self) -> str:
        """The stems of the words, in their order."""
        words = self.text.words[slice(*self.place)]
        return " ".join(porter_stem(word.strip(_MARKS)) for word in words)


def evaluate(options: EvaluationOptions) -> Evaluation:
    """Accuracy and macro-F1 of groups and of names, on all spans and on those with new stems."""
    parts = options.choose(PARTS)
    path = options.data / CORPUS / "source_dev.csv.gz"
    dev, train = _marked(path, guessed=False), _training(options.data / CORPUS)
    data = DataRef(CORPUS, "dev, spans that are known", sha256(path))
    seen = {span.stems for span in train}
    new = [span.stems not in seen for span in dev]
    pipeline = options.open_pipeline()
    systems: dict[str, DomainSystem] = {"free": FreeDomains()}
    learnt = open_domains(pipeline.encoder, options.detector)
    if not isinstance(learnt, FreeDomains):
        systems["learnt"] = learnt
    spans = _spans(dev, pipeline) if systems.keys() & {*parts} else []
    figures: list[Measurement] = []
    for part in parts:
        levels = LEVELS[:1] if part == "free" else LEVELS
        prefix = PREFIX if part == "learnt" else f"{PREFIX}.{part}"
        if part == "learnt" and part not in systems:
            figures += _undefined(data)
            continue
        answers = systems[part].label(spans) if part in systems else _controls(part, train, dev)
        for level in levels:
            pairs = [
                (span.gold[LEVELS.index(level)], answer[LEVELS.index(level)])
                for span, answer in zip(dev, answers, strict=True)
            ]
            unseen = compress(pairs, new)
            figures += _figures(f"{prefix}.{level}", pairs, data, options.seed)
            figures += _figures(f"{prefix}.unseen.{level}", unseen, data, options.seed)
    return new_evaluation("domains", options.tier, learnt.sha256, figures)


def _undefined(data: DataRef) -> list[Measurement]:
    return [
        Measurement(f"{PREFIX}.{level}.{measure}", None, None, None, 0, data, note=_MISSING)
        for level in LEVELS
        for measure in MEASURES
    ]


def _marked(path: Path, *, guessed: bool) -> list[ConceptSpan]:
    if not path.is_file():
        raise MissingData(path, f"put {CORPUS} there; trope data info {CORPUS} says how")
    places = ((text, text.span or (text.guess if guessed else None)) for text in _read(path))
    return [ConceptSpan(text, place) for text, place in places if place is not None]


def _read(path: Path) -> list[ConceptText]:
    return list(read_concept_texts(path))


def _training(folder: Path) -> list[ConceptSpan]:
    """The spans of train, known or guessed, without the rows that also occur in dev or a test."""
    spans = _marked(folder / "source_train.csv.gz", guessed=True)
    leaks = {row.id for row in read_leaks(folder / "leaks.tsv") if row.file == "source_train"}
    return [span for span in spans if span.text.id not in leaks]


def _spans(marked: Sequence[ConceptSpan], pipeline: EvaluatedPipeline) -> list[DomainSpan]:
    """The tokens of marked words."""
    texts = (" ".join(span.text.words) for span in marked)
    analyses = pipeline.analyze_many(texts, tasks=("syntax", "metaphor"))
    return [_tokens(span, analysis) for span, analysis in zip(marked, analyses, strict=True)]


def _tokens(span: ConceptSpan, analysis: Analysis) -> DomainSpan:
    starts = list(accumulate((len(word) + 1 for word in span.text.words), initial=0))
    start, end = starts[span.place[0]], starts[span.place[1]] - 1
    tokens = enumerate(analysis.tokens)
    places = tuple(at for at, token in tokens if token.start < end and start < token.end)
    return domain_span(analysis, places)


def _controls(
    part: str, train: Sequence[ConceptSpan], dev: Sequence[ConceptSpan]
) -> list[SourceDomain]:
    """The most frequent answer of train: of all spans, or of those with the same stems."""
    if part == "majority":
        return [_most_frequent([span.gold for span in train])] * len(dev)
    known: defaultdict[str, list[SourceDomain]] = defaultdict(list)
    for span in train:
        known[span.stems].append(span.gold)
    return [_most_frequent(known.get(span.stems, [])) for span in dev]


def _most_frequent(answers: Sequence[SourceDomain]) -> SourceDomain:
    """The most frequent group and the most frequent name; empty ones where there is no answer."""
    if not answers:
        return SourceDomain("")
    group, name = (Counter(column).most_common(1)[0][0] for column in zip(*answers, strict=True))
    return SourceDomain(group, name)


def _figures(
    prefix: str, pairs: Iterable[tuple[str, str]], data: DataRef, seed: int
) -> Iterator[Measurement]:
    """Accuracy and macro-F1 over the classes that occur, in gold or among the answers."""
    pairs = list(pairs)
    classes = sorted({one for pair in pairs for one in pair if one})
    counts = np.zeros((len(pairs), 3 * len(classes)))
    for row, (gold, answer) in enumerate(pairs):
        counts[row, classes.index(gold)] = gold == answer
        counts[row, len(classes) + classes.index(gold)] += 1
        if answer:
            counts[row, 2 * len(classes) + classes.index(answer)] += 1

    def measures(sums: Floats) -> Floats:
        right, gold, given = np.split(sums, 3, axis=1)
        both = gold + given
        with np.errstate(divide="ignore", invalid="ignore"):
            of_class = np.where(both > 0, 2 * right / both, np.nan)
            return np.column_stack(
                [right.sum(axis=1) / gold.sum(axis=1), np.nanmean(of_class, axis=1)]
            )

    found = bootstrap_sums(counts, measures, seed=seed) if pairs else [NOTHING] * len(MEASURES)
    for measure, interval in zip(MEASURES, found, strict=True):
        note = "undefined: no such spans" if interval.value is None else ""
        bounds = interval.value, interval.low, interval.high
        yield Measurement(f"{prefix}.{measure}", *bounds, len(pairs), data, note=note)


_STEPS = tuple(
    dict(pair.split(">") for pair in step.split())
    for step in (
        "ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e "
        "ousli>ous ization>ize ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous "
        "aliti>al iviti>ive biliti>ble logi>log",
        "icate>ic ative> alize>al iciti>ic ical>ic ful> ness>",
    )
)
_ENDINGS = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize"
_DROPPED = tuple(_ENDINGS.split(" "))


def porter_stem(word: str) -> str:
    """The stem of a word by Porter's rules of 1980."""
    word = word.lower()
    if len(word) < 3:
        return word
    word = _without_inflection(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = f"{word[:-1]}i"
    for step in _STEPS:
        if ending := _longest(word, step):
            before = word.removesuffix(ending)
            word = before + step[ending] if _measure(before) else word
    if ending := _longest(word, _DROPPED):
        before = word.removesuffix(ending)
        if _measure(before) > 1 and (ending != "ion" or before[-1:] in "st"):
            word = before
    if word.endswith("e"):
        before = word[:-1]
        if _measure(before) > 1 or (_measure(before) == 1 and not _is_closed(before)):
            word = before
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _without_inflection(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    for ending in ("ed", "ing"):
        before = word.removesuffix(ending)
        if before != word and "v" in _shape(before):
            if before.endswith(("at", "bl", "iz")):
                return f"{before}e"
            if before[-1:] == before[-2:-1] and before[-1] not in "aeioulsz":
                return before[:-1]
            return f"{before}e" if _measure(before) == 1 and _is_closed(before) else before
    return word


def _shape(word: str) -> str:
    """`c` for each consonant and `v` for each vowel; y is a vowel after a consonant."""
    found = ""
    for letter in word:
        vowel = letter in "aeiou" or (letter == "y" and found.endswith("c"))
        found += "v" if vowel else "c"
    return found


def _measure(word: str) -> int:
    """How many times consonants follow vowels."""
    return _shape(word).count("vc")


def _is_closed(word: str) -> bool:
    """Whether a word ends in consonant, vowel and a consonant other than w, x and y."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _longest(word: str, endings: Iterable[str]) -> str:
    return max((ending for ending in endings if word.endswith(ending)), key=len, default="")
