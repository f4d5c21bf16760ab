from __future__ import annotations

from parse_table import read_parse

from trope.relations.clauses import MAX_CONJUNCTS, Tree

SENTENCE = read_parse(
    """
    Old     old    ADJ    2  amod
    Anna    Anna   PROPN  5  nsubj
    Lena    Lena   PROPN  2  flat
    Berg    Berg   PROPN  2  flat:name
    sells   sell   VERB   0  root
    hats    hat    NOUN   5  obj
    ,       ,      PUNCT  8  punct
    gloves  glove  NOUN   6  conj
    and     and    CCONJ  10 cc
    socks   sock   NOUN   6  conj
    """
)


def test_root_and_children():
    tree = Tree(SENTENCE)
    assert tree.root == 4
    assert tree.children[4] == [1, 5]
    assert tree.children[0] == []


def test_a_name_is_its_last_flat_word():
    tree = Tree(SENTENCE)
    assert tree.name_head(1) == 3
    assert tree.name_head(5) == 5


def test_conjuncts_begin_with_the_word():
    assert Tree(SENTENCE).conjuncts(5) == [5, 7, 9]


def test_span_covers_all_that_hangs_from_a_word():
    tree = Tree(SENTENCE)
    assert tree.span(1) == (0, 4)
    assert tree.span(5) == (5, 10)
    assert tree.span(4) == (0, 10)


def test_endless_coordination_is_cut():
    rows = ["a a NOUN 0 root"] + ["b b NOUN 1 conj"] * 50
    assert len(Tree(read_parse("\n".join(rows))).conjuncts(0)) == MAX_CONJUNCTS
