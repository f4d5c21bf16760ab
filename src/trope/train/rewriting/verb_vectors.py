"""The vectors of verbs that rewriting compares, from two sources.

`trope train associations` counts in the trees of headlines which verbs go with which words.
`trope train verbs` puts every verb of the inventory into the same few plain sentences, in the form
that each asks for, and reads them with a large public encoder. What the sentences add is the same
for all verbs and is taken away; the main directions of what is left are kept. This reads no corpus,
so no test set can leak in.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from trope.core.files import atomic_write
from trope.core.progress import MessageWriter
from trope.core.records import Parse
from trope.lexicon.associations import SHIPPED, Array, verb_contexts
from trope.lexicon.inflection import inflect
from trope.tasks.rewriting.inventory import FRAMED, known_verbs
from trope.tasks.rewriting.meaning import Meanings, PublicMeanings

_DIMENSIONS = 64
_FEWEST_VERBS, _FEWEST_CONTEXTS = 4, 6
"""What was seen less often is left out."""
_READ_AT_ONCE = 2_000
TREES = ("relations",)
"""The task whose pass gives trees."""


class TreeParser(Protocol):
    """A parser."""

    def parse(
        self, sentences: Sequence[Sequence[str]], tasks: Sequence[str] | None = None
    ) -> list[Parse]:
        """Trees of sentences that are split into words."""


def train_associations(
    *, data: Path, out: Path, number: int, threads: int | None, seed: int, say: MessageWriter
) -> None:
    """The vectors of verbs and their neighbours in the shipped form, from headlines of a folder."""
    from trope.pipeline import Pipeline
    from trope.train.encoder.text_sets import read_text_set

    headlines = read_text_set(data, "headlines", say)
    parser = Pipeline(threads=threads)
    file = write_associations(headlines, parser, out, number=number, seed=seed, say=say)
    say(f"the vectors are in {file}")


def write_associations(
    headlines: Iterable[Sequence[str]],
    parser: TreeParser,
    out: Path,
    *,
    number: int,
    seed: int,
    say: MessageWriter,
) -> Path:
    """Write the vectors of this many headlines, drawn by the seed; returns the file."""
    pool = list(headlines)
    drawn = random.Random(seed).sample(pool, min(number, len(pool)))
    out.mkdir(parents=True, exist_ok=True)
    file = out / SHIPPED.name
    verbs, contexts = learn_associations(_seen(drawn, parser, say), file)
    say(f"{len(drawn)} headlines: {verbs} verbs, {contexts} contexts")
    return file


def _seen(
    headlines: Sequence[Sequence[str]], parser: TreeParser, say: MessageWriter
) -> Iterator[tuple[str, list[str]]]:
    """Every verb with what stands around it."""
    for start in range(0, len(headlines), _READ_AT_ONCE):
        for parse in parser.parse(headlines[start : start + _READ_AT_ONCE], TREES):
            for at, tag in enumerate(parse.upos):
                if tag == "VERB":
                    yield parse.lemmas[at].lower(), verb_contexts(parse, at)
        say(f"{min(start + _READ_AT_ONCE, len(headlines))} of {len(headlines)} headlines read")


def learn_associations(seen: Iterable[tuple[str, Sequence[str]]], path: Path) -> tuple[int, int]:
    """Write the vectors of verbs and contexts seen together; returns their numbers."""
    verb_counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for verb, contexts in seen:
        verb_counts[verb] += 1
        pairs.update((verb, context) for context in contexts)
    context_counts: Counter[str] = Counter()
    for (_, context), number in pairs.items():
        context_counts[context] += number
    verbs = sorted(v for v, n in verb_counts.items() if n >= _FEWEST_VERBS and v.isalpha())
    contexts = sorted(c for c, n in context_counts.items() if n >= _FEWEST_CONTEXTS)
    table, around = _factors(_information(pairs, verbs, contexts))
    arrays = {
        "verbs": _letters(verbs),
        "contexts": _letters(contexts),
        "counts": np.array([verb_counts[verb] for verb in verbs], dtype=np.int32),
        **_in_bytes("verb", table),
        **_in_bytes("context", around),
    }
    with atomic_write(path, "wb") as file:
        np.savez_compressed(file, allow_pickle=False, **arrays)  # type: ignore[arg-type]
    return len(verbs), len(contexts)


def _information(
    pairs: Counter[tuple[str, str]], verbs: Sequence[str], contexts: Sequence[str]
) -> Array:
    """Positive pointwise mutual information of verbs and contexts, rare contexts smoothed."""
    rows = {verb: row for row, verb in enumerate(verbs)}
    columns = {context: column for column, context in enumerate(contexts)}
    table = np.zeros((len(verbs), len(contexts)), dtype=np.float32)
    for (verb, context), number in pairs.items():
        if verb in rows and context in columns:
            table[rows[verb], columns[context]] = number
    smoothed = table.sum(axis=0) ** 0.75
    expected = table.sum(axis=1, keepdims=True) * (smoothed / smoothed.sum())[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(table / expected)
    positive: Array = np.where(table > 0, np.maximum(ratio, 0), 0).astype(np.float32)
    return positive


def _factors(table: Array) -> tuple[Array, Array]:
    """Two tables whose product is near the given one."""
    _, directions = np.linalg.eigh(table @ table.T)
    left = directions[:, ::-1][:, :_DIMENSIONS].astype(np.float32)
    return left, (left.T @ table).T


def _letters(words: Sequence[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def _in_bytes(name: str, table: Array) -> dict[str, npt.NDArray[np.generic]]:
    scale = np.maximum(np.abs(table).max(axis=1), 1e-8) / 127
    return {
        f"{name}_q": np.rint(table / scale[:, None]).astype(np.int8),
        f"{name}_scale": scale.astype(np.float32),
    }


FRAMES = (
    ("They", "VBP", "it"),
    ("The", "company", "VBZ", "the", "plan"),
    ("She", "VBD", "him"),
    ("Officials", "are", "VBG", "the", "group"),
)
"""Sentences with the tag of the form that a verb has in them."""


def train_verbs(
    *, out: Path, base_weights: Path | None, threads: int | None, say: MessageWriter
) -> None:
    """The vectors of all verbs of the inventory, from the public weights."""
    from trope.pipeline import Pipeline

    meanings = PublicMeanings(Pipeline(threads=threads).vocabulary, base_weights, threads)
    say(f"the vectors are in {write_verbs(known_verbs(), meanings, out)}")


def write_verbs(verbs: Sequence[str], meanings: Meanings, out: Path) -> Path:
    """Write the vectors of the verbs; returns the file."""
    # the module loads torch, which the encoder needs anyway
    from trope.train.encoder.word_vectors import write_vectors

    file = out / FRAMED.name
    out.mkdir(parents=True, exist_ok=True)
    write_vectors(list(verbs), in_main_directions(framed(verbs, meanings), _DIMENSIONS), file)
    return file


def framed(verbs: Sequence[str], meanings: Meanings) -> Array:
    """[verb, dimension]: the mean over the sentences, each without what all verbs have there."""
    total: Array | None = None
    for frame in FRAMES:
        at = next(place for place, word in enumerate(frame) if word.startswith("VB"))
        sentences = [(*frame[:at], inflect(verb, frame[at]), *frame[at + 1 :]) for verb in verbs]
        found = np.array([rows[at] for rows in meanings.vectors(sentences)])
        found -= found.mean(axis=0)
        total = found if total is None else total + found
    assert total is not None
    return np.asarray(total / len(FRAMES), dtype=np.float32)


def in_main_directions(table: Array, dimensions: int) -> Array:
    """The table in its main directions, as many as asked for."""
    centred = table - table.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    return np.asarray(left[:, :dimensions] * sizes[:dimensions], dtype=np.float32)
