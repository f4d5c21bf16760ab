"""Treebank sentences as headlines: shorter, still trees, changed only where headlines are."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from trope.encoder.trees import is_tree
from trope.train.encoder.corpus import TreebankSentence
from trope.train.encoder.synthetic_headlines import as_headline, raising_headlines


def sentence(*rows: tuple[str, str, str, str, int, str]) -> TreebankSentence:
    words, lemmas, upos, xpos, heads, deprels = (
        tuple(column) for column in zip(*rows, strict=True)
    )
    return TreebankSentence(words, upos, xpos, lemmas, heads, deprels, True, True)


THE_BRIDGE_WILL_CARRY_TRAMS = sentence(
    ("The", "the", "DET", "DT", 1, "det"),
    ("bridge", "bridge", "NOUN", "NN", 3, "nsubj"),
    ("will", "will", "AUX", "MD", 3, "aux"),
    ("carry", "carry", "VERB", "VB", -1, "root"),
    ("trams", "tram", "NOUN", "NNS", 3, "obj"),
    (".", ".", "PUNCT", ".", 3, "punct"),
)
HE_IS_DUE = sentence(
    ("He", "he", "PRON", "PRP", 2, "nsubj"),
    ("is", "be", "AUX", "VBZ", 2, "cop"),
    ("due", "due", "ADJ", "JJ", -1, "root"),
    ("here", "here", "ADV", "RB", 2, "advmod"),
    ("today", "today", "NOUN", "NN", 2, "obl:unmarked"),
)


def test_will_becomes_to_and_article_and_full_stop_go():
    headline = as_headline(THE_BRIDGE_WILL_CARRY_TRAMS, np.random.default_rng(0))
    assert headline is not None
    assert [word.lower() for word in headline.words] == ["bridge", "to", "carry", "trams"]
    assert headline.heads == (2, 2, -1, 2)
    assert headline.deprels == ("nsubj", "mark", "root", "obj")
    assert headline.upos[1] == "PART"


def test_a_pronoun_as_subject_is_no_headline():
    assert as_headline(HE_IS_DUE, np.random.default_rng(0)) is None


def test_a_negated_auxiliary_stays():
    negated = sentence(
        ("Trams", "tram", "NOUN", "NNS", 3, "nsubj:pass"),
        ("are", "be", "AUX", "VBP", 3, "aux:pass"),
        ("not", "not", "PART", "RB", 3, "advmod"),
        ("sold", "sell", "VERB", "VBN", -1, "root"),
        ("abroad", "abroad", "ADV", "RB", 3, "advmod"),
    )
    assert as_headline(negated, np.random.default_rng(0)) is None


@given(st.integers(0, 2**32 - 1))
def test_made_up_headlines_are_trees_with_an_infinitive_under_the_root(seed):
    for headline in raising_headlines(5, np.random.default_rng(seed)):
        assert is_tree(list(headline.heads))
        root = headline.heads.index(-1)
        verb = headline.deprels.index("xcomp")
        assert headline.heads[verb] == root
        assert headline.words[verb - 1] == "to"
