"""MEAN's tables as data, the contradiction between two of them, and ours beside them."""

import pytest

from analogies import write_data, write_set
from trope.cli.main import run
from trope.core.errors import BadInput
from trope.metrics.figures import NO_DATA, Measurement, new_evaluation, write_evaluation
from trope.published import read_published
from trope.reproduce.mean import (
    MODELS,
    TEMPLATES,
    consistency_table,
    errors_by_accuracy,
    possible_totals,
    reproduce,
)
from trope.reproduce.report import as_html, as_text

PRINTED = read_published("mean")


def test_every_accuracy_of_table_3_is_a_share_of_166():
    for model in MODELS:
        for template in TEMPLATES:
            cell = PRINTED.find(model, template)
            assert cell is not None
            shares = {f"{100 * k / 166:.1f}" for k in range(167)}
            assert cell.printed in shares


def test_errors_that_table_3_means():
    assert errors_by_accuracy(PRINTED) == {
        "BERT base": 86,
        "BERT large": 96,
        "RoBERTa base": 94,
        "RoBERTa large": 89,
        "t1": 116,
        "t2": 141,
        "t3": 108,
        "all": 365,
    }


def test_percentages_allow_few_totals():
    assert possible_totals(["50.0", "50.0", "0.0"], most=6) == [2, 4, 6]
    assert possible_totals(["56.0", "29.9", "14.2"]) == [134]


def test_no_row_of_the_two_tables_agrees():
    table = consistency_table(PRINTED)
    assert {row[3] for row in table.rows} == {"no"}
    assert "365 errors" in table.note


@pytest.fixture
def ours(tmp_path):
    figures = [
        Measurement(f"analogy.mean.{name}", value, value - 0.1, value + 0.05, 166, NO_DATA)
        for name, value in {
            "t1.random.accuracy": 0.9,
            "t1.grouped.accuracy": 0.85,
            "t1.grouped.overlap_wrong.accuracy": 0.8,
            "overlap.accuracy": 0.6,
            "static.glove.unit.accuracy": 0.7,
            "errors.all.sDdA": 0.5,
            "wrong.fire": 0.25,
        }.items()
    ]
    path = tmp_path / "ours.json"
    write_evaluation(new_evaluation("analogy", "base", "", figures), path)
    return path


def test_ours_stand_beside_the_printed_ones(ours, tmp_path):
    data = write_data(tmp_path / "data")
    write_set(data / "mean/MEAN_datasetV1.csv", ["IDEA;SEED;fact;qqq;soil;soil;moon"])
    text = as_text(reproduce(data, [ours]))
    assert "88.0 (81.7, 93.5)" in text
    assert "85.0 (75.0, 90.0)" in text
    assert "60.0 (50.0, 65.0)" in text
    assert "trope base, all" in text
    assert "fire" in text
    assert "'soil' occurs 2 times, as sDdA and dDsA" in text


def test_the_page_stands_alone(ours, capsys):
    with pytest.raises(SystemExit) as leave:
        run(["reproduce", "mean", "--ours", str(ours), "--format", "html"])
    assert leave.value.code == 0
    page = capsys.readouterr().out
    assert page.startswith("<!doctype html>")
    assert "cannot both be right" in page
    assert "http" not in page
    assert as_html(reproduce(None, [ours])) == page


def test_figures_of_another_task_are_refused(tmp_path):
    path = tmp_path / "other.json"
    write_evaluation(new_evaluation("syntax", "small", "", []), path)
    with pytest.raises(BadInput, match="figures of syntax"):
        reproduce(None, [path])
