"""The run of `trope train rewriting`, which its stages share, and how noisy its features are.

Weights for the small encoder are learnt on its teacher's vectors, but it only imitates them, with
errors. A weight that was learnt on clean numbers trusts them too much. So the errors are measured
on plain headlines with other verbs put in, and numbers with errors of that spread are what the
ranker learns from, and what it is chosen on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.tasks.rewriting.features import CHEAP, CONTEXT, cheap_features, context_features
from trope.tasks.rewriting.inventory import read_inventory
from trope.tasks.rewriting.meaning import Array, Meanings
from trope.tasks.rewriting.ranker import LinearScores, columns_by_name
from trope.tasks.rewriting.ranker_training import FeatureScale, Floats
from trope.tasks.rewriting.rewriter import SHORTLISTED, full_verbs
from trope.tasks.rewriting.task import TREES, TaskParser, WordPlace
from trope.text.tokenise import tokenise
from trope.train.encoder.text_sets import read_texts

Asked = Sequence[tuple[WordPlace, Sequence[str]]]


def _read_in_place(asked: Asked, meanings: Meanings, work: Path | None) -> list[Array]:
    """The features of each place's words; from the folder `work` where they were read before."""
    if work is None:
        return context_features(asked, meanings)
    file = work / f"{meanings.kind}-{_digest(asked)}.npz"
    sizes = [len(forms) for _, forms in asked]
    if file.is_file():
        with np.load(file, allow_pickle=False) as arrays:
            return np.split(arrays["rows"], np.cumsum(sizes)[:-1])
    found = context_features(asked, meanings)
    with atomic_write(file, "wb") as out:
        np.savez_compressed(out, allow_pickle=False, rows=np.vstack(found))
    return found


def _digest(asked: Asked) -> str:
    """The key of a cached table: the sentences, the places and the candidate words."""
    digest = hashlib.sha256()
    for place, forms in asked:
        digest.update(repr((place.parse.words, place.at, place.form, tuple(forms))).encode())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class SampleSizes:
    """How much is read: of each substitution set for the shortlist and in place; headlines."""

    shortlist: int = 400
    in_place: int = 150
    open_headlines: int = 150
    noise_headlines: int = 150


@dataclass(frozen=True, slots=True)
class RewritingRun:
    """What the stages share.

    The small encoder was trained on NewsMet's train headlines, where accepted candidates have the
    opposite label: on these headlines alone, its vectors separate what should be near. So weights
    are learnt on the vectors of its `teacher`, scaled to its own mean and spread.
    """

    data: Path
    parser: TaskParser
    meanings: Meanings
    teacher: Meanings | None
    sizes: SampleSizes
    without: frozenset[str]
    seed: int
    say: MessageWriter
    work: Path | None = None

    def read(self, asked: Asked, *, by: Meanings | None = None) -> list[Array]:
        """Features of words in place by our own source of meanings, or by another."""
        return _read_in_place(asked, by or self.meanings, self.work)


_CANDIDATES = 6
"""Words per headline, as many as people judged for one."""

_FEWEST_WORDS, _MOST_WORDS = 5, 14
COPIES = 4
"""How often each judged headline is learnt from, each time with other errors."""


@dataclass(frozen=True, slots=True)
class Noise:
    """Errors of features: a part that the words of a place share, and one of each word's own."""

    shared: Floats
    own: Floats

    def added(self, tables: Sequence[Array], rng: np.random.Generator) -> list[Array]:
        """Tables of features, [word, CONTEXT] each, with errors."""
        nothing = np.zeros(len(CONTEXT))
        return [
            np.asarray(
                table
                + rng.multivariate_normal(nothing, self.shared)
                + rng.multivariate_normal(nothing, self.own, size=len(table)),
                dtype=np.float32,
            )
            for table in tables
        ]


def measure_noise(run: RewritingRun, scale: FeatureScale, same: LinearScores) -> Noise:
    """The spread of the differences of student and teacher, on headlines without judgments."""
    assert run.teacher is not None
    rng = np.random.default_rng(run.seed)
    inventory = read_inventory("VERB")
    asked = []
    for place in islice(_places(run), run.sizes.noise_headlines):
        scores = same.of(columns_by_name(cheap_features(place, inventory), CHEAP))
        near = [int(row) for row in np.argsort(-scores)[:SHORTLISTED]]
        words = [inventory.lemmas[row] for row in rng.permutation(near)[:_CANDIDATES]]
        asked.append((place, [place.fitted(word) for word in words]))
    run.say(f"comparing student and teacher on {len(asked)} headlines")
    student, of_teacher = run.read(asked), run.read(asked, by=run.teacher)
    rows = [o - scale.rows(t, CONTEXT) for o, t in zip(student, of_teacher, strict=True)]
    return noise_of([np.asarray(row, dtype=np.float64) for row in rows])


def noise_of(differences: Sequence[Floats]) -> Noise:
    """The parts of the spread, from the differences of each place, [word, feature]."""
    means = np.array([table.mean(axis=0) for table in differences])
    inside = np.vstack([table - mean for table, mean in zip(differences, means, strict=True)])
    size = len(inside) / len(differences)
    own = _spread(inside) * size / (size - 1)
    return Noise(_positive(_spread(means - means.mean(axis=0)) - own / size), _positive(own))


def _spread(rows: Floats) -> Floats:
    return np.asarray(rows.T @ rows / len(rows), dtype=np.float64)


def _positive(spread: Floats) -> Floats:
    """The nearest matrix that can be a spread: what is negative by chance is nothing."""
    values, directions = np.linalg.eigh((spread + spread.T) / 2)
    return np.asarray((directions * np.maximum(values, 0)) @ directions.T, dtype=np.float64)


def _places(run: RewritingRun) -> Iterator[WordPlace]:
    """Verbs of headlines that nobody judged, in random order."""
    texts = [
        text
        for text in read_texts(run.data, "headlines")
        if _FEWEST_WORDS <= len(text.split()) <= _MOST_WORDS
    ]
    texts.sort(key=lambda text: hashlib.md5(text.encode(), usedforsecurity=False).digest())
    chosen = texts[: 2 * run.sizes.noise_headlines]
    words = [[text[start:end] for start, end in tokenise(text)] for text in chosen]
    known = read_inventory("VERB").rows
    for parse in run.parser.parse(words, TREES):
        verbs = [at for at in full_verbs(parse) if parse.lemmas[at].lower() in known]
        if verbs:
            yield WordPlace(parse, verbs[0], "VERB")
