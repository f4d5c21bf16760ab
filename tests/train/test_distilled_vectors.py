"""`trope train vectors` on toys, and the vectors that ship."""

from pathlib import Path

import numpy as np
import pytest
import tiny
from click.testing import CliRunner

from trope.cli.main import main
from trope.lexicon.vectors import SHIPPED, read_vectors

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from trope.train.encoder import word_vectors as vectors  # noqa: E402


@pytest.fixture(autouse=True)
def toys(monkeypatch: pytest.MonkeyPatch, one_thread: None) -> None:
    tiny.shrink(monkeypatch, vectors)
    monkeypatch.setattr(vectors, "DIMENSIONS", 8)


def test_words_of_the_texts_get_vectors_that_can_be_read_again(tmp_path: Path) -> None:
    tiny.write_data(tmp_path / "data")
    left_out = [
        option
        for name in (
            "tweets-brexit",
            "coinco",
            "semeval2007",
            "idiom-texts",
            "figure-texts",
            "flute",
        )
        for option in ("--without", name)
    ]
    arguments = ["--from", str(tmp_path / "data"), "--out", str(tmp_path / "out"), *left_out]
    command = ["train", "vectors", *arguments, "--device", "cpu"]
    result = CliRunner().invoke(main, command, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    found = read_vectors(tmp_path / "out" / "vectors.npz")
    assert found.dimensions == 8
    for word in ("storm", "barns", "barn", "wreck"):
        assert word in found
    assert "." not in found


def test_the_most_frequent_come_first_and_lemmas_count() -> None:
    sentences = [("The", "barns", "2nd", "café"), ("the", "storm")]
    assert vectors.frequent_words(sentences, ["barn", "barn", "storm"]) == [
        "barn",
        "storm",
        "the",
        "barns",
    ]


def test_main_directions_keep_distances_of_a_flat_table() -> None:
    rng = np.random.default_rng(0)
    flat = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 20))  # three directions in twenty
    unit = flat / np.linalg.norm(flat, axis=1, keepdims=True)
    turned = vectors.principal(flat.astype(np.float32), 3)
    wanted = np.linalg.norm(unit[:, None] - unit[None], axis=-1)
    assert np.allclose(np.linalg.norm(turned[:, None] - turned[None], axis=-1), wanted, atol=1e-4)


def test_shipped_vectors_know_what_is_alike() -> None:
    found = read_vectors(SHIPPED)

    def alike(first: str, second: str) -> float:
        a, b = found.get(first), found.get(second)
        assert a is not None
        assert b is not None
        return float(a @ b)

    assert alike("doctor", "nurse") > alike("doctor", "river")
    assert alike("boil", "cook") > alike("boil", "vote")
    assert alike("tax", "taxes") > alike("tax", "wolf")
