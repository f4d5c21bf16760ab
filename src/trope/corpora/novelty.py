"""How new the metaphors of the VU Amsterdam corpus are: scores of Do Dinh et al. (2018)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from trope.corpora.records import LabelledSentence
from trope.corpora.rows import CheckedRow
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import read_rows

_HIGHEST = 1.0


@dataclass(frozen=True, slots=True)
class ScoredSentence:
    """A sentence with the novelty of each of its metaphors, -1 to 1; None for all other words."""

    id: str
    text: str
    words: tuple[str, ...]
    novelty: tuple[float | None, ...]


def read_novelty(source: Source, sentences: Iterable[LabelledSentence]) -> Iterator[ScoredSentence]:
    """The sentences that have scored metaphors, with their scores.

    The file counts texts, sentences and tokens from 0: texts in the order of their names,
    sentences and tokens in the order of the corpus files, of which `sentences` must hold all.
    Scores whose token is not a metaphor there are left out: multi-word tokens have shifted them.

    Raises:
        BadRecord: for positions and scores that are not numbers, or out of range.
    """
    scores = _scores(source)
    by_text = groupby(sorted(sentences, key=_text_of), key=_text_of)
    for text_number, (text, own) in enumerate(by_text):
        for number, sentence in enumerate(own):
            found = scores.get((text_number, number), {})
            novelty = tuple(
                found.get(at) if label else None for at, label in enumerate(sentence.labels)
            )
            if any(value is not None for value in novelty):
                yield ScoredSentence(sentence.id, text, sentence.words, novelty)


def _text_of(sentence: LabelledSentence) -> str:
    return sentence.id.rsplit("_", 1)[0]


def _scores(source: Source) -> dict[tuple[int, int], dict[int, float]]:
    name = source_name(source)
    found: dict[tuple[int, int], dict[int, float]] = {}
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        try:
            text, sentence, token = (
                int(row.text(f"{part} id")) for part in ("text", "sentence", "token")
            )
            score = float(row.text("score"))
        except ValueError:
            raise row.fault("needs whole numbers as ids and a number as score") from None
        if min(text, sentence, token) < 0 or not abs(score) <= _HIGHEST:
            raise row.fault("ids count from 0 and scores lie between -1 and 1; check the row")
        found.setdefault((text, sentence), {})[token] = score
    return found
