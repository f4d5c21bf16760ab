"""What a large encoder, the teacher, says of metaphors whose concepts nobody has marked.

`python -m trope_domains.teacher` writes it to a file; networks learn from it in training.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadModel
from trope.core.files import atomic_write
from trope.corpora.conceptual_metaphors import ConceptText, read_concept_texts
from trope.pipeline import Pipeline
from trope.tasks.figures.views import DomainSpan
from trope_domains.features import Array, span_between
from trope_domains.stored import as_bytes, as_text

TAUGHT = Path(__file__).parent / "weights" / "taught.npz"
CORPUS, UNMARKED = "lcc-domains", "target_train"
_BEST, _WHOLE = 10, 255
"""How many concepts of a span are kept, and what stands for a probability of 1."""

Bytes = npt.NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class TaughtShares:
    """The probabilities of the likeliest concepts of spans, by teachers that saw parts of train.

    Teacher n has seen nothing of fold n; the last one has seen all folds. A span is a row of the
    corpus, and its first and last character in the words of the row.
    """

    concepts: tuple[str, ...]
    rows: tuple[str, ...]
    places: npt.NDArray[np.uint16]
    names: Bytes
    """[teacher, span, rank]"""
    values: Bytes

    @property
    def folds(self) -> int:
        """Of the cross-validation that they are for."""
        return len(self.names) - 1

    def by(self, teacher: int) -> Array:
        """[span, concept]: probabilities; what is left is spread over all concepts."""
        found = np.zeros((len(self.rows), len(self.concepts)), dtype=np.float32)
        values = self.values[teacher].astype(np.float32) / _WHOLE
        np.put_along_axis(found, self.names[teacher].astype(np.intp), values, axis=1)
        left = np.maximum(1 - found.sum(axis=1, keepdims=True), 0)
        return np.asarray(found + left / len(self.concepts))

    def write(self, path: Path) -> None:
        """Keep them in a file."""
        with atomic_write(path, "wb") as file:
            np.savez_compressed(
                file,
                concepts=as_bytes("\n".join(self.concepts)),
                rows=as_bytes("\n".join(self.rows)),
                places=self.places,
                names=self.names,
                values=self.values,
            )

    @classmethod
    def read(cls, path: Path, concepts: Sequence[str]) -> TaughtShares:
        """Those of a file, for these concepts."""
        with np.load(path, allow_pickle=False) as stored:
            found = cls(
                tuple(as_text(stored["concepts"]).split("\n")),
                tuple(as_text(stored["rows"]).split("\n")),
                *(stored[name] for name in ("places", "names", "values")),
            )
        if found.concepts != tuple(concepts):
            raise BadModel(path, "has other concepts than the data; make it again")
        return found


def best(shares: Array) -> tuple[Bytes, Bytes]:
    """[span, rank]: the likeliest concepts, and their probabilities as bytes."""
    names = np.argsort(-shares, axis=1)[:, :_BEST]
    values = np.rint(np.take_along_axis(shares, names, axis=1) * _WHOLE)
    return names.astype(np.uint8), values.astype(np.uint8)


def taught_spans(data: Path, taught: TaughtShares, pipeline: Pipeline) -> list[DomainSpan]:
    """The spans that teachers spoke of."""
    texts = {text.id: text for text in read_unmarked(data)}
    own: defaultdict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(taught.rows):
        own[row].append(number)
    joined = (" ".join(texts[row].words) for row in own)
    spans: dict[int, DomainSpan] = {}
    for numbers, analysis in zip(
        own.values(), pipeline.analyze_many(joined, tasks=("syntax",)), strict=True
    ):
        for number in numbers:
            start, end = taught.places[number].tolist()
            spans[number] = span_between(analysis, start, end)
    return [spans[number] for number in range(len(taught.rows))]


def read_unmarked(data: Path) -> list[ConceptText]:
    """The rows of texts whose target is known, but not their source."""
    return list(read_concept_texts(data / CORPUS / f"{UNMARKED}.csv.gz"))
