"""The weak labeller of expressions: by name, a trained folder, or a file of scores."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from trope.catalog import DETECTORS
from trope.core.errors import BadInput, BadRecord
from trope.core.files import sha256
from trope.core.judgments import as_score
from trope.core.records import Parse
from trope.corpora.tables import read_rows
from trope.lexicon.vectors import SHIPPED
from trope.recipes.recipe import Context
from trope.recipes.records import SUBSET, Outcome, Record
from trope.recipes.steps import parse_all
from trope.recipes.tweets2019.expressions import LITERAL, METAPHOR, KnownPair, known_pairs
from trope.tasks.metaphor.logistic import Logistic
from trope.tasks.metaphor.seed_similarity import build, build_abstractness, build_neighbours
from trope.tasks.metaphor.task import Detector, Score, VerbExpression
from trope.tasks.own_systems import OwnSystems, open_system
from trope.text import read

NAMES = (
    "seed-neighbours",
    "seed-abstractness",
    "seed-contexts",
    "seed-similarity",
    "logistic",
    "encoder",
)
"""Labellers that are named; anything else is a folder or a file."""

_LOGISTIC_NEEDS = (
    "the labeller logistic learns from MOH and VUA; switch on inventory.moh and inventory.vua, or "
    "use seed-neighbours"
)
_BETTER = (
    "better with an encoder: pip install 'trope[hub]' and "
    "--set labeller.model=sentence-transformers/all-mpnet-base-v2 (438 MB)"
)
_LABELLED_SEEDS = {"seed-neighbours": build_neighbours, "seed-abstractness": build_abstractness}


@dataclass(frozen=True, slots=True)
class LabellerSettings:
    """The labeller, and seeds, word vectors and encoder of the user's own for those with seeds.

    Without a name, it is the best on data that nobody trained on of those that can be used.
    """

    name: str
    seeds: str
    vectors: str
    model: str

    def choose(self) -> tuple[str, str]:
        """The labeller to use, and why it is this one."""
        if self.name:
            return self.name, "labeller.name says so"
        if self.model:
            return "seed-contexts", "labeller.model names an encoder"
        return "seed-neighbours", "labeller.model names no encoder for seed-contexts"


@dataclass(frozen=True, slots=True)
class WeakScores:
    """A score per expression, None where there is none, and the threshold of metaphors."""

    scores: list[Score]
    threshold: float


def check_labeller(settings: Any) -> None:
    """Open what the settings name: the labeller, and seeds, vectors and encoder of the user's own.

    Raises:
        BadInput, BadModel, BadRecord, MissingData: for what cannot be used.
    """
    own: LabellerSettings = settings.labeller
    name, _ = own.choose()
    if name in _LABELLED_SEEDS:
        _LABELLED_SEEDS[name](vectors=own.vectors or SHIPPED, seeds=own.seeds or None)
    elif name == "seed-contexts":
        _open_seed_contexts(own)
    elif name == "seed-similarity":
        build(vectors=own.vectors or SHIPPED, seeds=own.seeds or None)
    elif name == "logistic":
        if not settings.inventory.moh and not settings.inventory.vua:
            raise BadInput(_LOGISTIC_NEEDS)
    elif Path(name).is_dir():
        open_system(name, "metaphor")
    elif Path(name).is_file():
        _read_scores(Path(name))
    elif name != "encoder":
        raise BadInput(_unknown(name))


def score_expressions(every: Sequence[Record], context: Context) -> WeakScores:
    """The scores of the labeller that the settings name, or of the best that they allow.

    Raises:
        BadInput: for a labeller that is neither a name, a folder nor a file.
        BadModel: for a folder of another task.
        BadRecord: for a file that does not score each expression once.
    """
    settings: LabellerSettings = context.settings.labeller
    name, why = settings.choose()
    context.facts["labeller"], context.facts["because"] = name, why
    better = "" if settings.name or settings.model else f"; {_BETTER}"
    context.tell("weak labels", f"by {name}, because {why}{better}")
    path = Path(name)
    if name in _LABELLED_SEEDS:
        return _by_labelled_seeds(every, name, settings)
    if name == "seed-contexts":
        return _by_seeds_in_sentences(every, settings, context)
    if name == "seed-similarity":
        return _by_similarity(every, settings, context)
    if name == "logistic":
        return _by_logistic(every, context)
    if name == "encoder" or path.is_dir():
        return _in_context(every, name, context)
    if path.is_file():
        context.facts["scores"] = sha256(path)
        scores = _scores_of(every, path)
        return WeakScores([scores[record.id] for record in every], 0.5)
    raise BadInput(_unknown(name))


def _unknown(name: str) -> str:
    names = ", ".join(NAMES)
    return (
        f"labeller.name: {name!r} is no labeller ({names}), folder or file of scores; "
        "fix the setting"
    )


def _read_scores(path: Path) -> dict[str, tuple[int, float]]:
    """Line and score of each id in a table with the columns id and score.

    Raises:
        BadRecord: for a row without them, a score that is none, an id that comes twice, or no rows.
    """
    found: dict[str, tuple[int, float]] = {}
    for line, row in read_rows(path):
        if not {"id", "score"} <= set(row):
            known = ", ".join(row)
            raise BadRecord(path, line, f"has no columns id and score, but {known}; rename them")
        name, given = row["id"].strip(), row["score"].strip()
        if name in found:
            raise BadRecord(path, line, f"scores {name!r} again; keep one of its rows")
        score = as_score(given)
        if score is None or not 0 <= score <= 1:
            raise BadRecord(
                path, line, f"has the score {given!r}; write a number from 0 to 1, such as 0.83"
            )
        found[name] = line, score
    if not found:
        raise BadRecord(path, None, "has no scores; give a row with id and score per expression")
    return found


def _scores_of(every: Sequence[Record], path: Path) -> dict[str, float]:
    """The score of each expression, from a file that has no others."""
    found, wanted = _read_scores(path), {record.id for record in every}
    for name, (line, _) in found.items():
        if name not in wanted:
            problem = f"scores {name!r}, which is no expression of this run"
            raise BadRecord(path, line, f"{problem}; remove the row")
    if lacking := [record.id for record in every if record.id not in found]:
        number = f"{len(lacking)} of {len(every)} expressions have no score"
        raise BadRecord(path, None, f"{number}, such as {lacking[0]!r}; score all of them")
    return {name: score for name, (_, score) in found.items()}


def _pairs(every: Sequence[Record]) -> list[VerbExpression]:
    return [VerbExpression(record.fields["verb"], record.fields["object"]) for record in every]


def _by_labelled_seeds(
    every: Sequence[Record], name: str, settings: LabellerSettings
) -> WeakScores:
    build_detector = _LABELLED_SEEDS[name]
    detector = build_detector(vectors=settings.vectors or SHIPPED, seeds=settings.seeds or None)
    pairs = _pairs(every)
    if pairs:
        detector.adapt(pairs)
    return WeakScores(detector.score_expressions(pairs), detector.threshold)


def _by_seeds_in_sentences(
    every: Sequence[Record], settings: LabellerSettings, context: Context
) -> WeakScores:
    detector = _open_seed_contexts(settings)
    context.facts["encoder"] = detector.encoder
    pairs = [
        pair if found is None else replace(pair, verb_at=found[1], words=tuple(found[0].words))
        for pair, found in zip(_pairs(every), _verbs_in_tweets(every, context), strict=True)
    ]
    if pairs:
        detector.adapt(pairs)
    return WeakScores(detector.score_expressions(pairs), detector.threshold)


def _open_seed_contexts(settings: LabellerSettings) -> Any:
    own = {"seeds": settings.seeds, "vectors": settings.vectors, "model": settings.model}
    return DETECTORS.load("seed-contexts")(**{key: path for key, path in own.items() if path})


def _by_similarity(
    every: Sequence[Record], settings: LabellerSettings, context: Context
) -> WeakScores:
    pairs, vectors, seeds = _pairs(every), settings.vectors or SHIPPED, settings.seeds or None
    tuning = _held_out(known_pairs(context))
    similar = build(vectors=vectors, seeds=seeds).without([pair.expression for pair in tuning])
    scores = similar.score_expressions(pairs)
    if tuning:
        similar.tune([pair.expression for pair in tuning], [pair.metaphor for pair in tuning])
        return WeakScores(scores, similar.threshold)
    # nothing is known about any pair: half of them count as metaphors
    return WeakScores(scores, median([score for score in scores if score is not None] or [0.0]))


def _held_out(pairs: Sequence[KnownPair]) -> list[KnownPair]:
    """VUA's validation pairs, or all where these are not listed."""
    return [pair for pair in pairs if pair.corpus == "vua-val"] or list(pairs)


def _by_logistic(every: Sequence[Record], context: Context) -> WeakScores:
    known = [pair for pair in known_pairs(context) if pair.corpus != "vua-test"]
    tuning = [pair for pair in known if pair.corpus == "vua-val"]
    train = [pair for pair in known if pair.corpus != "vua-val"]
    if not tuning or not train:
        raise BadInput(_LOGISTIC_NEEDS)
    linear = Logistic()
    linear.fit_expressions([p.expression for p in train], [p.metaphor for p in train])
    linear.tune([p.expression for p in tuning], [p.metaphor for p in tuning])
    return WeakScores(linear.score_expressions(_pairs(every)), linear.threshold)


def _in_context(every: Sequence[Record], name: str, context: Context) -> WeakScores:
    """The verb in its tweet or, by a detector of sentences, the sentence of the verb."""
    found = _verbs_in_tweets(every, context)
    chosen = [verb[0] for verb in found if verb is not None]
    detector: Detector = open_system(name, "metaphor").system
    if OwnSystems(metaphor=detector).judges_words:
        places = (verb[1] for verb in found if verb is not None)
        words = zip(detector.score_words(chosen), places, strict=True)
        scores = iter([row[at] for row, at in words])
    else:
        scores = iter(detector.score_sentences(chosen))
    return WeakScores(
        [None if verb is None else next(scores) for verb in found], detector.threshold
    )


def _verbs_in_tweets(every: Sequence[Record], context: Context) -> list[tuple[Parse, int] | None]:
    """The sentence of each expression's verb, and the verb's place in it; None if not found."""
    tweets = [read(record.text, "tweet").sentences for record in every]
    forms = [sentence.forms for sentences in tweets for sentence in sentences]
    parses = iter(list(parse_all(forms, context)))
    verbs: list[tuple[Parse, int] | None] = []
    for record, sentences in zip(every, tweets, strict=True):
        verb: tuple[Parse, int] | None = None
        for sentence in sentences:
            parse = next(parses)
            for at, word in enumerate(sentence.words):
                if (
                    verb is None
                    and record.fields["start"] <= word.start < record.fields["end"]
                    and parse.lemmas[at].lower() == record.fields["verb"]
                ):
                    verb = parse, at
        verbs.append(verb)
    return verbs


def weak_labels(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Expressions with a weak label; those that the labeller cannot score have none."""
    every = list(records)
    found = score_expressions(every, context)
    context.facts["threshold"] = round(found.threshold, 6)
    labelled = [
        record.having(weak=_label(score, found.threshold), weak_score=_rounded(score))
        for record, score in zip(every, found.scores, strict=True)
    ]
    context.facts["metaphorical"] = _shares(labelled)
    yield from labelled


def _label(score: float | None, threshold: float) -> str | None:
    if score is None:
        return None
    return METAPHOR if score >= threshold else LITERAL


def _rounded(score: float | None) -> float | None:
    return None if score is None else round(score, 4)


def _shares(labelled: Sequence[Record]) -> dict[str, float]:
    """The share of metaphors among the labelled expressions of each subset."""
    counts: dict[str, Counter[str]] = {}
    for record in labelled:
        if record.fields["weak"] is not None:
            counts.setdefault(record.fields[SUBSET], Counter())[record.fields["weak"]] += 1
    return {
        subset: round(found[METAPHOR] / found.total(), 4)
        for subset, found in sorted(counts.items())
    }
