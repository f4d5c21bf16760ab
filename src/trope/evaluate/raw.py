"""Figures from raw text: documents put together again, split and parsed without gold words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from trope.core.progress import track
from trope.core.records import ROOT, Analysis
from trope.corpora.conllu import ConlluSentence
from trope.evaluate.options import EvaluationOptions, Reader
from trope.evaluate.treebanks import TREEBANKS, read_treebank
from trope.metrics.alignment import SHARES, PlacedText, PlacedWord, score_text
from trope.metrics.figures import Figure, share_figures

_PARAGRAPH = "\n\n"
_NOTE = "F over words of whole documents; interval over documents"
_CONTROL_NOTE = "words split at blanks, a sentence a paragraph, every word hung on the one before"


def evaluate_raw(reader: Reader, options: EvaluationOptions) -> list[Figure]:
    """Scores on the documents of EWT's test set, each followed by its control."""
    sentences, data = read_treebank(options.data, TREEBANKS["ewt"])
    documents = [join_document(group) for group in split_documents(sentences)]
    analyses = track(
        reader.analyze_many(text for text, _ in documents),
        "ewt, raw text",
        total=len(documents),
        quiet=options.quiet,
    )
    counts = [
        score_text(gold, place_analysis(analysis))
        for (_, gold), analysis in zip(documents, analyses, strict=True)
    ]
    blind = [score_text(gold, split_at_blanks(text)) for text, gold in documents]
    prefix = "syntax.ewt.raw"
    ours = share_figures(prefix, counts, SHARES, data=data, seed=options.seed, note=_NOTE)
    controls = share_figures(
        prefix, blind, SHARES, data=data, seed=options.seed, note=_CONTROL_NOTE
    )
    figures: list[Figure] = []
    for figure, control in zip(ours, controls, strict=True):
        figures += [figure, msgspec.structs.replace(control, name=f"{control.name}.blanks")]
    return figures


def split_documents(sentences: Iterable[ConlluSentence]) -> Iterator[list[ConlluSentence]]:
    """The sentences by document; a `# newdoc` comment begins one."""
    document: list[ConlluSentence] = []
    for sentence in sentences:
        if document and _begins(sentence, "newdoc"):
            yield document
            document = []
        document.append(sentence)
    if document:
        yield document


def join_document(sentences: Iterable[ConlluSentence]) -> tuple[str, PlacedText]:
    """The raw text of a document and its gold words where they stand in it.

    Paragraphs are parted by an empty line, sentences by a blank unless the treebank says that
    none follows.
    """
    text = ""
    separator = ""
    words: list[PlacedWord] = []
    spans: list[tuple[int, int]] = []
    for sentence in sentences:
        text += _PARAGRAPH if text and _begins(sentence, "newpar") else separator
        placed = list(_place_words(sentence, offset=len(text), first=len(words)))
        spans.append((placed[0].start, placed[-1].end))
        words += placed
        text += sentence.text
        separator = " " if sentence.tokens[-1].space_after else ""
    return text, PlacedText(tuple(words), tuple(spans))


def place_analysis(analysis: Analysis) -> PlacedText:
    """The words and sentences of an analysis, ready to be aligned."""
    return PlacedText(
        words=tuple(
            PlacedWord(token.text, token.start, token.end, token.upos, token.head, token.deprel)
            for token in analysis.tokens
        ),
        sentences=tuple(
            _trim(analysis.text, sentence.start, sentence.end) for sentence in analysis.sentences
        ),
    )


def split_at_blanks(text: str) -> PlacedText:
    """The text as one who knows nothing would read it, a control."""
    words: list[PlacedWord] = []
    spans: list[tuple[int, int]] = []
    for paragraph in re.finditer(r"\S(?:.*?\S)??(?=\s*\n\n|\s*\Z)", text, re.DOTALL):
        head = ROOT
        for match in re.finditer(r"\S+", paragraph.group()):
            start, end = (paragraph.start() + at for at in match.span())
            deprel = "root" if head == ROOT else "obj"
            words.append(PlacedWord(match.group(), start, end, "NOUN", head, deprel))
            head = len(words) - 1
        spans.append(paragraph.span())
    return PlacedText(tuple(words), tuple(spans))


def _place_words(sentence: ConlluSentence, offset: int, first: int) -> Iterator[PlacedWord]:
    for token, (start, end) in zip(sentence.tokens, sentence.token_spans(), strict=True):
        for word in sentence.words[token.start : token.end]:
            yield PlacedWord(
                form=word.form,
                start=offset + start,
                end=offset + end,
                upos=word.upos,
                head=word.head if word.head == ROOT else word.head + first,
                deprel=word.deprel,
                multiword=token.end - token.start > 1,
            )


def _begins(sentence: ConlluSentence, what: str) -> bool:
    """Whether a comment of the sentence says that a document or paragraph begins with it."""
    return any(re.match(rf"#\s*{what}\b", comment) for comment in sentence.comments)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at its ends."""
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, start + len(part.rstrip())) if part.strip() else (start, end)
