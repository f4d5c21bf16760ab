"""`encoder`: the head that ships, tiers `small` and `base`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput
from trope.encoder.base import load_encoder
from trope.encoder.pieces import MASK
from trope.encoder.session import METONYMY, AnyEncoder, BatchPass, Encoder, passes
from trope.lexicon.readings import NAME_CLASSES, NameClass, readings
from trope.tasks.metonymy.task import NameInContext, Probabilities

Floats = npt.NDArray[np.float64]
Masking = Literal["both", "masked", "plain"]
"""Whether the network reads the sentence with its name hidden, as it is, or both."""

_DOUBTFUL, _SURE = 0.9, 0.95
"""Up to which probability of a reading the hidden name counts as much as the visible one, and from
which on it is not read; in between it counts less and less, so that no score jumps. In data that
nothing was trained on, this changed no reading of the tier small."""


@dataclass(frozen=True, slots=True)
class _View:
    """One look at a name: the words `first` to `last` (exclusive) of what the network reads."""

    name: int
    first: int
    last: int


_WordLogits = tuple[_View, npt.NDArray[np.float32]]


class EncoderMetonymy:
    """The shipped network, trained on names as they are, hidden and replaced.

    Paper: target masking as in Li et al. (2020), in addition to the name itself.
    Needs: nothing for the tier `small`; public weights and the extra `hub` for `base`.
    Gives: probabilities of the fine readings, the geometric mean over the name's words and, where
        the sentence as it is leaves a doubt, over that and the one with the name hidden.
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
        if self.mask == "masked":
            return self._hidden(names)
        found = self._visible(names)
        if self.mask == "both":
            doubtful = [at for at, own in enumerate(found) if _weight_of_hidden(own)]
            hidden = self._hidden([names[at] for at in doubtful])
            for at, own in zip(doubtful, hidden, strict=True):
                found[at] = blend(found[at], own)
        return found

    def _visible(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """From the sentences as they are, which the network may have read already."""
        views: dict[tuple[str, ...], list[_View]] = {}  # names of a sentence share its pass
        for at, name in enumerate(names):
            views.setdefault(name.parse.words, []).append(_View(at, name.first, name.last))
        known = [views.pop(words, []) for words in self._sentences] if self._read else []
        read = chain.from_iterable(_name_words(done, known) for done in self._read)
        return self._probabilities(names, chain(read, self._asked(views)))

    def _hidden(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """From the sentences with a mask in the place of the name."""
        views: dict[tuple[str, ...], list[_View]] = {}
        for at, name in enumerate(names):
            words = (*name.parse.words[: name.first], MASK, *name.parse.words[name.last :])
            views.setdefault(words, []).append(_View(at, name.first, name.first + 1))
        return self._probabilities(names, self._asked(views))

    def _asked(self, views: Mapping[tuple[str, ...], Sequence[_View]]) -> Iterator[_WordLogits]:
        asked = list(views.values())
        for done in passes(self._encoder, list(views), METONYMY) if views else ():
            yield from _name_words(done, asked)

    def _probabilities(
        self, names: Sequence[NameInContext], read: Iterable[_WordLogits]
    ) -> list[Probabilities]:
        """The geometric mean over the words of each name."""
        means = [np.zeros(len(readings(name.name_class))) for name in names]
        for view, logits in read:
            columns = self._columns[names[view.name].name_class]
            share = 1 / (view.last - view.first)
            means[view.name] += share * _log_softmax(logits[columns].astype(np.float64))
        return [
            dict(zip(readings(name.name_class), np.exp(_log_softmax(mean)).tolist(), strict=True))
            for name, mean in zip(names, means, strict=True)
        ]


def masking_in_texts(encoder: AnyEncoder) -> Masking:
    """How a tier reads the names of texts: `small` in the pass that gives the trees.

    On held-out names of SemEval-2007, ReLocaR, GeoWebNews and our own sentences, hiding those in
    doubt broke as many readings of `small` as it mended; of `base`, it mended three times as many.
    """
    return "plain" if isinstance(encoder, Encoder) else "both"


def blend(plain: Probabilities, masked: Probabilities) -> Probabilities:
    """The probabilities for "both", from those of the visible and of the hidden name."""
    weight = _weight_of_hidden(plain)
    means = {name: plain[name] ** (1 - weight) * masked[name] ** weight for name in plain}
    total = sum(means.values())
    return {name: mean / total for name, mean in means.items()}


def _weight_of_hidden(plain: Probabilities) -> float:
    """How much the hidden name counts beside the visible one: at most a half."""
    doubt = (_SURE - max(plain.values())) / (_SURE - _DOUBTFUL)
    return 0.5 * min(max(doubt, 0.0), 1.0)


def _name_words(done: BatchPass, asked: Sequence[Sequence[_View]]) -> Iterator[_WordLogits]:
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
