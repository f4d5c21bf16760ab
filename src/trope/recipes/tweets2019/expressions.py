"""Verb–object expressions: extraction, the inventory of verbs, weak labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trope.core.records import Analysis, Relation
from trope.corpora.verb_corpora import read_moh_formatted
from trope.corpora.vua import read_vua_words
from trope.recipes.jobs import parse_all
from trope.recipes.recipe import Context
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.tasks.metaphor.seed_similarity import build
from trope.tasks.metaphor.task import VerbExpression, find_expressions

MOH_FILE = "MOH_formatted.csv"
METAPHOR, LITERAL = "metaphor", "literal"


@dataclass(frozen=True, slots=True)
class KnownPair:
    """A verb with its object in an annotated corpus, and whether it is a metaphor there."""

    corpus: str
    expression: VerbExpression
    metaphor: bool

    @property
    def lemmas(self) -> tuple[str, str]:
        """Verb and noun."""
        return self.expression.verb.lower(), self.expression.noun.lower()


def extract(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """An expression per verb with an object; rejected relations are dropped with a reason."""
    every = list(records)
    analyses = context.pipeline.analyze_many(
        (record.text for record in every), kind="tweet", tasks=("syntax", "relations")
    )
    for record, analysis in zip(every, analyses, strict=True):
        found = [relation for relation in analysis.relations if relation.kind == "vo"]
        if not found:
            yield Drop(record.id, "no-expression")
        for number, relation in enumerate(found, start=1):
            yield _candidate(record, analysis, relation, number)


def _candidate(record: Record, analysis: Analysis, relation: Relation, number: int) -> Outcome:
    identifier = f"{record.id}-{number}"
    if not relation.kept or relation.object is None:
        return Drop(identifier, relation.reason)
    tokens = analysis.tokens
    if relation.end < len(tokens) and tokens[relation.end].text.lower() == "like":
        return Drop(identifier, "simile")
    start, end = tokens[relation.start].start, tokens[relation.end - 1].end
    return Record(
        identifier,
        record.text,
        {
            **record.fields,
            "tweet": record.id,
            "verb": tokens[relation.verb].lemma.lower(),
            "object": tokens[relation.object].lemma.lower(),
            "verb_class": relation.verb_class,
            "expression": record.text[start:end],
            "start": start,
            "end": end,
        },
    )


def known_pairs(context: Context) -> list[KnownPair]:
    """The verb–object pairs of MOH and VUA, found by our parser."""
    return context.once("known pairs", lambda: [*_moh_pairs(context), *_vua_pairs(context)])


def _moh_pairs(context: Context) -> Iterator[KnownPair]:
    if not context.settings.inventory.moh:
        return
    targets = list(read_moh_formatted(context.find("moh", MOH_FILE)))
    parses = parse_all([target.words for target in targets], context)
    for target, parse in zip(targets, parses, strict=True):
        for expression in find_expressions(parse):
            if expression.verb_at == target.target:
                yield KnownPair("moh", expression, target.metaphor)


def _vua_pairs(context: Context) -> Iterator[KnownPair]:
    for part in context.settings.inventory.vua:
        sentences = list(read_vua_words(context.find("vua18", f"VUA_seq_formatted_{part}.csv")))
        parses = parse_all([sentence.words for sentence in sentences], context)
        for sentence, parse in zip(sentences, parses, strict=True):
            for expression in find_expressions(parse):
                if expression.verb_at is not None:
                    metaphor = sentence.labels[expression.verb_at]
                    yield KnownPair(f"vua-{part}", expression, metaphor)


def only_listed(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Expressions whose verb is in the inventory."""
    pairs = known_pairs(context)
    verbs = {pair.lemmas[0] for pair in pairs}
    distinct = {corpus: {p.lemmas for p in pairs if p.corpus[:3] == corpus} for corpus in _CORPORA}
    context.facts["pairs"] = {corpus: len(found) for corpus, found in distinct.items()}
    context.facts["verb lemmas"] = len(verbs)
    for record in records:
        listed = record.fields["verb"] in verbs
        yield record if listed else Drop(record.id, "verb-not-listed")


_CORPORA = ("moh", "vua")


def weak_labels(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Expressions with a weak label; the threshold is chosen on VUA's validation split.

    Expressions without vectors have no label.
    """
    val = [pair for pair in known_pairs(context) if pair.corpus == "vua-val"]
    tuning = val or known_pairs(context)
    detector = build().without([pair.expression for pair in tuning])
    detector.tune([pair.expression for pair in tuning], [pair.metaphor for pair in tuning])
    context.facts["threshold"] = round(detector.threshold, 6)
    every = list(records)
    scores = detector.score_expressions(
        [VerbExpression(record.fields["verb"], record.fields["object"]) for record in every]
    )
    labelled = [
        record.having(weak=_label(score, detector.threshold), weak_score=_rounded(score))
        for record, score in zip(every, scores, strict=True)
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
