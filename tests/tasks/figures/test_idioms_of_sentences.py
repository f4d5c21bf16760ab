"""Idioms of whole sentences, read by the model that ships; the sentences are our own."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.core.records import Parse
from trope.lexicon.idioms import Idiom, Idioms
from trope.tasks.figures.idioms import find_idioms, match_idioms
from trope.text import read

FOUND = [
    # as the lexicon has it, and inflected
    ("Nobody wanted to spill the beans.", "spill the beans"),
    ("She finally spilled the beans to her sister.", "spilled the beans"),
    ("He is biting the bullet this time.", "biting the bullet"),
    ("The report turned out to be a red herring.", "red herring"),
    ("Both clues were red herrings.", "red herrings"),
    ("Her aunt was over the moon about it.", "over the moon"),
    ("The letter came out of the blue.", "out of the blue"),
    # slots
    ("You are pulling my leg, Martin.", "pulling leg"),
    ("The boys pulled the new teacher's leg.", "pulled leg"),
    ("His cousin gave the whole team the cold shoulder.", "gave the cold shoulder"),
    ("They pulled themselves together after the defeat.", "pulled themselves together"),
    # words inside
    ("A joke broke the proverbial ice.", "broke the ice"),
    ("She pulled a few strings for him.", "pulled strings"),
    ("The repair cost him an arm and a leg.", "cost an arm and a leg"),
    # passive, separated
    ("The beans were spilled by a clerk.", "The beans spilled"),
    ("The ice was finally broken when somebody laughed.", "The ice broken"),
    ("The hatchet has at last been buried.", "The hatchet buried"),
    ("The cat was let out of the bag on Monday.", "The cat let out of the bag"),
    ("The investors were taken to the cleaners and hung out to dry.", "hung out to dry"),
    ("All the warnings were swept under the carpet.", "swept under the carpet"),
    ("The gauntlet was thrown down by the youngest member.", "The gauntlet thrown down"),
    ("He threw the gauntlet down.", "threw the gauntlet down"),
    ("The goalposts keep being moved.", "The goalposts moved"),
    ("Which strings did she pull?", "strings pull"),
    ("It was the bullet that he had to bite.", "the bullet bite"),
    # hyphens, apostrophes, capitals, lines, no punctuation
    ("It was a wild-goose chase.", "wild goose chase"),
    ("He played devil’s advocate again.", "played devil ’s advocate"),
    ("SHE LET THE CAT OUT OF THE BAG", "LET THE CAT OUT OF THE BAG"),
    ("He was afraid that she might spill\nthe beans.", "spill the beans"),
    ("they wanted to bury\r\nthe hatchet before winter", "bury the hatchet"),
    ("she let the cat out of the bag again", "let the cat out of the bag"),
]


def parse(shipped, text: str) -> Parse:
    (sentence,) = read(text).sentences
    return next(iter(shipped.parse([sentence.forms])))


def in_words(parse: Parse, tokens: tuple[int, ...]) -> str:
    return " ".join(parse.words[at] for at in tokens)


@pytest.mark.parametrize(("text", "words"), FOUND)
def test_idiom_is_found(shipped, text, words):
    sentence = parse(shipped, text)
    found = [in_words(sentence, one.tokens) for one in find_idioms(sentence)]
    assert [one.replace("’", "'") for one in found] == [words.replace("’", "'")]


@pytest.mark.parametrize(
    "text",
    [
        "The beans were in the cupboard and the milk was spilled.",
        "He broke the window and the ice melted.",
        "The bucket stood where nobody could kick a ball.",
        "They would not let me fly without a ticket.",
        "The blue paint ran out of the tin.",
        "The bus stops at the town hall at nine.",
    ],
)
def test_same_words_without_the_idiom_are_none(shipped, text):
    assert find_idioms(parse(shipped, text)) == ()


def test_found_idiom_has_its_meaning(shipped):
    (found,) = find_idioms(parse(shipped, "He kicked the bucket."))
    assert found.entry.pattern == "kick the bucket"
    assert found.entry.meaning == "die"


def test_longest_idiom_wins(shipped):
    sentence = parse(shipped, "He jumped out of the frying pan into the fire.")
    (found,) = find_idioms(sentence)
    assert in_words(sentence, found.tokens) == "jumped out of the frying pan into the fire"


def words_only(text: str, tag: str = "NOUN") -> Parse:
    words = tuple(text.split())
    return Parse(words, (tag,) * len(words), (), words, (), ())


ICE = Idioms([Idiom("break the ice", flexible=True, use="sometimes")])
PRIOR = 0.25
"""That of "sometimes"."""


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((), []),  # the prior of "sometimes" is too low
        ((0.1, 0.9, 0.0, 0.9), [(2 * 0.9 + PRIOR) / 3]),
        ((0.9, 0.2, 0.9, 0.3), []),
        ((0.0, 0.7, 0.0, 0.8), [(2 * 0.75 + PRIOR) / 3]),
        ((0.0, 0.4, 0.0, 0.6), []),
    ],
)
def test_scores_of_the_content_words_count_twice(scores, expected):
    sentence = replace(words_only("they break the ice"), upos=("PRON", "VERB", "DET", "NOUN"))
    found = find_idioms(sentence, scores, idioms=ICE)
    assert [one.score for one in found] == pytest.approx(expected)


def test_threshold_is_given():
    sentence = words_only("break the ice")
    assert find_idioms(sentence, threshold=0.2, idioms=ICE)
    assert not find_idioms(sentence, (0.8, 0.8, 0.8), threshold=0.9, idioms=ICE)


UNLISTED = Parse(
    ("The", "shop", "sells", "wobbly", "moonbeams", "."),
    ("DET", "NOUN", "VERB", "ADJ", "NOUN", "PUNCT"),
    (), ("the", "shop", "sell", "wobbly", "moonbeam", "."), (), (),
)  # fmt: skip


@pytest.mark.parametrize(
    ("scores", "tokens"),
    [
        ((0.1, 0.2, 0.8, 0.9, 0.7, 0.1), [(2, 3, 4)]),
        ((0.1, 0.2, 0.1, 0.9, 0.7, 0.9), [(3, 4)]),  # the full stop is no part of it
        ((0.9, 0.9, 0.1, 0.9, 0.1, 0.1), []),  # one content word each
        ((0.1, 0.1, 0.55, 0.55, 0.55, 0.1), []),  # not sure enough
    ],
)
def test_words_that_are_surely_an_idiom_are_one_though_no_list_has_it(scores, tokens):
    found = find_idioms(UNLISTED, scores)
    assert [one.tokens for one in found] == tokens
    assert all(one.entry.meaning == "" for one in found)


def test_a_subject_with_its_predicate_is_no_idiom():
    parse = Parse(
        ("My", "heart", "is", "a", "stone"), ("PRON", "NOUN", "AUX", "DET", "NOUN"), (),
        ("my", "heart", "be", "a", "stone"), (1, 4, 4, 4, -1),
        ("nmod:poss", "nsubj", "cop", "det", "root"),
    )  # fmt: skip
    assert find_idioms(parse, (0.9,) * 5) == ()


def test_what_the_lexicon_has_keeps_its_meaning_and_is_found_once(shipped):
    (parse,) = shipped.parse([read("She spilled the beans.", "plain").sentences[0].forms])
    (found,) = find_idioms(parse, (0.9,) * len(parse))
    assert found.entry.meaning


def test_scores_that_do_not_fit_the_words_are_refused():
    with pytest.raises(BadInput, match="scores is 2, that of words 3; give one per word"):
        find_idioms(words_only("break the ice"), (0.5, 0.5))


def test_empty_sentence_has_no_idiom():
    assert find_idioms(Parse((), (), (), (), (), ())) == ()


def test_words_without_tags_are_compared_by_spelling():
    words = ("THEY", "SPILL", "THE", "BEANS")
    (found,) = find_idioms(Parse(words, (), (), (), (), ()))
    assert found.tokens == (1, 2, 3)


ADVERBS = st.lists(st.sampled_from(["really", "finally", "just", "all"]), max_size=3)


@given(first=ADVERBS, second=ADVERBS, form=st.sampled_from(["spill", "spilled", "SPILLING"]))
def test_up_to_three_words_may_stand_inside(first, second, form):
    words = ("they", form, *first, "the", *second, "beans", "today")
    lemmas = tuple("spill" if word == form else word for word in words)
    upos = tuple("ADV" if w in first + second else "NOUN" for w in words)
    sentence = Parse(words, upos, (), lemmas, (), ())
    expected = len(first) + len(second) <= 3
    idioms = Idioms([Idiom("spill the beans", flexible=True)])
    assert bool(find_idioms(sentence, idioms=idioms)) is expected
    for found in find_idioms(sentence, idioms=idioms):
        assert [words[at].lower() for at in found.tokens] == [form.lower(), "the", "beans"]


@given(st.lists(st.sampled_from(["really", "quite", "deep"]), min_size=1, max_size=3))
def test_fixed_idiom_takes_no_words_inside(words):
    idioms = Idioms([Idiom("red herring")])
    sentence = words_only(" ".join(["red", *words, "herring"]), "ADV")
    assert find_idioms(sentence, idioms=idioms) == ()


@given(st.integers(0, 3), st.sampled_from(["the", "THE", "The"]))
def test_passive_is_found_over_auxiliaries_and_adverbs(adverbs, article):
    middle = ("had", *("slowly",) * adverbs, "been")
    words = (article, "beans", *middle, "spilled")
    verb = len(words) - 1
    sentence = Parse(
        words,
        ("DET", "NOUN", *("AUX",) * len(middle), "VERB"),
        ("DT", "NNS", *("RB",) * len(middle), "VBN"),
        (article.lower(), "bean", *middle, "spill"),
        (1, verb, *(verb,) * len(middle), -1),
        ("det", "nsubj:pass", *("aux",) * len(middle), "root"),
    )
    (found,) = find_idioms(sentence)
    assert found.tokens == (0, 1, verb)


@given(
    st.lists(
        st.sampled_from(
            [
                "the",
                "beans",
                "spill",
                "red",
                "herring",
                "out",
                "of",
                "blue",
                "'s",
                "my",
                "leg",
                "pull",
            ]
        )
    )
)
def test_found_words_rise_stay_inside_and_do_not_overlap(words):
    sentence = words_only(" ".join(words))
    found = find_idioms(sentence, threshold=0)
    tokens = [at for one in found for at in one.tokens]
    assert len(tokens) == len(set(tokens))
    for one in found:
        assert list(one.tokens) == sorted(one.tokens)
    assert all(0 <= at < len(words) for match in match_idioms(sentence) for at in match.positions)
