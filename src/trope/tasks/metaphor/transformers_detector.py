"""Detectors by Hugging Face encoders.

`transformers`: any that was fine-tuned, for words or for sentences.
`seed-contexts`: any that never saw a metaphor, and fifty seeds in sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np
import torch
import transformers

from trope.core.errors import BadRecord
from trope.core.files import read_lines
from trope.core.records import Parse
from trope.lexicon.vectors import SHIPPED, WordVectors, read_vectors
from trope.tasks.hub_folder import (
    exact_name,
    folder_checksum,
    load_tokenizer,
    model_path,
    text_pieces,
)
from trope.tasks.metaphor.hub_model import (
    DetectorNotes,
    probabilities,
    read_notes,
    trained_detector,
    word_pieces,
)
from trope.tasks.metaphor.seed_similarity import Floats, SeedNeighbours
from trope.tasks.metaphor.silver_sources import running_text
from trope.tasks.metaphor.task import Score, VerbExpression, highest

_IN_SENTENCES = Path(__file__).with_name("seed_contexts.txt")
_BY_CONTEXT, _DEPTH, _AROUND = (
    10.0,
    5 / 12,
    18,
)  # chosen on running text with our labels, and on LCC
_LONGEST = 96  # pieces of a context

Context = tuple[tuple[str, ...], int]
"""The words around a verb, and the place of the verb among them."""
VerbVectors = Callable[[Sequence[Context]], Floats]


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


class SeedContexts(SeedNeighbours):
    """Weak supervision by a few seeds in sentences.

    Paper: the idea of Zayed et al. (2018), with the vector that a verb has in its sentence.
    Needs: what `SeedNeighbours` needs, and an encoder that was trained on no metaphors.
    Gives: a probability as `SeedNeighbours` does; verbs are also alike where their vectors in
        their sentences are, by the middle of the encoder.
    Differs: an expression without a sentence is read as a text of its two words, verb first.
    """

    def __init__(
        self,
        vectors: WordVectors,
        seeds: Iterable[tuple[VerbExpression, bool]],
        verb_vectors: VerbVectors,
        *,
        threshold: float = 0.5,
        encoder: str = "",
    ) -> None:
        seeds = tuple(seeds)
        self.encoder = encoder
        self._verb_vectors = verb_vectors
        table = verb_vectors([_context(seed) for seed, _ in seeds])
        self._centre, self._width = table.mean(axis=0), table.std(axis=0) + 1e-9
        self._seed_table = self._standard(table)
        super().__init__(vectors, seeds, threshold=threshold)

    def without(self, expressions: Iterable[VerbExpression]) -> Self:
        """The same detector without the seeds that are among these expressions."""
        pairs = {expression.pair for expression in expressions}
        kept = [seed for seed in self.seeds if seed[0].pair not in pairs]
        return type(self)(
            self.vectors,
            kept,
            self._verb_vectors,
            threshold=self.threshold,
            encoder=self.encoder,
        )

    def _likeness(self, expressions: Sequence[VerbExpression]) -> Floats:
        ours = self._standard(self._verb_vectors([_context(some) for some in expressions]))
        found: Floats = super()._likeness(expressions)
        return found + _BY_CONTEXT * np.clip(ours @ self._seed_table.T, 0, 1)

    def _standard(self, table: Floats) -> Floats:
        """Unit vectors of the differences from the mean of the seeds."""
        apart = (table - self._centre) / self._width
        found: Floats = apart / np.maximum(np.linalg.norm(apart, axis=1, keepdims=True), 1e-9)
        return found


def build_contexts(
    *,
    model: str | Path = "sentence-transformers/all-mpnet-base-v2",
    vectors: str | Path = SHIPPED,
    seeds: str | Path = _IN_SENTENCES,
    threshold: float = 0.5,
) -> SeedContexts:
    """The detector by the encoder of a folder or Hub name, which may have any head or none."""
    folder = model_path(model)
    return SeedContexts(
        read_vectors(vectors),
        read_seed_sentences(seeds),
        encoder_in_sentences(folder),
        threshold=threshold,
        encoder=f"{exact_name(folder)}, {folder_checksum(folder)[:12]}",
    )


def read_seed_sentences(path: str | Path) -> tuple[tuple[VerbExpression, bool], ...]:
    """Seeds with their sentences, one per line; # begins a comment."""
    seeds: list[tuple[VerbExpression, bool]] = []
    for line, text in read_lines(path):
        if not text.strip() or text.startswith("#"):
            continue
        verb, noun, label, *words = [*text.split(), "", "", ""]
        words = [word for word in words if word]
        places = [
            at for at, word in enumerate(words) if len(word) > 2 and word[0] == word[-1] == "*"
        ]
        if label not in ("metaphor", "literal") or len(places) != 1:
            raise BadRecord(
                path,
                line,
                "is no seed; write verb, noun, metaphor or literal, and a sentence with the *verb*",
            )
        words[places[0]] = words[places[0]].strip("*")
        expression = VerbExpression(verb, noun, verb_at=places[0], words=tuple(words))
        seeds.append((expression, label == "metaphor"))
    return tuple(seeds)


def encoder_in_sentences(folder: Path, batch: int = 32) -> VerbVectors:
    """What gives the vectors of verbs in their contexts, the mean of their pieces."""
    tokenizer = load_tokenizer(folder, "words")
    model = transformers.AutoModel.from_pretrained(
        folder, use_safetensors=True, local_files_only=True, trust_remote_code=False
    )
    model = model.float().eval()

    def encode(contexts: Sequence[Context]) -> Iterable[Floats]:
        given = tokenizer([words for words, _ in contexts], is_split_into_words=True, padding=True,
                          truncation=True, max_length=_LONGEST, return_tensors="pt")  # fmt: skip
        with torch.inference_mode():
            layers: Any = model(
                input_ids=given["input_ids"],
                attention_mask=given["attention_mask"],
                output_hidden_states=True,
            ).hidden_states
        states = layers[int((len(layers) - 1) * _DEPTH + 1e-9)].double().numpy()
        for row, (_, at) in enumerate(contexts):
            pieces = [place for place, word in enumerate(given.word_ids(row)) if word == at]
            yield states[row, pieces].mean(axis=0) if pieces else states[row, 0]

    def verb_vectors(contexts: Sequence[Context]) -> Floats:
        order = sorted(range(len(contexts)), key=lambda at: len(contexts[at][0]))
        found: dict[int, Floats] = {}
        for start in range(0, len(order), batch):
            places = order[start : start + batch]
            found.update(zip(places, encode([contexts[at] for at in places]), strict=True))
        return np.array([found[at] for at in range(len(contexts))])

    return verb_vectors


def _context(expression: VerbExpression) -> Context:
    """The words near the verb, or verb and noun alone where there is no sentence."""
    if not expression.words or expression.verb_at is None:
        return (expression.verb, expression.noun), 0
    first = max(0, expression.verb_at - _AROUND)
    words = expression.words[first : expression.verb_at + _AROUND]
    return tuple(words), expression.verb_at - first
