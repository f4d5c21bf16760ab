"""Rules of the tweet recipe: what is compiled, what goes, what the crowd's tables say."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadRecord
from trope.recipes.recipe import Context
from trope.recipes.records import Drop, Record
from trope.recipes.settings import resolve
from trope.recipes.tweets2019.expressions import (
    ExpressionSelection,
    KnownPair,
    choose,
    choose_gold,
    extract,
    known_answers,
    pair_of,
    read_review,
)
from trope.recipes.tweets2019.gold import by_verb, weak_against_majority
from trope.recipes.tweets2019.recipe import RECIPE, clean
from trope.tasks.metaphor.task import VerbExpression


def candidate(number, verb, noun, weak, tweet=None):
    fields = {"verb": verb, "object": noun, "weak": weak, "tweet": tweet or f"t{number}"}
    return Record(f"c{number}", f"{verb} {noun}", {"subset": "emotional", **fields})


@st.composite
def candidates(draw):
    rows = draw(
        st.lists(
            st.tuples(
                st.sampled_from("abcd"),
                st.sampled_from("uvwxyz"),
                st.sampled_from(["metaphor", "literal"]),
                st.integers(0, 30),
            ),
            max_size=60,
        )
    )
    return [candidate(at, v, n, weak, f"t{tweet}") for at, (v, n, weak, tweet) in enumerate(rows)]


@given(candidates(), st.integers(0, 40), st.integers(1, 6), st.integers(0, 5))
def test_choice_keeps_every_rule(rows, size, most, seed):
    selection = ExpressionSelection()
    choose(rows, "emotional", size, most, selection, seed)
    chosen = [row for row in rows if row.id in selection.chosen]
    assert len(chosen) <= size
    assert len({pair_of(row) for row in chosen}) == len(chosen)
    assert len({row.fields["tweet"] for row in chosen}) == len(chosen)
    for verb in "abcd":
        assert sum(row.fields["verb"] == verb for row in chosen) <= most


@given(candidates(), st.integers(0, 5))
def test_second_subset_never_repeats_a_pair_of_the_first(rows, seed):
    selection = ExpressionSelection()
    choose(rows[::2], "emotional", 20, 5, selection, seed)
    choose(rows[1::2], "political", 20, 5, selection, seed)
    chosen = [pair_of(row) for row in rows if row.id in selection.chosen]
    assert len(set(chosen)) == len(chosen)


def test_every_verb_has_both_senses_where_they_exist():
    rows = [
        candidate(1, "find", "love", "metaphor"),
        candidate(2, "find", "peace", "metaphor"),
        candidate(3, "find", "key", "literal"),
        candidate(4, "send", "mail", "literal"),
        candidate(5, "send", "parcel", "literal"),
        candidate(6, "send", "letter", "literal"),
    ]
    for seed in range(10):
        selection = ExpressionSelection()
        choose(rows, "emotional", 4, 2, selection, seed)
        senses = [
            (row.fields["verb"], row.fields["weak"]) for row in rows if row.id in selection.chosen
        ]
        assert sorted(senses) == [
            ("find", "literal"),
            ("find", "metaphor"),
            ("send", "literal"),
            ("send", "literal"),
        ]


def test_gold_is_half_metaphorical_and_of_pairs_with_one_answer():
    def known(corpus, verb, noun, metaphor):
        return KnownPair(corpus, VerbExpression(verb, noun), metaphor)

    answers = known_answers(
        [
            known("moh", "find", "love", True),
            known("vua-val", "find", "key", False),
            known("vua-val", "find", "peace", True),
            known("moh", "find", "peace", False),
            known("vua-test", "find", "way", True),
        ]
    )
    assert answers == {("find", "love"): "yes", ("find", "key"): "no"}
    rows = [
        candidate(1, "find", "love", "metaphor"),
        candidate(2, "find", "love", "metaphor"),
        candidate(3, "find", "key", "metaphor"),
        candidate(4, "find", "peace", "metaphor"),
    ]
    selection = ExpressionSelection()
    gold = choose_gold(rows, answers, 4, selection, 1)
    assert sorted(gold.values()) == ["no", "yes"]
    assert selection.chosen == dict.fromkeys(gold, "demo")


def test_review_by_hand_names_what_goes(tmp_path):
    sheet = tmp_path / "review.csv"
    sheet.write_text(
        "id,expression,decision\nc1,blow the whistle,idiom\nc2,find love,\nc3,x,keep\n"
    )
    assert read_review(str(sheet)) == {"c1": "idiom"}
    assert read_review("") == {}
    sheet.write_text("id,decision\n,idiom\n")
    with pytest.raises(BadRecord, match="has no id"):
        read_review(str(sheet))


@pytest.mark.parametrize("day", ["2016-06-23", '"2016-06-23"'])
def test_days_are_given_with_or_without_quotes(day):
    settings = resolve(RECIPE, None, [f"sources.political_from={day}"])
    assert settings.sources.political_from == "2016-06-23"


def test_only_political_retweets_go_and_links_with_them():
    cleaning = SimpleNamespace(drop_retweets=("political",))
    context = Context(None, SimpleNamespace(cleaning=cleaning))
    rows = [
        Record("p", "RT @a: so it goes", {"subset": "political"}),
        Record("e", "RT @a: so it goes https://x.example/1", {"subset": "emotional"}),
        Record("l", "https://x.example/1", {"subset": "emotional"}),
    ]
    assert list(clean(iter(rows), context)) == [
        Drop("p", "retweet"),
        Record("e", "so it goes", {"subset": "emotional"}),
        Drop("l", "empty"),
    ]


def test_expressions_are_marked_and_the_rest_has_a_reason(shipped):
    context = Context(None, SimpleNamespace(), reader=shipped)
    texts = {
        "a": "The new boss finally broke my trust yesterday",
        "b": "She treats her brother like a king",
        "c": "Sleeping late today",
        "d": "They saw her again yesterday",
    }
    rows = [Record(name, text, {"subset": "emotional"}) for name, text in texts.items()]
    found = {outcome.id: outcome for outcome in extract(iter(rows), context)}
    assert found["a-1"].fields["expression"] == "broke my trust"
    assert (found["a-1"].fields["verb"], found["a-1"].fields["object"]) == ("break", "trust")
    assert found["b-1"] == Drop("b-1", "simile")
    assert found["c"] == Drop("c", "no-expression")
    assert found["d-1"] == Drop("d-1", "pronoun-object")


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("They can't lose today's big league vote", "lose today's big league vote"),
        ("They sell a really well-known drink", "sell a really well-known drink"),
        ("They need a really cold fizzy drink", None),
    ],
)
def test_words_of_an_expression_are_counted_between_blanks(shipped, text, expression):
    context = Context(None, SimpleNamespace(), reader=shipped)
    (found,) = extract(iter([Record("a", text, {"subset": "emotional"})]), context)
    if expression is None:
        assert found == Drop("a-1", "too-long")
    else:
        assert found.fields["expression"] == expression


def test_weak_labels_are_counted_against_the_majority_and_by_verb():
    rows = [
        candidate(1, "find", "love", "metaphor"),
        candidate(2, "find", "key", "metaphor"),
        candidate(3, "send", "mail", "literal"),
    ]
    final = {"c1": "yes", "c2": "no", "c3": None}
    assert weak_against_majority(rows, final) == {
        "emotional": {"metaphor became literal": 1, "metaphor became metaphor": 1}
    }
    assert by_verb(rows, final) == {"find": {"metaphorical": ["love"], "literal": ["key"]}}
