"""Rules of the headline recipe: years, classes, candidates, gold+ and the tables."""

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.recipes.newsmet.gold import GoldHeadline, gold_plus, tables
from trope.recipes.newsmet.headlines import (
    draw_classes,
    find_candidates,
    in_years,
    long_enough,
    one_triplet,
    year_of,
)
from trope.recipes.recipe import Context
from trope.recipes.records import Drop, Record

TEXT = "Mayor attacks plan before summer"


def with_settings(**settings):
    return Context(None, SimpleNamespace(**settings))


@pytest.mark.parametrize(
    ("told", "year"),
    [
        ("2018-04-24|https://x.example/a", 2018),
        ("http://x.example/2017/5/title", 2017),
        ("http://x.example/story-2017-title", None),
        ("http://x.example/12017/05", None),
        ("", None),
    ],
)
def test_year_of_a_date_or_an_address(told, year):
    assert year_of(told) == year


def test_years_drop_what_is_undated_only_where_years_are_wanted():
    rows = [Record(name, "x", {"year": y}) for name, y in (("a", 2017), ("b", 2019), ("c", None))]
    assert list(in_years(iter(rows), with_settings(years=()))) == rows
    assert list(in_years(iter(rows), with_settings(years=(2017, 2018)))) == [
        rows[0],
        Drop("b", "another-year"),
        Drop("c", "undated"),
    ]


@given(st.integers(0, 20), st.integers(0, 20))
def test_length_counts_words_between_blanks(words, more_than):
    record = Record("a", " ".join(["w"] * words))
    (outcome,) = long_enough(iter([record]), with_settings(more_than=more_than))
    assert outcome == (record if words > more_than else Drop("a", "too-short"))


def test_triplet_is_marked_and_others_have_a_reason(shipped):
    context = Context(None, SimpleNamespace(), reader=shipped)
    rows = [
        Record("a", "Mayor unveils three new bicycle lanes before the spring election"),
        Record("b", "A quiet weekend in the old town by the river"),
    ]
    kept, dropped = one_triplet(iter(rows), context)
    assert kept.text[kept.fields["start"] : kept.fields["end"]] == "unveils"
    assert [kept.fields[name] for name in ("verb", "subject", "object")] == [
        "unveil",
        "mayor",
        "lane",
    ]
    assert dropped == Drop("b", "no-triplet")


def test_classes_are_drawn_by_the_seed():
    rows = [
        Record(str(n), "", {"silver": "literal" if n % 2 else "metaphorical"}) for n in range(40)
    ]
    classes = SimpleNamespace(metaphorical=5, literal=0)

    def drawn(seed):
        found = draw_classes(iter(rows), with_settings(classes=classes, seed=seed))
        return [outcome.id for outcome in found if isinstance(outcome, Record)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert sum(int(name) % 2 == 0 for name in drawn(1)) == 5
    assert sum(int(name) % 2 == 1 for name in drawn(1)) == 20


def test_candidates_take_the_form_of_the_verb_and_idioms_go(shipped):
    settings = SimpleNamespace(candidates=SimpleNamespace(each=3))
    context = Context(None, settings, reader=shipped)
    idiom = "Minister turns a blind eye to the flood in the north"
    rows = [
        Record("a", "Mayor attacks plan before the summer", {"start": 6, "end": 13}),
        Record("b", idiom, {"start": 9, "end": 14}),
        Record("c", "Mayor attacks plan before the summer", {"start": 7, "end": 13}),
    ]
    kept, *dropped = find_candidates(iter(rows), context)
    for direction in ("literal", "metaphorical"):
        assert len(set(kept.fields[direction])) == 3
        assert all(word.endswith("s") for word in kept.fields[direction])
        assert "attacks" not in kept.fields[direction]
    assert dropped == [Drop("b", "idiom"), Drop("c", "verb-lost")]


def judged(sentence, verb, accepted=(), kind="reliable", silver="metaphorical"):
    fields = {
        "start": 6,
        "end": 13,
        "focus_verb": "attacks",
        "subject": "mayor",
        "object": "plan",
        "type": kind,
        "silver": silver,
        "literal": ["opposes", "reads"],
        "metaphorical": ["bombs", "buries"],
    }
    return GoldHeadline(Record("h1", TEXT, fields), sentence, verb, tuple(accepted))


def test_gold_plus_turns_the_label_and_replaces_the_verb_in_its_place():
    (row,) = gold_plus([judged("metaphorical", "metaphorical", ["opposes"])])
    assert row["text"] == "Mayor opposes plan before summer"
    assert (row["label"], row["item"]) == ("literal", "h1")
    assert gold_plus([judged("metaphorical", "literal")]) == []


def test_tables_have_the_rows_of_the_paper():
    rows = [
        judged("metaphorical", "metaphorical", ["opposes"]),
        judged("metaphorical", "literal"),
        judged("literal", "literal", ["bombs", "buries"], kind="fake", silver="literal"),
        judged("invalid", "literal"),
    ]
    found = tables([row.item for row in rows], rows)
    assert found["table 2"] == {"H_l & V_l": 1, "H_m & V_l": 1, "H_m & V_m": 1, "invalid": 1}
    assert found["table 3"] == {"fake": {"H_m": 0, "H_m+l": 1}, "reliable": {"H_m": 2, "H_m+l": 2}}
    assert found["new headlines"] == {"literal": 1, "metaphorical": 2}
    assert found["silver"]["precision"] == {"part": 2, "whole": 3}
    assert found["accepted"]["metaphorical"]["one"] == {"part": 1, "whole": 1}
    assert sum(found["diversity"].values()) == 1
    assert found["figure 3"]["M_final"]["n"] <= found["figure 3"]["M_init"]["n"] == 2
