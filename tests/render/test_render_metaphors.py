"""Metaphors as they are shown: in the terminal, as JSON, on the page."""

import io
import json
import re

import pytest
from rich.cells import cell_len

from builders import SCORES, TWO_SENTENCES, FakePipeline, with_metaphors
from trope.core.export import to_dict
from trope.core.options import FigureView
from trope.core.records import Analysis
from trope.metrics.intervals import Interval
from trope.render.html import write_html
from trope.render.page_pieces import percent, threshold_text
from trope.render.text import write_text
from trope.tasks.figures.views import show_figures

SCORED = with_metaphors(TWO_SENTENCES)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def text(analysis: Analysis, file: io.StringIO | None = None, details: tuple[str, ...] = ()) -> str:
    file = file or io.StringIO()
    write_text([("", analysis)], file, details=details)
    return file.getvalue()


def page(*analyses: Analysis) -> str:
    file = io.StringIO()
    write_html((("", analysis) for analysis in analyses), file)
    return file.getvalue()


def test_metaphors_stand_between_asterisks_where_there_are_no_colours() -> None:
    lines = text(SCORED).splitlines()
    assert lines[0] == "The storm did not take a *break*. Rain *ate* away the old road!"
    assert lines[1] == "  metaphor  ate    0.93"
    assert all(cell_len(line.rstrip()) <= 80 for line in lines)


def test_metaphors_are_coloured_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    shown = text(SCORED, Terminal())
    assert "*ate*" not in shown
    assert re.search(r"\x1b\[[\d;]*35m" + "ate", shown)
    monkeypatch.setenv("NO_COLOR", "1")
    assert "*ate*" in text(SCORED, Terminal())


def test_every_word_has_its_score_in_the_table_and_those_shown_an_asterisk() -> None:
    lines = [line.rstrip() for line in text(SCORED, details=("syntax",)).splitlines()]
    assert "5 ┤     take  VERB  VB  take  root       0.40" in lines
    assert "7 ├─┘   break NOUN  NN  break obj → 5    0.55*" in lines
    strict = show_figures(SCORED, FigureView("all", 0.6), None)
    assert "*break*" not in text(strict)
    assert "*ate*" in text(strict)


def test_a_text_without_figures_says_so() -> None:
    (literal,) = FakePipeline(metaphor=True).analyze_many(["Sun shone."])
    assert text(literal) == "Sun shone.\n  no figures\n"


def test_relations_have_the_score_of_their_verb() -> None:
    shown = text(SCORED, details=("relations",))
    assert "vo   ate away – road  kept  (ROOT, metaphor 0.93)" in shown
    data = to_dict(SCORED)
    assert [relation["metaphor"] for relation in data["relations"]] == [0.4, 0.93]
    assert "metaphor" not in to_dict(TWO_SENTENCES)["relations"][0]


def test_json_has_scores_of_words_and_sentences() -> None:
    data = json.loads(json.dumps(to_dict(SCORED)))
    assert data["tokens"][9]["metaphor"] == SCORES["ate"]
    assert data["figurative"] == [0.55, 0.93]
    assert (data["threshold"], data["sentence_threshold"]) == (0.5, 0.5)
    assert not {"figurative", "threshold"} & set(to_dict(TWO_SENTENCES))


def test_summary_of_the_page_has_rates_and_verbs() -> None:
    source = page(SCORED)
    assert "<dt>metaphors</dt><dd>2</dd>" in source
    assert 'title="metaphor 0.93"' in source
    assert "15.4 % (4.3–42.2)" in source
    assert re.search(r'<th scope="row">eat<td class="count">1 of 1<td>road', source)


def test_percent_of_nothing_is_a_dash() -> None:
    assert percent(Interval(None, None, None)) == "–"
    assert percent(Interval(0.031, 0.02, 0.0449)) == "3.1 % (2.0–4.5)"


@pytest.mark.parametrize(
    ("threshold", "text"), [(0.355, "0.355"), (0.5, "0.50"), (0.49, "0.49"), (1.0, "1.00")]
)
def test_thresholds_are_told_whole(threshold: float, text: str) -> None:
    assert threshold_text(threshold) == text
