"""What holds for the relations of any tree whatever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.records import Parse
from trope.relations import REASONS, extract, focus_verb, headline_verdict, svo, verb_objects

WORDS = (
    *("set", "expected", "due", "to", "by", "'s", "be", "not", "was", "#tag", "@me", "", "its"),
    *("blow", "the", "whistle", "turn", "a", "blind", "eye", "pull", "leg", "Friday", "have"),
)
TAGS = ("VERB", "VERB", "VERB", "NOUN", "PROPN", "PRON", "AUX", "ADJ", "ADP", "NUM", "X")
XPOS = ("_", "VBN", "VBD", "VBG", "VB", "MD", "NN")
DEPRELS = (
    *("nsubj", "nsubj:pass", "nsubj:outer", "csubj", "expl", "obj", "iobj", "obl", "obl:agent"),
    *("aux", "aux:pass", "cop", "mark", "case", "advmod", "xcomp", "ccomp", "advcl", "acl:relcl"),
    *("conj", "conj", "cc", "flat", "flat:name", "compound", "compound:prt", "root", "punct"),
)


@st.composite
def parses(draw: st.DrawFn) -> Parse:
    """A tree of up to twenty words with exactly one root; tags and relations are anything."""
    size = draw(st.integers(0, 20))
    order = draw(st.permutations(range(size)))
    heads = [-1] * size
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]

    def column(values: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(draw(st.lists(st.sampled_from(values), min_size=size, max_size=size)))

    return Parse(
        column(WORDS), column(TAGS), column(XPOS), column(WORDS), tuple(heads), column(DEPRELS)
    )


@given(parses())
def test_relations_of_any_tree_are_well_formed(parse):
    for relation in extract(parse):
        places = (relation.verb, relation.object, relation.subject, relation.particle)
        assert all(0 <= place < len(parse) for place in places if place is not None)
        assert 0 <= relation.start <= relation.verb < relation.end <= len(parse)
        assert relation.object is not None
        assert relation.start <= relation.object < relation.end
        assert relation.kept != bool(relation.reason)
        assert relation.kept or relation.reason in REASONS
        assert (relation.subject is None) == (relation.kind == "vo")


@given(parses())
def test_kept_expressions_are_a_verb_before_a_word_of_at_most_five(parse):
    for relation in verb_objects(parse):
        if relation.kept:
            assert relation.start == relation.verb < relation.object
            assert relation.end - relation.start <= 5
            assert parse.upos[relation.verb] == "VERB"


@given(parses())
def test_no_relation_is_given_twice(parse):
    found = [(r.kind, r.verb, r.subject, r.object) for r in extract(parse)]
    assert len(found) == len(set(found))


@given(parses())
def test_verdict_agrees_with_the_triplets(parse):
    verdict, triplets = headline_verdict(parse), svo(parse)
    assert verdict.triplets == len(triplets)
    assert verdict.kept == (len(triplets) == 1 and triplets[0].verb == focus_verb(parse))
    assert extract(parse) == verb_objects(parse) + triplets


@pytest.mark.parametrize("relation", ["conj", "xcomp", "flat", "obj"])
@pytest.mark.parametrize("upos", ["VERB", "NOUN"])
def test_long_chains_are_read_without_recursion(relation, upos):
    size = 10_000
    heads = tuple(range(-1, size - 1))
    deprels = ("root", "nsubj", "obj", *[relation] * (size - 3))
    column = ("set",) * size
    parse = Parse(column, (upos,) * size, ("VBN",) * size, column, heads, deprels)
    assert len(extract(parse)) <= size


def test_coordinations_do_not_multiply_without_bound():
    size = 2_000
    deprels = ("root", "nsubj", "obj", *["conj"] * (2 * size))
    heads = (-1, 0, 0, *[1] * size, *[2] * size)
    upos = ("VERB", *["NOUN"] * (2 * size + 2))
    column = ("x",) * len(heads)
    assert len(svo(Parse(column, upos, column, column, heads, deprels))) == 16 * 16
