"""Subject-verb-object triplets of a sentence."""

from __future__ import annotations

from trope.core.records import Relation
from trope.relations.clauses import Clauses
from trope.relations.filters import triplet_reason


def find_triplets(clauses: Clauses) -> list[Relation]:
    """All triplets in the order of their verbs, judged as those of a headline."""
    found: list[tuple[int, int, int]] = []
    for verb, upos in enumerate(clauses.parse.upos):
        if upos != "VERB":
            continue
        agents, patients = _arguments(clauses, verb)
        found.extend((verb, agent, patient) for agent in agents for patient in patients)
    reason = triplet_reason(len(found), len(found) == 1 and found[0][0] == clauses.focus)
    return [_relation(clauses, *triplet, reason=reason) for triplet in found]


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


def _relation(clauses: Clauses, verb: int, subject: int, object_: int, *, reason: str) -> Relation:
    parse = clauses.parse
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
        verb_class=clauses.verbs.class_of(parse.lemmas[verb]),
    )
