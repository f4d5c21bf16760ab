"""What is offered: words near enough in meaning, those that the detector calls right first."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope import Pipeline
from trope.core.records import Parse
from trope.lexicon.wordnet import read_wordnet
from trope.tasks.rewriting.features import CHEAP, cheap_features
from trope.tasks.rewriting.inventory import WordInventory, read_inventory
from trope.tasks.rewriting.meaning import StaticMeanings
from trope.tasks.rewriting.ranker import only_nearest, ranker_file, read_ranker
from trope.tasks.rewriting.rewriter import Candidate, Rewriter, Shortlist
from trope.tasks.rewriting.task import WordPlace
from trope.tasks.rewriting.texts import is_known, preferred, without_opposites

WORDS = ("Union", "criticizes", "the", "offer")
PARSE = Parse(
    WORDS, ("NOUN", "VERB", "DET", "NOUN"), ("NN", "VBZ", "DT", "NN"),
    ("union", "criticize", "the", "offer"), (1, -1, 3, 1), ("nsubj", "root", "det", "obj"),
)  # fmt: skip
PLACE = WordPlace(PARSE, 1, "VERB")


def candidate(form: str, score: float, metaphor: float) -> Candidate:
    return Candidate(form, form, score, 0.0, 0.7, metaphor, form)


FOUND = [
    candidate("best", 3.0, 0.9),
    candidate("second", 2.0, 0.1),
    candidate("third", 1.0, 0.2),
    candidate("last", 0.0, 0.8),
]


def test_after_the_best_half_comes_what_the_detector_calls_a_metaphor() -> None:
    assert [own.form for own in preferred(FOUND, "metaphorical", 0.5, 2)] == ["best", "last"]


def test_others_fill_up_and_scores_keep_the_order() -> None:
    chosen = preferred([replace(own, metaphor=0.1) for own in FOUND], "metaphorical", 0.5, 3)
    assert [own.form for own in chosen] == ["best", "second", "third"]


def test_literal_is_what_the_detector_calls_literal_and_what_keeps_the_meaning() -> None:
    assert [own.form for own in preferred(FOUND, "literal", 0.5, 3)] == ["second", "third"]
    far = [replace(own, meaning=0.3) if own.form == "second" else own for own in FOUND]
    assert [own.form for own in preferred(far, "literal", 0.5, 3)] == ["third"]


def test_opposites_are_not_offered() -> None:
    parse = replace(PARSE, lemmas=(PARSE.lemmas[0], "bury", *PARSE.lemmas[2:]))
    place = WordPlace(parse, 1, "VERB")
    words = WordInventory(("conceal", "publish", "hide", "reveal", "delete"), "VERB")
    kept = without_opposites(Shortlist(place, words, np.arange(5.0)))
    assert kept.words.lemmas == ("conceal", "hide", "delete")
    assert kept.scores.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    "sentence",
    [
        "The new tax strangles small shops.",
        "The ministry buried the report.",
        "Critics demolished the plan.",
        "The company slashed jobs.",
        "Doubts plagued the team.",
    ],
)
def test_no_literal_candidate_is_a_metaphor_in_its_place(shipped: Pipeline, sentence: str) -> None:
    (rewriting,) = shipped.rewrite(sentence, to="literal", top=8)
    net = read_wordnet("VERB")
    assert rewriting.candidates
    for own in rewriting.candidates:
        (read,) = shipped.parse([[t.text for t in shipped.analyze(own.text).tokens]])
        assert read.metaphor[read.words.index(own.form)] < shipped.thresholds[0]
        assert not net.opposed(rewriting.lemma, own.lemma)


def test_a_list_of_ones_own_is_ranked_whole(shipped: Pipeline) -> None:
    given = ["kills", "publishes", "harms"]
    (rewriting,) = shipped.rewrite(
        "The new tax strangles small shops.", to="literal", candidates=given
    )
    assert sorted(own.lemma for own in rewriting.candidates) == ["harm", "kill", "publish"]


def test_words_that_say_something_else_are_not_offered() -> None:
    ranker = msgspec.structs.replace(read_ranker(ranker_file("static")), nearest={"literal": 10})
    words = read_inventory("VERB")
    same = ranker.shortlist_scores(PLACE, words, "substitution")
    nearest = {words.lemmas[row] for row in np.argsort(-same)[:10]}
    (found,) = Rewriter(ranker, StaticMeanings()).rank_many([PLACE], "literal", top=40)
    assert set(found.lemmas) == nearest - {"criticize", "criticise"}


@given(st.lists(st.floats(-9, 9), min_size=1, max_size=30), st.integers(1, 40))
def test_at_least_so_many_words_stay(same: list[float], number: int) -> None:
    kept = np.isfinite(only_nearest(np.zeros(len(same)), np.array(same), number))
    assert kept.sum() >= min(number, len(same))
    if not kept.all():
        assert np.array(same)[kept].min() > np.array(same)[~kept].max()


def test_unknown_words_in_a_list_break_nothing_and_are_never_offered() -> None:
    rewriter = Rewriter(read_ranker(ranker_file("static")), StaticMeanings())
    words = WordInventory(("blorf", "denounce", "zzyx"), "VERB")
    (scores,) = rewriter.ranker.rank_scores([(PLACE, words)], "substitution", rewriter.meanings)
    assert np.isfinite(scores).all()
    assert scores[0] == pytest.approx(scores[2])  # nothing is known of either
    (found,) = rewriter.rank_many([PLACE], "literal", top=40)
    assert all(is_known(WordPlace(PARSE, 1, "VERB", lemma)) for lemma in found.lemmas)
    assert not is_known(WordPlace(PARSE, 1, "VERB", "blorf"))


def test_a_part_of_speech_without_substitutes_has_none() -> None:
    rewriter = Rewriter(read_ranker(ranker_file("static")), StaticMeanings())
    pronoun = WordPlace(PARSE, 0, "PRON")
    none, some = rewriter.rank_many([pronoun, PLACE], "substitution", top=5)
    assert len(none.lemmas) == 0
    assert len(some.lemmas) == 5


def test_shared_classes_are_counted_as_sets() -> None:
    words = WordInventory(("denounce", "applaud", "eat", "blorf"), "VERB")
    column = cheap_features(PLACE, words)[:, CHEAP.index("classes")]
    own = read_inventory("VERB").classes[read_inventory("VERB").rows["criticize"]]
    expected = [len(own & other) / max(1, len(own | other)) for other in words.classes]
    assert np.allclose(column, expected)


def test_the_shipped_rankers_belong_to_their_sources(shipped: Pipeline) -> None:
    for kind in ("encoder", "public", "static"):
        ranker = read_ranker(ranker_file(kind))
        assert ranker.meanings == kind
        assert set(ranker.nearest) == {"literal", "metaphorical"}
    assert shipped.rewriter.meanings.kind == "encoder"
