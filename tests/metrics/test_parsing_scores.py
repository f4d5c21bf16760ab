from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.core.records import Parse
from trope.metrics.classification import Counts
from trope.metrics.parsing import SHARES, ParseCounts, chain_parse, score_parse


@dataclass(frozen=True)
class Gold:
    form: str
    lemma: str
    upos: str
    head: int
    deprel: str


# "Storms wreck old barns." — of our own making
GOLD = (
    Gold("Storms", "storm", "NOUN", 1, "nsubj"),
    Gold("wreck", "wreck", "VERB", -1, "root"),
    Gold("old", "old", "ADJ", 3, "amod"),
    Gold("barns", "barn", "NOUN", 1, "obj"),
    Gold(".", "_", "PUNCT", 1, "punct"),
)


def as_parse(words):
    return Parse(
        words=tuple(w.form for w in words),
        upos=tuple(w.upos for w in words),
        xpos=("X",) * len(words),
        lemmas=tuple(w.lemma for w in words),
        heads=tuple(w.head for w in words),
        deprels=tuple(w.deprel for w in words),
    )


def scores(gold, parse):
    counts = score_parse(gold, parse)
    return {name: share(counts)[:2] for name, share in SHARES.items()}


def trees(size):
    word = st.builds(
        Gold,
        form=st.sampled_from(["a", "B", "c"]),
        lemma=st.sampled_from(["a", "b", "_"]),
        upos=st.sampled_from(["NOUN", "VERB"]),
        head=st.integers(-1, size - 1),
        deprel=st.sampled_from(["obj", "obj:x", "nsubj", "nmod:poss"]),
    )
    return st.lists(word, min_size=size, max_size=size)


SIZES = st.integers(1, 8)


def test_a_sentence_worked_by_hand():
    # wrong: the tag, relation and lemma of "barns", the head of "old", the full stop as obj
    parse = Parse(
        words=tuple(w.form for w in GOLD),
        upos=("NOUN", "VERB", "ADJ", "VERB", "PUNCT"),
        xpos=("X",) * 5,
        lemmas=("storm", "wreck", "old", "barns", "."),
        heads=(1, -1, 1, 1, 1),
        deprels=("nsubj:outer", "root", "amod", "iobj", "obj"),
    )
    assert score_parse(GOLD, parse) == ParseCounts(
        words=5, upos=4, uas=4, las=2, las_full=1, lemmas=4, lemma=3,
        obj=Counts(0, 1, 1), nsubj=Counts(1, 1, 1), verb_object=Counts(0, 0, 1),
    )  # fmt: skip


def test_subtypes_count_only_in_the_full_score():
    parse = replace(as_parse(GOLD), deprels=("nsubj", "root", "amod", "obj:extra", "punct"))
    result = scores(GOLD, parse)
    assert result["las"] == (5, 5)
    assert result["las_full"] == (4, 5)
    assert result["obj_f"] == (2, 2)


def test_an_object_under_the_wrong_verb_is_wrong():
    parse = replace(as_parse(GOLD), heads=(1, -1, 3, 0, 1))
    assert scores(GOLD, parse)["obj_f"] == (0, 2)


def test_a_sentence_without_objects_adds_nothing_to_their_score():
    assert scores(GOLD[:1], as_parse(GOLD[:1]))["obj_f"] == (0, 0)


def test_the_control_hangs_every_word_on_the_one_before():
    counts = score_parse(GOLD, chain_parse([w.form for w in GOLD]))
    assert (counts.uas, counts.upos, counts.lemma) == (0, 2, 2)
    assert chain_parse(["Go"]).heads == (-1,)
    assert chain_parse(["a", "b", "c"]).heads == (-1, 0, 1)
    assert chain_parse([]) == Parse((), (), (), (), (), ())


def test_another_number_of_words_is_refused():
    with pytest.raises(BadInput, match="5 gold words but 4 parsed"):
        score_parse(GOLD, as_parse(GOLD[:4]))


@given(SIZES.flatmap(trees))
def test_gold_against_itself_is_perfect(gold):
    assert all(part == whole for part, whole in scores(gold, as_parse(gold)).values())


@given(SIZES.flatmap(lambda size: st.tuples(trees(size), trees(size))))
def test_shares_are_shares_and_stricter_scores_are_lower(pair):
    gold, other = pair
    result = scores(gold, as_parse(other))
    assert all(0 <= part <= whole for part, whole in result.values())
    assert result["las_full"][0] <= result["las"][0] <= result["uas"][0]


@given(SIZES.flatmap(lambda n: st.tuples(trees(n), trees(n), st.permutations(range(n)))))
def test_the_order_of_the_words_does_not_matter(case):
    gold, other, order = case

    def reorder(words):
        moved = [words[at] for at in order]
        return [replace(w, head=order.index(w.head) if w.head >= 0 else -1) for w in moved]

    assert score_parse(gold, as_parse(other)) == score_parse(
        reorder(gold), as_parse(reorder(other))
    )
