"""Metaphor training data: sentences with verdicts on words, on one word, or on the whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from trope.core.errors import MissingData
from trope.corpora.expressions import read_lcc
from trope.corpora.newsmet import Headline, read_newsmet
from trope.corpora.records import LabelledSentence
from trope.corpora.vua import read_vua_words, read_vuamc
from trope.text import read
from trope.train.encoder.corpus import UNKNOWN, MetaphorSentence
from trope.train.encoder.own_sentences import VERDICTS, split_sentences

LCC_TARGETS = "lcc-targets"
"""LCC's verdicts, in distinction from its texts, which `sources` reads."""


def read_metaphor_set(data: Path, name: str, split: str) -> list[MetaphorSentence]:
    """The sentences of one split, "train" or "dev", of a set with verdicts."""
    return list(_READERS[name](data, split))


def _vua(data: Path, split: str) -> Iterator[MetaphorSentence]:
    """All words of the corpus.

    The training texts of the shared task hold those of VUA-18 and a fifth more; the sentences that
    VUA-18 sets aside for validation are taken out of them, by id and by wording.
    """
    dev = list(read_vua_words(_there(data / "vua18" / "VUA_seq_formatted_val.csv")))
    if split == "dev":
        sentences: Iterable[LabelledSentence] = dev
    else:
        ids, wordings = {s.id for s in dev}, {_plain(s.words) for s in dev}
        sentences = (
            s
            for s in read_vuamc(_there(data / "naacl2018" / "vuamc_corpus_train.csv"))
            if s.words and s.id not in ids and _plain(s.words) not in wordings
        )
    for s in sentences:
        yield MetaphorSentence(s.words, tuple(map(int, s.labels)), (UNKNOWN,) * len(s.words))


def _plain(words: tuple[str, ...]) -> str:
    """The letters of a sentence: the two files differ in quotes and dashes."""
    return "".join(c for word in words for c in word.lower() if c.isascii() and c.isalnum())


def _lcc_targets(data: Path, split: str) -> Iterator[MetaphorSentence]:
    """One span of each text; training leaves out texts that the other splits have too."""
    held_out = {
        s.words for name in ("dev", "test") for s in read_lcc(_there(data / f"lcc/{name}.csv"))
    }
    for s in read_lcc(_there(data / "lcc" / f"{split}.csv")):
        if split == "train" and s.words in held_out:
            continue
        target = [UNKNOWN] * len(s.words)
        target[s.start : s.end] = [int(s.metaphor)] * (s.end - s.start)
        yield MetaphorSentence(s.words, (UNKNOWN,) * len(s.words), tuple(target))


def _newsmet(data: Path, split: str) -> Iterator[MetaphorSentence]:
    """Headlines as a whole, all six candidates of each, and their focus verbs where certain."""
    name = {"train": "train", "dev": "val"}[split]
    for headline in read_newsmet(_there(data / "newsmet" / f"{name}_goldplus.csv")):
        words, at = headline_words(headline)
        target = [UNKNOWN] * len(words)
        # the label of a rejected candidate says nothing of its verb
        if at is not None and headline.accepted is not False:
            target[at] = int(headline.metaphor)
        yield MetaphorSentence(
            words, (UNKNOWN,) * len(words), tuple(target), int(headline.metaphor)
        )


def headline_words(headline: Headline) -> tuple[tuple[str, ...], int | None]:
    """The words as the pipeline reads them, and which of them is the focus verb."""
    words = [w for s in read(headline.text, "headline").sentences for w in s.words]
    forms = tuple(w.form for w in words)
    if headline.target is None:
        return forms, None
    start, place = 0, 0
    for place, word in enumerate(headline.text.split()):
        start = headline.text.index(word, start)
        if place == headline.target:
            break
        start += len(word)
    return forms, next((n for n, w in enumerate(words) if w.start <= start < w.end), None)


def _there(path: Path) -> Path:
    if not path.exists():
        raise MissingData(path, f"give the folder that holds {path.parent.name}/ with --from")
    return path


def _own(data: Path, split: str) -> Iterator[MetaphorSentence]:
    """Content words of our own sentences, and whether there is a metaphor."""
    for s in split_sentences(split, without=("idiom", "names")):
        verdicts = s.content_verdicts()
        unknown = (UNKNOWN,) * len(verdicts)
        yield MetaphorSentence(s.words, verdicts, unknown, int(1 in verdicts))


_READERS = {"vua": _vua, LCC_TARGETS: _lcc_targets, "newsmet": _newsmet, VERDICTS: _own}
