"""The Python reference has every public name and every spaCy attribute, each with an example."""

import re

import spacy.tokens

import trope
from conftest import REPOSITORY

PAGE = (REPOSITORY / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^### `trope\.(\w+)`\n(.*?)(?=^#|\Z)", PAGE, re.MULTILINE | re.DOTALL))


def test_every_public_name_has_a_section_with_an_example() -> None:
    assert [name for name in trope.__all__ if name not in SECTIONS] == []
    assert [name for name, text in SECTIONS.items() if "```pycon" not in text] == []


def test_every_section_is_about_a_public_name() -> None:
    assert [name for name in SECTIONS if not hasattr(trope, name)] == []


def test_every_spacy_attribute_is_listed_and_used() -> None:
    trope.load()
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", PAGE, re.MULTILINE)
    listed = {(name, owner) for name, owners in rows for owner in re.findall(r"`(\w+)`", owners)}
    registered = set()
    for owner in ("Doc", "Span", "Token"):
        extensions = spacy.tokens.underscore.Underscore.__dict__[f"{owner.lower()}_extensions"]
        registered |= {(name, owner) for name, (_, _, getter, _) in extensions.items() if getter}
    ours = {
        (name, owner) for name, owner in registered if hasattr(getattr(spacy.tokens, owner), "_")
    }
    assert listed == ours
    assert [name for name, _ in listed if f"_.{name}" not in PAGE] == []
