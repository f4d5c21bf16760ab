"""`trope analyze` with names and sentiment: terminal, JSON, page, summary."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from builders import HEADLINE, TWO_SENTENCES
from metaphor_model import ALL_LABELS, write_model
from trope import Pipeline
from trope.cli import analyze as command
from trope.cli.main import main
from trope.core.errors import BadInput
from trope.core.options import FigureView
from trope.core.records import Analysis, Metonymy, Sentiment
from trope.render import write
from trope.render.sentiment import MeanSentiment, bar, format_sentiment, sentiment_scale
from trope.tasks.figures.views import show_figures

RUSSIA = HEADLINE.text.index("Russia")
NAMED = show_figures(
    replace(
        HEADLINE,
        tasks=(*HEADLINE.tasks, "metonymy", "sentiment"),
        metonymies=(
            Metonymy(
                RUSSIA, RUSSIA + 6, "location", "place-for-event", 0.876, "events in <Russia>"
            ),
        ),
        sentiment=Sentiment(-1.6543, -2),
    ),
    FigureView(),
    None,
)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"), ALL_LABELS)


@pytest.fixture(autouse=True)
def hand_made(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "load_pipeline", lambda threads: Pipeline(folder=model, threads=1))


def trope(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["analyze", *map(str, arguments)], catch_exceptions=False)


def shown(form: str, *analyses: Analysis) -> str:
    file = StringIO()
    write(form, [("", analysis) for analysis in analyses], file)
    return file.getvalue()


def test_json_has_names_and_sentiment_by_default() -> None:
    data = json.loads(trope("Lovely France slept.", "--json").stdout)
    (name,) = data["metonymies"]
    assert list(name) == ["start", "end", "class", "reading", "score", "stands_for"]
    assert (name["start"], name["end"], name["class"]) == (7, 13, "location")
    assert name["stands_for"] == "government or people of France"
    assert data["sentiment"] == {"score": 0.75, "integer": 1, "scale": "tweet"}


def test_only_names_and_sentiment() -> None:
    data = json.loads(trope("France slept.", "--json", "--only", "sentiment,metonymy").stdout)
    added = {"figures", "names", "metonymies", "sentiment"}
    assert set(data) == {"text", "tokens", "sentences"} | added
    lines = trope("France slept.", "--only", "metonymy,sentiment").stdout.splitlines()
    assert lines[0] == "*France* slept."
    assert "  ▲ France  place-for-people 0." in "\n".join(lines)
    assert "  sentiment 0.00 (0)  −5 ··········●·········· +5  tweet scale" in lines


def test_the_terminal_shows_what_a_name_stands_for_in_80_columns() -> None:
    lines = shown("text", NAMED).splitlines()
    assert "  metonymy  Russia  0.88  events in <Russia>" in lines
    assert lines[-1] == "  sentiment −1.65 (−2)  −5 ·······●━━│·········· +5  tweet scale"
    assert max(map(len, lines)) <= 80


@given(st.floats(-5, 5))
def test_the_bar_has_one_width_and_its_dot_on_the_side_of_the_sign(score: float) -> None:
    drawn = bar(score)
    assert len(drawn) == 27
    assert drawn.count("●") == 1
    dot = drawn.index("●")
    assert dot == 3 + round((score + 5) * 2)
    between = drawn[min(dot, 13) + 1 : max(dot, 13)]
    assert set(between) <= {"━"}


def test_scores_have_real_minus_signs_and_no_signed_zero() -> None:
    assert format_sentiment(Sentiment(-0.004, 0)) == "0.00 (0)"
    assert format_sentiment(Sentiment(3.0, 3)) == "+3.00 (+3)"
    assert format_sentiment(Sentiment(-0.6, -1)) == "−0.60 (−1)"


def test_the_page_marks_names_and_draws_sentiment() -> None:
    page = shown("html", NAMED)
    assert 'title="metonymy 0.88 · events in &lt;Russia&gt;"' in page
    assert '<span class="meaning">events in &lt;Russia&gt;</span>' in page
    assert 'aria-label="−1.65 (−2) on a scale from −5 to 5"' in page
    assert "<dt>names</dt><dd>1</dd>" in page
    assert "<Russia>" not in page


def test_a_page_without_them_has_none() -> None:
    page = shown("html", TWO_SENTENCES)
    for absent in ('class="f metonymy', 'class="sentiment"', "mean sentiment", "<dt>names</dt>"):
        assert absent not in page


def test_summary_has_names_by_reading_and_mean_sentiment(tmp_path: Path) -> None:
    table = tmp_path / "texts.csv"
    table.write_text("text,year\nLovely France slept.,1\nAwful France slept.,2\nawful rain,2\n")
    data = json.loads(trope(table, "--summary", "--by", "year", "--json").stdout)
    assert data["metonymies"] == [
        {"name": "France", "class": "location", "reading": "place-for-people", "count": 2}
    ]
    felt = data["sentiment"]
    assert (felt["texts"], felt["mean"]) == (3, round((0.75 - 0.875 - 1.75) / 3, 4))
    assert felt["low"] < felt["mean"] < felt["high"]
    assert felt["counts"]["-2"] == felt["counts"]["1"] == felt["counts"]["-1"] == 1
    assert felt["groups"]["1"]["mean"] == 0.75
    assert felt["groups"]["1"]["low"] is None
    text = trope(table, "--summary", "--by", "year").stdout
    assert "2 metonymies · mean sentiment −0.62" in " ".join(text.split())
    assert "place-for-people" in text
    assert "−5 ········●━│·········· +5" not in text  # nothing has a mean near −1
    assert bar(0.75) in text


def test_means_without_texts_are_not_made_up() -> None:
    nothing = MeanSentiment()
    assert (nothing.mean, nothing.interval(), nothing.line()) == (None, None, "–")


def test_a_model_without_the_heads_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plain = write_model(tmp_path)
    monkeypatch.setattr(command, "load_pipeline", lambda threads: Pipeline(folder=plain, threads=1))
    with pytest.raises(BadInput, match="has no head for 'sentiment'"):
        trope("Rain.", "--only", "sentiment")
    assert "sentiment" not in json.loads(trope("Rain.", "--json").stdout)


@pytest.mark.parametrize(
    ("score", "integer", "said"), [(1.2, 1, "good"), (0.4, 0, "even"), (-0.4, 0, "even")]
)
def test_a_score_that_rounds_to_nothing_is_neither_good_nor_bad(
    score: float, integer: int, said: str
) -> None:
    doc = replace(HEADLINE, sentiment=Sentiment(score, integer, "prose"))
    assert f'class="{said}"' in sentiment_scale(doc)
