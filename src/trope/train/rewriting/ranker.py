"""`trope train rewriting`: the ranker of substitutes, from sets that people judged.

First what makes a word say the same (substitution sets), then what people took for a literal or a
metaphorical rewriting of a headline (NewsMet, train). Penalties and the share of the shortlist are
chosen by grouped cross-validation inside NewsMet's train file; nothing else of NewsMet is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np

from trope.core.errors import UnknownName
from trope.core.progress import MessageWriter
from trope.corpora.metadata import load_corpora
from trope.corpora.newsmet import read_newsmet
from trope.corpora.substitution import SubstitutionTarget
from trope.lexicon.wordnet import PARTS
from trope.metrics.ranking import area_under_curve, first_right
from trope.pipeline import Pipeline
from trope.tasks.rewriting.features import CHEAP, CONTEXT, cheap_features
from trope.tasks.rewriting.inventory import WordInventory, read_inventory
from trope.tasks.rewriting.meaning import (
    Array,
    EncoderMeanings,
    Meanings,
    PublicMeanings,
    StaticMeanings,
)
from trope.tasks.rewriting.ranker import (
    SUBSTITUTION,
    LinearScores,
    SubstituteRanker,
    columns_by_name,
    ranker_file,
    write_ranker,
)
from trope.tasks.rewriting.ranker_training import (
    FeatureScale,
    Floats,
    JudgedList,
    cross_scores,
    learn_scores,
    scale_between,
    with_substitution,
)
from trope.tasks.rewriting.task import WordPlace, places_of
from trope.tasks.rewriting.training_data import SUBSTITUTION_SETS, JudgedHeadline, judged_headlines
from trope.train.rewriting.run import COPIES, RewritingRun, SampleSizes, measure_noise
from trope.train.rewriting.shortlist import (
    SHORTLIST_PENALTY,
    RankerLessons,
    choose_mix,
    choose_nearest,
    without_own,
)

_PENALTIES = (30.0, 100.0, 300.0)
_NEIGHBOURS, _STRANGERS, _HEADLINE_STRANGERS = 20, 40, 150
"""Words besides the offered ones that a shortlist learns to reject."""

_READ_IN_PLACE = 16
"""Candidates of a substitution target that are read in place."""


def train_rewriting(
    *,
    data: Path,
    out: Path,
    vectors: str,
    base_weights: Path | None,
    without: Iterable[str],
    targets: int,
    in_place: int,
    open_headlines: int,
    noise_headlines: int,
    work: Path | None,
    threads: int | None,
    seed: int,
    say: MessageWriter,
) -> None:
    """Rankers for the vectors of the shipped encoder and its teacher, or for static ones."""
    pipeline = Pipeline(threads=threads)
    meanings: Meanings = StaticMeanings()
    teacher = None
    if vectors == "encoder":
        meanings = EncoderMeanings(pipeline.encoder)
        teacher = PublicMeanings(pipeline.vocabulary, base_weights, threads)
    run = RewritingRun(
        data=data,
        parser=pipeline,
        meanings=meanings,
        teacher=teacher,
        sizes=SampleSizes(targets, in_place, open_headlines, noise_headlines),
        without=frozenset(without),
        seed=seed,
        work=work,
        say=say,
    )
    out.mkdir(parents=True, exist_ok=True)
    _train_rankers(run, out)


def _train_rankers(run: RewritingRun, out: Path) -> list[Path]:
    """Learn rankers and write them into a folder, each named for its source of meanings.

    Where a teacher's vectors were learnt on, it gets one too, on its own scale; the student's is
    learnt with the errors that it makes in imitating them.
    """
    for name in run.without:
        if name not in SUBSTITUTION_SETS:
            raise UnknownName("training set", name, tuple(SUBSTITUTION_SETS))
    targets, places = _substitution_targets(run)
    shortlist = _substitution_shortlist(run, targets, places)
    rank = _substitution_rank(run, targets, places, shortlist)
    path = load_corpora()["newsmet"].find("train_goldplus.csv", run.data)
    headlines = judged_headlines(read_newsmet(path), run.parser)
    contexts, scale = _clean_contexts(run, headlines)
    short = _headline_shortlists(run, headlines, shortlist)

    def lessons_of(tables: Sequence[Sequence[Array]]) -> RankerLessons:
        """What is learnt from features in place: all but the last table, which is tested on."""
        *copies, tested = [
            [with_substitution(judged, rank) for judged in _judged_lists(headlines, table)]
            for table in tables
        ]
        penalty = _choose_penalty(run, copies, tested)
        return RankerLessons(run.meanings.kind, copies, short, shortlist, rank, penalty)

    tables = [contexts, contexts]
    if run.teacher is not None:
        noise, rng = measure_noise(run, scale, shortlist), np.random.default_rng(run.seed)
        tables = [noise.added(contexts, rng) for _ in range(COPIES + 1)]
    lessons = lessons_of(tables)
    nearest = choose_nearest(run, headlines, lessons)
    mix = choose_mix(run, headlines, lessons, nearest)

    def ranker_of(lessons: RankerLessons) -> SubstituteRanker:
        whole = lessons.ranker(range(len(headlines)))
        return msgspec.structs.replace(whole, mix=mix, nearest=nearest)

    files = [_written(run, ranker_of(lessons), out)]
    if run.teacher is not None:
        run.say("the same without errors, for the teacher itself")
        own = ranker_of(lessons_of([contexts, contexts]))
        files.append(_written(run, scale.ranker(own, run.teacher.kind), out))
    return files


def _written(run: RewritingRun, ranker: SubstituteRanker, out: Path) -> Path:
    file = out / ranker_file(ranker.meanings).name
    write_ranker(ranker, file)
    run.say(f"the ranker is in {file}")
    return file


def _substitution_targets(run: RewritingRun) -> tuple[list[SubstitutionTarget], list[WordPlace]]:
    """A sample of every set, with trees; words that no inventory covers are left out."""
    rng = np.random.default_rng(run.seed)
    chosen: list[SubstitutionTarget] = []
    for name, read in SUBSTITUTION_SETS.items():
        if name in run.without:
            continue
        found = read(run.data)
        rows = sorted(rng.permutation(len(found))[: run.sizes.shortlist])
        chosen += [found[row] for row in rows]
        run.say(f"{name}: {len(rows)} of {len(found)} targets")
    places = places_of(chosen, run.parser)
    kept = [(t, p) for t, p in zip(chosen, places, strict=True) if p.upos in PARTS]
    return [target for target, _ in kept], [place for _, place in kept]


def _labels(target: SubstitutionTarget) -> dict[str, float]:
    """People's judgment of each word: the share of judges, or 1 for words that they offered."""
    judged = max((s.weight for s in target.substitutes), default=1.0) <= 1.0
    return {s.text.lower(): s.weight if judged else 1.0 for s in target.substitutes}


def _substitution_shortlist(
    run: RewritingRun, targets: Sequence[SubstitutionTarget], places: Sequence[WordPlace]
) -> LinearScores:
    rng = np.random.default_rng(run.seed)
    lists = []
    for target, place in zip(targets, places, strict=True):
        inventory, labels = read_inventory(place.upos), _labels(target)
        offered = [row for word in labels if (row := inventory.rows.get(word)) is not None]
        near = np.argsort(-_cheap_features_static(place, inventory))[:_NEIGHBOURS]
        others = rng.integers(0, len(inventory), _STRANGERS)
        rows = list(dict.fromkeys([*offered, *map(int, near), *map(int, others)]))
        lists.append(_list(place, inventory.take(without_own(rows, inventory, place)), labels))
    return learn_scores(lists, CHEAP, penalty=SHORTLIST_PENALTY, here=False)


def _cheap_features_static(place: WordPlace, inventory: WordInventory) -> Floats:
    """Likeness of static vectors, for finding words that are near but wrong."""
    from trope.tasks.rewriting.inventory import lemma_vector

    return np.asarray(inventory.vectors @ lemma_vector(place.lemma, place.upos), dtype=np.float64)


def _list(place: WordPlace, words: WordInventory, labels: dict[str, float]) -> JudgedList:
    columns = columns_by_name(cheap_features(place, words), CHEAP)
    wanted = np.array([labels.get(word, 0.0) for word in words.lemmas])
    return JudgedList(words.lemmas, wanted, columns)


def _substitution_rank(
    run: RewritingRun,
    targets: Sequence[SubstitutionTarget],
    places: Sequence[WordPlace],
    shortlist: LinearScores,
) -> LinearScores:
    rng = np.random.default_rng(run.seed)
    chosen = sorted(rng.permutation(len(targets))[: run.sizes.in_place * len(SUBSTITUTION_SETS)])
    lists, asked = [], []
    for number in chosen:
        place, labels = places[number], _labels(targets[number])
        inventory = read_inventory(place.upos)
        scores = shortlist.of(columns_by_name(cheap_features(place, inventory), CHEAP))
        best = [int(row) for row in np.argsort(-scores)[:_READ_IN_PLACE]]
        offered = [row for word in labels if (row := inventory.rows.get(word)) is not None]
        if len(offered) > _READ_IN_PLACE // 2:
            offered = [int(row) for row in rng.permutation(offered)[: _READ_IN_PLACE // 2]]
        rows = without_own(list(dict.fromkeys([*offered, *best])), inventory, place)
        words = inventory.take(rows[:_READ_IN_PLACE])
        lists.append(_list(place, words, labels))
        asked.append((place, [place.fitted(word) for word in words.lemmas]))
    run.say(f"reading the candidates of {len(asked)} places")
    lists = [
        JudgedList(j.lemmas, j.labels, {**j.columns, **columns_by_name(context, CONTEXT)})
        for j, context in zip(lists, run.read(asked), strict=True)
    ]
    return learn_scores(lists, (*CHEAP, *CONTEXT), penalty=_PENALTIES[0], here=True)


def _judged_lists(
    headlines: Sequence[JudgedHeadline], contexts: Sequence[Array]
) -> Iterator[JudgedList]:
    for headline, context in zip(headlines, contexts, strict=True):
        words = WordInventory(headline.lemmas, "VERB")
        columns = columns_by_name(cheap_features(headline.place, words), CHEAP) | columns_by_name(
            context, CONTEXT
        )
        labels = np.array(headline.accepted, dtype=np.float64)
        yield JudgedList(
            headline.lemmas, labels, columns, headline.direction,
            group=headline.id, word=headline.place.lemma,
        )  # fmt: skip


def _clean_contexts(
    run: RewritingRun, headlines: Sequence[JudgedHeadline]
) -> tuple[list[Array], FeatureScale]:
    """The features in place by the teacher, where there is one, on the scale of the student's."""
    asked = [(headline.place, headline.forms) for headline in headlines]
    run.say(f"reading the candidates of {len(headlines)} headlines")
    own = run.read(asked)
    if run.teacher is None:
        return own, FeatureScale({}, {})
    run.say("reading them with the vectors of the teacher")
    of_teacher = run.read(asked, by=run.teacher)
    scale = scale_between(np.vstack(of_teacher), np.vstack(own), CONTEXT)
    return [scale.rows(rows, CONTEXT) for rows in of_teacher], scale


def _choose_penalty(
    run: RewritingRun, copies: Sequence[Sequence[JudgedList]], lists: Sequence[JudgedList]
) -> float:
    """The penalty whose cross-validated area under the curve is largest."""
    names = (*CHEAP, *CONTEXT, SUBSTITUTION)
    right = np.concatenate([judged.labels for judged in lists]) > 0
    areas: dict[float, float] = {}
    for penalty in _PENALTIES:
        scores = cross_scores(copies, lists, names, penalty=penalty, seed=run.seed)
        first = np.mean(
            [
                first_right(own.tolist(), (judged.labels > 0).tolist())
                for own, judged in zip(scores, lists, strict=True)
            ]
        )
        areas[penalty] = area_under_curve(np.concatenate(scores), right) or 0.0
        run.say(f"penalty {penalty:g}: first {first:.3f}, area {areas[penalty]:.3f} (ten folds)")
    return max(areas, key=lambda penalty: areas[penalty])


def _headline_shortlists(
    run: RewritingRun, headlines: Sequence[JudgedHeadline], same: LinearScores
) -> list[JudgedList]:
    """For every headline its judged verbs and a sample of all others."""
    rng = np.random.default_rng(run.seed)
    inventory = read_inventory("VERB")
    lists = []
    for headline in headlines:
        labels = {
            lemma: float(accepted)
            for lemma, accepted in zip(headline.lemmas, headline.accepted, strict=True)
        }
        judged = [row for word in labels if (row := inventory.rows.get(word)) is not None]
        others = rng.integers(0, len(inventory), _HEADLINE_STRANGERS)
        rows = without_own(
            list(dict.fromkeys([*judged, *map(int, others)])), inventory, headline.place
        )
        judged_list = replace(
            _list(headline.place, inventory.take(rows), labels),
            direction=headline.direction, group=headline.id, word=headline.place.lemma,
        )  # fmt: skip
        lists.append(with_substitution(judged_list, same))
    return lists
