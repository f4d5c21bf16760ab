"""Why a relation is rejected, and the single-triplet test of headlines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from trope.core.records import Relation

AUXILIARY_OR_MODAL = "auxiliary-or-modal"
NOT_A_VERB = "not-a-verb"
PRONOUN_OBJECT = "pronoun-object"
NOT_A_NOUN = "not-a-noun"
OBJECT_BEFORE_VERB = "object-before-verb"
TOO_LONG = "too-long"
IDIOM = "idiom"
NO_TRIPLET = "no-triplet"
SEVERAL_TRIPLETS = "several-triplets"
NOT_ROOT = "not-root"

REASONS: dict[str, str] = {
    AUXILIARY_OR_MODAL: "the word with the object is an auxiliary, a modal or a copula",
    NOT_A_VERB: "the word with the object is not tagged as a verb",
    PRONOUN_OBJECT: "the object is a pronoun",
    NOT_A_NOUN: "the object is not a noun, name, hashtag or mention (a number, a clause, …)",
    OBJECT_BEFORE_VERB: "the object stands before its verb (fronted, or in a relative clause)",
    TOO_LONG: "the expression has more than five words",
    IDIOM: "verb and object are words of one idiom of the lexicon",
    NO_TRIPLET: "the headline has no subject-verb-object triplet",
    SEVERAL_TRIPLETS: "the headline has more than one triplet",
    NOT_ROOT: "the verb of the only triplet is not the ROOT",
}
"""Every reason there is, with one line that explains it."""


class HeadlineVerdict(NamedTuple):
    """Whether a headline is kept, why not, its only triplet, and how many triplets it has.

    `relation` is None unless there is exactly one triplet.
    """

    kept: bool
    reason: str
    relation: Relation | None
    triplets: int


def triplet_reason(triplets: int, root: bool) -> str:
    """Why a headline with this number of triplets is dropped; empty if it is kept."""
    if triplets == 1:
        return "" if root else NOT_ROOT
    return SEVERAL_TRIPLETS if triplets else NO_TRIPLET


def single_triplet(relations: Iterable[Relation]) -> HeadlineVerdict:
    """The verdict on a headline from its relations; those of other kinds are passed over.

    Relations of several sentences may be given together, in their order.
    """
    triplets = [relation for relation in relations if relation.kind == "svo"]
    only = triplets[0] if len(triplets) == 1 else None
    reason = triplet_reason(len(triplets), only is not None and only.root)
    return HeadlineVerdict(not reason, reason, only, len(triplets))


def judge_together(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """The relations of several sentences, their triplets judged as those of one headline."""
    relations = tuple(relations)
    kept, reason, _, _ = single_triplet(relations)
    return tuple(
        replace(relation, kept=kept, reason=reason) if relation.kind == "svo" else relation
        for relation in relations
    )
