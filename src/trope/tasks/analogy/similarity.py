"""Similarity of vectors: the nearest choice by static ones, the light ranker of the tier `small`.

The static choice is the one nearest to element + second domain - first domain. An expression is
looked up whole, then as the mean of its words; an unknown word loses its last letter until a known
one is left (both as in the paper). Words without a vector are reported.

The ranker weighs similarities of static vectors and of vectors of meaning, with one weight per
similarity. Vectors are fixed, each text is encoded once, and no feature looks at spelling. Vectors
of meaning come from the shipped encoder or from any sentence encoder.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from trope.core.errors import BadInput, MissingExtra
from trope.corpora.mean import Analogy, spoken
from trope.encoder.decode import word_meanings
from trope.encoder.session import Encoder
from trope.lexicon.vectors import Vectors, read_vectors
from trope.tasks.analogy.ranker import ChoiceRanker, Floats
from trope.tasks.analogy.templates import Template
from trope.text.tokenise import tokenise

Array = npt.NDArray[np.float32]
FIXED_QUERY = 6
"""The item whose query the released script compares every item with, counted from 0."""

Meaning = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Texts in, a vector for each out: the mean over its words."""

WIDTH = 256
_BATCH = 32


@dataclass(frozen=True, slots=True)
class Lookup:
    """The vector of an expression, None where none of its words has one; `cut` words lost letters,
    `unknown` ones were left out.
    """

    vector: Array | None
    cut: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class StaticAnswer:
    """A likeness for every choice, and the words that were cut or are unknown.

    Where the question has no vector all choices are alike, and a choice without one scores -1.
    """

    scores: tuple[float, ...]
    cut: tuple[str, ...]
    unknown: tuple[str, ...]


def look_up(text: str, vectors: Vectors, *, unit: bool = True) -> Lookup:
    """The vector of a word or expression, by the paper's rules."""
    whole = "_".join(spoken(text).split())
    if (vector := _vector(whole, vectors, unit)) is not None:
        return Lookup(vector)
    found: list[Array] = []
    cut: list[str] = []
    unknown: list[str] = []
    for word in spoken(text).split():
        stem, vector = _backed_off(word, vectors, unit)
        if vector is None:
            unknown.append(word)
            continue
        found.append(vector)
        if stem != word:
            cut.append(word)
    mean = np.mean(found, axis=0).astype(np.float32) if found else None
    return Lookup(mean, tuple(cut), tuple(unknown))


def answer(item: Analogy, vectors: Vectors, *, unit: bool = True) -> StaticAnswer:
    """How near each choice is to where the formula points."""
    return _compared(item, item, vectors, unit)


def answer_as_released(
    items: Sequence[Analogy], vectors: Vectors, *, unit: bool = True
) -> list[StaticAnswer]:
    """The answers of the released script, which asks every item the question of one."""
    if len(items) <= FIXED_QUERY:
        raise BadInput(f"the released script needs {FIXED_QUERY + 1} items; there are {len(items)}")
    return [_compared(items[FIXED_QUERY], item, vectors, unit) for item in items]


def _compared(asked: Analogy, item: Analogy, vectors: Vectors, unit: bool) -> StaticAnswer:
    find = partial(look_up, vectors=vectors, unit=unit)
    parts = [find(text) for text in (asked.element, asked.second_domain, asked.first_domain)]
    choices = [find(choice) for choice in item.choices]
    looked = [*parts, *choices]
    query = _query([part.vector for part in parts], unit)
    scores = tuple(_cosine(query, choice.vector) for choice in choices)
    cut = tuple(dict.fromkeys(word for one in looked for word in one.cut))
    unknown = tuple(dict.fromkeys(word for one in looked for word in one.unknown))
    return StaticAnswer(scores, cut, unknown)


def _query(parts: Sequence[Array | None], unit: bool) -> Array | None:
    """Element + second domain - first domain; a part without a vector counts as nothing."""
    signs = (1, 1, -1)
    known = [
        sign * (part / np.linalg.norm(part) if unit else part)
        for sign, part in zip(signs, parts, strict=True)
        if part is not None
    ]
    return np.sum(known, axis=0).astype(np.float32) if known else None


def _cosine(query: Array | None, choice: Array | None) -> float:
    if query is None:
        return 0.0
    if choice is None:
        return -1.0
    lengths = float(np.linalg.norm(query) * np.linalg.norm(choice))
    return float(query @ choice) / lengths if lengths else 0.0


def _backed_off(word: str, vectors: Vectors, unit: bool) -> tuple[str, Array | None]:
    for end in range(len(word), 0, -1):
        if (vector := _vector(word[:end], vectors, unit)) is not None:
            return word[:end], vector
    return word, None


def _vector(word: str, vectors: Vectors, unit: bool) -> Array | None:
    """As it is spelt, then with a capital letter; of length 1 or as long as the file has it."""
    for spelling in (word, word.capitalize()):
        vector = vectors.get(spelling)
        if vector is not None:
            length = 1.0 if unit else getattr(vectors, "length_of", lambda _: 1.0)(spelling)
            return (vector * length).astype(np.float32)
    return None


def similarity_features(
    items: Sequence[Analogy], template: Template, vectors: Vectors, meaning: Meaning | None
) -> Floats:
    """Likenesses, items × choices × features; without `meaning` those of static vectors alone."""
    parts = [_expression_features(items, _static_units(items, vectors))]
    if meaning is not None:
        texts = sorted({spoken(text) for item in items for text in _texts(item)})
        units = dict(zip(texts, _unit_rows(meaning(texts)), strict=True))
        parts.append(_expression_features(items, units))
        parts.append(_template_features(items, template, meaning))
    return np.concatenate(parts, axis=-1)


def _texts(item: Analogy) -> tuple[str, ...]:
    return (item.first_domain, item.second_domain, item.element, *item.choices)


def _static_units(items: Sequence[Analogy], vectors: Vectors) -> dict[str, Floats]:
    """Text → its static vector of length 1; zeros where it has none, so that nothing is like it."""
    found = {spoken(text): look_up(text, vectors).vector for item in items for text in _texts(item)}
    width = next((len(vector) for vector in found.values() if vector is not None), 1)
    table = np.array([np.zeros(width) if v is None else v for v in found.values()])
    return dict(zip(found, _unit_rows(table), strict=True))


def _expression_features(items: Sequence[Analogy], units: dict[str, Floats]) -> Floats:
    """Likeness of the choice to where the formula points, to each part of the question, and of
    the two differences.
    """
    rows = []
    for item in items:
        first, second, element = (
            units[spoken(text)] for text in (item.first_domain, item.second_domain, item.element)
        )
        query = _unit_rows(element + second - first)
        step = _unit_rows(second - first)
        for choice in item.choices:
            vector = units[spoken(choice)]
            likeness = [vector @ other for other in (query, first, second, element)]
            rows.append([*likeness, float(_unit_rows(vector - element) @ step)])
    return np.array(rows).reshape(len(items), len(items[0].choices), -1)


def _template_features(items: Sequence[Analogy], template: Template, meaning: Meaning) -> Floats:
    """Likeness of start and end as the template puts them, and of the end to its rivals."""
    pairs = [template.fill(item, choice) for item in items for choice in item.choices]
    texts = sorted({text for pair in pairs for text in pair})
    units = dict(zip(texts, _unit_rows(meaning(texts)), strict=True))
    shape = len(items), len(items[0].choices), -1
    starts = np.array([units[start] for start, _ in pairs]).reshape(shape)
    ends = np.array([units[end] for _, end in pairs]).reshape(shape)
    rivals = np.einsum("icd,ikd->ick", ends, ends).mean(axis=2)
    return np.stack([(starts * ends).sum(axis=2), rivals], axis=2)


def _unit_rows(vectors: npt.ArrayLike) -> Floats:
    table = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(table, axis=-1, keepdims=True)
    found: Floats = table / np.where(lengths > 0, lengths, 1.0)
    return found


class LightChoice:
    """A ranker of similarities that was fitted to items of a user's own.

    Needs: static vectors and, unless it was fitted without, vectors of meaning.
    Gives: a score per choice; the highest is the answer.
    """

    def __init__(self, model: ChoiceRanker, template: Template, meaning: Meaning | None) -> None:
        self.model, self.template = model, template
        self._meaning = meaning

    def score(self, items: Sequence[Analogy]) -> Floats:
        """Scores, items × choices."""
        features = similarity_features(items, self.template, read_vectors(), self._meaning)
        return self.model.score(features)


def meaning_of_encoder(encoder: Encoder) -> Meaning:
    """Vectors by the head of the shipped encoder: the mean over the words of a text."""
    known: dict[str, npt.NDArray[np.float32]] = {}

    def meaning(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = list(dict.fromkeys(text for text in texts if text not in known))
        words = [[text[start:end] for start, end in tokenise(text)] for text in new]
        for text, vectors in zip(new, word_meanings(encoder, words), strict=True):
            known[text] = vectors.mean(axis=0)
        return np.array([known[text] for text in texts])

    return meaning


def meaning_of_folder(folder: Path) -> Meaning:
    """Vectors by the sentence encoder of a folder; each text is encoded once.

    They are cut to `WIDTH` numbers by principal components of the texts that are asked for first.
    """
    try:
        import torch
        import transformers

        from trope.tasks.hub_folder import load_tokenizer, model_path
    except ModuleNotFoundError as error:
        raise MissingExtra("vectors of a sentence encoder", "hub", error.name or "") from None
    folder = model_path(folder)
    tokenizer = load_tokenizer(folder, "sentences")
    model = transformers.AutoModel.from_pretrained(
        folder, use_safetensors=True, local_files_only=True, trust_remote_code=False
    )
    model = model.float().eval()
    known: dict[str, npt.NDArray[np.float32]] = {}
    axes: list[npt.NDArray[np.float32]] = []

    def encode(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        given = tokenizer(list(texts), padding=True, return_tensors="pt")
        mask = given["attention_mask"]
        with torch.inference_mode():
            states: Any = model(input_ids=given["input_ids"], attention_mask=mask).last_hidden_state
        weights = mask.unsqueeze(-1).float()
        found: npt.NDArray[np.float32] = ((states * weights).sum(1) / weights.sum(1)).numpy()
        return found

    def meaning(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = sorted({text for text in texts if text not in known}, key=len)
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            known.update(zip(batch, encode(batch), strict=True))
        table = np.array([known[text] for text in texts])
        if not axes:
            axes.append(_components(table))
        return np.asarray(table @ axes[0].T, dtype=np.float32)

    return meaning


def _components(table: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The directions in which the vectors differ the most."""
    _, _, directions = np.linalg.svd(table - table.mean(axis=0), full_matrices=False)
    return np.asarray(directions[:WIDTH], dtype=np.float32)
