"""Names from tags: spans of any length, made whole by the tree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.records import Parse
from trope.tasks.metonymy.names import NameSpan, tagged_names


def parse(rows: str) -> Parse:
    """A parse from rows "word tag upos head deprel", heads counted from 1."""
    cells = [row.split() for row in rows.strip().splitlines()]
    words, names, upos, heads, deprels = zip(*cells, strict=True)
    return Parse(words, upos, (), (), tuple(int(h) - 1 for h in heads), deprels, names=names)


def texts(found: Parse) -> list[tuple[str, str]]:
    return [
        (" ".join(found.words[span.first : span.last]), span.name_class)
        for span in tagged_names(found)
    ]


def test_a_name_of_twelve_words_is_one_name() -> None:
    words = "International Federation of Red Cross and Red Crescent Societies of Greater Vienna"
    rows = "\n".join(
        f"{word} {'B' if at == 0 else 'I'}-ORG PROPN {1 if at else 0} {'flat' if at else 'root'}"
        for at, word in enumerate(words.split())
    )
    assert texts(parse(rows)) == [(words, "organisation")]


def test_parts_of_one_name_are_joined_over_a_link_without_a_tag() -> None:
    rows = """
    the O DET 2 det
    Bank B-ORG PROPN 6 nsubj
    of O ADP 5 case
    the O DET 5 det
    West I-ORG PROPN 2 nmod
    fell O VERB 0 root
    """
    assert texts(parse(rows)) == [("Bank of the West", "organisation")]


def test_a_name_goes_as_far_as_the_tree_joins_it() -> None:
    rows = """
    Vienna B-LOC PROPN 2 compound
    Airport O PROPN 4 nsubj
    has O AUX 4 aux
    closed O VERB 0 root
    Siemens B-ORG PROPN 6 compound
    shares O NOUN 4 obj
    """
    assert texts(parse(rows)) == [("Vienna Airport", "location"), ("Siemens", "organisation")]


def test_a_company_does_not_take_its_products_along() -> None:
    rows = """
    The O DET 3 det
    Toyota B-ORG PROPN 3 compound
    Corolla O PROPN 4 nsubj
    broke O VERB 0 root
    """
    assert texts(parse(rows)) == [("Toyota", "organisation")]


def test_a_hyphen_joins_a_name() -> None:
    rows = """
    The O DET 4 det
    Foo B-ORG PROPN 4 compound
    - B-ORG PUNCT 2 punct
    Bar I-ORG PROPN 5 nsubj
    closed O VERB 0 root
    """
    assert texts(parse(rows)) == [("Foo - Bar", "organisation")]


def test_a_name_never_grows_over_another() -> None:
    rows = """
    Ukraine B-LOC PROPN 2 compound
    Alice B-PER PROPN 4 nsubj
    Jones O PROPN 2 flat
    came O VERB 0 root
    """
    assert texts(parse(rows)) == [("Ukraine", "location"), ("Alice Jones", "person")]


def test_articles_and_marks_are_left_out() -> None:
    rows = """
    The B-LOC DET 2 det
    Hague I-LOC PROPN 5 nsubj
    's I-LOC PART 2 case
    " I-LOC PUNCT 5 punct
    slept O VERB 0 root
    """
    assert texts(parse(rows)) == [("Hague", "location")]


def test_a_name_does_not_end_with_a_link() -> None:
    rows = """
    Marks B-ORG PROPN 3 nsubj
    and I-ORG CCONJ 0 cc
    fell O VERB 0 root
    near O ADP 5 case
    Vienna B-LOC PROPN 3 obl
    of I-LOC ADP 7 case
    old O ADJ 5 nmod
    """
    assert texts(parse(rows)) == [("Marks", "organisation"), ("Vienna", "location")]


def test_what_follows_a_link_of_a_name_belongs_to_it_whatever_its_tag() -> None:
    rows = """
    the O DET 2 det
    Bank B-ORG PROPN 6 nsubj
    of I-ORG ADP 4 case
    Greater B-LOC PROPN 5 amod
    Vienna I-LOC PROPN 2 nmod
    fell O VERB 0 root
    """
    assert texts(parse(rows)) == [("Bank of Greater Vienna", "organisation")]


@pytest.mark.parametrize("word", ["@anna", "anna@acme.example", "https://acme.example", "www.acme"])
def test_user_names_and_addresses_are_no_names(word: str) -> None:
    assert texts(parse(f"{word} B-PER PROPN 2 nsubj\nsleeps O VERB 0 root")) == []


def test_other_things_than_places_organisations_and_people_are_not_told() -> None:
    assert texts(parse("Windows B-OTH PROPN 0 root")) == []


@pytest.mark.parametrize("tags", [("I-LOC", "I-LOC"), ("B-LOC", "I-LOC")])
def test_a_name_may_begin_inside(tags: tuple[str, str]) -> None:
    found = Parse(("New", "York"), (), (), (), (), (), names=tags)
    assert tagged_names(found) == [NameSpan(0, 2, "location")]


TAGS = ["O", "B-LOC", "I-LOC", "B-ORG", "I-ORG", "B-PER", "I-PER", "B-OTH"]


@given(st.data(), st.integers(1, 14))
def test_spans_are_in_order_and_never_overlap(data: st.DataObject, size: int) -> None:
    words = data.draw(
        st.lists(
            st.sampled_from(["the", "Acme", "'s", "-", "of", "@acme"]), min_size=size, max_size=size
        )
    )
    found = Parse(
        tuple(words),
        tuple(data.draw(st.sampled_from(["PROPN", "ADP", "DET", "NOUN"])) for _ in words),
        (),
        (),
        tuple(data.draw(st.integers(-1, size - 1)) for _ in words),
        tuple(data.draw(st.sampled_from(["flat", "compound", "obl"])) for _ in words),
        names=tuple(data.draw(st.sampled_from(TAGS)) for _ in words),
    )
    last = 0
    for span in tagged_names(found):
        assert last <= span.first < span.last <= size
        last = span.last
