"""Trees: well formed, single-rooted, and the best there is."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from trope.encoder.trees import best_heads, is_tree


def scores_of(size: int) -> st.SearchStrategy[np.ndarray]:
    finite = st.floats(-50, 50, width=32)
    return arrays(np.float32, (size, size + 1), elements=finite)


def total(scores: np.ndarray, heads: list[int]) -> float:
    return float(sum(scores[word, head + 1] for word, head in enumerate(heads)))


@given(st.integers(1, 5).flatmap(scores_of))
def test_best_heads_equals_exhaustive_search(scores):
    size = len(scores)
    every = (list(heads) for heads in product(range(-1, size), repeat=size))
    best = max(total(scores, heads) for heads in every if is_tree(heads))
    found = best_heads(scores)
    assert is_tree(found)
    assert abs(total(scores, found) - best) < 1e-3


@given(st.integers(1, 40).flatmap(scores_of))
def test_best_heads_is_always_a_tree_with_one_root(scores):
    assert is_tree(best_heads(scores))


def test_is_tree_refuses_two_roots_cycles_and_self_loops():
    assert is_tree([-1, 0, 1])
    assert not is_tree([-1, -1, 0])
    assert not is_tree([-1, 2, 1])
    assert not is_tree([-1, 1])
    assert not is_tree([1, 0])


def test_two_words_that_both_want_to_be_root_get_one_root():
    scores = np.array([[5.0, 0.0, 1.0], [4.0, 2.0, 0.0]], dtype=np.float32)
    assert best_heads(scores) == [-1, 0]
