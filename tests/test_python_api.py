"""The functions of the package: options, refusals, tables."""

import json
from typing import Any

import pytest

import trope
from metaphor_model import FIGURE_LABELS, write_model
from trope.core.errors import BadInput, MissingExtra, UnknownName
from trope.pipeline import _shipped

TEXTS = ["The tax crushed Vienna. Rain swallowed roads.", "", "Lovely Alice slept."]


@pytest.fixture(scope="module", autouse=True)
def model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A tiny model with all heads in place of the shipped one."""
    folder = write_model(tmp_path_factory.mktemp("model"), FIGURE_LABELS)
    made = trope.Pipeline(folder=folder, threads=1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("trope.pipeline._shipped", lambda: made)
        yield made


def test_analyze_has_the_options_of_the_command() -> None:
    assert _shipped() is not None
    doc = trope.analyze(TEXTS[0], only="metaphor", words="all", threshold=0.9)
    assert doc.tasks == ("metaphor",)
    assert (doc.words, doc.shown_threshold) == ("all", 0.9)
    assert [token.text for token in doc.metaphors] == ["crushed"]
    assert trope.analyze(TEXTS[0], only=["sentiment", "syntax"]).tasks == ("syntax", "sentiment")
    many = list(trope.analyze_many(TEXTS, only="metaphor", words="all", threshold=0.9))
    assert many[0] == doc


def test_a_view_without_the_task_costs_no_tree() -> None:
    doc = trope.analyze(TEXTS[0], only="sentiment")
    assert doc.figures == ()
    assert {token.deprel for token in doc.tokens} == {""}


def test_prose_and_tweets_have_their_scales() -> None:
    scores = [trope.analyze("Lovely rain", kind=kind).sentiment for kind in ("plain", "tweet")]
    assert [(s.score, s.scale) for s in scores if s] == [(1.0, "prose"), (1.5, "tweet")]
    headline = trope.analyze("Lovely rain", kind="headline")
    assert headline.sentence_sentiments == (1.0,)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kind": "poem"}, UnknownName, "Known: plain, tweet, headline"),
        ({"words": "most"}, UnknownName, "Known: noticed, content, all"),
        ({"only": "tone"}, UnknownName, "Known: syntax, relations, metaphor, metonymy, sentiment"),
        ({"only": []}, BadInput, "no task is named"),
        ({"only": [3]}, UnknownName, "no task is called '3'"),
        ({"only": 3}, BadInput, "tasks are names, not 3; choose from syntax, relations"),
        ({"threshold": 2}, BadInput, "give one from 0 to 1"),
        ({"threshold": "0.5"}, BadInput, "give one from 0 to 1"),
    ],
)
def test_wrong_options_are_told_with_what_is_allowed(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        trope.analyze("Rain.", **options)
    with pytest.raises(error, match=message):
        trope.analyze_many(["Rain."], **options)


@pytest.mark.parametrize("text", [None, 3, b"Rain.", ["Rain."], float("nan")])
def test_what_is_no_text_is_refused(text: Any) -> None:
    with pytest.raises(BadInput, match="a text is a str, and this is a"):
        trope.analyze(text)


def test_one_string_is_not_many_texts() -> None:
    with pytest.raises(BadInput, match="a str is one text"):
        trope.analyze_many("Rain fell.")


@pytest.mark.parametrize("texts", [{"a": "Rain fell."}, 5, None])
def test_many_texts_come_in_a_list(texts: Any) -> None:
    with pytest.raises(BadInput, match="texts come in a list, not in a"):
        trope.analyze_many(texts)


def test_an_unknown_direction_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="Known: literal, metaphorical"):
        trope.rewrite("Rain ate roads.", to="prose")  # type: ignore[arg-type]


def test_the_number_of_threads_is_a_number() -> None:
    with pytest.raises(BadInput, match="threads must be a number of at least 1, got '2'"):
        trope.Pipeline(threads="2")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "text 2 .counted from 0. is missing; leave it out"),
        (float("nan"), "text 2 .counted from 0. is missing"),
        (7, "text 2 .counted from 0. is a int, not a str; convert it"),
    ],
)
def test_missing_texts_are_refused_with_their_position(text: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        list(trope.analyze_many(["Rain.", "", text, "Sun."], batch_size=2))


def test_a_missing_value_of_pandas_is_missing() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed (trope[pandas])")
    with pytest.raises(BadInput, match=r"text 1 .*is missing"):
        list(trope.analyze_many(pandas.Series(["Rain.", pandas.NA], dtype=object)))


def test_an_analysis_is_short_to_look_at_and_long_as_json() -> None:
    doc = trope.analyze(TEXTS[0])
    assert repr(doc) == f"Analysis({TEXTS[0]!r}, 9 tokens, 2 sentences, 1 figure)"
    assert repr(trope.analyze("x" * 99)).startswith(f"Analysis('{'x' * 59}…', 1 token,")
    assert json.loads(doc.to_json()) == doc.to_dict()
    assert doc.to_json(indent=2).count("\n") > 20
    assert doc.to_dict()["figures"][0]["kind"] in ("metaphor", "metonymy")
    assert doc.to_dict()["tokens"][2]["novelty"] == 0.2


def test_a_notebook_shows_the_text_with_its_figures() -> None:
    html = trope.analyze("<b> The tax crushed & broke.")._repr_html_()
    assert "&lt;b&gt;" in html
    assert "&amp;" in html
    assert ">crushed<" in html
    assert "metaphor" in html


def test_texts_figures_and_tokens_become_data_frames() -> None:
    pytest.importorskip("pandas", reason="pandas is not installed (trope[pandas])")
    docs = list(trope.analyze_many(TEXTS))
    texts = trope.to_frame(docs)
    assert list(texts["text"]) == TEXTS
    assert list(texts["metaphors"]) == [1, 0, 0]
    assert texts["metaphor_rate"][0] == 1 / 7
    assert texts["metaphor_rate"].isna().tolist() == [False, True, False]
    assert list(texts["view"]) == ["noticed"] * 3
    assert texts["scale"][2] == "prose"
    figures = trope.to_frame(docs, rows="figures")
    assert {"crushed"} <= set(figures["words"])
    crushed = figures[figures["words"] == "crushed"].iloc[0]
    assert (crushed["doc"], crushed["sentence"], crushed["kind"]) == (0, 0, "metaphor")
    tokens = trope.to_frame(docs[0], rows="tokens")
    assert len(tokens) == len(docs[0].tokens)
    assert list(tokens["sentence"]) == [0] * 5 + [1] * 4
    assert tokens["shown"][2] == "metaphor"


def test_the_same_as_arrow_tables_with_fixed_types() -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed (trope[parquet])")
    docs = list(trope.analyze_many(TEXTS))
    for rows in ("texts", "figures", "tokens"):
        full, empty = trope.to_table(docs, rows=rows), trope.to_table([], rows=rows)
        assert full.schema == empty.schema
        assert full.num_rows > empty.num_rows == 0
    assert trope.to_table(docs).column("words").type == arrow.int64()
    assert trope.to_table(docs).column("text").to_pylist() == TEXTS


def test_tables_are_of_analyses(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="number 0 is a str, not an analysis"):
        trope.to_table(["Rain."])  # type: ignore[list-item]
    with pytest.raises(UnknownName, match="Known: texts, figures, tokens"):
        trope.to_frame([], rows="words")  # type: ignore[arg-type]
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"trope\[pandas\]"):
        trope.to_frame([])
