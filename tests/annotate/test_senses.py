"""Dictionary senses beside an item, where the plan asks for them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from projects import START, make_project
from visitors import annotator

from trope.annotate.project import Project, new_project, open_project
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.web.service import web_settings
from trope.lexicon.wordnet import dictionary_senses

ITEM = {"id": "w1", "text": "Rumours flooded the staff room.", "highlight": "flooded"}


def page(folder: Path, more: str) -> str:
    """The first item's page of a project with these settings, as text."""
    project = make_project(folder, more=more)
    return first_page(project)


def first_page(project: Project) -> str:
    connect(project, **web_settings())
    path = project.folder / "own.jsonl"
    path.write_text(json.dumps(ITEM) + "\n", encoding="utf-8")
    import_items(project, path, now=START)
    client: Any = annotator("Ann", trusted=True)
    return " ".join(re.sub("<[^>]+>", " ", client.get("/judge").content.decode()).split())


def test_highlighted_words_have_their_senses(tmp_path: Path) -> None:
    shown = page(tmp_path / "p", 'senses = "highlight"')
    assert "Dictionary senses (WordNet) flooded 1. verb" in shown
    assert "1. verb deluge, inundate, swamp; a kind of: fill" in shown
    assert "a kind of: gossip" not in shown  # rumour is not highlighted


def test_all_longer_words_have_their_senses(tmp_path: Path) -> None:
    shown = page(tmp_path / "p", 'senses = "text"')
    assert "Rumours" in shown
    assert "a kind of: gossip" in shown


def test_there_is_no_dictionary_unless_the_plan_asks(tmp_path: Path) -> None:
    assert "Dictionary" not in page(tmp_path / "p", "")


@pytest.mark.parametrize(("template", "asks"), [("newsmet", True), ("tweets2019", False)])
def test_templates_ask_where_their_scheme_does(template: str, asks: bool, tmp_path: Path) -> None:
    new_project(tmp_path / "p", template)
    assert bool(open_project(tmp_path / "p").plan.senses) == asks


@given(st.text(max_size=20))
def test_any_word_can_be_looked_up(word: str) -> None:
    assert all(one.synonyms or one.kind_of for one in dictionary_senses(word))
