"""Labelled texts: what a source says of its texts."""

import json

import pytest

from trope.corpora.labelled_texts import LabelColumns, read_labelled, text_kind


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


@pytest.mark.parametrize(
    ("fields", "level"),
    [
        ({"fields": {"verb": "swallow", "expression": "swallowed her pride"}}, "verbs"),
        ({"fields": {"verb": "swallow", "object": "pride", "focus_verb": "x"}}, "sentences"),
        ({"highlight": [[4, 23]], "verb": "swallow", "object": "pride"}, "verbs"),
        ({"highlight": [[4, 13]]}, "sentences"),
    ],
    ids=["run of tweets2019", "run of newsmet", "project of tweets2019", "another project"],
)
def test_items_say_whether_their_verb_is_labelled(fields, level, tmp_path):
    item = {"id": "a", "text": "She swallowed her pride.", **fields}
    (tmp_path / "items.jsonl").write_text(json.dumps(item))
    (tmp_path / "labels.jsonl").write_text(json.dumps({"item": "a", "label": "yes"}))
    assert read_labelled(tmp_path, "metaphor", LabelColumns()).level == level
