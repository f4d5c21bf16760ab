"""The best dependency tree with exactly one root, from scores of all arcs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.float32]


def best_heads(scores: Scores) -> list[int]:
    """Each word's head, -1 for the root: the highest-scoring tree with exactly one root.

    `scores[i, j]` is the score of word i under head j - 1; column 0 stands for the root. Most
    sentences need no search: if the best heads of all words form a tree, that tree is the best.
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
    """Best head of every node but node 0, the root; weights[dependent, head].

    Tarjan's way for dense graphs: a path grows from head to head until it meets what is settled.
    Where it meets itself, the cycle becomes one node whose row holds the best arcs into any of
    its members, so all cycles together cost no more than the square of the words.
    """
    size = len(weights)
    rows = list(weights)  # of every node, words first, then cycles: arcs into it by head
    ends = [np.full(size, word) for word in range(size)]  # the word that each such arc leads to
    held = [[word] for word in range(size)]  # the words that a node is made of
    arcs = [(word, 0) for word in range(size)]  # the arc that was chosen: word and head
    parents = list(range(size))  # the cycle that took a node in; itself while none has
    owner = list(range(size))  # the outermost node that holds each word
    settled = {0}
    for word in range(1, size):
        path = [owner[word]]
        while (node := path[-1]) not in settled:
            head = int(rows[node].argmax())
            arcs[node] = int(ends[node][head]), head
            above = owner[head]
            if above in path:
                cycle = path[path.index(above) :]
                del path[-len(cycle) :]
                above = len(rows)
                row, end = _merge(cycle, rows, ends, arcs)
                held.append([inner for member in cycle for inner in held[member]])
                row[held[above]] = -np.inf
                rows.append(row)
                ends.append(end)
                arcs.append((0, 0))
                parents.append(above)
                for member in cycle:
                    parents[member] = above
                for inner in held[above]:
                    owner[inner] = above
            path.append(above)
        settled.update(path)
    return _unfold(arcs, parents, size)


def _merge(
    cycle: list[int],
    rows: list[npt.NDArray[np.float64]],
    ends: list[npt.NDArray[np.int64]],
    arcs: list[tuple[int, int]],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """The best arcs into a cycle and where they lead.

    An arc into the cycle takes one member off its old head, so it is worth its score less that
    member's.
    """
    gains = [rows[node] - rows[node][arcs[node][1]] for node in cycle]
    row, end = gains[0], ends[cycle[0]]
    for node, gain in zip(cycle[1:], gains[1:], strict=True):
        better = gain > row
        row, end = np.where(better, gain, row), np.where(better, ends[node], end)
    return row, end


def _unfold(arcs: list[tuple[int, int]], parents: list[int], size: int) -> npt.NDArray[np.int64]:
    """The heads of the words: the arc into a cycle stands in for that of the member it leads to."""
    for cycle in range(len(arcs) - 1, size - 1, -1):
        member = arcs[cycle][0]
        while parents[member] != cycle:
            member = parents[member]
        arcs[member] = arcs[cycle]
    return np.asarray([head for _, head in arcs[:size]])
