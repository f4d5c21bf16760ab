"""What is offered: words near enough in meaning, those that the detector calls right first."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from trope import Pipeline
from trope.core.records import Parse
from trope.tasks.rewriting.features import cheap_features
from trope.tasks.rewriting.inventory import Inventory, read_inventory
from trope.tasks.rewriting.meaning import StaticMeanings
from trope.tasks.rewriting.ranker import ranker_file, read_ranker
from trope.tasks.rewriting.rewriter import Candidate, Rewriter
from trope.tasks.rewriting.task import Place
from trope.tasks.rewriting.texts import is_known, preferred

WORDS = ("Union", "criticizes", "the", "offer")
PARSE = Parse(
    WORDS, ("NOUN", "VERB", "DET", "NOUN"), ("NN", "VBZ", "DT", "NN"),
    ("union", "criticize", "the", "offer"), (1, -1, 3, 1), ("nsubj", "root", "det", "obj"),
)  # fmt: skip
PLACE = Place(PARSE, 1, "VERB")


def candidate(form: str, score: float, metaphor: float) -> Candidate:
    return Candidate(form, form, score, 0.0, 0.5, metaphor, form)


FOUND = [
    candidate("best", 3.0, 0.9),
    candidate("second", 2.0, 0.1),
    candidate("third", 1.0, 0.2),
    candidate("last", 0.0, 0.8),
]


@pytest.mark.parametrize(
    ("to", "expected"), [("literal", ["second", "third"]), ("metaphorical", ["best", "last"])]
)
def test_what_the_detector_calls_right_comes_in_first(to: str, expected: list[str]) -> None:
    chosen = preferred(FOUND, to, 0.5, 2)  # type: ignore[arg-type]
    assert [own.form for own in chosen] == expected


def test_others_fill_up_and_scores_keep_the_order() -> None:
    chosen = preferred([replace(own, metaphor=0.9) for own in FOUND], "literal", 0.5, 3)
    assert [own.form for own in chosen] == ["best", "second", "third"]


def test_what_means_something_else_is_not_offered() -> None:
    ranker = read_ranker(ranker_file("static"))
    free = msgspec.structs.replace(ranker, least={})
    (all_words,) = Rewriter(free, StaticMeanings()).rank_many([PLACE], "literal", top=40)
    least = float(np.median(all_words.meanings))
    strict = msgspec.structs.replace(ranker, least={"literal": least})
    (near,) = Rewriter(strict, StaticMeanings()).rank_many([PLACE], "literal", top=40)
    expected = [w for w, m in zip(all_words.lemmas, all_words.meanings, strict=True) if m >= least]
    assert list(near.lemmas) == expected
    assert 0 < len(near.lemmas) < len(all_words.lemmas)


def test_unknown_words_in_a_list_break_nothing_and_are_never_offered() -> None:
    rewriter = Rewriter(read_ranker(ranker_file("static")), StaticMeanings())
    words = Inventory(("blorf", "denounce", "zzyx"), "VERB")
    (scores,) = rewriter.ranker.rank_scores([(PLACE, words)], "substitution", rewriter.meanings)
    assert np.isfinite(scores).all()
    assert scores[0] == pytest.approx(scores[2])  # nothing is known of either
    (found,) = rewriter.rank_many([PLACE], "literal", top=40)
    assert all(is_known(Place(PARSE, 1, "VERB", lemma)) for lemma in found.lemmas)
    assert not is_known(Place(PARSE, 1, "VERB", "blorf"))


def test_shared_classes_are_counted_as_sets() -> None:
    words = Inventory(("denounce", "applaud", "eat", "blorf"), "VERB")
    column = cheap_features(PLACE, words)[:, 3]
    own = read_inventory("VERB").classes[read_inventory("VERB").rows["criticize"]]
    expected = [len(own & other) / max(1, len(own | other)) for other in words.classes]
    assert np.allclose(column, expected)


def test_the_shipped_rankers_belong_to_their_sources(shipped: Pipeline) -> None:
    for kind in ("encoder", "public", "static"):
        ranker = read_ranker(ranker_file(kind))
        assert ranker.meanings == kind
        assert set(ranker.least) == {"literal", "metaphorical"}
    assert shipped.rewriter.meanings.kind == "encoder"
