from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.text import tokenise as module
from trope.text.tokenise import tokenise

any_text = st.text(st.characters(exclude_categories=()), max_size=60)
tricky_text = st.text(
    alphabet="aB1-.'’!?:;)(@#$/&_ \n\x00\u200d\ufe0f😂👍🏽🇬🇧\ud800\u0301", max_size=60
)


def words(text):
    return [text[start:end] for start, end in tokenise(text)]


@pytest.mark.parametrize(
    "cut",
    [
        "I do n't know , it 's fine .",
        "We ca n't go and they 'll stay",
        "I wo n’t , she ’s out",
        "DO N'T shout , YOU 'RE loud",
        "I can not and I wan na",
        "a well - known 15 - year plan",
        "re-open the e-mail , non-stop",
        "call 555-123-4567 or 555-1234",
        "born in the 1980's",
        "at 7:30 PM on 3/15/2001",
        "it cost $ 3.50 , or 20 % more",
        "Mr. Hall of the U.S. left at 5 p.m.",
        "see No. 5 , not this one",
        "yes and / or no",
        "wait ... what ?! No !!!",
        "a -- b --> c",
        "#sunny day with @anna_b and $ACME",
        "nice :) or sad :'( or <3 or xD",
        "mail me@example.org or http://example.org/a?b=(1)&c",
        "look at example.com/x and notes.txt",
        "fun 😂😂😂 👍🏽 👨‍👩‍👧‍👦 🇬🇧 🇫🇷 1️⃣ ❤️",
        "the person ( s ) who came",
        "we wed in June and feel ill",
    ],
)
def test_words_are_cut_as_in_ud_english(cut):
    """The blanks that are no blanks of the text are taken out; the cuts must come back."""
    gold = cut.split(" ")
    joined = cut
    for tight in (" n't", " 's", " 'll", " n’t", " ’s", " N'T", " 'RE", " ,", " .", " -", " %"):
        joined = joined.replace(tight, tight[1:])
    joined = joined.replace("- ", "-").replace("$ ", "$").replace("-- ", "--").replace(" / ", "/")
    joined = joined.replace("can not", "cannot").replace("wan na", "wanna").replace("30 PM", "30PM")
    joined = joined.replace(" ( s ) ", "(s) ")
    assert words(joined) == gold


def test_marks_that_touch_a_word_are_cut_off():
    assert words('("Stop!").') == ["(", '"', "Stop", "!", '"', ")", "."]
    assert words("(see http://a.org).") == ["(", "see", "http://a.org", ")", "."]
    assert words("fine:)") == ["fine", ":)"]
    assert words("No. I won't.") == ["No", ".", "I", "wo", "n't", "."]


@pytest.mark.parametrize(
    "cut", ["do nt", "gon na", "can not", "let s", "GIM ME", "I m", "xD", "us"]
)
def test_words_written_together_are_cut_though_all_are_letters(cut):
    assert words(cut.replace(" ", "")) == cut.split()


def test_mark_before_a_word_is_cut_off():
    assert words("-yes ~hi .Enjoy .NET") == ["-", "yes", "~", "hi", ".", "Enjoy", ".NET"]


def test_tags_that_touch_are_cut_apart():
    assert words("#one#two@anna") == ["#one", "#two", "@anna"]


def test_number_after_hash_is_no_tag():
    assert words("the #1 song") == ["the", "#", "1", "song"]


def test_memory_of_chunks_is_bounded(monkeypatch):
    monkeypatch.setattr(module, "CACHED_CHUNKS", 10)
    for number in range(50):
        assert words(f"word{number} isn't") == [f"word{number}", "is", "n't"]
    assert len(module._cuts) <= 10


@pytest.mark.parametrize("chunk", ["a", "!", "@", "-a", "a.b", "😂👍🏽", ":(", "'", "1,", "\ud800"])
def test_long_chunks_without_blanks_are_cut(chunk):
    text = chunk * 20_000
    spans = tokenise(text)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)


@given(any_text | tricky_text)
def test_words_hold_every_visible_character_once_and_no_blank(text):
    spans = tokenise(text)
    held = "".join(text[start:end] for start, end in spans)
    assert held == "".join(text.split())
    assert all(start < end for start, end in spans)
    assert all(a[1] <= b[0] for a, b in pairwise(spans))


@given(tricky_text)
def test_the_same_text_is_always_cut_the_same_way(text):
    first = tokenise(text)
    module._cuts.clear()
    assert tokenise(text) == first
