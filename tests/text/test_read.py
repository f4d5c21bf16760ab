import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.text import read

KINDS = ["plain", "tweet", "headline"]
any_text = st.text(st.characters(exclude_categories=()), max_size=80)
tricky_text = st.text(
    alphabet="abgonNORT@#&;:.!?'’\"()-/ \n\t\x00\x1c\x85\ud83d\ude02\u200b\u200d\u202e\u05d0\u0301"
    "\ufe0f\U0001f469\U0001f1ec\U0001f1e7\U0001f3fd\U0001f602amplthtps1|…",
    max_size=80,
)


def test_words_keep_their_place_and_gain_a_spelling():
    text = read("RT @bo: it&#39;s verrrry hot!!! https://t.co/x", "tweet")
    (sentence,) = text.sentences
    assert sentence.forms == ("it", "'s", "very", "hot", "!")
    assert [word.text for word in sentence.words] == ["it", "&#39;s", "verrrry", "hot", "!!!"]
    assert (sentence.start, sentence.end) == (8, 31)


def test_headline_drops_its_source_from_the_words():
    text = read("Exclusive: Bank to eat rival: sources", "headline")
    assert [s.forms for s in text.sentences] == [("Bank", "to", "eat", "rival")]
    assert text.original.startswith("Exclusive")


def test_drawn_out_word_that_is_cut_inside_the_run():
    words = read("gonnnna go", "tweet").sentences[0].words
    assert [(word.form, word.text) for word in words] == [
        ("gon", "gon"),
        ("na", "nnna"),
        ("go", "go"),
    ]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["", " \n\t ", "\x00", "\u202e\u200b"])
def test_text_without_words_has_no_sentences(text, kind):
    assert read(text, kind).sentences == ()


@pytest.mark.parametrize("kind", KINDS)
def test_a_line_of_a_megabyte_is_read_whole(kind):
    line = "The old mill grinds slowly and it won't stop, so we wait. " * 18_000
    words = [word for sentence in read(line, kind).sentences for word in sentence.words]
    assert len(words) == 18_000 * 15
    assert words[-1].end == len(line) - 1


def test_ten_thousand_words_without_a_mark_are_one_sentence():
    (sentence,) = read("word " * 10_000).sentences
    assert len(sentence.words) == 10_000


@given(any_text | tricky_text, st.sampled_from(KINDS))
def test_every_word_is_where_it_says_and_none_overlap(original, kind):
    text = read(original, kind)
    end = 0
    assert text.original == original
    for sentence in text.sentences:
        assert sentence.words
        for word in sentence.words:
            assert word.text == original[word.start : word.end]
            assert end <= word.start < word.end
            assert word.form and not any(map(str.isspace, word.form))
            word.form.encode("utf-8")
            end = word.end


def test_texts_are_read_without_spacy():
    code = "import sys, trope.text; trope.text.read('It is-fine…'); print('spacy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
