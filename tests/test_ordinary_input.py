"""Texts of all kinds through the shipped model: a right answer, and spans that fit the text."""

from itertools import pairwise

import pytest

from metaphor_model import FIGURE_LABELS, write_model
from trope import Analysis, Pipeline
from trope.core.records import TextKind

POEM = "My heart is a stone,\n  my tongue a knife;\nshe let the cat\nout of the bag."
LIST = "- milk\n- two eggs\n* 1 kg flour\n3. butter"
CODE = "for i in items:\n    total += i * 2  # sum\nreturn {'a': total}"
TEXTS = [
    *("", " \n\t", ".", "🙂", "#", "a", POEM, LIST, CODE),
    "THE NEW TAX STRANGLES SMALL SHOPS",
    "the new tax strangles small shops and prices keep climbing nobody knows why",
    "Der Zug fährt um neun Uhr ab.",
    "火车九点从车站出发。",
    "قطار الساعة التاسعة",
    "https://example.org/a?b=c#d 👩‍👩‍👧 e\u0301",
]


def words(analysis: Analysis, kind: str) -> list[str]:
    return [analysis.text[f.start : f.end] for f in analysis.figures if f.kind == kind]


@pytest.mark.parametrize("kind", ["plain", "tweet", "headline"])
def test_spans_fit_any_text(shipped: Pipeline, kind: TextKind) -> None:
    for view in ("noticed", "content", "all"):
        for doc in shipped.analyze_many(TEXTS, kind=kind, words=view):
            for figure in doc.figures:
                assert figure.tokens == tuple(sorted(set(figure.tokens)))
                assert 0 <= figure.start < figure.end <= len(doc.text)
                if figure.kind != "irony":
                    assert doc.tokens[figure.tokens[0]].start == figure.start
                    assert doc.tokens[figure.tokens[-1]].end == figure.end
            for name in doc.names:
                assert doc.text[name.start : name.end].strip()


def test_a_text_without_figures_has_none(shipped: Pipeline) -> None:
    doc = shipped.analyze("The tram stops at the town hall at nine. Tickets cost two euros.")
    assert doc.figures == ()
    assert doc.metaphors == ()
    assert {str(doc.sentence_verdict(sentence)) for sentence in doc.sentences} == {"literal"}


def test_capitals_hide_nothing(shipped: Pipeline) -> None:
    doc = shipped.analyze("THE NEW TAX STRANGLES SMALL SHOPS IN FRANCE, SAID DOWNING STREET.")
    assert "STRANGLES" in words(doc, "metaphor")
    found = [doc.text[name.start : name.end] for name in doc.names]
    assert found == ["FRANCE", "DOWNING STREET"]


def test_a_text_without_punctuation_is_read(shipped: Pipeline) -> None:
    doc = shipped.analyze("the new tax strangles small shops and prices keep climbing")
    assert {"strangles", "climbing"} <= set(words(doc, "metaphor"))


def test_lines_of_a_poem_do_not_break_a_figure(shipped: Pipeline) -> None:
    doc = shipped.analyze(POEM)
    assert words(doc, "idiom") == ["let the cat\nout of the bag"]
    assert "stone" in words(doc, "metaphor")


@pytest.mark.parametrize(
    "text", [LIST, "Der Zug fährt um neun Uhr vom Bahnhof ab.", "火车九点出发。"]
)
def test_lists_and_other_languages_have_no_figures(shipped: Pipeline, text: str) -> None:
    assert shipped.analyze(text).figures == ()


def test_code_has_no_idioms_similes_or_names(shipped: Pipeline) -> None:
    doc = shipped.analyze(CODE)
    assert {figure.kind for figure in doc.figures} <= {"metaphor"}
    assert doc.names == ()


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Pipeline:
    """A model that finds Vienna, Acme Holdings and Alice Jones by itself."""
    return Pipeline(folder=write_model(tmp_path_factory.mktemp("named"), FIGURE_LABELS), threads=1)


TWELVE = "Acme" + 11 * " Holdings"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("VIENNA CALLED ACME HOLDINGS.", ["VIENNA location", "ACME HOLDINGS organisation"]),
        ("alice jones left vienna and nobody knew", ["alice jones person", "vienna location"]),
        (f"Rain fell on {TWELVE}.", [f"{TWELVE} organisation"]),
        ("- Vienna\n- Acme Holdings\n3. milk", ["Vienna location", "Acme Holdings organisation"]),
        ("city = 'Vienna'  # alice@acme.example", ["Vienna location"]),
        ("@alice met “Alice” in Vienna", ["Alice person", "Vienna location"]),
        ("Alice Jones fährt nach Vienna.", ["Alice Jones person", "Vienna location"]),
        *((text, []) for text in ("", ".", "🙂", CODE, POEM, "火车九点从车站出发。")),
    ],
)
def test_names_that_a_network_tags_in_any_text(
    named: Pipeline, text: str, wanted: list[str]
) -> None:
    doc = named.analyze(text)
    assert [f"{text[n.start : n.end]} {n.name_class}" for n in doc.names] == wanted
    assert [(n.start, n.end) for n in doc.names if n.name_class != "person"] == [
        (name.start, name.end) for name in doc.metonymies
    ]


@pytest.mark.parametrize("kind", ["plain", "tweet", "headline"])
def test_names_of_a_network_lie_side_by_side(named: Pipeline, kind: TextKind) -> None:
    texts = [*TEXTS, f"{TWELVE} {TWELVE}", "Vienna's Acme-Holdings, Vienna!", "Alice,Vienna\nJones"]
    for doc in named.analyze_many(texts, kind=kind):
        for name in doc.names:
            assert doc.text[name.start : name.end].strip()
        assert all(name.end <= later.start for name, later in pairwise(doc.names))
