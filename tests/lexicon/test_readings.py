"""The scheme: complete, with examples of its own, and a function from fine to coarse."""

import pytest

from trope.core.errors import BadInput, UnknownName
from trope.lexicon.readings import (
    NAME_CLASSES,
    canonical,
    check_label,
    coarsen,
    describe,
    labels,
    readings,
    scheme,
    to_granularity,
    to_name_class,
)

BOTH = {"literal", "mixed", "othermet", "object-for-name", "object-for-representation"}


def test_both_classes_have_the_readings_of_the_task():
    places = {"place-for-people", "place-for-event", "place-for-product"}
    kinds = ("members", "event", "product", "facility", "index")
    assert set(readings("location")) == BOTH | places
    assert set(readings("organisation")) == BOTH | {f"organisation-for-{kind}" for kind in kinds}


def test_every_reading_is_defined_and_has_an_example_with_one_marked_name():
    for reading in scheme().readings:
        assert reading.definition.endswith(".")
        assert "{name}" in reading.stands_for
        assert reading.examples
        for example in reading.examples:
            assert example.count("[") == example.count("]") == 1


@pytest.mark.parametrize("name_class", NAME_CLASSES)
def test_rougher_labels_follow_from_finer_ones(name_class):
    assert set(labels(name_class, "medium")) == {"literal", "metonymic", "mixed"}
    assert set(labels(name_class, "coarse")) == {"literal", "non-literal"}
    for name in labels(name_class, "fine"):
        medium = coarsen(name, name_class, "medium")
        assert coarsen(medium, name_class, "coarse", known_at="medium") == coarsen(
            name, name_class, "coarse"
        )
    assert coarsen("mixed", name_class, "coarse") == "non-literal"


def test_a_rough_label_does_not_become_a_fine_one():
    with pytest.raises(BadInput, match="coarse level only"):
        coarsen("non-literal", "location", "medium", known_at="coarse")


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("org-for-members", "organisation-for-members"),
        ("obj-for-rep", "object-for-representation"),
        ("obj-for-name", "object-for-name"),
        ("place-for-people", "place-for-people"),
    ],
)
def test_both_spellings_mean_one_reading(short, long):
    assert canonical(short) == long


def test_a_label_of_another_level_or_class_is_refused_with_what_it_is():
    with pytest.raises(
        BadInput, match=r"not a coarse reading of the class location \(it is a fine one"
    ):
        check_label("place-for-people", "location", "coarse")
    with pytest.raises(BadInput, match="not a fine reading of the class location; known: literal"):
        check_label("org-for-index", "location", "fine")


def test_words_of_files_become_classes_and_levels():
    assert to_name_class("org") == "organisation"
    assert to_granularity("fine") == "fine"
    with pytest.raises(UnknownName, match="class of names"):
        to_name_class("person")
    with pytest.raises(UnknownName, match="Did you mean 'coarse'"):
        to_granularity("course")


def test_what_a_name_stands_for_is_said_in_words():
    assert describe("place-for-people", "Peru", "location") == "government or people of Peru"
    assert describe("org-for-index", "BMW", "organisation") == "share price of BMW"
