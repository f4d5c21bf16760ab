"""The silver sets: nothing crosses a split in any wording, every drop is counted."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.tasks.metaphor.silver import (
    HeldOutTexts,
    SilverText,
    alike_groups,
    build_silver,
    words_of,
)

NOUNS = ("tax", "fear", "rain", "hope", "debt", "frost", "storm", "doubt")
TEXT = st.lists(st.sampled_from(NOUNS), min_size=1, max_size=7).map(" ".join)
ITEMS = st.lists(
    st.builds(SilverText, TEXT, st.booleans(), st.sampled_from(["one", "two"])), max_size=30
)


def differ(one: str, other: str) -> int:
    """In how many words, or 99 for texts of different length."""
    a, b = words_of(one), words_of(other)
    return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else 99


def alike(one: str, other: str) -> bool:
    return differ(one, other) == 0 or (len(words_of(one)) >= 4 and differ(one, other) == 1)


@given(ITEMS, st.lists(TEXT, max_size=4), ITEMS, st.integers(0, 5))
def test_no_text_crosses_a_split_and_all_are_accounted_for(items, held, stand_in, seed):
    extra = [SilverText(item.text, False, "plain") for item in stand_in]
    silver = build_silver(
        items, stand_in=extra, held_out={"x": held}, seed=seed, validation_share=0.3
    )
    for parts in (silver.imbalanced, silver.balanced):
        for item in parts.train:
            assert not any(alike(item.text, other.text) for other in parts.validation)
        for item in (*parts.train, *parts.validation):
            assert not any(alike(item.text, text) for text in held)
            assert len(words_of(item.text)) >= 3
    wordings = [words_of(i.text) for i in (*silver.imbalanced.train, *silver.imbalanced.validation)]
    assert len(set(wordings)) == len(wordings)
    for part in (silver.balanced.train, silver.balanced.validation):
        assert Counter(i.metaphor for i in part)[True] * 2 == len(part)
    assert sum(silver.kept.values()) + sum(silver.drops.values()) == len(items) + len(extra)


def test_the_same_seed_gives_the_same_sets_and_another_another():
    items = [SilverText(f"text {n} of many a {n} word", n % 2 == 0, "one") for n in range(60)]
    one, two, other = (build_silver(items, held_out={}, seed=seed) for seed in (1, 1, 2))
    assert one == two
    assert one.imbalanced.validation != other.imbalanced.validation
    assert len(one.imbalanced.validation) == 6


def test_labels_that_differ_are_any_of_in_a_corpus_and_a_drop_between_corpora():
    items = [
        SilverText("rain eats the road", False, "one"),
        SilverText("Rain eats the road!", True, "one"),
        SilverText("frost bit the buds", True, "one"),
        SilverText("frost bit the buds", False, "two"),
    ]
    silver = build_silver(items, held_out={}, seed=0, validation_share=0)
    assert [(i.text, i.metaphor) for i in silver.imbalanced.train] == [("rain eats the road", True)]
    assert silver.drops == {
        ("one", "said before"): 1,
        ("one", "corpora contradict each other"): 1,
        ("two", "corpora contradict each other"): 1,
    }


def test_what_holds_half_of_a_held_out_text_is_like_it():
    guard = HeldOutTexts({"test": ["Mayor unveils three new lanes for bicycles before spring"]})
    assert guard.find("He said: mayor unveils three new lanes for bicycles, and left") == "test"
    assert guard.find("Mayor opens three new lanes for bicycles before spring") == "test"
    assert guard.find("Three new lanes for the north") == ""


def test_a_short_held_out_text_does_not_take_longer_ones_with_it():
    guard = HeldOutTexts({"test": ["I do not know"]})
    assert guard.find("I do not know") == "test"
    assert guard.find("I do not know how the mayor does it") == ""


def test_balance_fills_with_literal_texts_and_samples_metaphors_down():
    metaphors = [SilverText(f"hope {n} swallows whole {n} towns", True, "m") for n in range(20)]
    literal = [SilverText(f"boys {n} carry rope to {n} barns", False, "l") for n in range(5)]
    fill = [SilverText(f"girls {n} count apples in {n} sheds", False, "f") for n in range(8)]
    silver = build_silver(
        [*metaphors, *literal], stand_in=fill, held_out={}, seed=0, validation_share=0
    )
    assert silver.imbalanced.counts == {"metaphorical": 20, "literal": 5, "total": 25}
    assert silver.balanced.counts == {"metaphorical": 13, "literal": 13, "total": 26}
    assert {i.source for i in silver.balanced.train} == {"m", "l", "f"}


def test_groups_are_transitive():
    texts = ["a b c d", "a b c e", "a b f e", "x y z w"]
    assert alike_groups(texts) == [0, 0, 0, 3]


def test_a_share_that_is_none_is_refused():
    with pytest.raises(BadInput, match="validation share 1"):
        build_silver([], held_out={}, seed=0, validation_share=1)
