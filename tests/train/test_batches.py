"""Batches of training data: every piece and word once, in its place."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.train.encoder.corpus import UNKNOWN, EncodedCorpus, batches

sentences = st.lists(
    st.lists(st.integers(1, 5), min_size=1, max_size=12), max_size=20
)  # pieces of each word


def corpus_of(sizes: list[list[int]]) -> EncodedCorpus:
    """A corpus with a piece number of its own for every piece, beyond the special ones."""
    flat = np.asarray([size for sentence in sizes for size in sentence], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(flat)]).astype(np.int64)
    lengths = np.asarray([len(sentence) for sentence in sizes], dtype=np.int64)
    ids = 1_000 + np.arange(starts[-1])
    return EncodedCorpus(
        ids, ids % 8, starts, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    )


@given(sentences, st.integers(5, 60), st.one_of(st.none(), st.integers(0, 99)))
def test_every_piece_and_word_is_in_one_batch_once(
    sizes: list[list[int]], words_per_batch: int, seed: int | None
) -> None:
    corpus = corpus_of(sizes)
    rng = None if seed is None else np.random.default_rng(seed)
    found = list(batches(corpus, words_per_batch, rng))
    pieces = np.concatenate([b["ids"][b["owner"] != UNKNOWN] for b in found] or [[]])
    words = np.concatenate([b["word"][b["word"] != UNKNOWN] for b in found] or [[]])
    assert sorted(pieces) == list(corpus.ids)
    assert sorted(words) == list(range(len(corpus.starts) - 1))
    for batch in found:
        assert batch["word"].size <= words_per_batch or len(batch["word"]) == 1
        for row, sentence in enumerate(batch["sentence"]):
            assert_row(corpus, {name: values[row] for name, values in batch.items()}, int(sentence))


def assert_row(corpus: EncodedCorpus, row: dict[str, np.ndarray], sentence: int) -> None:
    """[CLS], the pieces with their owners, [SEP], padding."""
    first, last = corpus.sentence_starts[sentence : sentence + 2]
    low, high = corpus.starts[first], corpus.starts[last]
    count = high - low
    assert list(row["ids"][: count + 2]) == [101, *corpus.ids[low:high], 102]
    assert not row["ids"][count + 2 :].any()
    assert list(row["types"][1 : count + 1]) == list(corpus.types[low:high])
    assert row["mask"].sum() == row["mask"][: count + 2].sum() == count + 2
    owners = np.repeat(np.arange(last - first), np.diff(corpus.starts[first : last + 1]))
    assert list(row["owner"][1 : count + 1]) == list(owners)


@given(sentences.filter(bool))
def test_pool_averages_the_pieces_of_each_word(sizes: list[list[int]]) -> None:
    pytest.importorskip("torch")
    from trope.train.encoder.fit import on_device

    for arrays in batches(corpus_of(sizes), 40, None):
        pool = on_device(arrays, "cpu")["pool"].numpy()
        there = arrays["word"] != UNKNOWN
        assert np.allclose(pool.sum(-1), there)
        for row, word in zip(*np.nonzero(there), strict=True):
            own = arrays["owner"][row] == word
            assert np.allclose(pool[row, word][own], 1 / own.sum())


@given(sentences)
def test_a_corpus_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[list[int]]
) -> None:
    corpus = corpus_of(sizes)
    corpus.labels = {"upos": np.arange(len(corpus.starts) - 1) % 5 - 1}
    path: Path = tmp_path_factory.getbasetemp() / "corpus.npz"
    corpus.save(path)
    back = EncodedCorpus.load(path)
    for name in ("ids", "types", "starts", "sentence_starts"):
        assert np.array_equal(getattr(back, name), getattr(corpus, name))
        assert getattr(back, name).dtype == np.int64
    assert np.array_equal(back.labels["upos"], corpus.labels["upos"])
