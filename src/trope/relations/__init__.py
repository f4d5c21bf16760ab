"""Relations of a parsed sentence: verb-object expressions and subject-verb-object triplets."""

from __future__ import annotations

from collections.abc import Sequence

from trope.core.records import Parse, Relation, TextKind
from trope.lexicon.idioms import Idioms, paper_idioms
from trope.lexicon.verbs import Verbs, shipped_verbs
from trope.relations.clauses import Clauses
from trope.relations.extraction import (
    REASONS,
    HeadlineVerdict,
    find_expressions,
    find_triplets,
    judge_together,
    single_triplet,
)

__all__ = [
    "REASONS",
    "HeadlineVerdict",
    "extract",
    "extract_all",
    "focus_verb",
    "headline_verdict",
    "judge_together",
    "single_triplet",
    "svo",
    "verb_objects",
]


def extract(
    parse: Parse, *, verbs: Verbs | None = None, idioms: Idioms | None = None
) -> tuple[Relation, ...]:
    """All verb-object expressions, then all triplets, kept or rejected with a reason."""
    clauses = Clauses(parse, verbs or shipped_verbs())
    expressions = find_expressions(clauses, idioms or paper_idioms())
    return (*expressions, *find_triplets(clauses))


def extract_all(
    sentences: Sequence[tuple[Sequence[int], Parse]], kind: TextKind = "plain"
) -> tuple[Relation, ...]:
    """The relations of a text, of whose sentences the words have these positions.

    The sentences of a headline are judged together.
    """
    found = [relation.moved(places) for places, own in sentences for relation in extract(own)]
    return judge_together(found) if kind == "headline" and len(sentences) > 1 else tuple(found)


def verb_objects(
    parse: Parse, *, verbs: Verbs | None = None, idioms: Idioms | None = None
) -> tuple[Relation, ...]:
    """All verbs with a direct object, kept or rejected with a reason, in the order of the text."""
    clauses = Clauses(parse, verbs or shipped_verbs())
    return tuple(find_expressions(clauses, idioms or paper_idioms()))


def svo(parse: Parse, *, verbs: Verbs | None = None) -> tuple[Relation, ...]:
    """All subject-verb-object triplets; `kept` and `reason` are the verdict on the sentence.

    The verdict is that of a headline: kept with exactly one triplet whose verb is the ROOT.
    """
    return tuple(find_triplets(Clauses(parse, verbs or shipped_verbs())))


def headline_verdict(parse: Parse, *, verbs: Verbs | None = None) -> HeadlineVerdict:
    """Whether a headline is kept, why not, its only triplet, and how many triplets it has."""
    return single_triplet(svo(parse, verbs=verbs))


def focus_verb(parse: Parse, *, verbs: Verbs | None = None) -> int | None:
    """The position of the ROOT if it is a lexical verb, else None."""
    clauses = Clauses(parse, verbs or shipped_verbs())
    return clauses.focus if parse.heads and clauses.is_lexical(clauses.focus) else None
