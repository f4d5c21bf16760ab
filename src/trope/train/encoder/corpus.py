"""Training data as flat arrays: pieces, words, labels, and batches of them by length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.encoder.decode import make_rule
from trope.encoder.pieces import Vocabulary
from trope.encoder.session import Labels

UNKNOWN = -1
ZERO = 1000
"""Scores are kept in hundredths over this, so that none is mistaken for UNKNOWN."""
_MAX_PIECES = 192
"""Longer sentences are left out of training; they are rare."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TreebankSentence:
    """A sentence with answers. `subtypes`: whether its relations carry them (EWT) or not."""

    words: tuple[str, ...]
    upos: tuple[str, ...]
    xpos: tuple[str, ...]
    lemmas: tuple[str, ...]
    heads: tuple[int, ...]
    deprels: tuple[str, ...]
    subtypes: bool
    own_lemmas: bool


@dataclass(frozen=True, slots=True)
class MetaphorSentence:
    """A sentence with verdicts: 1 metaphorical, 0 not, UNKNOWN where nobody judged.

    `metaphor` is for those who judged every word, `target` for those who judged one word of a
    text, by rules and in shares of their own; `figurative` is for the whole sentence.
    """

    words: tuple[str, ...]
    metaphor: tuple[int, ...]
    target: tuple[int, ...]
    figurative: int = UNKNOWN


def collect_labels(sentences: Sequence[TreebankSentence]) -> Labels:
    """The inventories of the sentences whose labels follow the conventions that we keep (EWT's)."""
    rich = [s for s in sentences if s.subtypes]
    if not rich:
        raise BadInput("no treebank is left that has subtypes and lemmas; keep ewt")
    rules = Counter(
        make_rule(word, lemma)
        for s in rich
        for word, lemma in zip(s.words, s.lemmas, strict=True)
        if lemma != "_"
    )
    return Labels(
        upos=tuple(sorted({tag for s in rich for tag in s.upos})),
        xpos=tuple(sorted({tag for s in rich for tag in s.xpos})),
        deprels=tuple(sorted({d for s in rich for d in s.deprels})),
        lemma_rules=tuple(rule for rule, count in rules.most_common() if count > 2),
    )


@dataclass
class EncodedCorpus:
    """Many sentences as flat arrays. Word w owns pieces `starts[w]:starts[w + 1]`."""

    ids: Ints
    types: Ints
    starts: Ints
    sentence_starts: Ints  # word numbers
    labels: dict[str, Ints] = field(default_factory=dict)  # one value per word
    sentence_labels: dict[str, Ints] = field(default_factory=dict)  # one value per sentence

    def __len__(self) -> int:
        return len(self.sentence_starts) - 1

    @property
    def lengths(self) -> Ints:
        """Words of each sentence."""
        return np.diff(self.sentence_starts)

    def save(self, path: Path) -> None:
        """Write the arrays, compressed."""
        small = {"ids": self.ids.astype("u2"), "types": self.types.astype("u1")}
        small |= {"starts": np.diff(self.starts).astype("u1")}
        small |= {"sentence_starts": np.diff(self.sentence_starts).astype("u2")}
        small |= {f"label_{k}": v.astype("i2") for k, v in self.labels.items()}
        small |= {f"sentence_label_{k}": v.astype("i2") for k, v in self.sentence_labels.items()}
        with atomic_write(path, "wb") as file:
            np.savez_compressed(file, allow_pickle=False, **small)

    @classmethod
    def load(cls, path: Path) -> EncodedCorpus:
        """Read what `save` wrote."""
        arrays = {k: v.astype(np.int64) for k, v in np.load(path, allow_pickle=False).items()}
        return cls(
            arrays["ids"],
            arrays["types"],
            _cumulated(arrays["starts"]),
            _cumulated(arrays["sentence_starts"]),
            _named(arrays, "label_"),
            _named(arrays, "sentence_label_"),
        )


def _named(arrays: dict[str, Ints], prefix: str) -> dict[str, Ints]:
    return {k.removeprefix(prefix): v for k, v in arrays.items() if k.startswith(prefix)}


def _cumulated(lengths: Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(lengths)])


def encode_words(
    sentences: Iterable[Sequence[str]], vocabulary: Vocabulary
) -> tuple[EncodedCorpus, Ints]:
    """The corpus of these sentences, and the numbers of those that were short enough for it."""
    ids: list[int] = []
    types: list[int] = []
    starts = [0]
    sentence_starts = [0]
    kept = []
    for number, words in enumerate(sentences):
        pieces = vocabulary.pieces(words)
        if not words or len(pieces.ids) > _MAX_PIECES:
            continue
        kept.append(number)
        starts.extend(len(ids) + start for start in pieces.starts[1:])
        ids.extend(pieces.ids)
        types.extend(pieces.types)
        sentence_starts.append(len(starts) - 1)
    corpus = EncodedCorpus(
        np.asarray(ids, dtype=np.int64),
        np.asarray(types, dtype=np.int64),
        np.asarray(starts, dtype=np.int64),
        np.asarray(sentence_starts, dtype=np.int64),
    )
    return corpus, np.asarray(kept, dtype=np.int64)


def encode_treebank(
    sentences: Sequence[TreebankSentence], labels: Labels, vocabulary: Vocabulary
) -> EncodedCorpus:
    """The corpus of annotated sentences; what an inventory lacks becomes UNKNOWN."""
    corpus, kept = encode_words((s.words for s in sentences), vocabulary)
    chosen = [sentences[number] for number in kept]
    upos, xpos, deprel, rule = (
        {name: number for number, name in enumerate(names)}
        for names in (labels.upos, labels.xpos, labels.deprels, labels.lemma_rules)
    )
    universal = {name: number for number, name in enumerate(universal_relations(labels))}
    columns: dict[str, list[int]] = {
        name: [] for name in ("upos", "xpos", "lemma", "head", "deprel", "universal")
    }
    for s in chosen:
        columns["upos"] += [upos.get(tag, UNKNOWN) for tag in s.upos]
        columns["xpos"] += [xpos.get(tag, UNKNOWN) if s.subtypes else UNKNOWN for tag in s.xpos]
        columns["head"] += [head + 1 for head in s.heads]
        columns["deprel"] += [deprel.get(d, UNKNOWN) if s.subtypes else UNKNOWN for d in s.deprels]
        columns["universal"] += [universal.get(d.split(":")[0], UNKNOWN) for d in s.deprels]
        columns["lemma"] += [
            rule.get(make_rule(word, lemma), UNKNOWN) if s.own_lemmas and lemma != "_" else UNKNOWN
            for word, lemma in zip(s.words, s.lemmas, strict=True)
        ]
    corpus.labels = {name: np.asarray(values) for name, values in columns.items()}
    return corpus


def encode_verdicts(sentences: Sequence[MetaphorSentence], vocabulary: Vocabulary) -> EncodedCorpus:
    """The corpus of sentences with verdicts on their words, and on the whole."""
    corpus, kept = encode_words((s.words for s in sentences), vocabulary)
    chosen = [sentences[number] for number in kept]
    corpus.labels = {
        "metaphor": np.asarray([v for s in chosen for v in s.metaphor]),
        "target": np.asarray([v for s in chosen for v in s.target]),
    }
    corpus.sentence_labels = {"figurative": np.asarray([s.figurative for s in chosen])}
    return corpus


def universal_relations(labels: Labels) -> tuple[str, ...]:
    """The relations without their subtypes."""
    return tuple(sorted({d.split(":")[0] for d in labels.deprels}))


def batches(
    corpus: EncodedCorpus, words_per_batch: int, rng: np.random.Generator | None
) -> Iterator[dict[str, Ints]]:
    """Padded arrays of sentences of similar length; in random order where `rng` is given."""
    lengths = corpus.lengths
    noise = rng.normal(0, 1.5, len(lengths)) if rng else np.zeros(len(lengths))
    order = np.argsort(lengths + noise, kind="stable")
    groups = []
    group: list[int] = []
    widest = 0
    for sentence in order:
        widest = max(widest, int(lengths[sentence]))
        if group and widest * (len(group) + 1) > words_per_batch:
            groups.append(group)
            group, widest = [], int(lengths[sentence])
        group.append(int(sentence))
    if group:
        groups.append(group)
    if rng:
        rng.shuffle(groups)
    for group in groups:
        yield padded(corpus, np.asarray(group))


def padded(corpus: EncodedCorpus, chosen: Ints) -> dict[str, Ints]:
    """Arrays of the chosen sentences: pieces with their owners, and the numbers of their words."""
    first, last = corpus.sentence_starts[chosen], corpus.sentence_starts[chosen + 1]
    piece_first, piece_last = corpus.starts[first], corpus.starts[last]
    width = int((piece_last - piece_first).max()) + 2
    position = np.arange(width)[None, :] - 1
    inside = (position >= 0) & (position < (piece_last - piece_first)[:, None])
    flat = np.where(inside, piece_first[:, None] + position, 0)
    ids = np.where(inside, corpus.ids[flat], 0)
    ids[:, 0] = 101
    ids[np.arange(len(chosen)), piece_last - piece_first + 1] = 102
    mask = position <= (piece_last - piece_first)[:, None]
    owner = np.searchsorted(corpus.starts, flat, side="right") - 1 - first[:, None]
    words = int((last - first).max())
    number = np.arange(words)[None, :]
    word = np.where(number < (last - first)[:, None], first[:, None] + number, UNKNOWN)
    return {
        "ids": ids,
        "types": np.where(inside, corpus.types[flat], 0),
        "mask": mask.astype(np.int64),
        "owner": np.where(inside, owner, UNKNOWN),
        "word": word,
        "sentence": chosen,
    }
