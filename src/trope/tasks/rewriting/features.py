"""Features of a place and its candidate words.

`cheap_features` needs no pass of the encoder and is made for whole inventories at once;
`context_features` reads every candidate in the place. Both compare with the word that stands there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from trope.lexicon.associations import GROUPS, read_associations, verb_contexts
from trope.lexicon.wordlists import shipped_words
from trope.lexicon.wordnet import semantic_classes
from trope.tasks.rewriting.inventory import (
    WordInventory,
    framed_vectors,
    lemma_vector,
    static_vectors,
    word_ranks,
    wordnet_of,
)
from trope.tasks.rewriting.meaning import Array, Meanings
from trope.tasks.rewriting.task import WordPlace

_ALONE = ("rank", "seen", "senses", "in_wordnet")
_RELATED = ("synonym", "sense_rank", "near", "hypernym", "hyponym", "related", "antonym", "shared")
CHEAP = (
    "static", "static_surroundings", "static_object", "framed", "classes",
    *_ALONE, *_RELATED, *(f"fits_{group}" for group in GROUPS),
    "place_rank", "place_senses", "place_surroundings",
)  # fmt: skip
"""Features that need no reading of a candidate in its place."""

CONTEXT = ("sentence_kept", "word_kept", "word_in_sentence", "sentence_change", "form_fits")
"""Features of a candidate read in its place."""

_RADIUS = 3
"""Edges of WordNet within which two verbs are near each other."""

_CONTENT = ("NOUN", "VERB", "ADJ", "PROPN")
_TINY = 1e-4


def cheap_features(place: WordPlace, inventory: WordInventory) -> Array:
    """[word, feature] for every word of an inventory."""
    own = lemma_vector(place.lemma, place.upos)
    around = _surroundings(place)
    columns = [
        inventory.vectors @ own,
        inventory.vectors @ around,
        inventory.vectors @ _object_vector(place),
        inventory.framed @ framed_vectors([place.lemma], place.upos)[0],
        _class_overlap(place, inventory),
        *inventory.alone.T,
        *_related(place, inventory).T,
        *_associated(place, inventory).T,
        *(np.full(len(inventory), value) for value in _of_place(place, own, around)),
    ]
    return np.stack(columns, axis=1).astype(np.float32)


def context_features(
    lists: Sequence[tuple[WordPlace, Sequence[str]]], meanings: Meanings
) -> list[Array]:
    """[word, feature] for words in the form in which they would stand in each place.

    All places are read in one go.
    """
    sentences = [
        words
        for place, forms in lists
        for words in (place.parse.words, *(place.with_word(form) for form in forms))
    ]
    read = iter(meanings.vectors(sentences))
    found = []
    for place, forms in lists:
        own = next(read)
        rows = [_compared(place, own, form, next(read)) for form in forms]
        found.append(np.array(rows, dtype=np.float32).reshape(len(forms), len(CONTEXT)))
    return found


def _compared(place: WordPlace, own: Array, form: str, other: Array) -> tuple[float, ...]:
    whole, changed = own.mean(axis=0), other.mean(axis=0)
    kept = cosine(whole, changed)
    return (
        kept,
        cosine(own[place.at], other[place.at]),
        cosine(whole, other[place.at]),
        math.log((1 - kept) * len(own) + _TINY),
        float(_form_fits(place, form)),
    )


def _form_fits(place: WordPlace, form: str) -> bool:
    """Whether a word looks like the form that the place asks for."""
    small = form.lower()
    tag = place.form
    if tag == "VBZ":
        return small.endswith("s")
    if tag == "VBG":
        return small.endswith("ing")
    if tag in ("VBD", "VBN"):
        return small.endswith("ed") or small in shipped_words().past
    return tag not in ("VB", "VBP") or not small.endswith(("ing", "ed", "s"))


def cosine(first: Array, second: Array) -> float:
    """The cosine of two vectors, 0 where one of them is nothing."""
    length = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(first @ second) / length if length else 0.0


def _surroundings(place: WordPlace) -> Array:
    """The mean vector of the content words around a place, of length 1."""
    table = static_vectors()
    parse = place.parse
    found = [
        vector
        for at, (word, upos) in enumerate(zip(parse.words, parse.upos, strict=True))
        if at != place.at and upos in _CONTENT and (vector := table.get(word)) is not None
    ]
    mean = np.mean(found, axis=0) if found else np.zeros(table.dimensions)
    return np.asarray(mean / (np.linalg.norm(mean) or 1), dtype=np.float32)


def _object_vector(place: WordPlace) -> Array:
    parse = place.parse
    objects = (
        parse.lemmas[at]
        for at, head in enumerate(parse.heads)
        if head == place.at and parse.deprels[at] in ("obj", "nsubj:pass")
    )
    return lemma_vector(next(objects, ""), "NOUN")


def _class_overlap(place: WordPlace, inventory: WordInventory) -> npt.NDArray[np.float64]:
    """The share of classes that the two words have in common, of those that either has."""
    own = frozenset(semantic_classes(place.lemma, place.upos))
    shared = np.zeros(len(inventory))
    for name in own:
        shared[inventory.by_class.get(name, [])] += 1
    return np.asarray(shared / np.maximum(1, len(own) + inventory.class_counts - shared))


def _associated(place: WordPlace, inventory: WordInventory) -> Array:
    """How well each verb goes with the object, the subject and the pattern of the place."""
    if place.upos != "VERB":
        return np.zeros((len(inventory), len(GROUPS)), dtype=np.float32)
    contexts = verb_contexts(place.parse, place.at)
    associations = read_associations()
    queries = [associations.query(contexts, group) for group in GROUPS]
    return inventory.associations @ np.stack(queries, axis=1)


def _of_place(place: WordPlace, own: Array, around: Array) -> tuple[float, ...]:
    """Features that are the same for all candidates of a place, as context for the others."""
    net = wordnet_of(place.upos)
    senses = len(net.senses(place.lemma)) if net else 0
    rank = word_ranks().get(place.lemma, len(word_ranks()))
    return math.log(1 + rank), math.log(1 + senses), float(own @ around)


def _related(place: WordPlace, inventory: WordInventory) -> Array:
    """WordNet's relations between the word of the place and every word of the inventory."""
    table = np.zeros((len(inventory), len(_RELATED)), dtype=np.float32)
    net = wordnet_of(place.upos)
    if net is None:
        return table
    column = {name: number for number, name in enumerate(_RELATED)}
    senses = net.senses(place.lemma)
    for number, sense in enumerate(senses):
        for row in inventory.by_sense.get(sense, ()):
            table[row, column["synonym"]] = 1
            value = 1 / (1 + number + inventory.senses[row].index(sense))
            table[row, column["sense_rank"]] = max(value, table[row, column["sense_rank"]])
            table[row, column["shared"]] += 1 / max(len(senses), len(inventory.senses[row]))
        synset = net.synsets[sense]
        links = {
            "hypernym": synset.hypernyms,
            "hyponym": net.hyponyms.get(sense, ()),
            "related": synset.near,
            "antonym": synset.antonyms,
        }
        for name, others in links.items():
            for other in others:
                table[inventory.by_sense.get(other, []), column[name]] = 1
        for other, steps in _within(place.upos, sense).items():
            for row in inventory.by_sense.get(other, ()):
                value = 1 / (1 + steps)
                table[row, column["near"]] = max(value, table[row, column["near"]])
    return table


@lru_cache(maxsize=4096)
def _within(upos: str, sense: int) -> dict[int, int]:
    """Synsets at most this many edges away, up and then down, with their distances."""
    net = wordnet_of(upos)
    assert net is not None
    found: dict[int, int] = {}
    for above, up in net.distances_above(sense).items():
        level = [above] if up <= _RADIUS else []
        for steps in range(up, _RADIUS + 1):
            for number in level:
                found[number] = min(steps, found.get(number, steps))
            level = [below for number in level for below in net.hyponyms.get(number, ())]
    return found
