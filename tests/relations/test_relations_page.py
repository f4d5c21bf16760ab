from __future__ import annotations

import re
from pathlib import Path

from trope.lexicon.verbs import shipped_verbs
from trope.relations import REASONS
from trope.relations.extraction import MAX_WORDS

PAGE = (Path(__file__).parents[2] / "docs" / "relations.md").read_text(encoding="utf-8")


def test_page_lists_every_reason_with_its_explanation():
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.+?) \|$", PAGE, flags=re.MULTILINE))
    assert rows == REASONS


def test_page_lists_the_verb_classes():
    for name in ("light", "aspectual", "weak"):
        verbs = sorted(v for v, kind in shipped_verbs().classes.items() if kind == name)
        assert f"**{name}**: {', '.join(verbs)}" in PAGE


def test_page_gives_the_limit_of_words():
    assert MAX_WORDS == 5
    assert "at most five words" in PAGE
