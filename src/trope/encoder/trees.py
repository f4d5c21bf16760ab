"""The best dependency tree with exactly one root, from scores of all arcs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]


def best_heads(scores: Scores) -> list[int]:
    """Each word's head, -1 for the root: the highest-scoring tree with exactly one root.

    `scores[i, j]` is the score of word i under head j - 1; column 0 stands for the root. Most
    sentences need no search: if everybody's favourite head makes a tree, that tree is the best.
    """
    favourites: list[int] = (scores.argmax(axis=1) - 1).tolist()
    if is_tree(favourites):
        return favourites
    return _spanning_tree(scores)


def is_tree(heads: list[int]) -> bool:
    """Whether there is exactly one root and every word leads to it."""
    if heads.count(-1) != 1:
        return False
    state = [0] * len(heads)  # 0 unseen, 1 on the present path, 2 known to reach the root
    for start in range(len(heads)):
        path = []
        node = start
        while node != -1 and state[node] == 0:
            state[node] = 1
            path.append(node)
            node = heads[node]
        if node != -1 and state[node] == 1:
            return False
        for seen in path:
            state[seen] = 2
    return True


def _spanning_tree(scores: Scores) -> list[int]:
    """Chu–Liu/Edmonds; a penalty on root arcs larger than any gain leaves just one of them."""
    size = len(scores)
    weights = np.full((size + 1, size + 1), -np.inf)
    weights[1:, :] = scores
    finite = scores[np.isfinite(scores)]
    spread = float(finite.max() - finite.min()) if finite.size else 0.0
    weights[1:, 0] -= (spread + 1.0) * (size + 1)
    np.fill_diagonal(weights, -np.inf)
    heads = _edmonds(weights)
    return [int(head) - 1 for head in heads[1:]]


def _edmonds(weights: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Best head of every node but node 0, the root; weights[dependent, head]."""
    heads: npt.NDArray[np.int64] = weights.argmax(axis=1)
    heads[0] = 0
    cycle = _find_cycle(heads)
    if cycle is None:
        return heads
    inside = np.zeros(len(weights), dtype=bool)
    inside[cycle] = True
    outside = np.flatnonzero(~inside)
    members = np.flatnonzero(inside)
    # the cycle becomes one node, last in the smaller graph: an arc into it takes one member off
    # its old head, so it is worth its score less that member's; an arc out keeps the best source
    loss = weights[members, heads[members]]
    entering = weights[np.ix_(members, outside)] - loss[:, None]
    leaving = weights[np.ix_(outside, members)]
    entry, exit_ = entering.argmax(axis=0), leaving.argmax(axis=1)
    size = len(outside)
    smaller = np.full((size + 1, size + 1), -np.inf)
    smaller[:size, :size] = weights[np.ix_(outside, outside)]
    smaller[size, :size] = entering[entry, np.arange(size)]
    smaller[:size, size] = leaving[np.arange(size), exit_]
    smaller[0, :] = -np.inf
    chosen = _edmonds(smaller)
    for index, node in enumerate(outside[1:], start=1):
        head = chosen[index]
        heads[node] = members[exit_[index]] if head == size else outside[head]
    broken = members[entry[chosen[size]]]
    heads[broken] = outside[chosen[size]]
    return heads


def _find_cycle(heads: npt.NDArray[np.int64]) -> list[int] | None:
    """The nodes of one cycle of the head function, None if there is none."""
    state = [0] * len(heads)
    state[0] = 2
    for start in range(1, len(heads)):
        path = []
        node = start
        while state[node] == 0:
            state[node] = 1
            path.append(node)
            node = int(heads[node])
        if state[node] == 1:
            return path[path.index(node) :]
        for seen in path:
            state[seen] = 2
    return None
