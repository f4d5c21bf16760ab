"""Tables 3 to 6 of the tweet study, by hand."""

import pytest

from trope.annotate.rules.agreement import measure_question, verb_classes, verb_lemma
from trope.annotate.rules.paper_tables import (
    CountedShare,
    PartTables,
    TweetExpression,
    paper_tables,
)
from trope.core.judgments import Judgment

ITEMS = [
    TweetExpression("a", "She gave me hope", "gave me hope", "gave", "hope", "one"),
    TweetExpression("b", "He gave me money", "gave me money", "gave", "money", "one"),
    TweetExpression("c", "We started a war", "started a war", "started", "war", "one"),
    TweetExpression("d", "Rain devours hills", "devours hills", "devours", "hills", "one"),
    TweetExpression("e", "No idea", "No idea", "", "", "two"),
]
VOTES = {"a": "yyyyy", "b": "nnnnn", "c": "yyynn", "d": "yynn", "e": ""}


def tables() -> tuple[list[Judgment], dict[str, str], list[PartTables]]:
    votes = [
        Judgment(item, f"p{at}", "yes" if vote == "y" else "no", "metaphorical")
        for item, given in VOTES.items()
        for at, vote in enumerate(given)
    ]
    asked = [
        Judgment(item, f"p{at}", "no" if item == "e" or (item, at) == ("d", 4) else "yes")
        for item in VOTES
        for at in range(5)
    ]
    classes = verb_classes({item.id: item.verb for item in ITEMS})
    return votes, classes, paper_tables(ITEMS, votes, asked, classes, positive="yes", usual=5)


def test_shares_have_their_own_bases() -> None:
    one, two = tables()[2]
    assert (one.part, one.tweets, two.part) == ("one", 4, "two")
    assert one.positive == CountedShare(2, 3)
    assert one.negative == CountedShare(1, 3)
    assert one.narrow_majority == CountedShare(1, 3)
    assert one.tied == CountedShare(1, 4)
    assert one.not_understood == CountedShare(0, 4)
    assert two.not_understood == CountedShare(1, 1)
    assert two.positive.percent is None
    assert (one.pairs, one.verbs, one.nouns) == (4, 3, 4)
    assert one.length == pytest.approx((4 + 4 + 4 + 3) / 4)


def test_examples_are_on_their_sides() -> None:
    one, _ = tables()[2]
    assert [[e.item for e in side] for side in one.unanimous] == [["a"], ["b"]]
    assert [[e.item for e in side] for side in one.narrow] == [["c"], []]
    assert (one.narrow[0][0].positive, one.narrow[0][0].negative) == (3, 2)


def test_kappas_are_those_of_agreement() -> None:
    votes, classes, (one, two) = tables()
    own = [vote for vote in votes if vote.item != "e"]
    expected = measure_question(own, verb_classes=classes, usual=5, top=0)
    assert one.exclusions == expected.exclusions
    sizes = {e.name: [a.n for a in e.agreements] for e in one.exclusions}
    assert sizes == {"no": [4, 3], "partial": [3, 2], "full": [1, 0]}
    assert two.exclusions == ()


@pytest.mark.parametrize(
    ("form", "base"),
    [("took", "take"), ("gives", "give"), ("swallowed", "swallow"), ("run", "run")],
)
def test_verb_in_any_form_has_its_base(form: str, base: str) -> None:
    assert verb_lemma(form) == base
