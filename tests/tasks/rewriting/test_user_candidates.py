"""Candidates that a user hands over: each is ranked or refused, and none is lost."""

from hypothesis import given
from hypothesis import strategies as st

from trope.core.records import Parse
from trope.tasks.rewriting.task import WordPlace
from trope.tasks.rewriting.user_candidates import sort_candidates

PARSE = Parse(
    ("Union", "criticizes", "it"), ("NOUN", "VERB", "PRON"), ("NN", "VBZ", "PRP"),
    ("union", "criticize", "it"), (1, -1, 1), ("nsubj", "root", "obj"),
)  # fmt: skip
PLACE = WordPlace(PARSE, 1, "VERB")
WORDS = st.one_of(
    st.sampled_from(["slams", "slam", "Praise", "criticized", "be", "door", "give up", "zzyx"]),
    st.text(min_size=1, max_size=12),
)


@given(st.lists(WORDS, max_size=12))
def test_every_word_is_ranked_or_refused_with_a_reason(words: list[str]) -> None:
    found = sort_candidates(words, PLACE)
    assert len(found.verbs) + len(found.refused) == len(words)
    assert len(set(found.verbs.lemmas)) == len(found.verbs)
    assert "criticize" not in found.verbs.lemmas
    assert all(own.reason for own in found.refused)


def test_unknown_words_are_never_ranked() -> None:
    found = sort_candidates(["blorf", "slams", "zzyxes"], PLACE)
    assert found.verbs.lemmas == ("slam",)
    assert [own.word for own in found.refused] == ["blorf", "zzyxes"]
