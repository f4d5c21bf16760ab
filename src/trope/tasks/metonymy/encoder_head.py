"""`encoder`: the head that ships, tiers `small` and `base`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.encoder.base import load_encoder
from trope.encoder.pieces import MASK
from trope.encoder.session import METONYMY, AnyEncoder, BatchPass, passes
from trope.lexicon.readings import NAME_CLASSES, NameClass, readings
from trope.tasks.metonymy.task import NameInContext, Probabilities

Floats = npt.NDArray[np.float64]
Masking = Literal["both", "masked", "plain"]
"""Whether the network reads the sentence with its name hidden, as it is, or both."""


@dataclass(frozen=True, slots=True)
class _View:
    """One look at a name: the words `first` to `last` (exclusive) of what the network reads.

    `weight` is the share of one of these words in the score of the name.
    """

    name: int
    first: int
    last: int
    weight: float


class EncoderMetonymy:
    """The shipped network, trained on names as they are, hidden and replaced.

    Paper: target masking as in Li et al. (2020), in addition to the name itself.
    Needs: nothing for the tier `small`; public weights and the extra `hub` for `base`.
    Gives: probabilities of the fine readings, the geometric mean over the name's words and over
        the sentence as it is and with the name hidden.
    Differs: one small network for both classes of names and all granularities.
    """

    def __init__(
        self,
        encoder: AnyEncoder,
        *,
        mask: Masking = "both",
        sentences: Sequence[tuple[str, ...]] = (),
        read: Sequence[BatchPass] = (),
    ) -> None:
        """Take the network, and the scores that it gave to sentences already, in any order."""
        if mask not in get_args(Masking):
            raise BadInput(f"mask is {mask!r}; known: {', '.join(get_args(Masking))}")
        self.mask = mask
        self._encoder = encoder
        self._sentences, self._read = sentences, read
        self._columns = {c: _columns(encoder.labels.metonymy, c) for c in NAME_CLASSES}

    def fit(self, names: Sequence[NameInContext], readings: Sequence[str]) -> None:
        """Refuse: this system ships trained."""
        raise BadInput("the encoder's system ships trained; train it anew with trope train encoder")

    def predict(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """The probabilities of the readings, all names in one go."""
        views: dict[tuple[str, ...], list[_View]] = {}  # names of a sentence share its pass
        for at, name in enumerate(names):
            for words, view in self._views(at, name):
                views.setdefault(words, []).append(view)
        means = [np.zeros(len(readings(name.name_class))) for name in names]
        known = [views.pop(words, []) for words in self._sentences] if self._read else []
        asked = list(views.values())
        found = (_name_words(done, known) for done in self._read)
        more = (_name_words(d, asked) for d in passes(self._encoder, list(views), METONYMY))
        for view, logits in chain.from_iterable(chain(found, more)):
            columns = self._columns[names[view.name].name_class]
            means[view.name] += view.weight * _log_softmax(logits[columns].astype(np.float64))
        return [
            dict(zip(readings(name.name_class), np.exp(_log_softmax(mean)).tolist(), strict=True))
            for name, mean in zip(names, means, strict=True)
        ]

    def _views(self, at: int, name: NameInContext) -> Iterator[tuple[tuple[str, ...], _View]]:
        """What the network reads for a name, and where the name is in it."""
        words, first, last = name.parse.words, name.first, name.last
        share = 0.5 if self.mask == "both" else 1.0
        if self.mask != "masked":
            yield words, _View(at, first, last, share / (last - first))
        if self.mask != "plain":
            yield (*words[:first], MASK, *words[last:]), _View(at, first, first + 1, share)


def blend(plain: Probabilities, masked: Probabilities) -> Probabilities:
    """The logits for "both", from those of the visible and of the hidden name."""
    means = {name: (plain[name] * masked[name]) ** 0.5 for name in plain}
    total = sum(means.values())
    return {name: mean / total for name, mean in means.items()}


def _name_words(
    done: BatchPass, asked: Sequence[Sequence[_View]]
) -> Iterator[tuple[_View, npt.NDArray[np.float32]]]:
    """The logits of each word of each name in a batch."""
    for row, window in enumerate(done.windows):
        for view in asked[window.sentence]:
            first, last = max(view.first, window.core_first), min(view.last, window.core_last)
            for word in range(first, last):
                yield view, done.outputs["metonymy"][row, word - window.first]


def _columns(labels: Sequence[str], name_class: NameClass) -> list[int]:
    """Where the logits of a class's readings stand, in the order of the scheme."""
    try:
        return [labels.index(f"{name_class}:{reading}") for reading in readings(name_class)]
    except ValueError:
        problem = "has no head for metonymy" if not labels else "has another scheme of readings"
        raise BadInput(f"this model {problem}; give another") from None


def _log_softmax(logits: Floats) -> Floats:
    moved = logits - logits.max()
    found: Floats = moved - np.log(np.exp(moved).sum())
    return found


def build(
    *,
    tier: str = "small",
    folder: Path | None = None,
    base_weights: Path | None = None,
    threads: int | None = None,
    mask: Masking = "both",
) -> EncoderMetonymy:
    """The system of a tier, or of the model in a folder."""
    encoder = load_encoder(tier=tier, folder=folder, base_weights=base_weights, threads=threads)
    return EncoderMetonymy(encoder, mask=mask)
