"""Idioms and similes, and sets that the shipped models have learnt, judged fold by fold.

The models learn ReLocaR and the idioms of MAGPIE and EPIE, so figures on these need the predictions
of networks that did not: `trope train encoder --folds`, given with `--predictions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from trope.core.files import sha256
from trope.core.records import Parse
from trope.corpora.figures import read_msd23
from trope.corpora.idioms import IdiomSentence, read_epie, read_magpie
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.evaluate.ordinary_sets import set_file
from trope.lexicon.readings import LITERAL
from trope.metrics.classification import Counts, count_sets
from trope.metrics.figures import DataRef, Measurement, Share, share_figures
from trope.tasks.figures.idioms import find_idioms
from trope.tasks.figures.similes import find_similes
from trope.train.encoder.figure_sets import leaked_rows
from trope.train.encoder.folds import FoldPredictions, predictions_file, read_fold_predictions
from trope.train.encoder.name_sets import coarse_samples

RELOCAR, SIMILES = "metonymy.relocar", "simile.msd23.rules"
_CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM"})
_IDIOM_SETS: dict[str, tuple[str, Callable[[Path], Iterable[IdiomSentence]]]] = {
    "magpie": ("magpie-typebased-dev", read_magpie),
    "epie": ("epie-formal", read_epie),
}


def evaluate_idioms(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """F of the words of idioms, and literal uses that are kept literal.

    `lexicon` is what the lexicon shows without a head, `head` the words that the head marks
    without the lexicon.
    """
    folds = folds_of(options, "idiom-sentences")
    scores = {} if folds is None else {row.id: row for row in folds.rows}
    figures: list[Measurement] = []
    for name, (file, read) in _IDIOM_SETS.items():
        folder = options.data / "idiom-sentences"
        path = set_file(folder / f"{file}.tsv.gz")
        data = DataRef(name, file, sha256(path))
        leaked = leaked_rows(folder, file)
        rows = [s for s in read(path) if s.id not in leaked and s.idiomatic is not None]
        parses = pipeline.parse([row.words for row in rows])
        prefix = f"idiom.{name}"
        shown = [_shown(parse) for parse in parses]
        note = "found by the lexicon and its share of literal uses, without a head"
        figures += _idiom_figures(f"{prefix}.lexicon", rows, parses, shown, data, options, note)
        if folds is None:
            continue
        answered = [
            (row, parse) for row, parse in zip(rows, parses, strict=True) if row.id in scores
        ]
        judged = [
            (scores[row.id].scores, folds.thresholds[scores[row.id].fold]) for row, _ in answered
        ]
        own, trees = [row for row, _ in answered], [parse for _, parse in answered]
        both = [_shown(tree, *score) for tree, score in zip(trees, judged, strict=True)]
        alone = [{at for at, p in enumerate(words) if p >= limit} for words, limit in judged]
        note = f"five folds by idiom, networks of tier {folds.tier} for figures alone"
        figures += _idiom_figures(prefix, own, trees, both, data, options, note)
        figures += _idiom_figures(f"{prefix}.head", own, trees, alone, data, options, note)
    return figures


def _shown(parse: Parse, scores: Sequence[float] = (), threshold: float = 0.5) -> set[int]:
    found = find_idioms(parse, scores, threshold=threshold)
    return {at for idiom in found for at in idiom.tokens}


def _idiom_figures(
    prefix: str,
    rows: Sequence[IdiomSentence],
    parses: Sequence[Parse],
    shown: Sequence[set[int]],
    data: DataRef,
    options: EvaluationOptions,
    note: str,
) -> list[Measurement]:
    counts = [
        (
            count_sets([*(_inside(row) if row.idiomatic else ())], [*marked]),
            _kept(row, parse, marked),
        )
        for row, parse, marked in zip(rows, parses, shown, strict=True)
    ]
    shares: Mapping[str, Callable[[tuple[Counts, Share]], Share]] = {
        "f": lambda c: Share(2 * c[0].right, c[0].predicted + c[0].gold, n=c[0].gold),
        "literal_kept": lambda c: c[1],
    }
    return share_figures(prefix, counts, shares, data=data, seed=options.seed, note=note)


def _inside(row: IdiomSentence) -> set[int]:
    return {at for start, end in row.spans for at in range(start, end)}


def _kept(row: IdiomSentence, parse: Parse, shown: set[int]) -> Share:
    """Whether a literal use is kept literal: less than half of its content words are shown."""
    if row.idiomatic:
        return Share(0, 0, 0)
    inside = _inside(row)
    content = {at for at in inside if parse.upos[at] in _CONTENT} or inside
    hits = len(content & shown)
    covered = 2 * hits >= len(content) and hits >= min(2, len(content))
    return Share(int(not covered), 1, 1)


def evaluate_relocar(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """Accuracy of literal or not on ReLocaR's training data, by networks that did not learn it."""
    folds = folds_of(options, "relocar")
    assert folds is not None  # checked before
    path = set_file(options.data / "metonymy" / "ReLocaR_Train.xml")
    data = DataRef("relocar", "train, five folds by name", sha256(path))
    given = {row.id: row.scores[0] >= folds.thresholds[row.fold] for row in folds.rows}
    samples = [s for s in coarse_samples(options.data, "relocar") if s.id in given]
    right = [given[s.id] == (s.label("coarse") == LITERAL) for s in samples]
    literal = [s.label("coarse") == LITERAL for s in samples]
    most = 2 * sum(literal) >= len(literal)
    note = f"networks of tier {folds.tier} for the readings of names alone"
    shares: dict[str, Callable[[tuple[bool, bool]], Share]] = {
        "cv_accuracy": lambda row: Share(int(row[0]), 1, 1),
        "constant.cv_accuracy": lambda row: Share(int(row[1] == most), 1, 1),
    }
    rows = list(zip(right, literal, strict=True))
    return share_figures(RELOCAR, rows, shares, data=data, seed=options.seed, note=note)


def evaluate_similes(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """Sentences in which the rules find a simile without a head.

    Only those with odd numbers count: the rules were made on the others.
    """
    rows: list[tuple[bool, bool]] = []
    checksums = []
    for part in ("similes", "literals"):
        path = set_file(options.data / "figures" / f"msd23-{part}.jsonl.gz")
        checksums.append(sha256(path))
        odd = [s for s in read_msd23(path) if int(s.id.split("-")[-1]) % 2]
        parses = pipeline.parse([s.text.split() for s in odd])
        found = [bool(find_similes(parse)) for parse in parses]
        rows += [(s.simile, called) for s, called in zip(odd, found, strict=True)]
    data = DataRef("msd23", "odd numbers", ",".join(checksums))
    shares: Mapping[str, Callable[[tuple[bool, bool]], Share]] = {
        "precision": lambda row: Share(int(row[0] and row[1]), int(row[1]), int(row[1])),
        "recall": lambda row: Share(int(row[0] and row[1]), int(row[0]), int(row[0])),
    }
    note = "by the tree, without a head"
    return share_figures(SIMILES, rows, shares, data=data, seed=options.seed, note=note)


def folds_of(options: EvaluationOptions, name: str) -> FoldPredictions | None:
    """The predictions of a set's folds, None where none were given."""
    folder = options.predictions
    if folder is None or not predictions_file(folder, name).is_file():
        return None
    return read_fold_predictions(folder, name, options.tier)
