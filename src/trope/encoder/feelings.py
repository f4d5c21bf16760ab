"""The score of whole sequences: that of their windows, averaged by the words of each."""

from __future__ import annotations

from trope.encoder.session import FEELINGS, BatchPass

_SCORE = FEELINGS.index("score")


class Feelings:
    """Scores of many sequences, collected batch by batch in whatever order they come."""

    def __init__(self, sequences: int) -> None:
        self._sums = [0.0] * sequences
        self._words = [0] * sequences

    def add(self, done: BatchPass) -> None:
        """Take in what the head said of one batch; nothing if it was not asked."""
        said = done.outputs.get("sentiment")
        if said is None:
            return
        for row, window in enumerate(done.windows):
            words = window.core_last - window.core_first
            self._sums[window.sentence] += float(said[row, _SCORE]) * words
            self._words[window.sentence] += words

    def scores(self) -> list[float]:
        """A number a sequence, near -5 to 5 but not kept inside."""
        return [total / words for total, words in zip(self._sums, self._words, strict=True)]
