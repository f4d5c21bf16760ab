"""What is offered: words near enough in meaning, those that the detector calls right first."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope import Pipeline
from trope.core.records import Parse
from trope.tasks.rewriting.features import CHEAP, cheap_features
from trope.tasks.rewriting.inventory import WordInventory, read_inventory
from trope.tasks.rewriting.meaning import StaticMeanings
from trope.tasks.rewriting.ranker import only_nearest, ranker_file, read_ranker
from trope.tasks.rewriting.rewriter import Candidate, Rewriter
from trope.tasks.rewriting.task import WordPlace
from trope.tasks.rewriting.texts import is_known, preferred

WORDS = ("Union", "criticizes", "the", "offer")
PARSE = Parse(
    WORDS, ("NOUN", "VERB", "DET", "NOUN"), ("NN", "VBZ", "DT", "NN"),
    ("union", "criticize", "the", "offer"), (1, -1, 3, 1), ("nsubj", "root", "det", "obj"),
)  # fmt: skip
PLACE = WordPlace(PARSE, 1, "VERB")


def candidate(form: str, score: float, metaphor: float) -> Candidate:
    return Candidate(form, form, score, 0.0, 0.5, metaphor, form)


FOUND = [
    candidate("best", 3.0, 0.9),
    candidate("second", 2.0, 0.1),
    candidate("third", 1.0, 0.2),
    candidate("last", 0.0, 0.8),
]


@pytest.mark.parametrize(
    ("to", "expected"), [("literal", ["best", "second"]), ("metaphorical", ["best", "last"])]
)
def test_after_the_best_half_comes_what_the_detector_calls_right(
    to: str, expected: list[str]
) -> None:
    chosen = preferred(FOUND, to, 0.5, 2)  # type: ignore[arg-type]
    assert [own.form for own in chosen] == expected


def test_others_fill_up_and_scores_keep_the_order() -> None:
    chosen = preferred([replace(own, metaphor=0.9) for own in FOUND], "literal", 0.5, 3)
    assert [own.form for own in chosen] == ["best", "second", "third"]


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
