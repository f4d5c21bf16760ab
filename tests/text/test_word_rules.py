"""Our words are those of spaCy's tokeniser: its tables, run by our code."""

import importlib
import json
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.text.tokenise import CHANGES
from trope.text.word_rules import WordRules, read_rules

REPOSITORY = Path(__file__).resolve().parents[2]
RULES = read_rules(CHANGES)

# what rules look at: exceptions, marks, units, letters of several alphabets, digits
_MARKS = "-.'’!?:;)(@#$/&_,…\"“”%=+*~^|\\<>[]{}´`°€£²\u0301\u200d\ufe0f😂\u00ad،。"
_STRETCHES = (
    "n't",
    "N'T",
    "'s",
    "’S",
    "'LL",
    "km",
    "mins",
    "--",
    "...",
    "U.S",
    "12",
    "x",
    "Àé",
    "дом",
)
pieces = st.lists(
    st.one_of(
        st.sampled_from(sorted(RULES.exceptions)),
        st.sampled_from(_MARKS),
        st.sampled_from(_STRETCHES),
        st.characters(exclude_categories=("Cs", "Z", "Cc")),
    ),
    min_size=1,
    max_size=8,
).map("".join)


@pytest.fixture(scope="module")
def spacy_rules():
    pytest.importorskip("spacy", reason="spaCy is not installed (pip install 'trope[spacy]')")
    sys.path.insert(0, str(REPOSITORY / "benchmarks"))
    try:
        return importlib.import_module("words").spacy_rules()
    finally:
        sys.path.pop(0)
        for name in ("words", "machine", "record"):
            sys.modules.pop(name, None)


@given(piece=pieces)
def test_pieces_are_cut_as_by_spacy(piece, spacy_rules):
    assert RULES.cut(piece) == [word.text for word in spacy_rules(piece)]


def test_exceptions_between_marks_are_cut_as_by_spacy(spacy_rules):
    """Each exception alone, in brackets, quoted, after a hyphen, before a comma and doubled."""
    for word in RULES.exceptions:
        for piece in (word, f"({word})", f'"{word},"', f"x-{word}", f"{word}{word}", f"{word}…"):
            assert RULES.cut(piece) == [w.text for w in spacy_rules(piece)], piece


@given(piece=pieces)
def test_nothing_is_lost(piece):
    words = RULES.cut(piece)
    assert "".join(words) == piece
    assert all(words)


def test_the_tables_are_those_that_the_script_writes():
    spacy = pytest.importorskip(
        "spacy", reason="spaCy is not installed (pip install 'trope[spacy]')"
    )
    kept = json.loads(files("trope.text").joinpath("spacy_tables.json").read_text("utf-8"))
    if f"spaCy {spacy.__version__}," not in kept["source"]:
        pytest.skip(f"the tables come from another version: {kept['source']}")
    sys.path.insert(0, str(REPOSITORY / "tools"))
    try:
        tables = importlib.import_module("export_word_rules").read_tables()
    finally:
        sys.path.pop(0)
        sys.modules.pop("export_word_rules", None)
    assert kept == tables


def test_of_exceptions_that_overlap_the_longer_one_counts():
    rules = WordRules(
        prefixes=["-"],
        suffixes=[r"\."],
        infixes=[],
        exceptions={"a-b.": ("a-b.",), "b.": ("b.",)},
    )
    assert rules.cut("-a-b.") == ["-", "a-b."]
    assert rules.cut("-b.") == ["-", "b."]
    assert rules.cut("-c.") == ["-", "c", "."]
