"""Training data of figures: noticed metaphors, idioms, similes, and how new a metaphor is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trope.core.errors import MissingData
from trope.corpora.figures import read_msd23
from trope.corpora.idioms import IdiomSentence, read_epie, read_magpie
from trope.corpora.leaks import read_leaks
from trope.corpora.tagged_tokens import read_tagged_tokens
from trope.corpora.vua import read_novelty, read_vuamc
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import FIGURE_OUTPUTS
from trope.train.encoder.corpus import UNKNOWN, ZERO, EncodedCorpus, encode_words
from trope.train.encoder.own_sentences import FIGURES, in_dev, own_sentences

COMPARATORS = frozenset({"like", "as"})
"""The words that are judged whether they introduce a simile."""


@dataclass(frozen=True, slots=True)
class FigureSentence:
    """A sentence with what is known of its words, one tuple for each of `FIGURE_OUTPUTS`.

    1 and 0 are verdicts; novelty is in thousandths over ZERO. A tuple is empty where nobody
    judged, UNKNOWN stands for single words that nobody judged.
    """

    words: tuple[str, ...]
    noticed: tuple[int, ...] = ()
    idiom: tuple[int, ...] = ()
    simile: tuple[int, ...] = ()
    novelty: tuple[int, ...] = ()
    group: str = ""
    """What may not be in two splits at once: a text, an idiom, a sentence."""
    id: str = ""


def read_figure_set(data: Path, name: str, split: str) -> list[FigureSentence]:
    """The sentences of one split, "train" or "dev"; both are parts of published training data."""
    return [s for s in _READERS[name](data) if in_dev(s.group) == (split == "dev")]


def encode_figures(sentences: Sequence[FigureSentence], vocabulary: Vocabulary) -> EncodedCorpus:
    """The corpus of sentences with the labels of each figure."""
    corpus, kept = encode_words((s.words for s in sentences), vocabulary)
    chosen = [sentences[number] for number in kept]
    corpus.labels = {
        name: np.asarray([v for s in chosen for v in getattr(s, name) or (UNKNOWN,) * len(s.words)])
        for name in FIGURE_OUTPUTS
        if any(getattr(s, name) for s in chosen)
    }
    return corpus


def novelty_sentences(data: Path, split: str) -> list[FigureSentence]:
    """Sentences of the shared task's "train" or "test" texts with the novelty of metaphors."""
    files = {s: _there(data / f"naacl2018/vuamc_corpus_{s}.csv") for s in ("train", "test")}
    both = {name: list(read_vuamc(path)) for name, path in files.items()}
    own = {sentence.id for sentence in both[split]}
    scores = _there(data / "novelty" / "vuamc_novelty.csv")
    return [
        FigureSentence(s.words, novelty=tuple(map(_thousandths, s.novelty)), group=s.text)
        for s in read_novelty(scores, [*both["train"], *both["test"]])
        if s.id in own
    ]


def _thousandths(novelty: float | None) -> int:
    """A score from -1 to 1 as one from 0 to 1."""
    return UNKNOWN if novelty is None else ZERO + round(500 * (novelty + 1))


def _meta4xnli(data: Path) -> Iterator[FigureSentence]:
    folder = data / "meta4xnli"
    leaked = leaked_rows(folder, "train")
    for s in read_tagged_tokens(_there(folder / "train.tsv.gz")):
        if s.id not in leaked:
            marks = tuple(int(tag != "O") for tag in s.tags)
            yield split_clitics(FigureSentence(s.tokens, noticed=marks, group=s.id))


def idiom_sentences(data: Path) -> Iterator[FigureSentence]:
    """MAGPIE's development part and the judged part of EPIE; a group is an idiom."""
    folder = data / "idiom-sentences"
    for file, read in (("magpie-typebased-dev", read_magpie), ("epie-formal", read_epie)):
        leaked = leaked_rows(folder, file)
        for s in read(_there(folder / f"{file}.tsv.gz")):
            if s.id not in leaked and s.idiomatic is not None:
                yield FigureSentence(s.words, idiom=idiom_marks(s), group=s.idiom, id=s.id)


def idiom_marks(sentence: IdiomSentence) -> tuple[int, ...]:
    """1 for the words of an idiom that is used as one, 0 for all others."""
    inside = {at for first, last in sentence.spans for at in range(first, last)}
    used = bool(sentence.idiomatic)
    return tuple(int(used and at in inside) for at in range(len(sentence.words)))


def _similes(data: Path) -> Iterator[FigureSentence]:
    for part in ("similes", "literals"):
        for s in read_msd23(_there(data / "figures" / f"msd23-{part}.jsonl.gz")):
            words = tuple(s.text.split())
            marks = tuple(int(s.simile) if w in COMPARATORS else UNKNOWN for w in words)
            if {0, 1} & {*marks}:
                yield FigureSentence(words, simile=marks, group=s.text)


def _own(data: Path) -> Iterator[FigureSentence]:
    for s in own_sentences():
        if s.kind != "names":
            noticed = s.verdicts("metaphor", unknown="idiom")
            yield FigureSentence(s.words, noticed, s.verdicts("idiom"), group=s.text)


def split_clitics(sentence: FigureSentence) -> FigureSentence:
    """The sentence with punctuation as words of its own, which its corpus leaves at the words."""
    words: list[str] = []
    marks: list[int] = []
    for word, mark in zip(sentence.words, sentence.noticed, strict=True):
        core = word.strip("\"'.,;:!?()[]") or word
        at = word.index(core)
        parts = [*word[:at], core, *word[at + len(core) :]]
        words += parts
        marks += [mark if part is core else 0 for part in parts]
    return replace(sentence, words=tuple(words), noticed=tuple(marks))


def leaked_rows(folder: Path, file: str) -> set[str]:
    """The ids of a file's rows that some test set has too."""
    return {row.id for row in read_leaks(_there(folder / "leaks.tsv")) if row.file == file}


def _there(path: Path) -> Path:
    if not path.exists():
        raise MissingData(path, f"give the folder that holds {path.parent.name}/ with --from")
    return path


_READERS: dict[str, Callable[[Path], Iterator[FigureSentence]]] = {
    "novelty": lambda data: iter(novelty_sentences(data, "train")),
    "meta4xnli": _meta4xnli,
    "idiom-sentences": idiom_sentences,
    "similes": _similes,
    FIGURES: _own,
}
