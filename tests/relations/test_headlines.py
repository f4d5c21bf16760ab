"""Triplets and verdicts of headlines of our own, read by hand."""

from __future__ import annotations

import pytest
from headline_trees import HEADLINES, UNTYPED
from parse_table import in_words, read_parse

from trope.core.records import Relation
from trope.relations import focus_verb, headline_verdict, judge_together, single_triplet, svo


@pytest.mark.parametrize("name", HEADLINES)
def test_triplets_of_headline(name):
    table, triplets, _, _ = HEADLINES[name]
    parse = read_parse(table)
    assert sorted(in_words(parse, found) for found in svo(parse)) == sorted(triplets)


@pytest.mark.parametrize("name", HEADLINES)
def test_verdict_on_headline(name):
    table, triplets, reason, _ = HEADLINES[name]
    parse = read_parse(table)
    verdict = headline_verdict(parse)
    assert (verdict.kept, verdict.reason) == (not reason, reason)
    assert verdict.triplets == len(triplets)
    assert (verdict.relation is None) == (len(triplets) != 1)
    assert {(found.kept, found.reason) for found in svo(parse)} <= {(not reason, reason)}


@pytest.mark.parametrize("name", HEADLINES)
def test_root_of_headline(name):
    table, _, _, root = HEADLINES[name]
    parse = read_parse(table)
    focus = focus_verb(parse)
    assert (None if focus is None else parse.words[focus]) == root
    assert all(found.root == (found.verb == focus) for found in svo(parse))


def only_triplet(name: str) -> Relation:
    (found,) = svo(read_parse(HEADLINES[name][0]))
    return found


def test_passive_triplet_is_marked():
    found = only_triplet("passive with an agent")
    assert found.passive
    assert (found.start, found.end) == (1, 6)


def test_active_triplet_is_not_marked_as_passive():
    assert not only_triplet("one triplet at the root").passive


def test_negated_triplet_is_marked():
    assert only_triplet("modal and negation").negated
    assert not only_triplet("particle").negated


def test_negation_of_a_raising_predicate_reaches_the_verb():
    parse = read_parse(
        """
        Bank   bank  NOUN/NN   4  nsubj
        is     be    AUX/VBZ   4  cop
        not    not   PART/RB   4  advmod
        likely likely ADJ/JJ   0  root
        to     to    PART/TO   6  mark
        raise  raise VERB/VB   4  xcomp
        rates  rate  NOUN/NNS  6  obj
        """
    )
    (found,) = svo(parse)
    assert found.negated and found.root


def test_particle_of_a_triplet_is_given():
    assert only_triplet("particle").particle == 2


def test_sentences_of_one_headline_are_judged_together():
    first = svo(read_parse(HEADLINES["particle"][0]))
    second = svo(read_parse(HEADLINES["only triplet below the root"][0]))
    assert first[0].kept
    judged = judge_together(first + second)
    assert [found.reason for found in judged] == ["several-triplets", "several-triplets"]
    assert single_triplet(first + second).triplets == 2


@pytest.mark.parametrize("name", UNTYPED)
def test_passive_by_form(name):
    table, triplets = UNTYPED[name]
    parse = read_parse(table)
    assert [in_words(parse, found) for found in svo(parse)] == triplets
