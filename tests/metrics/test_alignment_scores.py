from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trope.metrics.alignment import (
    SHARES,
    AlignedCounts,
    PlacedText,
    PlacedWord,
    align_words,
    score_text,
)


def word(form, start, end, upos="NOUN", head=-1, deprel="root", multiword=False):
    return PlacedWord(form, start, end, upos, head, deprel, multiword)


# "We don't nap." with "don't" as one token of two words
GOLD = PlacedText(
    words=(
        word("We", 0, 2, "PRON", 3, "nsubj"),
        word("do", 3, 8, "AUX", 3, "aux", multiword=True),
        word("n't", 3, 8, "PART", 3, "advmod", multiword=True),
        word("nap", 9, 12, "VERB", -1, "root"),
        word(".", 12, 13, "PUNCT", 3, "punct"),
    ),
    sentences=((0, 13),),
)


def scores(gold, parsed):
    counts = score_text(gold, parsed)
    return {name: share(counts)[:2] for name, share in SHARES.items()}


def test_parts_of_a_multiword_token_are_matched_by_their_forms():
    parsed = (word("We", 0, 2), word("Do", 3, 5), word("n't", 5, 8), word("nap.", 9, 13))
    assert align_words(GOLD.words, parsed) == [(0, 0), (1, 1), (2, 2)]


def test_a_part_of_another_form_is_not_matched():
    parsed = (word("do", 3, 5), word("not", 5, 8))
    assert align_words(GOLD.words, parsed) == [(1, 0)]


def test_words_that_share_a_form_but_not_the_place_are_not_matched():
    assert align_words([word("a", 0, 1)], [word("a", 2, 3)]) == []


def test_multiword_tokens_that_overlap_are_one_stretch():
    gold = (word("a", 0, 4, multiword=True), word("b", 0, 4, multiword=True), word("c", 4, 6))
    parsed = (word("a", 0, 2), word("b", 2, 6, multiword=True), word("c", 2, 6, multiword=True))
    assert align_words(gold, parsed) == [(0, 0), (1, 1), (2, 2)]


def test_a_text_worked_by_hand():
    # one token "nap.", two sentences, "n't" a PART hung on "do", "We" hung on "nap."
    parsed = PlacedText(
        words=(
            word("We", 0, 2, "PRON", 3, "nsubj:x"),
            word("do", 3, 5, "VERB", -1, "root"),
            word("n't", 5, 8, "PART", 1, "advmod"),
            word("nap.", 9, 13, "VERB", -1, "root"),
        ),
        sentences=((0, 8), (9, 13)),
    )
    assert score_text(GOLD, parsed) == AlignedCounts(
        gold_words=5, parsed_words=4, gold_sentences=1, parsed_sentences=2,
        words=3, upos=2, uas=0, las=0, sentences=0,
    )  # fmt: skip
    assert scores(GOLD, parsed)["words_f"] == (6, 9)


def test_subtypes_are_ignored_and_heads_follow_the_matching():
    # the first word split in two, so positions differ by one
    parsed = PlacedText(
        words=(word("W", 0, 1), word("e", 1, 2), *(
            replace(w, head=w.head + 1 if w.head >= 0 else -1, deprel=w.deprel + ":sub")
            for w in GOLD.words[1:]
        )),
        sentences=GOLD.sentences,
    )  # fmt: skip
    counts = score_text(GOLD, parsed)
    assert (counts.words, counts.uas, counts.las, counts.sentences) == (4, 4, 4, 1)


@st.composite
def placed_texts(draw):
    length = draw(st.integers(1, 20))
    cuts = sorted({0, length, *draw(st.lists(st.integers(0, length)))})
    words = []
    for start, end in pairwise(cuts):
        parts = draw(st.integers(1, 3))
        forms = draw(st.lists(st.sampled_from("abc"), min_size=parts, max_size=parts))
        words += [word(form, start, end, multiword=parts > 1) for form in forms]
    heads = draw(
        st.lists(st.integers(-1, len(words) - 1), min_size=len(words), max_size=len(words))
    )
    placed = (replace(w, head=head) for w, head in zip(words, heads, strict=True))
    return PlacedText(tuple(placed), ((0, length),))


@given(placed_texts())
def test_gold_against_itself_is_perfect(text):
    assert align_words(text.words, text.words) == [(i, i) for i in range(len(text.words))]
    assert all(part == whole for part, whole in scores(text, text).values())


@given(placed_texts(), placed_texts())
def test_each_word_has_one_partner_in_the_same_order(gold, parsed):
    pairs = align_words(gold.words, parsed.words)
    assert pairs == sorted(pairs)
    for side in zip(*pairs, strict=True):
        assert len(set(side)) == len(pairs)
    assert all(0 <= part <= whole for part, whole in scores(gold, parsed).values())
    assert len(pairs) == len(align_words(parsed.words, gold.words))
