"""The errors of a student against its teacher, and the vectors of verbs in plain sentences."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from trope.lexicon.vectors import read_vectors
from trope.tasks.rewriting.features import CONTEXT
from trope.train.rewriting.run import Noise, noise_of
from trope.train.rewriting.verb_vectors import FRAMES, framed, in_main_directions, write_verbs

Array = npt.NDArray[np.float32]


def test_shared_and_own_errors_are_told_apart() -> None:
    rng = np.random.default_rng(0)
    shared, own = np.diag([4.0, 0.0]), np.array([[1.0, 0.5], [0.5, 1.0]])
    differences = [
        rng.multivariate_normal([3, 0], shared) + rng.multivariate_normal([0, 0], own, size=6)
        for _ in range(4000)
    ]
    found = noise_of(differences)
    assert np.allclose(found.own, own, atol=0.1)
    assert np.allclose(found.shared, shared, atol=0.3)


def test_errors_that_are_negative_by_chance_are_none() -> None:
    rng = np.random.default_rng(1)
    found = noise_of([table - table.mean(axis=0) for table in rng.normal(size=(50, 6, 3))])
    assert np.linalg.eigvalsh(found.shared).min() >= -1e-12


def test_added_errors_have_the_spread_that_was_measured_and_the_seed_decides_them() -> None:
    size = len(CONTEXT)
    noise = Noise(np.zeros((size, size)), np.eye(size) * 0.04)
    tables = [np.zeros((6, size), dtype=np.float32)] * 500
    found = noise.added(tables, np.random.default_rng(2))
    again = noise.added(tables, np.random.default_rng(2))
    assert all(np.array_equal(*pair) for pair in zip(found, again, strict=True))
    assert np.vstack(found).std() == pytest.approx(0.2, abs=0.01)


class ByLetter:
    """A word means its first letter, in a room that every sentence furnishes by its length."""

    kind = "letters"

    def vectors(self, sentences: Sequence[Sequence[str]]) -> list[Array]:
        return [
            np.array([[len(words), *(word[0] == letter for letter in "abc")] for word in words],
                     dtype=np.float32)
            for words in sentences
        ]  # fmt: skip


def test_what_a_sentence_adds_to_all_verbs_is_taken_away() -> None:
    table = framed(["add", "buy", "ask"], ByLetter())
    assert np.allclose(table[:, 0], 0)
    assert np.allclose(table[0], table[2])
    assert not np.allclose(table[0], table[1])
    assert all(sum(word.startswith("VB") for word in frame) == 1 for frame in FRAMES)


def test_vectors_of_verbs_are_read_back(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
    file = write_verbs(["add", "buy", "ask", "call"], ByLetter(), tmp_path)
    table = read_vectors(file)
    own = {verb: table.get(verb) for verb in table.words}
    assert float(own["add"] @ own["ask"]) == pytest.approx(1, abs=0.02)
    assert float(own["add"] @ own["buy"]) < 0.5


def test_main_directions_keep_the_distances() -> None:
    table = np.random.default_rng(3).normal(size=(9, 5)).astype(np.float32)
    turned = in_main_directions(table, 5)
    before = np.linalg.norm(table[:, None] - table[None], axis=2)
    after = np.linalg.norm(turned[:, None] - turned[None], axis=2)
    assert np.allclose(before, after, atol=1e-4)
