"""Training data of figures: verdicts on words, noticed metaphors, idioms, similes, novelty."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from trope.core.errors import MissingData
from trope.corpora.figures import read_msd23
from trope.corpora.idioms import IdiomSentence, read_epie, read_magpie
from trope.corpora.leaks import read_leaks
from trope.corpora.newsmet import Headline, read_newsmet
from trope.corpora.records import LabelledSentence
from trope.corpora.tagged_tokens import read_tagged_tokens
from trope.corpora.verb_corpora import read_lcc
from trope.corpora.vua import read_novelty, read_vua_words, read_vuamc
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import FIGURE_OUTPUTS
from trope.text import read
from trope.train.encoder.corpus import UNKNOWN, ZERO, EncodedCorpus, MetaphorSentence, encode_words
from trope.train.encoder.own_sentences import (
    FIGURES,
    VERDICTS,
    in_dev,
    own_sentences,
    split_sentences,
)

LCC_TARGETS = "lcc-targets"
"""LCC's verdicts, in distinction from its texts, which `sources` reads."""


def read_metaphor_set(data: Path, name: str, split: str) -> list[MetaphorSentence]:
    """The sentences of one split, "train" or "dev", of a set with verdicts."""
    return list(_VERDICT_READERS[name](data, split))


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


def _own_verdicts(data: Path, split: str) -> Iterator[MetaphorSentence]:
    """Content words of our own sentences.

    The verdict on a whole headline follows rules of its own, so none is made of these.
    """
    for s in split_sentences(split, without=("idiom", "names")):
        verdicts = s.content_verdicts()
        unknown = (UNKNOWN,) * len(verdicts)
        yield MetaphorSentence(s.words, verdicts, unknown)


_VERDICT_READERS = {
    "vua": _vua,
    LCC_TARGETS: _lcc_targets,
    "newsmet": _newsmet,
    VERDICTS: _own_verdicts,
}


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
    for file, reader in (("magpie-typebased-dev", read_magpie), ("epie-formal", read_epie)):
        leaked = leaked_rows(folder, file)
        for s in reader(_there(folder / f"{file}.tsv.gz")):
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
