"""From the sentences of a text to its analysis: positions count over the whole text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trope.core.records import (
    ROOT,
    Analysis,
    Parse,
    Relation,
    Sentiment,
    Text,
    TextKind,
    Token,
)
from trope.encoder.session import MetaphorThresholds
from trope.relations import extract, judge_together


def assemble(
    text: Text,
    parses: list[Parse],
    kind: TextKind,
    tasks: tuple[str, ...],
    thresholds: MetaphorThresholds,
    sentiment: Sentiment | None = None,
) -> Analysis:
    """The analysis of a text from those of its sentences; positions count over the whole text."""
    tokens: list[Token] = []
    relations: list[Relation] = []
    for sentence, parse in zip(text.sentences, parses, strict=True):
        first = len(tokens)
        for number, word in enumerate(sentence.words):
            head = parse.heads[number] if parse.heads else ROOT
            tokens.append(
                Token(
                    word.text,
                    word.start,
                    word.end,
                    parse.upos[number] if parse.upos else "",
                    parse.xpos[number] if parse.xpos else "",
                    parse.lemmas[number] if parse.lemmas else "",
                    ROOT if head == ROOT else head + first,
                    parse.deprels[number] if parse.deprels else "",
                    parse.metaphor[number] if parse.metaphor else None,
                )
            )
        if "relations" in tasks:
            places = range(first, len(tokens))
            relations.extend(moved(relation, places) for relation in extract(parse))
    bounds = tuple((sentence.start, sentence.end) for sentence in text.sentences)
    if kind == "headline" and len(parses) > 1:
        relations = list(judge_together(relations))
    figurative = tuple(parse.figurative for parse in parses if parse.figurative is not None)
    sentence_sentiments = tuple(parse.sentiment for parse in parses if parse.sentiment is not None)
    return Analysis(
        text.original,
        tuple(tokens),
        bounds,
        tuple(relations),
        tasks,
        figurative,
        thresholds.threshold,
        thresholds.sentence_threshold,
        sentiment=sentiment,
        sentence_sentiments=sentence_sentiments,
    )


def moved(relation: Relation, places: Sequence[int]) -> Relation:
    """A relation of a sentence with positions of the whole, given where its words stand there."""

    def at(word: int | None) -> int | None:
        return None if word is None else places[word]

    return replace(
        relation,
        verb=places[relation.verb],
        subject=at(relation.subject),
        object=at(relation.object),
        particle=at(relation.particle),
        start=places[relation.start],
        end=places[relation.end - 1] + 1,
    )
