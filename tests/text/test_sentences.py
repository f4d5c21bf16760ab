import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.text.sentences import split_sentences
from trope.text.tokenise import tokenise

tricky_text = st.text(alphabet="aA1.!?…\"')(:😂#@ \n\r|-", max_size=60)


def sentences(text, kind="plain"):
    spans = tokenise(text)
    return [text[spans[a][0] : spans[b - 1][1]] for a, b in split_sentences(text, spans, kind)]


@pytest.mark.parametrize(
    "parts",
    [
        ["The mill stopped.", "Nobody knew why."],
        ["It paid 3.5 dollars.", "then it closed."],
        ["Mr. J. R. Hall met Dr. Lee of Acme Inc. in May.", "They spoke."],
        ["He left the U.S. in 1990."],
        ["We eat at 5 p.m.", "The shop shuts then."],
        ['"Are you mad?" she asked.', "He was."],
        ['He said, "Go."', "She went."],
        ["(Nobody saw it.)", "It fell."],
        ["Well... maybe not.", "Wait...", "What was that?!", "Run!!!"],
        ["1. Open the door.", "2. Walk in."],
        ["See No. 5 for more.", "$5 is enough."],
        ["Great news! :)", "See you soon 😂", "Bye."],
        ["It rained, e.g. in May, etc. and so on."],
        ["end.", "Start again."],
    ],
)
def test_plain_sentences(parts):
    assert sentences(" ".join(parts)) == parts


def test_blank_lines_end_a_sentence_always():
    assert sentences("The title\n\nthe text\r\n\r\nmore") == ["The title", "the text", "more"]


@pytest.mark.parametrize("line_end", ["\n", "\r", "\r\n", "\u2028"])
def test_faces_on_the_next_line_belong_to_it(line_end):
    assert sentences(f"We won!{line_end}:) Nice") == ["We won!", ":)", "Nice"]


def test_line_end_ends_a_short_line_but_not_a_wrapped_one():
    assert sentences("Dear Anna\nThe mill burns") == ["Dear Anna", "The mill burns"]
    wrapped = "The old mill by the river had been grinding since the\nGreat War ended"
    assert sentences(wrapped) == [wrapped]
    assert sentences("a line that goes\non below") == ["a line that goes\non below"]


@pytest.mark.parametrize(
    "parts",
    [
        ["What a day! #sun #fun"],
        ["What a day! #sun 😂", "Now sleep."],
        ["What a day.", "#Brexit eats us all."],
        ["so tired 😂😂", "Good night"],
        ["First line", "Second line"],
    ],
)
def test_tags_and_faces_of_tweets_stay_with_what_they_follow(parts):
    glue = "\n" if parts[0] == "First line" else " "
    assert sentences(glue.join(parts), "tweet") == parts


@pytest.mark.parametrize(
    "parts",
    [
        ["U.S. Senate Kills Bill to Feed the Poor"],
        ["Why Did Yahoo! Fail?", "Here Is What We Know"],
        ["Jeopardy! Host Quits the Show"],
        ["Who Ate the Budget? asks mayor"],
        ["Markets Sink... Again They Sink"],
        ["Senate kills the bill.", "Will it return?"],
        ["Mayor of Town\nOpens Bridge"],
    ],
)
def test_headlines_are_one_sentence_unless_clearly_parted(parts):
    assert sentences(" ".join(parts), "headline") == parts


def test_no_words_no_sentences():
    assert split_sentences(" \n", []) == []


@pytest.mark.parametrize(
    "text", ["😂 " * 20_000, ". " * 20_000, "! #a 😂 " * 8_000, ") . " * 9_000]
)
@pytest.mark.parametrize("kind", ["plain", "tweet", "headline"])
def test_long_runs_of_marks_are_read_to_the_end(text, kind):
    spans = tokenise(text)
    assert split_sentences(text, spans, kind)[-1][1] == len(spans)


@given(tricky_text, st.sampled_from(["plain", "tweet", "headline"]))
def test_sentences_hold_every_word_once_and_in_order(text, kind):
    spans = tokenise(text)
    ranges = split_sentences(text, spans, kind)
    assert [at for begin, end in ranges for at in range(begin, end)] == list(range(len(spans)))
    assert all(begin < end for begin, end in ranges)
