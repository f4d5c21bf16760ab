import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.texts import Mapped

letters = st.text(alphabet="ab .é\U0001f600\ud800", max_size=40)


def test_untouched_text_maps_to_itself():
    mapped = Mapped.of("old mill")
    assert mapped.text == "old mill"
    assert mapped.span(4, 8) == (4, 8)


def test_replacement_stands_for_the_whole_stretch():
    mapped = Mapped.of("tea &amp; cake").sub("&amp;", "&")
    assert mapped.text == "tea & cake"
    assert mapped.span(4, 5) == (4, 9)
    assert mapped.span(6, 10) == (10, 14)


def test_deleted_stretch_vanishes():
    mapped = Mapped.of("a [x] b").sub(r"\[x\] ", "")
    assert mapped.text == "a b"
    assert mapped.span(0, 2) == (0, 2)
    assert mapped.span(2, 3) == (6, 7)
    assert mapped.span(0, 3) == (0, 7)


def test_changes_add_up():
    mapped = Mapped.of("xxaab").sub("xx", "").sub("a+", "A").sub("b", "BB")
    assert mapped.text == "ABB"
    assert [mapped.span(i, i + 1) for i in range(3)] == [(2, 4), (4, 5), (4, 5)]


def test_groups_and_functions_replace_as_in_re():
    mapped = Mapped.of("one two")
    assert mapped.sub(r"(\w)\w+", r"\1.").text == "o. t."
    assert mapped.sub(r"\w+", lambda match: match[0].upper()).text == "ONE TWO"


def test_matches_of_nothing_are_passed_over():
    mapped = Mapped.of("abc")
    assert mapped.sub("x*", "-") is mapped


def test_empty_spans_stay_empty():
    assert Mapped.of("").span(0, 0) == (0, 0)
    mapped = Mapped.of("ab&gt;").sub("&gt;", ">")
    assert mapped.span(2, 2) == (2, 2)
    assert mapped.span(3, 3) == (6, 6)


@pytest.mark.parametrize("attribute", ["text", "starts"])
def test_is_frozen(attribute):
    with pytest.raises(AttributeError):
        setattr(Mapped.of("a"), attribute, "")


@given(letters, st.sampled_from(["a+", "b", " ", "ab", r"[^a]", r"\.+"]), st.text(max_size=2))
def test_text_is_that_of_re_and_kept_characters_keep_their_place(original, pattern, replacement):
    replacement = replacement.replace("\\", "/")
    mapped = Mapped.of(original).sub(pattern, replacement)
    assert mapped.text == re.sub(pattern, replacement, original)
    assert len(mapped.text) == len(mapped.starts) == len(mapped.ends)
    assert list(mapped.starts) == sorted(mapped.starts)
    assert list(mapped.ends) == sorted(mapped.ends)
    for character, start, end in zip(mapped.text, mapped.starts, mapped.ends, strict=True):
        stretch = original[start:end]
        assert stretch == character or re.fullmatch(pattern, stretch)
