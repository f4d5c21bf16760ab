"""`trope train associations`: which verbs stand with what, counted in the trees of headlines."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from trope.core.files import atomic_write
from trope.core.progress import Say
from trope.core.records import Parse
from trope.lexicon.associations import SHIPPED, Array, verb_contexts

DIMENSIONS = 64
FEWEST_VERBS, FEWEST_CONTEXTS = 4, 6
"""What was seen less often is left out."""
READ_AT_ONCE = 2_000
TREES = ("relations",)
"""The task whose pass draws trees."""


class Parser(Protocol):
    """What draws trees."""

    def parse(
        self, sentences: Sequence[Sequence[str]], tasks: Sequence[str] | None = None
    ) -> list[Parse]:
        """Trees of sentences that are split into words."""


def train_associations(
    headlines: Iterable[Sequence[str]],
    parser: Parser,
    out: Path,
    *,
    number: int,
    seed: int,
    say: Say,
) -> Path:
    """Write the vectors of so many headlines, drawn by the seed; the file comes back."""
    pool = list(headlines)
    drawn = random.Random(seed).sample(pool, min(number, len(pool)))
    out.mkdir(parents=True, exist_ok=True)
    file = out / SHIPPED.name
    verbs, contexts = learn_associations(_seen(drawn, parser, say), file)
    say(f"{len(drawn)} headlines: {verbs} verbs, {contexts} contexts")
    return file


def _seen(
    headlines: Sequence[Sequence[str]], parser: Parser, say: Say
) -> Iterator[tuple[str, list[str]]]:
    """Every verb with what stands around it."""
    for start in range(0, len(headlines), READ_AT_ONCE):
        for parse in parser.parse(headlines[start : start + READ_AT_ONCE], TREES):
            for at, tag in enumerate(parse.upos):
                if tag == "VERB":
                    yield parse.lemmas[at].lower(), verb_contexts(parse, at)
        say(f"{min(start + READ_AT_ONCE, len(headlines))} of {len(headlines)} headlines read")


def learn_associations(seen: Iterable[tuple[str, Sequence[str]]], path: Path) -> tuple[int, int]:
    """Write the vectors of verbs and contexts seen together; their numbers come back."""
    verb_counts: Counter[str] = Counter()
    pairs: Counter[tuple[str, str]] = Counter()
    for verb, contexts in seen:
        verb_counts[verb] += 1
        pairs.update((verb, context) for context in contexts)
    context_counts: Counter[str] = Counter()
    for (_, context), number in pairs.items():
        context_counts[context] += number
    verbs = sorted(v for v, n in verb_counts.items() if n >= FEWEST_VERBS and v.isalpha())
    contexts = sorted(c for c, n in context_counts.items() if n >= FEWEST_CONTEXTS)
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
    left = directions[:, ::-1][:, :DIMENSIONS].astype(np.float32)
    return left, (left.T @ table).T


def _letters(words: Sequence[str]) -> npt.NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def _in_bytes(name: str, table: Array) -> dict[str, npt.NDArray[np.generic]]:
    scale = np.maximum(np.abs(table).max(axis=1), 1e-8) / 127
    return {
        f"{name}_q": np.rint(table / scale[:, None]).astype(np.int8),
        f"{name}_scale": scale.astype(np.float32),
    }
