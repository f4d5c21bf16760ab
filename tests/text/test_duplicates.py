import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.text.duplicates import Verdict, comparable, find_duplicates

LONG = (
    "the new tax eats small shops alive and nobody in the whole town dares to say a word about it"
)


def verdicts(*texts, **options):
    return list(find_duplicates(((str(i), text) for i, text in enumerate(texts)), **options))


def test_first_text_is_kept_and_repeats_name_it():
    found = verdicts("Taxes bite!!", "taxes   BITE! https://t.co/x", "Taxes heal!")
    assert found == [Verdict("0"), Verdict("1", "exact", "0", 1.0), Verdict("2")]
    assert [verdict.kept for verdict in found] == [True, False, True]


def test_near_repeat_names_the_kept_text_and_how_near_it_is():
    near = verdicts(LONG, LONG + " today")[1]
    assert (near.reason, near.duplicate_of) == ("near", "0")
    assert near.similarity == pytest.approx(19 / 20)


def test_repeat_of_a_dropped_text_names_the_kept_one():
    again = verdicts(LONG, LONG + " today", LONG + " today")[2]
    assert (again.reason, again.duplicate_of) == ("near", "0")


def test_threshold_decides_what_is_near():
    half_as_long = " ".join(LONG.split()[:10])
    assert verdicts(LONG, half_as_long)[1].kept
    assert verdicts(LONG, half_as_long, threshold=0.4)[1].reason == "near"
    assert verdicts(LONG, LONG + " today", threshold=2)[1].kept


def test_text_without_content_is_empty():
    assert verdicts("https://t.co/x", "")[0] == Verdict("0", "empty")


def test_short_texts_that_differ_are_kept():
    assert all(verdict.kept for verdict in verdicts("no", "yes", "no no", "!", "?"))


def test_every_text_has_one_verdict():
    found = verdicts("a b c", "a b c", "", LONG, LONG + " today")
    assert [verdict.reason for verdict in found] == ["", "exact", "empty", "", "near"]


def test_verdicts_come_while_texts_come():
    def endless():
        yield "0", "one"
        raise AssertionError("read ahead")

    assert next(find_duplicates(endless())) == Verdict("0")


def test_kind_decides_what_is_compared():
    assert comparable("Sooo BIG") == "so big"
    assert comparable("Sooo BIG", "plain") == "sooo big"


@pytest.mark.parametrize("options", [{"threshold": 0}, {"shingle": 0}])
def test_impossible_settings_are_refused(options):
    with pytest.raises(BadInput, match="must be above 0"):
        verdicts("a", **options)


def test_lone_surrogates_are_compared_too():
    assert [v.reason for v in verdicts("a \ud800", "a \ud800", kind="plain")] == ["", "exact"]


WORDS = st.lists(st.sampled_from(["tax", "bites", "shop", "town", "mill", "burns"]), max_size=12)


@given(st.lists(WORDS.map(" ".join), max_size=12), st.integers(0, 3))
def test_the_same_seed_gives_the_same_verdicts_and_names_only_kept_texts(texts, seed):
    found = verdicts(*texts, seed=seed)
    assert found == verdicts(*texts, seed=seed)
    kept = {verdict.id for verdict in found if verdict.kept}
    for verdict in found:
        if verdict.reason in ("exact", "near"):
            assert verdict.duplicate_of in kept
            assert int(verdict.duplicate_of) < int(verdict.id)
