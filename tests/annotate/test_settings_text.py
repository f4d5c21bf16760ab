"""Texts of project.toml: written from settings, and edited so that comments stay."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.annotate.project import (
    BLANK,
    TEMPLATES,
    VARIANTS,
    edited_text,
    settings_text,
    template_text,
)

KEYS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
SCALARS = TEXTS | st.booleans() | st.integers(-(2**60), 2**60) | st.floats(allow_nan=False)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4))
def test_settings_written_as_toml_are_read_back_the_same(data: dict[str, Any]) -> None:
    assert tomllib.loads(settings_text(data)) == data


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.dictionaries(KEYS, VALUES, max_size=4))
def test_text_edited_holds_the_new_settings(old: dict[str, Any], new: dict[str, Any]) -> None:
    text = settings_text(old)
    assert tomllib.loads(edited_text(text, new)) == new
    assert edited_text(text, old) == text


@pytest.mark.parametrize("template", [BLANK, *TEMPLATES, *VARIANTS])
def test_template_that_nobody_changed_stays_as_it_is_written(template: str) -> None:
    text = template_text(template)
    assert edited_text(text, tomllib.loads(text)) == text


COMMENTED = """# What this is about
title = "Waves"   # said 'so' by the group
guidelines = \"\"\"
# not a comment
Read "twice".\"\"\"
seed = 1  # any number

[caps]
# people get tired
day = 50

# the first question
[[questions]]
id = "a"
options = [
  { value = "yes" },  # one
  { value = "no" },
]
# the second
[[questions]]
id = "b"
text = "What?"
# the end
"""


def test_comments_stay_when_settings_change() -> None:
    data = tomllib.loads(COMMENTED)
    data |= {"title": "Tides", "seed": 2, "pay": {"amount": "0.10"}}
    data["caps"]["week"] = 100
    data["questions"] = [{"id": "b", "text": "Why?"}, {"id": "c"}, data["questions"][0]]
    made = edited_text(COMMENTED, data)
    assert tomllib.loads(made) == data
    assert "title = \"Tides\"   # said 'so' by the group\n" in made
    assert "seed = 2  # any number\n" in made
    assert "# people get tired\nday = 50\nweek = 100\n" in made
    assert '# the second\n[[questions]]\nid = "b"\ntext = "Why?"\n' in made
    assert '# the first question\n[[questions]]\nid = "a"\noptions = [\n' in made
    assert '{ value = "yes" },  # one\n' in made
    assert made.index('id = "b"') < made.index('id = "c"') < made.index('id = "a"')
    assert "# the end\n" in made
    del data["caps"], data["questions"]
    without = edited_text(COMMENTED, data)
    assert tomllib.loads(without) == data
    assert "tired" not in without
    assert "# What this is about\n" in without


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("a.b = 1 # odd\na.c = 2\n", {"a": {"b": 1, "c": 3}}),
        ("[[a]]\nid = 1\n[a.b]\nc = 1\n", {"a": [{"id": 1, "b": {"c": 2}}]}),
        ("# line\u2028of two\na = [\n" + "1,\n" * 300 + "]\n", {"a": [1]}),
        ("a = 1", {"a": [{"b": 1}], "c": {"d": {"e": 1}}}),
    ],
)
def test_text_in_an_odd_form_is_written_anew(text: str, change: dict[str, Any]) -> None:
    assert tomllib.loads(edited_text(text, change)) == change
