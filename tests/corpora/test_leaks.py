"""Copies of a text are recognised by their wording, whatever was masked or taken off."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.corpora.leaks import wording
from trope.corpora.semeval2007 import read_samples
from trope.corpora.semeval2015 import read_split
from trope.corpora.substitution import read_swords
from trope.tasks.sentiment.lexicon_system import read_tweeteval

WORDS = st.lists(st.from_regex(r"[a-z]{1,8}", fullmatch=True), min_size=1, max_size=8)
MASKS = st.sampled_from(["@user", "@Some_Body", "http", "https://t.co/x1", "#irony", "#not", "  "])


@given(WORDS, st.lists(st.tuples(st.integers(0, 8), MASKS), max_size=4))
def test_masks_do_not_change_a_wording(words: list[str], masks: list[tuple[int, str]]) -> None:
    masked = list(words)
    for place, mask in masks:
        masked.insert(place, mask)
    assert wording(" ".join(masked).upper()) == wording(" ".join(words) + "!") == "".join(words)


@given(WORDS, WORDS)
def test_other_words_have_another_wording(one: list[str], other: list[str]) -> None:
    assert (wording(" ".join(one)) == wording(" ".join(other))) == ("".join(one) == "".join(other))


def test_characters_of_web_pages_are_decoded() -> None:
    assert wording("you &amp; me, caf&eacute;") == "youmecafé"


@pytest.mark.shared
def test_counts_of_the_model_card(shared: Path) -> None:
    data = shared / "data"
    tweets = {wording(t.text) for t in read_split(data / "semeval2015", "test").tweets}
    irony, _ = read_tweeteval(data / "tweets-emotion/tweeteval/irony", ("train", "val", "test"))
    assert sum(wording(text) in tweets for text in irony) == 12
    swords = read_swords(data / "swords" / "swords-v1.1_test.json.gz")
    assert len({target.document for target in swords}) == 35
    for train, test, shared_samples in (
        ("SemEval.train.xml", "SemEval.test.xml", 3),
        ("comp_toparse.train.gz", "companies.test", 20),
    ):
        known = {_four(sample.sentences) for sample in read_samples(data / "semeval2007" / train)}
        tested = read_samples(data / "semeval2007" / test)
        assert sum(_four(sample.sentences) in known for sample in tested) == shared_samples


def _four(sentences: tuple[str, ...]) -> str:
    return wording(" ".join(sentences))
