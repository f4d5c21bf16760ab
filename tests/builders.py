"""Analyses made by hand, and a pipeline that makes some without a model."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from trope.core.errors import BadInput
from trope.core.options import FigureView
from trope.core.records import Analysis, Parse, Relation, SentenceSpan, Token, WordView
from trope.encoder.decode import ReadSentences
from trope.tasks.figures.views import show_figures, shown_places

SCORES = {"ate": 0.93, "bent": 0.72, "face": 0.61, "take": 0.4, "break": 0.55}
"""Metaphor scores of words; all others have `LITERAL`."""
LITERAL = 0.02


def build(text: str, rows: str, relations: Sequence[Relation] = ()) -> Analysis:
    """An analysis from rows "form upos xpos lemma head deprel", heads counted from 1 over all
    words; a blank line ends a sentence."""
    tokens: list[Token] = []
    sentences: list[SentenceSpan] = []
    at = 0
    for block in rows.strip().split("\n\n"):
        first = len(tokens)
        for row in block.strip().splitlines():
            form, upos, xpos, lemma, head, deprel = row.split()
            at = text.index(form, at)
            tokens.append(Token(form, at, at + len(form), upos, xpos, lemma, int(head) - 1, deprel))
            at += len(form)
        sentences.append(SentenceSpan(tokens[first].start, at, first, len(tokens)))
    return Analysis(text, tuple(tokens), tuple(sentences), tuple(relations))


HEADLINE = build(
    "Jeff Sessions due to face Democrats' Russia questions next week.",
    """
    Jeff PROPN NNP Jeff 2 compound
    Sessions PROPN NNP Sessions 3 nsubj
    due ADJ JJ due 0 root
    to PART TO to 5 mark
    face VERB VB face 3 xcomp
    Democrats PROPN NNPS Democrats 9 nmod:poss
    ' PART POS 's 6 case
    Russia PROPN NNP Russia 9 compound
    questions NOUN NNS question 5 obj
    next ADJ JJ next 11 amod
    week NOUN NN week 5 obl:tmod
    . PUNCT . . 3 punct
    """,
    [
        Relation("svo", 4, 1, 8, 1, 9, root=True, kept=True),
        Relation("vo", 4, None, 8, 4, 9, root=True, kept=True),
    ],
)

TWO_SENTENCES = build(
    "The storm did not take a break. Rain ate away the old road!",
    """
    The DET DT the 2 det
    storm NOUN NN storm 5 nsubj
    did AUX VBD do 5 aux
    not PART RB not 5 advmod
    take VERB VB take 0 root
    a DET DT a 7 det
    break NOUN NN break 5 obj
    . PUNCT . . 5 punct

    Rain NOUN NN rain 10 nsubj
    ate VERB VBD eat 0 root
    away ADP RP away 10 compound:prt
    the DET DT the 14 det
    old ADJ JJ old 14 amod
    road NOUN NN road 10 obj
    ! PUNCT . ! 10 punct
    """,
    [
        Relation(
            "vo", 4, None, 6, 4, 7, True, False, "light-verb", negated=True, verb_class="light"
        ),
        Relation("vo", 9, None, 13, 9, 14, root=True, kept=True, particle=10),
    ],
)


def with_metaphors(analysis: Analysis) -> Analysis:
    """The same with scores by `SCORES`; a sentence has the highest score of its words."""
    tokens = tuple(replace(t, metaphor=SCORES.get(t.text, LITERAL)) for t in analysis.tokens)
    figurative = tuple(
        max((t.metaphor or 0 for t in tokens[sentence.first : sentence.last]), default=LITERAL)
        for sentence in analysis.sentences
    )
    tasks = ("syntax", "relations", "metaphor")
    scored = replace(analysis, tokens=tokens, figurative=figurative, tasks=tasks)
    return show_figures(scored, FigureView("all"), None)


def restrict(analysis: Analysis, tasks: Sequence[str]) -> Analysis:
    """The same as a run with no more than the given tasks would give it."""
    kept = tuple(task for task in analysis.tasks if task in tasks)
    tokens, figurative = analysis.tokens, analysis.figurative
    if "metaphor" not in kept and figurative:
        tokens = tuple(replace(token, metaphor=None) for token in tokens)
        figurative = ()
    return replace(
        analysis,
        tokens=tokens,
        tasks=kept,
        relations=analysis.relations if "relations" in kept else (),
        figurative=figurative,
        figures=analysis.figures if "metaphor" in kept else (),
        metonymies=analysis.metonymies if "metonymy" in kept else (),
        sentiment=analysis.sentiment if "sentiment" in kept else None,
        sentence_sentiments=analysis.sentence_sentiments if "sentiment" in kept else (),
    )


class FakePipeline:
    """Reads by rule: the second word of a sentence is its root and all others hang on it.

    With `metaphor`, words have the scores of `SCORES`.
    """

    tier = "small"
    model_sha256 = "0" * 64
    device = "cpu"
    thresholds = 0.5, 0.5

    def __init__(self, *, metaphor: bool = False, **_: object) -> None:
        self.batches: list[list[list[str]]] = []
        self.tasks = ("syntax", "relations", "metaphor") if metaphor else ("syntax", "relations")

    def check_tasks(self, tasks: Iterable[str]) -> None:
        if not set(tasks) <= set(self.tasks):
            raise BadInput("the model of tier 'small' has no head for 'metaphor'; ask for others")

    def parse(self, sentences: Sequence[Sequence[str]], tasks: object = None) -> list[Parse]:
        self.batches.append([list(words) for words in sentences])
        parses = [_parse(tuple(words)) for words in sentences]
        if "metaphor" not in self.tasks:
            return parses
        scores = [tuple(SCORES.get(word, LITERAL) for word in parse.words) for parse in parses]
        return [
            replace(parse, metaphor=own, figurative=max(own, default=LITERAL))
            for parse, own in zip(parses, scores, strict=True)
        ]

    def read(self, sentences: Sequence[Sequence[str]], tasks: object = None) -> ReadSentences:
        words = [tuple(sentence) for sentence in sentences]
        return ReadSentences(words, self.parse(words, tasks), [])

    def analyze_many(
        self,
        texts: Iterable[str],
        *,
        tasks: Sequence[str] | None = None,
        threshold: float | None = None,
        words: WordView = "noticed",
        **_: object,
    ) -> Iterator[Analysis]:
        for text in texts:
            found = self.analyze(text)
            if "metaphor" in (tasks or self.tasks) and "metaphor" in self.tasks:
                found = self.show(with_metaphors(found), FigureView(words, threshold))
            yield restrict(found, tasks or self.tasks)

    def show(self, analysis: Analysis, view: FigureView, parses: object = ()) -> Analysis:
        return show_figures(analysis, view, None)

    def shown_places(self, analysis: Analysis, view: FigureView) -> frozenset[int]:
        return shown_places(analysis, view, None)

    def analyze(self, text: str, **_: object) -> Analysis:
        tokens: list[Token] = []
        bounds: list[SentenceSpan] = []
        relations: list[Relation] = []
        for found in re.finditer(r"[^.!?]*\w[^.!?]*[.!?]*", text):
            words = list(re.finditer(r"\w+|[^\w\s]", found[0]))
            first = len(tokens)
            parse = _parse(tuple(word[0] for word in words))
            for word, *rest, head, deprel in zip(
                words, parse.upos, parse.xpos, parse.lemmas, parse.heads, parse.deprels, strict=True
            ):
                start, end = found.start() + word.start(), found.start() + word.end()
                head = head if head < 0 else head + first
                tokens.append(Token(word[0], start, end, *rest, head, deprel))  # type: ignore[call-arg]
            bounds.append(SentenceSpan(tokens[first].start, tokens[-1].end, first, len(tokens)))
            relations += relations_of(parse, first)
        return Analysis(text, tuple(tokens), tuple(bounds), tuple(relations))


def relations_of(parse: Parse, first: int = 0) -> list[Relation]:
    """The first three words as subject, verb and object; not kept if the verb is "take"."""
    if len(parse) < 3:
        return []
    kept = parse.words[1] != "take"
    reason = "" if kept else "light-verb"
    return [Relation("svo", first + 1, first, first + 2, first, first + 3, True, kept, reason)]


def _parse(words: tuple[str, ...]) -> Parse:
    root = min(1, len(words) - 1)
    return Parse(
        words,
        tuple("VERB" if n == root else "NOUN" for n in range(len(words))),
        tuple("VB" if n == root else "NN" for n in range(len(words))),
        tuple(word.lower() for word in words),
        tuple(-1 if n == root else root for n in range(len(words))),
        tuple("root" if n == root else "nsubj" if n < root else "obj" for n in range(len(words))),
    )
