"""`transformers`: any fine-tuned Hugging Face encoder, for words or for sentences."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trope.core.records import Parse
from trope.tasks.hub_folder import folder_checksum, load_tokenizer, model_path, text_pieces
from trope.tasks.metaphor.hub_model import (
    DetectorNotes,
    probabilities,
    read_notes,
    trained_detector,
    word_pieces,
)
from trope.tasks.metaphor.silver_sources import running_text
from trope.tasks.metaphor.task import Score, VerbExpression, highest


class TransformersDetector:
    """A large encoder, fine-tuned.

    Paper: the detector of NewsMet (Joseph et al., 2023) where it was trained with that preset.
    Needs: a folder or a name of the Hub; safetensors; the extra `hub`.
    Gives: probabilities. A model of words scores every word, an expression by its verb and a
        sentence by its highest word. A model of sentences scores sentences, an expression by the
        sentence that it stands in, and no single word.
    Differs: an expression without a sentence is read as a text of its two words, verb first,
        which no model was trained on: such scores compare with each other, not with the threshold.
    """

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        notes: DetectorNotes,
        *,
        batch_size: int = 64,
        sha256: str = "",
    ) -> None:
        self.threshold = notes.threshold
        self.notes = notes
        self.model_sha256 = sha256
        self._model, self._tokenizer, self._batch = model, tokenizer, batch_size

    def score_words(self, sentences: Sequence[Parse]) -> list[tuple[Score, ...]]:
        """One probability per word; none from a model of sentences."""
        return self._rows([sentence.words for sentence in sentences])

    def score_expressions(self, expressions: Sequence[VerbExpression]) -> list[Score]:
        """The verb in its sentence, or in the text "verb noun" where there is no sentence."""
        texts = [e.words or (e.verb, e.noun) for e in expressions]
        if self.notes.level == "sentences":
            return self.score_texts([running_text(words) for words in texts])
        places = [e.verb_at if e.words and e.verb_at is not None else 0 for e in expressions]
        return [row[at] for row, at in zip(self._rows(texts), places, strict=True)]

    def score_sentences(self, sentences: Sequence[Parse]) -> list[Score]:
        """One probability per sentence."""
        if self.notes.level == "words":
            return [highest(row) for row in self.score_words(sentences)]
        return self.score_texts([running_text(sentence.words) for sentence in sentences])

    def score_texts(self, texts: Sequence[str]) -> list[Score]:
        """One probability per text as it was written; a model of words splits it at blanks."""
        if self.notes.level == "words":
            return [highest(row) for row in self._rows([text.split() for text in texts])]
        items = text_pieces(self._tokenizer, texts, None, self.notes.max_length) if texts else []
        return [row[0] for row in self._probabilities(items)]

    def _rows(self, sentences: Sequence[Sequence[str]]) -> list[tuple[Score, ...]]:
        if self.notes.level == "sentences":
            return [(None,) * len(words) for words in sentences]
        most = self.notes.max_length
        parts = [word_pieces(self._tokenizer, words, None, most) for words in sentences]
        found = iter(self._probabilities([part for row in parts for part in row]))
        return [tuple(score for _ in row for score in next(found)) for row in parts]

    def _probabilities(self, items: Sequence[Any]) -> list[list[float]]:
        pad = self._tokenizer.pad_token_id
        return probabilities(self._model, items, pad, batch=self._batch)


def build(
    *, model: str | Path, device: str = "cpu", threshold: float | None = None, batch_size: int = 64
) -> TransformersDetector:
    """The detector of a folder or Hub name; its threshold is the folder's unless one is given.

    Raises:
        BadModel: for a folder with a pickle, without a head, or with weights of another shape.
    """
    folder = model_path(model)
    notes = read_notes(folder)
    network = trained_detector(folder, notes.level).to(device)
    detector = TransformersDetector(
        network,
        load_tokenizer(folder, notes.level),
        notes,
        batch_size=batch_size,
        sha256=folder_checksum(folder),
    )
    if threshold is not None:
        detector.threshold = threshold
    return detector
