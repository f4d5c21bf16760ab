"""From the parsed sentences of a text to its analysis: positions count over the whole text."""

from __future__ import annotations

from collections.abc import Sequence

from trope.core.records import (
    ROOT,
    Analysis,
    MetaphorThresholds,
    Parse,
    SentenceSpan,
    TextKind,
    Token,
)
from trope.core.texts import Sentence, Text
from trope.relations import extract_all


def assemble(
    text: Text,
    parses: Sequence[Parse],
    kind: TextKind,
    tasks: tuple[str, ...],
    thresholds: MetaphorThresholds,
) -> Analysis:
    """The analysis of a text from the parses of its sentences: without names, sentiment and
    figures."""
    figurative = tuple(parse.figurative for parse in parses if parse.figurative is not None)
    tokens: list[Token] = []
    sentences: list[SentenceSpan] = []
    placed: list[tuple[range, Parse]] = []
    for sentence, parse in zip(text.sentences, parses, strict=True):
        first = len(tokens)
        tokens += _tokens(sentence, parse, first)
        last = len(tokens)
        sentences.append(SentenceSpan(tokens[first].start, tokens[-1].end, first, last))
        placed.append((range(first, last), parse))
    return Analysis(
        text.original,
        tuple(tokens),
        tuple(sentences),
        extract_all(placed, kind) if "relations" in tasks else (),
        tasks,
        figurative,
        thresholds.threshold,
        thresholds.sentence_threshold,
    )


def _tokens(sentence: Sentence, parse: Parse, first: int) -> list[Token]:
    """The tokens of a sentence from its parse; the first of them is token `first`."""
    found = []
    for number, word in enumerate(sentence.words):
        head = parse.heads[number] if parse.heads else ROOT
        found.append(
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
                parse.noticed[number] if parse.noticed else None,
                parse.novelty[number] if parse.novelty else None,
            )
        )
    return found
