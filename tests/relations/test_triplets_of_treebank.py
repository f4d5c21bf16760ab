"""Triplets of hand-made trees against the enhanced graphs that came with them.

Those graphs say who is subject of conjoined and embedded verbs. They put the antecedent in place
of a relative pronoun, where we keep the pronoun, so relative clauses are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

from trope.core.records import Parse
from trope.relations import svo
from trope.relations.clauses import Tree

Rows = list[list[str]]
Triplets = set[tuple[int, int, int]]


def sentences(path: Path) -> Iterator[Rows]:
    for block in path.read_text(encoding="utf-8").split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        if rows := [row for row in rows if row[0].isdigit()]:
            yield rows


def read(rows: Rows) -> Parse:
    _, words, lemmas, upos, xpos, _, heads, deprels, *_ = zip(*rows, strict=True)
    return Parse(words, upos, xpos, lemmas, tuple(int(head) - 1 for head in heads), deprels)


def enhanced(rows: Rows, tree: Tree) -> Triplets:
    """The triplets of the graph: every subject or agent with every object or passive subject."""
    actors, patients = defaultdict(set), defaultdict(set)
    for word, row in enumerate(rows):
        for edge in row[8].split("|"):
            head, _, relation = edge.partition(":")
            if head.isdigit() and relation in ("nsubj", "nsubj:xsubj", "obl:agent"):
                actors[int(head) - 1, relation == "obl:agent"].add(tree.name_head(word))
            elif head.isdigit() and relation in ("obj", "nsubj:pass", "nsubj:pass:xsubj"):
                patients[int(head) - 1, relation != "obj"].add(tree.name_head(word))
    return {
        (verb, actor, patient)
        for (verb, passive), found in actors.items()
        for actor in found
        for patient in patients[verb, passive]
        if tree.parse.upos[verb] == "VERB"
    }


def in_relative_clause(parse: Parse, word: int) -> bool:
    while parse.deprels[word] in ("conj", "xcomp"):
        word = parse.heads[word]
    return parse.deprels[word].endswith(":relcl")


@pytest.mark.shared
def test_triplets_agree_with_enhanced_graphs(shared):
    right = ours = theirs = 0
    for rows in sentences(shared / "data" / "ewt" / "en_ewt-ud-dev.conllu"):
        parse = read(rows)
        found: Triplets = {(t.verb, t.subject, t.object) for t in svo(parse)}  # type: ignore[misc]
        gold = enhanced(rows, Tree(parse))
        found, gold = (
            {triplet for triplet in triplets if not in_relative_clause(parse, triplet[0])}
            for triplets in (found, gold)
        )
        right, ours, theirs = right + len(found & gold), ours + len(found), theirs + len(gold)
    assert theirs > 800
    assert right / ours > 0.98
    assert right / theirs > 0.97
