"""What people said of pairs of verbs, and what that tells of pairs like them."""

import msgspec
import numpy as np
import pytest

from trope.tasks.rewriting.inventory import framed_vectors
from trope.tasks.rewriting.ranker_training import JudgedList, contributions, learn_statistics
from trope.tasks.rewriting.verb_pairs import GROUPS, PAIR_FEATURES, VerbPairs, sum_pairs

ATTACKED = {"attack": (1.0, 0.5), "eat": (1.0, -0.5)}
"""What was said of two words for the place of a third: the first was accepted."""


def accepted(pairs: VerbPairs, word: str, *lemmas: str, direction: str = "literal") -> list[float]:
    return pairs.features(word, lemmas, direction)[:, PAIR_FEATURES.index("accepted_pair")].tolist()


def test_pairs_like_an_accepted_one_are_believed_and_both_verbs_count() -> None:
    pairs = sum_pairs([("literal", "criticize", ATTACKED)])
    assault, devour = accepted(pairs, "denounce", "assault", "devour")
    assert assault > 0 > devour
    (elsewhere,) = accepted(pairs, "cook", "assault")
    assert abs(elsewhere) < assault / 2


def test_a_direction_knows_nothing_of_the_other() -> None:
    pairs = sum_pairs([("literal", "criticize", ATTACKED)])
    assert accepted(pairs, "criticize", "attack", direction="metaphorical") == [0.0]


def test_words_without_a_vector_are_told_nothing() -> None:
    pairs = sum_pairs([("literal", "criticize", ATTACKED)])
    assert not pairs.features("criticize", ["zzyx"], "literal").any()
    assert not pairs.features("zzyx", ["attack"], "literal").any()


def test_what_a_list_added_itself_can_be_left_out() -> None:
    pairs = sum_pairs([("literal", "criticize", ATTACKED)])
    own = pairs.features("criticize", ["attack", "eat"], "literal", without=ATTACKED)
    assert own == pytest.approx(np.zeros((2, len(PAIR_FEATURES))), abs=0.002)
    assert np.abs(pairs.features("criticize", ["attack", "eat"], "literal")).min() > 0.02


def test_the_tables_say_about_what_all_pairs_would() -> None:
    words = ("slam", "hit", "buy", "praise", "attack", "carry")
    places = ("criticize", "announce", "purchase", "like")
    lists = [("literal", p, {w: (1.0, float(n % 2)) for n, w in enumerate(words)}) for p in places]
    found = sum_pairs(lists).features("condemn", words, "literal")[
        :, PAIR_FEATURES.index("judged_pair")
    ]
    like_place = np.maximum(framed_vectors(["condemn"]) @ framed_vectors(places).T, 0) ** 2
    like_words = np.maximum(framed_vectors(words) @ framed_vectors(words).T, 0) ** 2
    exact = np.log1p(like_words.sum(axis=1) * like_place.sum())
    assert np.corrcoef(found, exact)[0, 1] > 0.6


def test_pairs_survive_a_file_and_hold_no_verb() -> None:
    pairs = sum_pairs([("literal", "criticize", ATTACKED)])
    written = msgspec.json.encode(pairs)
    assert msgspec.json.decode(written, type=VerbPairs) == pairs
    assert b"criticize" not in written
    assert len(pairs.sums["literal"]) == 2 * GROUPS * GROUPS * 2


def test_a_headline_does_not_help_its_own_candidates() -> None:
    judged = JudgedList(
        ("attack", "eat"), np.array([1.0, 0.0]), {}, "literal", group="1", word="criticize"
    )
    said = learn_statistics([judged])
    (part,) = contributions([judged])
    columns = said.columns(judged.word, judged.lemmas, "literal", without=part)
    assert all(np.abs(column).max() < 0.01 for column in columns.values())
