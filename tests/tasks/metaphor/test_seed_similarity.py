import math

import pytest

from trope.catalog import DETECTORS
from trope.core.errors import BadInput, BadRecord
from trope.core.records import Parse
from trope.lexicon.vectors import WordVectors
from trope.tasks.metaphor.seed_similarity import SeedSimilarity, build_neighbours, read_seeds
from trope.tasks.metaphor.task import VerbExpression

VECTORS = WordVectors(
    ["sow", "doubt", "plant", "worry", "boil", "egg"],
    [[1, 0, 0], [0, 1, 0], [0.9, 0.1, 0], [0.1, 0.9, 0], [0, 0, 1], [0, 0.1, 1]],
)
SEEDS = (VerbExpression("sow", "doubt"),)
SENTENCE = Parse(
    ("They", "planted", "worries", "and", "boiled", "eggs"),
    ("PRON", "VERB", "NOUN", "CCONJ", "VERB", "NOUN"),
    ("PRP", "VBD", "NNS", "CC", "VBD", "NNS"),
    ("they", "plant", "worry", "and", "boil", "egg"),
    (1, -1, 1, 4, 1, 4),
    ("nsubj", "root", "obj", "cc", "conj", "obj"),
)


def test_score_is_the_cosine_of_mean_unit_vectors_to_the_nearest_seed():
    detector = SeedSimilarity(VECTORS, SEEDS)
    same, near, far = detector.score_expressions(
        [SEEDS[0], VerbExpression("plant", "worry"), VerbExpression("boil", "egg")]
    )
    assert same == pytest.approx(1)
    assert 0.99 < near < 1
    assert far < 0.1


def test_a_pair_without_vectors_has_neither_score_nor_label():
    detector = SeedSimilarity(VECTORS, SEEDS, threshold=0.5)
    assert detector.label("zzz", "egg") == (None, None)
    assert detector.label("plant", "worry")[1] is True
    assert detector.label("boil", "egg")[1] is False


def test_words_have_the_score_of_their_expression_and_sentences_the_best():
    detector = SeedSimilarity(VECTORS, SEEDS)
    (row,) = detector.score_words([SENTENCE])
    assert [at for at, score in enumerate(row) if score is not None] == [1, 4]
    assert detector.score_sentences([SENTENCE]) == [row[1]]


def test_threshold_comes_from_held_out_expressions():
    detector = SeedSimilarity(VECTORS, SEEDS)
    assert detector.threshold == math.inf
    detector.tune([VerbExpression("plant", "worry"), VerbExpression("boil", "egg")], [True, False])
    assert detector.label("plant", "doubt")[1] is True
    assert detector.label("boil", "egg")[1] is False


def test_seeds_that_are_scored_are_left_out():
    detector = SeedSimilarity(VECTORS, [*SEEDS, VerbExpression("Boil", "egg")])
    kept = detector.without([VerbExpression("boil", "Egg")])
    assert kept.seeds == SEEDS
    with pytest.raises(BadInput, match="no seed"):
        kept.without(SEEDS)


def test_shipped_seeds_are_pairs_and_no_two_are_the_same():
    pairs = [seed.pair for seed in read_seeds()]
    assert len(pairs) == len(set(pairs)) > 50


def test_registry_builds_it_from_files(tmp_path):
    (tmp_path / "v.txt").write_text("sow 1 0\ndoubt 0 1\n")
    (tmp_path / "seeds.txt").write_text("# mine\nsow doubt\n")
    build = DETECTORS.load("seed-similarity")
    detector = build(vectors=tmp_path / "v.txt", seeds=tmp_path / "seeds.txt", threshold=0.9)
    assert detector.label("sow", "doubt")[1] is True


def test_bad_seed_is_named_by_its_line(tmp_path):
    path = tmp_path / "seeds.txt"
    path.write_text("sow doubt\nsow\n")
    with pytest.raises(BadRecord, match="1 words") as told:
        read_seeds(path)
    assert told.value.line == 2


LIGHT = [("take", "offence"), ("give", "hope"), ("have", "suspicion"), ("make", "allowance")]
PLAIN = [("take", "towel"), ("give", "banana"), ("have", "bucket"), ("eat", "towel")]


@pytest.fixture(scope="module")
def neighbours():
    return build_neighbours()


def expressions(pairs):
    return [VerbExpression(verb, noun) for verb, noun in pairs]


def test_neighbours_tell_uses_of_light_verbs_by_their_objects(neighbours):
    figurative, plain = (neighbours.score_expressions(expressions(p)) for p in (LIGHT, PLAIN))
    assert 1 > min(figurative) > neighbours.threshold > max(plain) > 0


def test_the_threshold_for_a_text_calls_a_fifth_more_than_expected(neighbours):
    adapted = neighbours.without([])
    pairs = expressions([(verb, noun) for verb, _ in LIGHT + PLAIN for _, noun in LIGHT + PLAIN])
    for share, called in ((0.25, 0.3), (0.5, 0.6), (1.0, 1.0)):
        adapted.adapt(pairs, share=share)
        found = [score >= adapted.threshold for score in adapted.score_expressions(pairs)]
        assert sum(found) / len(pairs) == pytest.approx(called, abs=2 / len(pairs))


def test_neighbours_score_words_without_vectors_in_the_middle(neighbours):
    (score,) = neighbours.score_expressions([VerbExpression("zzqx", "qqzx")])
    assert 0.3 < score < 0.7
    assert neighbours.score_expressions([]) == []


def test_a_seed_that_is_scored_has_no_say_in_its_own_label(neighbours):
    seed = next(seed for seed, label in neighbours.seeds if label)
    kept = neighbours.without([seed])
    assert len(kept.seeds) == len(neighbours.seeds) - 1
    assert kept.score_expressions([seed])[0] < neighbours.score_expressions([seed])[0]
