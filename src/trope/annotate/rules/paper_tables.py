"""The tables of the tweet study of 2019 over any judgments of its kind.

Table 3: Fleiss' kappa by subset, with none, some and all verb classes excluded. Tables 4 and 5:
expressions on which all agree, and on which the smallest majority decides. Table 6: sizes and
shares. The base of every share is given, as it differs from row to row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from trope.annotate.rules.agreement import Exclusion, measure_question, verb_lemma
from trope.core.judgments import Judgment
from trope.text.tokenise import tokenise

ALL = "all"
EXAMPLES = 6


@dataclass(frozen=True, slots=True)
class TweetExpression:
    """An item: its text, the marked words, verb and noun, and the subset that it belongs to."""

    id: str
    text: str
    marked: str
    verb: str = ""
    noun: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class CountedShare:
    """So many of a base."""

    count: int
    base: int

    @property
    def percent(self) -> float | None:
        """The share in percent; None of nothing."""
        return 100 * self.count / self.base if self.base else None


@dataclass(frozen=True, slots=True)
class VotedExample:
    """An expression with its votes for and against."""

    item: str
    marked: str
    positive: int
    negative: int


@dataclass(frozen=True, slots=True)
class PartTables:
    """Everything about one subset. `unanimous` and `narrow` hold positive and negative examples."""

    part: str
    tweets: int
    exclusions: tuple[Exclusion, ...]
    unanimous: tuple[tuple[VotedExample, ...], tuple[VotedExample, ...]]
    narrow: tuple[tuple[VotedExample, ...], tuple[VotedExample, ...]]
    pairs: int
    length: float | None
    verbs: int
    nouns: int
    positive: CountedShare
    negative: CountedShare
    narrow_majority: CountedShare
    tied: CountedShare
    not_understood: CountedShare


def paper_tables(
    items: Iterable[TweetExpression],
    votes: Sequence[Judgment],
    understood: Sequence[Judgment],
    verb_classes: Mapping[str, str],
    *,
    positive: str,
    usual: int,
    seed: int = 0,
) -> list[PartTables]:
    """The tables of each subset, in the order of first appearance; of all, if there is but one.

    Args:
        votes: answers to the question whether an expression is metaphorical.
        understood: answers to the question whether the text was understood, "no" if not.
        usual: how many answers a complete item has.

    An item counts as not understood if half or more of its answers say so. Labels are by majority;
    a tie has none. A narrow majority is one of a single vote among the usual number.
    """
    parts: dict[str, list[TweetExpression]] = {}
    for item in items:
        parts.setdefault(item.part or ALL, []).append(item)
    tables = []
    for part, expressions in parts.items():
        ids = {item.id for item in expressions}
        own = [vote for vote in votes if vote.item in ids]
        asked = [vote for vote in understood if vote.item in ids]
        tables.append(_part(part, expressions, own, asked, verb_classes, positive, usual, seed))
    return tables


def _part(
    part: str,
    items: Sequence[TweetExpression],
    votes: Sequence[Judgment],
    understood: Sequence[Judgment],
    verb_classes: Mapping[str, str],
    positive: str,
    usual: int,
    seed: int,
) -> PartTables:
    counts: dict[str, list[int]] = {}
    for vote in votes:
        counts.setdefault(vote.item, [0, 0])[vote.label != positive] += 1
    tally = {item: (yes, no) for item, (yes, no) in counts.items()}
    labelled = {item: pair for item, pair in tally.items() if pair[0] != pair[1]}
    narrow = {i: p for i, p in labelled.items() if sum(p) == usual and abs(p[0] - p[1]) == 1}
    unanimous = {i: p for i, p in labelled.items() if sum(p) == usual and 0 in p}
    yes = sum(pair[0] > pair[1] for pair in labelled.values())
    lengths = [len(tokenise(item.text)) for item in items]
    exclusions: tuple[Exclusion, ...] = ()
    if votes:
        measured = measure_question(
            votes, verb_classes=verb_classes, usual=usual, paired=False, top=0, seed=seed
        )
        exclusions = measured.exclusions
    lemmas = [(verb_lemma(item.verb), item.noun.lower()) for item in items if item.verb]
    return PartTables(
        part=part,
        tweets=len(items),
        exclusions=exclusions,
        unanimous=_examples(items, unanimous),
        narrow=_examples(items, narrow),
        pairs=len(set(lemmas)),
        length=sum(lengths) / len(lengths) if lengths else None,
        verbs=len({verb for verb, _ in lemmas}),
        nouns=len({noun for _, noun in lemmas if noun}),
        positive=CountedShare(yes, len(labelled)),
        negative=CountedShare(len(labelled) - yes, len(labelled)),
        narrow_majority=CountedShare(len(narrow), len(labelled)),
        tied=CountedShare(len(tally) - len(labelled), len(tally)),
        not_understood=_not_understood(understood),
    )


def _examples(
    items: Sequence[TweetExpression], chosen: Mapping[str, tuple[int, int]]
) -> tuple[tuple[VotedExample, ...], tuple[VotedExample, ...]]:
    """The first few with a positive, and the first few with a negative label."""
    sides: tuple[list[VotedExample], list[VotedExample]] = ([], [])
    for item in items:
        if item.id in chosen:
            yes, no = chosen[item.id]
            side = sides[yes < no]
            if len(side) < EXAMPLES:
                side.append(VotedExample(item.id, item.marked, yes, no))
    return tuple(sides[0]), tuple(sides[1])


def _not_understood(understood: Sequence[Judgment]) -> CountedShare:
    asked: Counter[str] = Counter(vote.item for vote in understood)
    lost: Counter[str] = Counter(vote.item for vote in understood if vote.label == "no")
    return CountedShare(sum(2 * lost[item] >= number for item, number in asked.items()), len(asked))
