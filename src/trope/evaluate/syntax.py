"""`trope evaluate syntax`: tags, trees, lemmas and relations on test data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from trope.core.errors import BadInput, MissingData
from trope.core.files import sha256
from trope.core.progress import track
from trope.core.records import ROOT, Analysis
from trope.corpora.conllu import ConlluSentence, read_conllu
from trope.encoder.models import known_models
from trope.evaluate.options import EvaluatedPipeline, EvaluationOptions
from trope.evaluate.syntax_relations import evaluate_headlines, evaluate_tweets
from trope.metrics.alignment import SHARES, PlacedText, PlacedWord, score_text
from trope.metrics.figures import (
    NO_DATA,
    DataRef,
    Evaluation,
    Measurement,
    new_evaluation,
    share_figures,
)
from trope.metrics.parsing import SHARES as PARSE_SHARES
from trope.metrics.parsing import chain_parse, score_parse

# the control for each score, named for what `chain_parse` does about it
_CONTROLS = {
    "upos": "constant",
    "uas": "right_branching",
    "las": "right_branching",
    "las_full": "right_branching",
    "obj_f": "right_branching",
    "nsubj_f": "right_branching",
    "vo_f": "right_branching",
    "lemma": "form",
}
_CONTROL_NOTE = "every word a NOUN, object of the word before it, its own lemma"


@dataclass(frozen=True, slots=True)
class Treebank:
    """A test file and the scores that its annotation allows."""

    name: str
    file: str
    scores: tuple[str, ...]


TREEBANKS = {
    treebank.name: treebank
    for treebank in (
        Treebank(
            "ewt",
            "ewt/en_ewt-ud-test.conllu",
            ("upos", "uas", "las", "obj_f", "lemma", "las_full"),
        ),
        # one tree per tweet; these files have no subtypes of relations
        Treebank(
            "tweebank",
            "tweebank/en-ud-tweet-test.fixed.conllu",
            ("upos", "uas", "las", "obj_f", "nsubj_f", "vo_f"),
        ),
        Treebank("gum", "gum/en_gum-ud-test.conllu", ("upos", "uas", "las", "obj_f", "las_full")),
    )
}


def read_treebank(data: Path, treebank: Treebank) -> tuple[list[ConlluSentence], DataRef]:
    """The test sentences of a treebank and what to sign the figures with."""
    path = data / treebank.file
    sentences = list(read_conllu(path, single_root=True))
    return sentences, DataRef(name=treebank.name, split="test", sha256=sha256(path))


def evaluate_treebank(
    treebank: Treebank, pipeline: EvaluatedPipeline, options: EvaluationOptions
) -> list[Measurement]:
    """The treebank's scores on its gold words, each followed by its control."""
    sentences, data = read_treebank(options.data, treebank)
    words = [[word.form for word in sentence.words] for sentence in sentences]
    parses = pipeline.parse(words)
    if len(parses) != len(sentences):
        raise BadInput(f"{len(sentences)} sentences were given but {len(parses)} parses came back")
    prefix = f"syntax.{treebank.name}.test"
    shares = {name: PARSE_SHARES[name] for name in treebank.scores}
    counts = [score_parse(s.words, parse) for s, parse in zip(sentences, parses, strict=True)]
    blind = [score_parse(s.words, chain_parse(w)) for s, w in zip(sentences, words, strict=True)]
    ours = share_figures(prefix, counts, shares, data=data, seed=options.seed)
    controls = share_figures(
        prefix, blind, shares, data=data, seed=options.seed, note=_CONTROL_NOTE
    )
    figures: list[Measurement] = []
    for name, figure, control in zip(shares, ours, controls, strict=True):
        renamed = msgspec.structs.replace(control, name=f"{control.name}.{_CONTROLS[name]}")
        figures += [figure, renamed]
    return figures


_PARAGRAPH = "\n\n"
_RAW_NOTE = "F over words of whole documents; interval over documents"
_RAW_CONTROL_NOTE = (
    "words split at blanks, a sentence a paragraph, every word hung on the one before"
)


def evaluate_raw(pipeline: EvaluatedPipeline, options: EvaluationOptions) -> list[Measurement]:
    """Scores on the documents of EWT's test set, each followed by its control."""
    sentences, data = read_treebank(options.data, TREEBANKS["ewt"])
    documents = [join_document(group) for group in split_documents(sentences)]
    analyses = track(
        pipeline.analyze_many(text for text, _ in documents),
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
    ours = share_figures(prefix, counts, SHARES, data=data, seed=options.seed, note=_RAW_NOTE)
    controls = share_figures(
        prefix, blind, SHARES, data=data, seed=options.seed, note=_RAW_CONTROL_NOTE
    )
    figures: list[Measurement] = []
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
    """The raw text of a document, and its gold words with their places in it.

    Paragraphs are separated by an empty line, sentences by a blank unless the treebank says that
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
    """The text read without knowledge of the language, a control."""
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


Part = Callable[[EvaluatedPipeline, EvaluationOptions], list[Measurement]]

PARTS: Mapping[str, Part] = {
    **{name: partial(evaluate_treebank, bank) for name, bank in TREEBANKS.items()},
    "raw": evaluate_raw,
    "headlines": evaluate_headlines,
    "tweets": evaluate_tweets,
}
"""What `--part` chooses from."""

# the figure that is undefined where the data of a part are missing
_MAIN = {
    "ewt": "syntax.ewt.test.las",
    "tweebank": "syntax.tweebank.test.las",
    "gum": "syntax.gum.test.las",
    "raw": "syntax.ewt.raw.las",
    "headlines": "syntax.headlines.svo_f",
    "tweets": "syntax.tweets.vo_f",
}


def evaluate(options: EvaluationOptions, pipeline: EvaluatedPipeline | None = None) -> Evaluation:
    """All figures of syntax.

    A part without data becomes an undefined figure whose note names the missing file.

    Raises:
        MissingData: where a part that was named has no data, or no part has any.
    """
    if pipeline is None:
        pipeline = options.open_pipeline()
    figures: list[Measurement] = []
    missing: list[MissingData] = []
    parts = options.choose(tuple(PARTS))
    for part in parts:
        try:
            figures += PARTS[part](pipeline, options)
        except MissingData as error:
            if options.parts:
                raise
            missing.append(error)
            figures.append(_missing_figure(part, error, options.data))
    if len(missing) == len(parts):
        raise missing[0]
    checksum = getattr(pipeline, "model_sha256", "")
    chosen_on = _chosen_on(options)
    signed = [replace(figure, chosen_on=chosen_on) for figure in figures]
    return new_evaluation("syntax", options.tier, checksum, signed)


def _chosen_on(options: EvaluationOptions) -> str:
    """How the released model was chosen; nothing is known of a model in a folder.

    Trees are those of the tier `small` in every tier, and only this tier takes them from a folder.
    """
    own = options.model is not None and options.tier == "small"
    return "" if own else known_models()["small"].chosen_on


def _missing_figure(part: str, error: MissingData, data: Path) -> Measurement:
    # a note is published, so it names the file as the data set does, not where a user keeps it
    path = Path(error.path)
    name = path.relative_to(data) if path.is_relative_to(data) else path.name
    note = f"not run: {name} not found"
    return Measurement(_MAIN[part], None, None, None, n=0, data=NO_DATA, note=note)
