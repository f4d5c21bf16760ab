"""What the shipped network promises: no effect of company, order or threads; trees of anything."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trope import Pipeline
from trope.core.records import ROOT, Parse
from trope.encoder.session import SYNTAX, Encoder
from trope.encoder.trees import is_tree

Scores = dict[str, list[np.ndarray]]

TOLERANCE = 1e-3
KNOWN = [
    "the",
    "rain",
    "Storm",
    "ate",
    "ROADS",
    "of",
    "3.14",
    ",",
    ".",
    "!",
    "😂",
    "@anna",
    "#late",
    "http://x.example/y",
    "don't",
]
ODD = [
    "👩‍👩‍👧",
    "🏳️‍🌈",
    "مرحبا",
    "שלום",
    "e\u0301\u0323\u0307",
    "\u200f",
    "\u202eabc",
    "\ud83d",
    "a\udc00b",
    "\ufffd",
    "\x00",
    "\u00a0",
    "漢字かな",
    "ﬁ",
    "İ",
    "[SEP]",
    "[PAD]",
    "##ing",
    "x" * 5_000,
    "!" * 300,
    "Aa" * 200,
]
any_word = st.one_of(
    st.sampled_from(KNOWN),
    st.sampled_from(ODD),
    st.text(st.characters(), min_size=1, max_size=12),  # surrogates are among these
    st.text("aeinrst", min_size=1, max_size=9),
)
any_sentence = st.lists(any_word, min_size=1, max_size=30)
fixed = pytest.mark.parametrize(
    "words",
    [
        ["Rain"],
        ["."],
        ["Rain", "ate", "the", "old", "road", "near", "the", "bridge", "."],
        ["JEFF", "THREATENS", "TO", "SINK", "THE", "DEAL"],
        ["so"] * 400,
        ODD,
    ],
    ids=["word", "mark", "plain", "capitals", "long", "odd"],
)


def scores_of(encoder: Encoder, sentences: Sequence[Sequence[str]]) -> list[Scores]:
    """All that the network says of each sentence, window by window, without the padding."""
    found: list[Scores] = [{name: [] for name in SYNTAX} for _ in sentences]
    windows = [
        (window, {name: done.outputs[name][row] for name in SYNTAX})
        for future in encoder.submit(sentences)
        for done in [future.result()]
        for row, window in enumerate(done.windows)
    ]
    for window, outputs in sorted(windows, key=lambda item: item[0].core_first):
        words = window.last - window.first
        for name, values in outputs.items():
            rows = words + 1 if name == "label_heads" else words
            width = words + 1 if name == "arcs" else None
            found[window.sentence][name].append(values[:rows, :width])
    return found


def assert_same(alone: Scores, together: Scores) -> None:
    for name in SYNTAX:
        assert len(alone[name]) == len(together[name]) > 0
        for one, other in zip(alone[name], together[name], strict=True):
            assert one.shape == other.shape
            assert np.abs(one - other).max() <= TOLERANCE, name


def assert_well_formed(parse: Parse, words: Sequence[str]) -> None:
    assert parse.words == tuple(words)
    assert is_tree(list(parse.heads))
    assert [head == ROOT for head in parse.heads] == [d == "root" for d in parse.deprels]
    columns = (parse.upos, parse.xpos, parse.lemmas, parse.deprels)
    assert all(len(column) == len(words) for column in columns)
    assert all(map(all, columns))  # no empty tag, lemma or relation


@settings(max_examples=40)
@given(words=any_sentence, company=st.lists(any_sentence, min_size=1, max_size=6))
def test_a_sentence_scores_the_same_alone_and_in_any_company(
    shipped: Pipeline, words: list[str], company: list[list[str]]
) -> None:
    (alone,) = scores_of(shipped.encoder, [words])
    for place in {0, len(company)}:
        batch = [*company[:place], words, *company[place:]]
        assert_same(alone, scores_of(shipped.encoder, batch)[place])


@fixed
def test_a_fixed_sentence_scores_the_same_alone_and_in_company(
    shipped: Pipeline, words: list[str]
) -> None:
    (alone,) = scores_of(shipped.encoder, [words])
    # a few words more or less, so that they share its batch with and without padding
    company = [[*words, "and", "so", "on", "😂"], ["x" * 300], words[:-1] or ["Hi"], words]
    assert_same(alone, scores_of(shipped.encoder, [words, *company])[0])
    assert_same(alone, scores_of(shipped.encoder, [words, *company])[-1])


def test_the_measure_sees_a_difference(shipped: Pipeline) -> None:
    one, other = scores_of(shipped.encoder, [["Rain", "fell"], ["Rain", "felt"]])
    with pytest.raises(AssertionError):
        assert_same(one, other)


@settings(max_examples=25)
@given(sentences=st.lists(st.lists(any_word, max_size=20), max_size=8))
def test_a_list_is_parsed_as_each_of_its_sentences_in_order(
    shipped: Pipeline, sentences: list[list[str]]
) -> None:
    together, alone = shipped.parse(sentences), [shipped.parse([words])[0] for words in sentences]
    assert [without_scores(parse) for parse in together] == [without_scores(p) for p in alone]
    for one, other in zip(together, alone, strict=True):
        assert scores_in(one) == pytest.approx(scores_in(other), abs=TOLERANCE)


def without_scores(parse: Parse) -> Parse:
    """What was decided: tags, lemmas, tree."""
    return replace(parse, metaphor=(), figurative=None, sentiment=None)


def scores_in(parse: Parse) -> list[float]:
    """All numbers of a parse; a batch may change their last bits."""
    return [*parse.metaphor, parse.figurative or 0.0, parse.sentiment or 0.0]


def test_results_keep_the_order_of_the_texts(shipped: Pipeline) -> None:
    texts = [" ".join(["very"] * (37 * n % 61)) + f" cold night {n}" for n in range(60)]
    found = list(shipped.analyze_many(texts, batch_size=7))
    assert [analysis.text for analysis in found] == texts
    assert found == [shipped.analyze(text) for text in texts]


def test_threads_change_nothing(shipped: Pipeline) -> None:
    sentences = [[*KNOWN[: n % 13 + 1], f"road{n}"] for n in range(80)] + [ODD]
    assert Pipeline(threads=1).parse(sentences) == shipped.parse(sentences)


@settings(max_examples=60)
@given(words=any_sentence)
def test_any_words_get_a_well_formed_tree(shipped: Pipeline, words: list[str]) -> None:
    (parse,) = shipped.parse([words])
    assert_well_formed(parse, words)


@pytest.mark.parametrize("word", [*ODD, "", " "])
def test_an_odd_word_alone_is_a_root(shipped: Pipeline, word: str) -> None:
    (parse,) = shipped.parse([[word]])
    assert (parse.words, parse.heads, parse.deprels) == ((word,), (ROOT,), ("root",))
