from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.texts import Mapped
from trope.text.normalise import (
    STEPS,
    WORDS,
    close_blanks,
    drop_attribution,
    drop_links,
    is_retweet,
    normalise,
    shorten_elongations,
    shorten_punctuation,
    squeeze_space,
)

any_text = st.text(st.characters(exclude_categories=()), max_size=60)
tricky_text = st.text(
    alphabet="aAoOn'.!?-:|RT@#& ;\n\t\x00\ud800\u200b\u200d\u202e“’😂👍🏽amphtps/wco1…", max_size=60
)


@pytest.mark.parametrize(
    ("tweet", "clean"),
    [
        ("RT @anna: the storm ate our roof", "the storm ate our roof"),
        ("rt @anna rt @bo: hi there", "hi there"),
        ("read this https://t.co/a1B2 now", "read this now"),
        ("(see www.example.org/x?y=1)", "(see )"),
        ("cut off https://t…", "cut off"),
        ("salt &amp; pepper &lt;3", "salt & pepper <3"),
        ("no way!!! really???", "no way! really?"),
        ("well.... fine", "well... fine"),
        ("so ... fine", "so ... fine"),
        ("a ---- b", "a -- b"),
        ("  two\t\tgaps \n\n here ", "two gaps\nhere"),
        ("he said “yes” and it’s done", 'he said "yes" and it\'s done'),
        ("", ""),
        ("https://t.co/a1B2", ""),
    ],
)
def test_tweets_are_cleaned(tweet, clean):
    assert normalise(tweet, STEPS["tweet"]).text == clean


@pytest.mark.parametrize(
    ("drawn_out", "word"),
    [
        ("verrrry", "very"),
        ("sooooo", "so"),
        ("Gooood", "Good"),
        ("NOOOOO", "NO"),
        ("loveeee", "love"),
        ("sweeeeet", "sweet"),
        ("happyyy", "happy"),
        ("pleeeaaase", "please"),
        ("loooool", "lol"),
        ("zorrrrp", "zorrp"),  # no word at all: two letters stay
        ("III", "III"),
        ("www", "www"),
        ("@sooolo", "@sooolo"),
        ("#yesss", "#yesss"),
        ("aab", "aab"),
        ("1000000", "1000000"),
    ],
)
def test_elongations_fall_to_two_letters_or_to_the_word(drawn_out, word):
    assert shorten_elongations(Mapped.of(drawn_out)).text == word


def test_elongated_word_spans_all_its_letters():
    mapped = normalise("it is verrrry hot", STEPS["tweet"])
    start = mapped.text.index("very")
    assert mapped.span(start, start + 4) == (6, 13)


def test_letters_of_a_shortened_run_share_nothing():
    mapped = shorten_elongations(Mapped.of("gonnnnna"))
    assert mapped.text == "gonna"
    assert [mapped.span(i, i + 1) for i in (2, 3)] == [(2, 3), (3, 7)]


def test_every_listed_word_comes_back_when_its_end_is_drawn_out():
    for word in WORDS:
        drawn_out = word + word[-1] * 3
        doubled = word + word[-1]
        expected = doubled if doubled in WORDS else word  # "offff" is "off", not "of"
        assert shorten_elongations(Mapped.of(drawn_out)).text == expected


@pytest.mark.parametrize(
    ("headline", "clean"),
    [
        ("Bank weighs sale of unit: sources", "Bank weighs sale of unit"),
        ("Bank weighs sale of unit - report", "Bank weighs sale of unit"),
        ("Rain ends drought in north: finance minister", "Rain ends drought in north"),
        ("Mayor opens bridge at last | The Daily Bugle", "Mayor opens bridge at last"),
        ("Mayor opens bridge at last (VIDEO)", "Mayor opens bridge at last"),
        ("Exclusive: Mayor to sell bridge", "Mayor to sell bridge"),
        ("Mayor: I love the police", "Mayor: I love the police"),
        ("Two dead: police", "Two dead: police"),
        ("Mayor 's plan is n't dead , rival says", "Mayor's plan isn't dead, rival says"),
        ("Prices rise 5 % as shops pay $ 3 more", "Prices rise 5% as shops pay $3 more"),
        ("Tea &amp; trade:  a history", "Tea & trade: a history"),
        ("‘Quiet’ DAY in town", "'Quiet' DAY in town"),
    ],
)
def test_headlines_are_cleaned_and_keep_their_case(headline, clean):
    assert normalise(headline, STEPS["headline"]).text == clean


def test_plain_text_keeps_all_that_can_be_seen():
    text = "RT @anna: sooo good!!!  see http://a.org  &amp;"
    assert normalise(text, STEPS["plain"]).text == text


def test_what_no_encoder_can_read_is_mended():
    mapped = normalise("a\ud800b\x00c\u202ed\u00ade", STEPS["plain"])
    assert mapped.text == "a\ufffdb cde"
    assert mapped.span(5, 7) == (6, 9)


def test_steps_are_data():
    steps = (drop_links, shorten_punctuation, squeeze_space)
    assert normalise("sooo!! http://a.org  ok", steps).text == "sooo! ok"
    assert drop_attribution in STEPS["headline"]
    assert close_blanks not in STEPS["tweet"]


@pytest.mark.parametrize(
    ("tweet", "answer"),
    [
        ("RT @anna: hi", True),
        ('"rt @anna hi', True),
        ("so true RT @anna: hi", False),
        ("RT if you agree", False),
        ("art @anna", False),
        ("", False),
    ],
)
def test_retweets_are_known_by_how_they_begin(tweet, answer):
    assert is_retweet(tweet) is answer


@given(any_text | tricky_text, st.sampled_from(["plain", "tweet", "headline"]))
def test_cleaned_characters_come_in_order_from_stretches_of_their_own(text, kind):
    mapped = normalise(text, STEPS[kind])
    places = list(zip(mapped.starts, mapped.ends, strict=True))
    assert len(places) == len(mapped.text)
    assert all(start < end for start, end in places)
    assert all(a[1] <= b[0] for a, b in pairwise(places))
    assert not places or places[-1][1] <= len(text)
    mapped.text.encode("utf-8")
