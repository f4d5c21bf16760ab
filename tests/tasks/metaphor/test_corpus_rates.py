"""Counts of a corpus: words, rates, verbs in an order that chance does not make."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import FakePipeline
from trope.core.options import FigureView
from trope.core.records import Analysis, is_word
from trope.tasks.metaphor.corpus_rates import CorpusMetaphors, count_metaphors, hundredth


def read(*texts: str) -> list[Analysis]:
    return list(FakePipeline(metaphor=True).analyze_many(texts))


def scored(analysis: Analysis, score: float) -> Analysis:
    """The same where every token has that score."""
    tokens = tuple(replace(token, metaphor=score) for token in analysis.tokens)
    return FakePipeline().show(replace(analysis, tokens=tokens), FigureView("all"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("rain", True), ("n't", True), ("3rd", True), ("é", True), ("--", False), ("😂", False)],
)
def test_words_have_a_letter_or_a_digit(text: str, wanted: bool) -> None:
    assert is_word(text) is wanted


def test_punctuation_counts_neither_as_word_nor_as_metaphor() -> None:
    (analysis,) = read("Rain ate roads!")
    loud = scored(analysis, 0.9)
    assert (count_metaphors(loud).words, count_metaphors(loud).metaphors) == (3, 3)


def test_verbs_are_ordered_by_what_is_sure() -> None:
    corpus = CorpusMetaphors()
    for analysis in read(*["Rain ate roads."] * 20, "Wind bent trees."):
        corpus.add(analysis)
    often = corpus.verbs()[0]
    assert [use.lemma for use in corpus.verbs()] == ["ate", "bent"]
    assert (often.count, often.metaphors, often.objects) == (20, 20, (("roads", 20, 20),))
    assert [use.lemma for use in corpus.verbs(1)] == ["ate"]


def test_literal_uses_count_against_a_verb() -> None:
    corpus = CorpusMetaphors()
    (metaphor,) = read("Rain ate roads.")
    corpus.add(metaphor)
    corpus.add(scored(metaphor, 0.1))
    (use,) = corpus.verbs()
    assert (use.count, use.metaphors, use.rate.value) == (2, 1, 0.5)
    assert use.objects == (("roads", 2, 1),)


@given(st.lists(st.sampled_from(["Rain ate roads.", "Sun shone.", "So. It bent."]), max_size=12))
def test_groups_add_up_to_the_total(texts: list[str]) -> None:
    corpus = CorpusMetaphors()
    for number, analysis in enumerate(read(*texts)):
        corpus.add(analysis, group=str(number % 3))
    total = corpus.total
    assert total.texts == len(texts) == sum(r.texts for r in corpus.groups.values())
    assert sum(corpus.histogram) == total.words.whole
    assert sum(corpus.histogram[50:]) == total.words.part


@given(st.integers(0, 10_000))
def test_hundredths_are_exact_for_scores_as_they_are_rounded(score: int) -> None:
    assert hundredth(score / 10_000) == score // 100
