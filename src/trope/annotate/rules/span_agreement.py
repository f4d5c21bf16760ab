"""The agreement on highlighted words: per word, by overlap, and on whether there are any.

An answer is the list of spans that someone marked, `[[4, 9]]`; the empty list, "none", is an answer
like any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from trope.annotate.rules.agreement import DisputedItem, QuestionAgreement
from trope.core.errors import BadInput
from trope.core.judgments import Judgment, Span, read_spans
from trope.core.texts import words_of
from trope.metrics.agreement import (
    Agreement,
    SumStatistic,
    cohen_kappas,
    fleiss_kappa,
    krippendorff_nominal,
    percent_agreement,
    with_intervals,
)
from trope.metrics.intervals import RESAMPLES
from trope.metrics.votes import Floats, Ints, Votes, encode_votes

NONE, SOME = "none", "some words"
_MARKED, _UNMARKED = "marked", "unmarked"
_PER_ITEM = ("percent", "unanimous", "overlap", "any_fleiss")
_PER_WORD = ("word_percent", "word_unanimous", "word_fleiss", "word_alpha", "word_cohen")
_NO_TEXT = "undefined: the words are not known; name the column of the texts with --text"
_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class _MarkedText:
    """What everybody marked in one item: places of words, or of characters without its text."""

    item: str
    places: Mapping[str, frozenset[int]]
    words: tuple[str, ...] = ()

    def shown(self, annotator: str) -> str:
        """An answer in words."""
        chosen = sorted(self.places[annotator])
        return " ".join(self.words[at] for at in chosen if self.words) or (SOME if chosen else NONE)


def measure_spans(
    judgments: Sequence[Judgment],
    texts: Mapping[str, str],
    *,
    usual: int | None = None,
    paired: bool = True,
    top: int = 10,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> QuestionAgreement:
    """The agreement of annotators who marked words.

    Args:
        texts: the texts of the items; without them, nothing is known about words.
        usual, paired, top, seed, resamples: as in `measure_question`.
    """
    items = _marked_texts(judgments, texts)
    several = [item for item in items if len(item.places) > 1]
    found = _per_item_statistics(several)
    refusals = {} if paired else {"word_cohen": "not measured here: too many annotators"}
    if several and all(item.words for item in several):
        found += _per_word_statistics(several, paired)
    else:
        refusals = dict.fromkeys(_PER_WORD, _NO_TEXT)
    measured = {one.name: one for one in with_intervals(found, seed=seed, resamples=resamples)}
    names = (*_PER_ITEM, *_PER_WORD)
    answers = Counter(len(item.places) for item in items)
    return QuestionAgreement(
        question=judgments[0].question if judgments else "",
        judgments=len(judgments),
        items=len(items),
        annotators=len({judgment.annotator for judgment in judgments}),
        labels=_labels(items),
        answers_per_item=dict(sorted(answers.items())),
        usual=usual or max(answers, key=lambda number: (answers[number], number)),
        agreements=tuple(_reported(name, measured.get(name), refusals, several) for name in names),
        pairs=tuple(_pair(one) for name, one in measured.items() if "|" in name),
        exclusions=(),
        disputed=_disputed(several, top),
    )


def _marked_texts(judgments: Sequence[Judgment], texts: Mapping[str, str]) -> list[_MarkedText]:
    given: dict[str, dict[str, tuple[Span, ...]]] = {}
    for row in judgments:
        try:
            spans = read_spans(row.label, texts.get(row.item))
        except ValueError as error:
            raise BadInput(f"item {row.item!r}: an answer of {row.annotator!r}: {error}") from None
        given.setdefault(row.item, {})[row.annotator] = spans
    found = []
    for item, answers in given.items():
        text = texts.get(item)
        cells = words_of(text) if text is not None else _characters(answers.values())
        places = {
            name: frozenset(at for at, cell in enumerate(cells) if _touches(cell, spans))
            for name, spans in answers.items()
        }
        words = () if text is None else tuple(text[start:end] for start, end in cells)
        found.append(_MarkedText(item, places, words))
    return found


def _characters(answers: Iterable[Sequence[Span]]) -> list[Span]:
    """Every character that anybody marked, where the words are not known."""
    places = {at for spans in answers for start, end in spans for at in range(start, end)}
    return [(at, at + 1) for at in sorted(places)]


def _touches(cell: Span, spans: Sequence[Span]) -> bool:
    return any(start < cell[1] and cell[0] < end for start, end in spans)


def overlap(one: frozenset[int], other: frozenset[int]) -> float:
    """F1 of two sets of words; two answers of none agree fully, none and some not at all."""
    return 2 * len(one & other) / (len(one) + len(other)) if one or other else 1.0


def _mean_overlap(item: _MarkedText) -> float:
    pairs = list(combinations(item.places.values(), 2))
    return sum(overlap(one, other) for one, other in pairs) / len(pairs)


def _equal_pairs(item: _MarkedText) -> float:
    pairs = list(combinations(item.places.values(), 2))
    return sum(one == other for one, other in pairs) / len(pairs)


def _per_item_statistics(items: Sequence[_MarkedText]) -> list[SumStatistic]:
    if not items:
        return []
    equal = np.array([_equal_pairs(item) for item in items])
    shared = np.array([_mean_overlap(item) for item in items])
    columns = np.column_stack([equal, equal == 1, shared, np.ones(len(items))])

    def means(sums: Floats) -> Floats:
        shares: Floats = sums[:, :3] / sums[:, 3:]
        return shares

    some = np.array([sum(map(bool, item.places.values())) for item in items], dtype=np.float64)
    number = np.array([len(item.places) for item in items], dtype=np.float64)
    return [
        SumStatistic(("percent", "unanimous", "overlap"), columns, means, (len(items),) * 3),
        fleiss_kappa(np.column_stack([number - some, some]), "any_fleiss"),
    ]


def _per_word_statistics(items: Sequence[_MarkedText], paired: bool) -> list[SumStatistic]:
    """Every word is marked or not; the resamples are of items, as words of one text go together."""
    votes = encode_votes(
        Judgment(f"{at}{_SEPARATOR}{place}", name, _MARKED if place in marked else _UNMARKED)
        for at, item in enumerate(items)
        for name, marked in item.places.items()
        for place in range(len(item.words))
    )
    counts, place = votes.counts(), _item_of_word(votes)
    found = [percent_agreement(counts), fleiss_kappa(counts), krippendorff_nominal(counts)]
    names = (("word_percent", "word_unanimous"), ("word_fleiss",), ("word_alpha",))
    own = [
        _by_item(replace(one, names=name), place, len(items))
        for one, name in zip(found, names, strict=True)
    ]
    cohen = cohen_kappas(votes) if paired else None
    if cohen is not None:
        renamed = replace(cohen, names=(*cohen.names[:-1], "word_cohen"))
        own.append(_by_item(renamed, place, len(items)))
    return own


def _item_of_word(votes: Votes) -> Ints:
    return np.array([int(name.partition(_SEPARATOR)[0]) for name in votes.items], dtype=np.int64)


def _by_item(statistic: SumStatistic, place: Ints, items: int) -> SumStatistic:
    """The same sums with a row per item instead of one per word."""
    if len(statistic.columns) != len(place):  # summed up already, as there were too many cells
        return statistic
    columns = np.zeros((items, statistic.columns.shape[1]))
    np.add.at(columns, place, statistic.columns)
    return SumStatistic(statistic.names, columns, statistic.value, (items,) * len(statistic.names))


def _labels(items: Sequence[_MarkedText]) -> dict[str, int]:
    answers = Counter(SOME if places else NONE for one in items for places in one.places.values())
    return {name: answers[name] for name in (NONE, SOME) if answers[name]}


def _reported(
    name: str,
    agreement: Agreement | None,
    refusals: Mapping[str, str],
    items: Sequence[_MarkedText],
) -> Agreement:
    if agreement is not None and agreement.value is not None:
        return agreement
    marked = {bool(places) for item in items for places in item.places.values()}
    why = refusals.get(name) or "undefined: all answers that count are the same"
    if not items:
        why = "undefined: no item has two answers"
    elif marked == {False}:
        why = "undefined: nobody marked a word, so agreement by chance is perfect too"
    elif name == "any_fleiss" and len(marked) == 1:
        why = "undefined: everybody marked something everywhere"
    return Agreement(name, None, None, None, len(items), why)


def _pair(agreement: Agreement) -> Agreement:
    if agreement.value is not None:
        return agreement
    reason = "undefined: of the words that they share, the two marked none, or all"
    return replace(agreement, note=reason)


def _disputed(items: Sequence[_MarkedText], top: int) -> tuple[DisputedItem, ...]:
    """The items with the smallest mean overlap, those with more answers first."""
    ranked = sorted(items, key=lambda item: (_mean_overlap(item), -len(item.places)))
    return tuple(
        DisputedItem(item.item, _mean_overlap(item), dict(Counter(map(item.shown, item.places))))
        for item in ranked[:top]
        if _equal_pairs(item) < 1
    )
