"""Measures of silver labels and candidates, and new headlines from accepted ones."""

from collections.abc import Sequence

import pytest

from trope.core.errors import BadInput
from trope.core.records import Parse
from trope.lexicon.vectors import WordVectors
from trope.tasks.rewriting import measures
from trope.tasks.rewriting.measures import (
    first_position,
    metaphoricity,
    share_with_right,
    share_within,
    silver_quality,
)
from trope.tasks.rewriting.task import WordPlace, in_case_of

VECTORS = WordVectors(["eats", "tax", "shop"], [[1, 0], [0, 1], [1, 1]])


def place(words: str, at: int, tag: str) -> WordPlace:
    split = tuple(words.split())
    upos = tuple("VERB" if n == at else "NOUN" for n in range(len(split)))
    xpos = tuple(tag if n == at else "NN" for n in range(len(split)))
    heads = tuple(-1 if n == at else at for n in range(len(split)))
    deprels = tuple("root" if n == at else "obj" for n in range(len(split)))
    return WordPlace(Parse(split, upos, xpos, split, heads, deprels), at)


def test_every_rate_has_its_own_denominator() -> None:
    quality = silver_quality([True, True, True, False, False], [True, False, False, True, False])
    assert (quality.precision.part, quality.precision.whole) == (1, 3)
    assert (quality.false_discovery.part, quality.false_discovery.whole) == (2, 3)
    assert (quality.false_omission.part, quality.false_omission.whole) == (1, 2)
    assert (quality.false_positive.part, quality.false_positive.whole) == (2, 3)
    assert (quality.false_negative.part, quality.false_negative.whole) == (1, 2)


def test_rates_of_nothing_are_undefined_and_lengths_must_fit() -> None:
    assert silver_quality([], []).precision.value is None
    with pytest.raises(BadInput):
        silver_quality([True], [])


def test_positions_are_counted_in_the_unfiltered_list_from_zero() -> None:
    assert first_position(["1944", "prompts", "sends"], ["sends", "prompts"]) == 1
    assert first_position(["prompts"], []) is None
    assert share_within([0, 10, 11, None], 10).value == 0.5
    assert share_with_right([0, 1, 1, 3], 1).value == 0.5


def test_the_less_fitting_side_decides() -> None:
    assert metaphoricity("Eats", "tax", "shop", VECTORS) == pytest.approx(0.0)
    assert metaphoricity("eats", None, "shop", VECTORS) == pytest.approx(0.7071, abs=1e-4)
    assert metaphoricity("eats", "blork", None, VECTORS) is None
    assert metaphoricity("blork", "tax", "shop", VECTORS) is None


@pytest.mark.parametrize(
    ("word", "tag", "lemma", "form"),
    [("Hated", "VBD", "burn", "Burned"), ("KICKS", "VBZ", "catch", "CATCHES"),
     ("making", "VBG", "run", "running"), ("taken", "VBN", "steal", "stolen")],
)  # fmt: skip
def test_words_are_inflected_and_written_like_the_one_they_replace(
    word: str, tag: str, lemma: str, form: str
) -> None:
    assert place(f"They {word} it", 1, tag).fitted(lemma) == form


def test_a_single_capital_letter_is_no_shouting() -> None:
    assert in_case_of("eats", "I") == "Eats"


def test_as_printed_every_candidate_is_read_beside_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    contexts: list[tuple[str, ...]] = []

    def note(context: Sequence[str], lemma: str, *_: object, **__: object) -> None:
        contexts.append(tuple(context))

    monkeypatch.setattr(measures, "lesk", note)
    headline, words = ["Mayor", "attacks", "plan"], ["bombs", "buries", "sinks"]
    measures.cluster_candidates(headline, 1, words, swap="printed")
    assert contexts == [("Mayor", "bombs", "plan")] * 3
    contexts.clear()
    measures.cluster_candidates(headline, 1, words)
    assert contexts == [("Mayor", word, "plan") for word in words]
