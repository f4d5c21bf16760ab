"""Verb-object expressions ("deserves a chance") and subject-verb-object triplets of a sentence."""

from __future__ import annotations

from trope.core.records import Relation
from trope.lexicon.idioms import Idioms
from trope.relations import filters
from trope.relations.clauses import Clauses
from trope.relations.filters import triplet_reason

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
        reason = filters.IDIOM
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
        return filters.AUXILIARY_OR_MODAL
    if upos[verb] != "VERB":
        return filters.NOT_A_VERB
    if upos[object_] == "PRON":
        return filters.PRONOUN_OBJECT
    if upos[object_] not in ("NOUN", "PROPN") and not _is_tag(clauses.parse.words[object_]):
        return filters.NOT_A_NOUN
    if object_ < verb:
        return filters.OBJECT_BEFORE_VERB
    return filters.TOO_LONG if words > MAX_WORDS else ""


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
