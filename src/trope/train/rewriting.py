"""`trope train rewriting`: the ranker of substitutes, from sets that people judged.

First what makes a word say the same (substitution sets), then what people took for a literal or a
metaphorical rewriting of a headline (NewsMet, train). Penalties and the share of the shortlist are
chosen by grouped cross-validation inside NewsMet's train file; nothing else of NewsMet is read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trope.core.errors import UnknownName
from trope.corpora.catalogue import load_catalogue
from trope.corpora.newsmet import read_newsmet
from trope.corpora.substitution import SubstitutionTarget
from trope.lexicon.wordnet import PARTS
from trope.metrics.ranking import area_under_curve, first_right
from trope.tasks.rewriting.features import CHEAP, CONTEXT, cheap_features, contexts_features
from trope.tasks.rewriting.headlines import JudgedHeadline, judged_headlines
from trope.tasks.rewriting.inventory import Inventory, read_inventory
from trope.tasks.rewriting.learning import (
    JudgedList,
    Part,
    cross_scores,
    folds_of,
    learn_directions,
    learn_priors,
    learn_scores,
    own_parts,
    with_substitution,
)
from trope.tasks.rewriting.logistic import Floats
from trope.tasks.rewriting.meaning import Array, Meanings
from trope.tasks.rewriting.ranker import (
    SUBSTITUTION,
    Ranker,
    Scores,
    named,
    ranker_file,
    write_ranker,
)
from trope.tasks.rewriting.sets import SETS
from trope.tasks.rewriting.task import DIRECTIONS, Parser, Place, places_of

Say = Callable[[str], None]
PENALTIES = (30.0, 100.0, 300.0)
SHORTLIST_PENALTY = 30.0
MIXES = (0.5, 1.0, 2.0, 4.0, 8.0)
SHORTLISTED = 40
"""Words of the inventory that are read in place."""

TOP = 20
NEIGHBOURS, STRANGERS, HEADLINE_STRANGERS = 20, 40, 150
"""Words beside the offered ones that a shortlist learns to refuse."""

READ_IN_PLACE = 16
"""Candidates of a substitution target that are read in place."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is read: of each substitution set for the shortlist and in place; headlines."""

    shortlist: int = 600
    in_place: int = 450
    open_headlines: int = 568


@dataclass(frozen=True, slots=True)
class Run:
    """What the stages share.

    The small encoder has learnt NewsMet's train headlines by heart, accepted candidates with the
    opposite label: its vectors part what they should hold together, there and nowhere else. So
    weights are learnt on the vectors of its `teacher`, brought to its own mean and spread.
    """

    data: Path
    parser: Parser
    meanings: Meanings
    teacher: Meanings | None
    sizes: Sizes
    without: frozenset[str]
    seed: int
    say: Say


def train_rewriting(run: Run, out: Path) -> Path:
    """Learn the ranker and write it into a folder, named for its source of meanings."""
    for name in run.without:
        if name not in SETS:
            raise UnknownName("training set", name, tuple(SETS))
    targets, places = _substitution_targets(run)
    shortlist = {SUBSTITUTION: _substitution_shortlist(run, targets, places)}
    rank = {SUBSTITUTION: _substitution_rank(run, targets, places, shortlist[SUBSTITUTION])}
    path = load_catalogue()["newsmet"].find("train_goldplus.csv", run.data)
    headlines = judged_headlines(read_newsmet(path), run.parser)
    lists = [with_substitution(j, rank[SUBSTITUTION]) for j in _judged_lists(run, headlines)]
    penalty = _choose_penalty(run, lists)
    names = (*CHEAP, *CONTEXT, SUBSTITUTION)
    priors = learn_priors(lists)
    own = own_parts(lists)
    short = _headline_shortlists(run, headlines, shortlist[SUBSTITUTION])
    mix = _choose_mix(run, headlines, lists, short, shortlist[SUBSTITUTION], rank[SUBSTITUTION],
                      penalty)  # fmt: skip
    shortlist |= learn_directions(
        short, priors, (*CHEAP, SUBSTITUTION), own=own, penalty=SHORTLIST_PENALTY, here=False
    )
    rank |= learn_directions(lists, priors, names, own=own, penalty=penalty, here=True)
    ranker = Ranker(run.meanings.kind, shortlist, rank, priors, mix)
    file = out / ranker_file(run.meanings.kind).name
    write_ranker(ranker, file)
    run.say(f"the ranker is in {file}")
    return file


def _substitution_targets(run: Run) -> tuple[list[SubstitutionTarget], list[Place]]:
    """A sample of every set, with trees; words that no inventory covers are left out."""
    rng = np.random.default_rng(run.seed)
    chosen: list[SubstitutionTarget] = []
    for name, read in SETS.items():
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
    """What people think of each word: a share of judges, or 1 for what they offered."""
    judged = max((s.weight for s in target.substitutes), default=1.0) <= 1.0
    return {s.text.lower(): s.weight if judged else 1.0 for s in target.substitutes}


def _substitution_shortlist(
    run: Run, targets: Sequence[SubstitutionTarget], places: Sequence[Place]
) -> Scores:
    rng = np.random.default_rng(run.seed)
    lists = []
    for target, place in zip(targets, places, strict=True):
        inventory, labels = read_inventory(place.upos), _labels(target)
        offered = [row for word in labels if (row := inventory.rows.get(word)) is not None]
        near = np.argsort(-cheap_features_static(place, inventory))[:NEIGHBOURS]
        others = rng.integers(0, len(inventory), STRANGERS)
        rows = list(dict.fromkeys([*offered, *map(int, near), *map(int, others)]))
        lists.append(_list(place, inventory.take(_without_own(rows, inventory, place)), labels))
    return learn_scores(lists, CHEAP, penalty=SHORTLIST_PENALTY, here=False)


def cheap_features_static(place: Place, inventory: Inventory) -> Floats:
    """Likeness of static vectors, for finding words that are near but wrong."""
    from trope.tasks.rewriting.inventory import lemma_vector

    return np.asarray(inventory.vectors @ lemma_vector(place.lemma, place.upos), dtype=np.float64)


def _without_own(rows: Sequence[int], inventory: Inventory, place: Place) -> list[int]:
    return [row for row in rows if inventory.lemmas[row] != place.lemma]


def _list(place: Place, words: Inventory, labels: dict[str, float]) -> JudgedList:
    columns = named(cheap_features(place, words), CHEAP)
    wanted = np.array([labels.get(word, 0.0) for word in words.lemmas])
    return JudgedList(words.lemmas, wanted, columns)


def _substitution_rank(
    run: Run,
    targets: Sequence[SubstitutionTarget],
    places: Sequence[Place],
    shortlist: Scores,
) -> Scores:
    rng = np.random.default_rng(run.seed)
    chosen = sorted(rng.permutation(len(targets))[: run.sizes.in_place * len(SETS)])
    lists, asked = [], []
    for number in chosen:
        place, labels = places[number], _labels(targets[number])
        inventory = read_inventory(place.upos)
        scores = shortlist.of(named(cheap_features(place, inventory), CHEAP))
        best = [int(row) for row in np.argsort(-scores)[:READ_IN_PLACE]]
        offered = [row for word in labels if (row := inventory.rows.get(word)) is not None]
        if len(offered) > READ_IN_PLACE // 2:
            offered = [int(row) for row in rng.permutation(offered)[: READ_IN_PLACE // 2]]
        rows = _without_own(list(dict.fromkeys([*offered, *best])), inventory, place)
        words = inventory.take(rows[:READ_IN_PLACE])
        lists.append(_list(place, words, labels))
        asked.append((place, [place.fitted(word) for word in words.lemmas]))
    run.say(f"reading the candidates of {len(asked)} places")
    lists = [
        JudgedList(j.lemmas, j.labels, {**j.columns, **named(context, CONTEXT)})
        for j, context in zip(lists, contexts_features(asked, run.meanings), strict=True)
    ]
    return learn_scores(lists, (*CHEAP, *CONTEXT), penalty=PENALTIES[0], here=True)


def _judged_lists(run: Run, headlines: Sequence[JudgedHeadline]) -> list[JudgedList]:
    run.say(f"reading the candidates of {len(headlines)} headlines")
    asked = [(headline.place, headline.forms) for headline in headlines]
    lists = []
    for headline, context in zip(headlines, _clean_contexts(run, asked), strict=True):
        words = Inventory(headline.lemmas, "VERB")
        columns = named(cheap_features(headline.place, words), CHEAP) | named(context, CONTEXT)
        labels = np.array(headline.accepted, dtype=np.float64)
        lists.append(
            JudgedList(headline.lemmas, labels, columns, headline.direction, group=headline.id)
        )
    return lists


def _clean_contexts(run: Run, asked: Sequence[tuple[Place, Sequence[str]]]) -> list[Array]:
    """The features in place by the teacher, where there is one, on the scale of the student's."""
    own = contexts_features(asked, run.meanings)
    if run.teacher is None:
        return own
    taught = contexts_features(asked, run.teacher)
    before, after = np.vstack(taught), np.vstack(own)
    spread = np.where(before.std(axis=0) > 0, before.std(axis=0), 1)
    factor = after.std(axis=0) / spread
    return [(rows - before.mean(axis=0)) * factor + after.mean(axis=0) for rows in taught]


def _choose_penalty(run: Run, lists: Sequence[JudgedList]) -> float:
    """The penalty whose cross-validated area under the curve is largest."""
    names = (*CHEAP, *CONTEXT, SUBSTITUTION)
    right = np.concatenate([judged.labels for judged in lists]) > 0
    areas: dict[float, float] = {}
    for penalty in PENALTIES:
        scores = cross_scores(lists, names, penalty=penalty, seed=run.seed)
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
    run: Run, headlines: Sequence[JudgedHeadline], same: Scores
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
        others = rng.integers(0, len(inventory), HEADLINE_STRANGERS)
        rows = _without_own(
            list(dict.fromkeys([*judged, *map(int, others)])), inventory, headline.place
        )
        judged_list = _list(headline.place, inventory.take(rows), labels)
        lists.append(
            with_substitution(
                JudgedList(
                    judged_list.lemmas, judged_list.labels, judged_list.columns,
                    headline.direction, group=headline.id,
                ),
                same,
            )
        )  # fmt: skip
    return lists


def _choose_mix(
    run: Run,
    headlines: Sequence[JudgedHeadline],
    lists: Sequence[JudgedList],
    short: Sequence[JudgedList],
    same_short: Scores,
    same_rank: Scores,
    penalty: float,
) -> dict[str, float]:
    """The share of the shortlist with which an accepted verb is most often among the first 20."""
    folds = folds_of([headline.id for headline in headlines], 5, run.seed)
    hits: dict[str, dict[float, list[bool]]] = {d: {m: [] for m in MIXES} for d in DIRECTIONS}
    for fold in range(5):
        training = [at for at, own in enumerate(folds) if own != fold]
        held_out = [at for at, own in enumerate(folds) if own == fold]
        held_out = held_out[: max(1, run.sizes.open_headlines // 5)]
        partial = _partial_ranker(
            run, [lists[at] for at in training], [short[at] for at in training],
            same_short, same_rank, penalty,
        )  # fmt: skip
        for at, found in zip(
            held_out, _open_scores(run, partial, headlines, held_out), strict=True
        ):
            headline = headlines[at]
            wanted = {w for w, a in zip(headline.lemmas, headline.accepted, strict=True) if a}
            for mix in MIXES:
                order = np.argsort(-(found.rank + mix * found.shortlist))[:TOP]
                hit = any(found.lemmas[row] in wanted for row in order)
                hits[headline.direction][mix].append(hit)
    chosen: dict[str, float] = {SUBSTITUTION: 1.0}
    for direction, by_mix in hits.items():
        shares = {mix: float(np.mean(found)) for mix, found in by_mix.items() if found}
        chosen[direction] = max(shares, key=lambda mix: shares[mix], default=1.0)
        told = ", ".join(f"{mix:g}: {share:.3f}" for mix, share in shares.items())
        run.say(f"{direction}, accepted among the first {TOP} by share of the shortlist: {told}")
    return chosen


@dataclass(frozen=True, slots=True)
class _Open:
    """The words that a shortlist left, with both scores."""

    lemmas: tuple[str, ...]
    shortlist: Floats
    rank: Floats


def _partial_ranker(
    run: Run,
    lists: Sequence[JudgedList],
    short: Sequence[JudgedList],
    same_short: Scores,
    same_rank: Scores,
    penalty: float,
) -> Ranker:
    priors = learn_priors(lists)
    own: list[Part] = own_parts(lists)
    shortlist = learn_directions(
        short, priors, (*CHEAP, SUBSTITUTION), own=own, penalty=SHORTLIST_PENALTY, here=False
    )
    names = (*CHEAP, *CONTEXT, SUBSTITUTION)
    rank = learn_directions(lists, priors, names, own=own, penalty=penalty, here=True)
    return Ranker(
        run.meanings.kind,
        {SUBSTITUTION: same_short, **shortlist},
        {SUBSTITUTION: same_rank, **rank},
        priors,
        {},
    )


def _open_scores(
    run: Run, ranker: Ranker, headlines: Sequence[JudgedHeadline], chosen: Sequence[int]
) -> list[_Open]:
    inventory = read_inventory("VERB")
    lists, shortlists = [], []
    for at in chosen:
        place = headlines[at].place
        scores = ranker.shortlist_scores(place, inventory, headlines[at].direction)
        rows = _without_own([int(r) for r in np.argsort(-scores)[: SHORTLISTED + 1]], inventory,
                            place)[:SHORTLISTED]  # fmt: skip
        lists.append((place, inventory.take(rows)))
        shortlists.append(scores[rows])
    found: list[_Open] = []
    for (place, words), scores, at in zip(lists, shortlists, chosen, strict=True):
        rank = ranker.rank_scores([(place, words)], headlines[at].direction, run.meanings)[0]
        found.append(_Open(words.lemmas, scores, rank))
    return found
