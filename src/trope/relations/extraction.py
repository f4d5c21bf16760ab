"""Verb-object expressions ("deserves a chance") and triplets of a sentence, kept or rejected."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from trope.core.records import Relation
from trope.lexicon.idioms import Idioms
from trope.relations.clauses import Clauses

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


MAX_WORDS = 5
"""The most words that an expression may have, from the verb to the noun."""


def find_expressions(clauses: Clauses, idioms: Idioms) -> list[Relation]:
    """All verbs with an object, in the order of the text, kept or rejected with a reason."""
    pairs = [
        (verb, object_)
        for verb in _verbs_with_objects(clauses)
        for object_ in clauses.objects(verb)
    ]
    if not pairs:
        return []
    parse = clauses.parse
    idiomatic = [set(match.positions) for match in idioms.find(parse.words, parse.lemmas)]
    return [_expression(clauses, verb, object_, idiomatic) for verb, object_ in pairs]


def _verbs_with_objects(clauses: Clauses) -> list[int]:
    """Words that have an object, or are verbs that may share one."""
    parse = clauses.parse
    candidates = {
        parse.heads[word] for word, relation in enumerate(parse.deprels) if relation == "obj"
    }
    for word, relation in enumerate(parse.deprels):
        if relation == "conj" and parse.heads[word] in candidates and clauses.is_lexical(word):
            candidates.add(word)
    candidates.discard(-1)
    return sorted(candidates)


def _expression(clauses: Clauses, verb: int, object_: int, idiomatic: list[set[int]]) -> Relation:
    particle = clauses.frame(verb).particle
    start, end = min(verb, object_), max(verb, object_) + 1
    if particle == end:
        end += 1  # "turn the lights off": a particle right after the noun belongs to it
    reason = _reason(clauses, verb, object_, end - start)
    if not reason and any(verb in words and object_ in words for words in idiomatic):
        reason = IDIOM
    return Relation(
        kind="vo",
        verb=verb,
        subject=None,
        object=object_,
        start=start,
        end=end,
        root=verb == clauses.focus,
        kept=not reason,
        reason=reason,
        particle=particle,
        negated=clauses.is_negated(verb),
        passive=clauses.is_passive(verb),
        verb_class=clauses.verb_class(verb),
    )


def _reason(clauses: Clauses, verb: int, object_: int, words: int) -> str:
    """The first thing that is wrong with an expression, empty if nothing is."""
    upos = clauses.parse.upos
    if clauses.is_auxiliary(verb):
        return AUXILIARY_OR_MODAL
    if upos[verb] != "VERB":
        return NOT_A_VERB
    if upos[object_] == "PRON":
        return PRONOUN_OBJECT
    if upos[object_] not in ("NOUN", "PROPN") and not _is_tag(clauses.parse.words[object_]):
        return NOT_A_NOUN
    if object_ < verb:
        return OBJECT_BEFORE_VERB
    return TOO_LONG if words > MAX_WORDS else ""


def _is_tag(word: str) -> bool:
    """Whether a word is a hashtag or a mention, which taggers often tag X."""
    return len(word) > 1 and word[0] in "#@"


def find_triplets(clauses: Clauses) -> list[Relation]:
    """All triplets in the order of their verbs, judged as those of a headline."""
    found: list[tuple[int, int, int]] = []
    for verb, upos in enumerate(clauses.parse.upos):
        if upos != "VERB":
            continue
        agents, patients = _arguments(clauses, verb)
        found.extend((verb, agent, patient) for agent in agents for patient in patients)
    reason = triplet_reason(len(found), len(found) == 1 and found[0][0] == clauses.focus)
    return [_triplet(clauses, *triplet, reason=reason) for triplet in found]


def _arguments(clauses: Clauses, verb: int) -> tuple[list[int], list[int]]:
    """Who acts and what is acted on; both empty where one of them is missing."""
    frame = clauses.frame(verb)
    active = frame.objects or clauses.parse.deprels[verb] == "conj"
    if not (active or frame.agents or frame.obliques) or not clauses.is_lexical(verb):
        return [], []
    if clauses.is_passive(verb):
        agents = clauses.agents(verb)
        return agents, clauses.subjects(verb) if agents else []
    objects = clauses.objects(verb)
    return clauses.subjects(verb) if objects else [], objects


def _triplet(clauses: Clauses, verb: int, subject: int, object_: int, *, reason: str) -> Relation:
    particle = clauses.frame(verb).particle
    places = (verb, subject, object_) if particle is None else (verb, subject, object_, particle)
    return Relation(
        kind="svo",
        verb=verb,
        subject=subject,
        object=object_,
        start=min(places),
        end=max(places) + 1,
        root=verb == clauses.focus,
        kept=not reason,
        reason=reason,
        particle=particle,
        negated=clauses.is_negated(verb),
        passive=clauses.is_passive(verb),
        verb_class=clauses.verb_class(verb),
    )
