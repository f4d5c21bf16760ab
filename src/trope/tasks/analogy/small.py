"""The tier `small`: a light ranker over likenesses of static vectors and of vectors of meaning.

What is trained is a weight for each of the likenesses below, nothing else; vectors are fixed and
each text is encoded once. No feature looks at spelling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from trope.corpora.mean import Analogy, spoken
from trope.lexicon.vectors import Vectors
from trope.tasks.analogy.ranker import Floats
from trope.tasks.analogy.static import look_up
from trope.tasks.analogy.templates import Template

Meaning = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Texts in, a vector for each out: the mean over its words."""


def features(
    items: Sequence[Analogy], template: Template, vectors: Vectors, meaning: Meaning | None
) -> Floats:
    """Likenesses, items × choices × features; without `meaning` those of static vectors alone."""
    parts = [_expression_features(items, _static_units(items, vectors))]
    if meaning is not None:
        texts = sorted({spoken(text) for item in items for text in _texts(item)})
        units = dict(zip(texts, _unit(meaning(texts)), strict=True))
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
    return dict(zip(found, _unit(table), strict=True))


def _expression_features(items: Sequence[Analogy], units: dict[str, Floats]) -> Floats:
    """Likeness of the choice to where the formula points, to each part of the question, and of
    the two differences.
    """
    rows = []
    for item in items:
        first, second, element = (
            units[spoken(text)] for text in (item.first_domain, item.second_domain, item.element)
        )
        query = _unit(element + second - first)
        step = _unit(second - first)
        for choice in item.choices:
            vector = units[spoken(choice)]
            likeness = [vector @ other for other in (query, first, second, element)]
            rows.append([*likeness, float(_unit(vector - element) @ step)])
    return np.array(rows).reshape(len(items), len(items[0].choices), -1)


def _template_features(items: Sequence[Analogy], template: Template, meaning: Meaning) -> Floats:
    """Likeness of start and end as the template puts them, and of the end to its rivals."""
    pairs = [template.fill(item, choice) for item in items for choice in item.choices]
    texts = sorted({text for pair in pairs for text in pair})
    units = dict(zip(texts, _unit(meaning(texts)), strict=True))
    shape = len(items), len(items[0].choices), -1
    starts = np.array([units[start] for start, _ in pairs]).reshape(shape)
    ends = np.array([units[end] for _, end in pairs]).reshape(shape)
    rivals = np.einsum("icd,ikd->ick", ends, ends).mean(axis=2)
    return np.stack([(starts * ends).sum(axis=2), rivals], axis=2)


def _unit(vectors: npt.ArrayLike) -> Floats:
    table = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(table, axis=-1, keepdims=True)
    found: Floats = table / np.where(lengths > 0, lengths, 1.0)
    return found
