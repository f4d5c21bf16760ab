"""Labelled texts: what a source says of its texts."""

import json

import pytest

from trope.corpora.labelled_texts import text_kind


@pytest.mark.parametrize(
    ("recipe", "kind"),
    [("tweets2019", "tweet"), ("newsmet", "headline"), ("semeval2015", "tweet"), ("mean", "plain")],
)
def test_run_of_a_recipe_says_what_its_texts_are(recipe, kind, tmp_path):
    (tmp_path / "manifest.json").write_text(json.dumps({"recipe": recipe}))
    assert text_kind(tmp_path) == kind


@pytest.mark.parametrize("content", [None, "{", "[]", "{}"])
def test_other_sources_have_plain_texts(content, tmp_path):
    if content is not None:
        (tmp_path / "manifest.json").write_text(content)
    assert text_kind(tmp_path) == "plain"
    assert text_kind(tmp_path / "table.csv") == "plain"
