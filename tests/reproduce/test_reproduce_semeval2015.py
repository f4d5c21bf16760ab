"""Published tables as data, rank correlations, errors in print, and ours beside them."""

from pathlib import Path

import pytest

from trope.cli.main import run
from trope.evaluate.leaderboard import printed_runs
from trope.metrics.figures import NO_DATA, Measurement, new_evaluation, write_evaluation
from trope.published import read_published
from trope.reproduce.report import as_html, as_text, shown_tables
from trope.reproduce.semeval2015 import rank_correlations, ranking_findings, reproduce

PRINTED = read_published("semeval2015")


def figure(name: str, value: float) -> Measurement:
    return Measurement(
        f"sentiment.semeval2015.{name}", value, value - 0.1, value + 0.1, 4000, NO_DATA
    )


@pytest.fixture
def ours(tmp_path: Path) -> Path:
    figures = [figure("test.cosine", 0.9), figure("test.mse", 1.0)]
    figures += [figure("test.lexicon.cosine", 0.7), figure("test.lexicon.mse", 2.5)]
    figures += [figure("metaphor.cosine", 0.71)]
    write_evaluation(new_evaluation("sentiment", "small", "", figures), tmp_path / "ours.json")
    return tmp_path / "ours.json"


def test_all_runs_are_there_and_one_of_each_team_is_ranked() -> None:
    found = printed_runs(PRINTED)
    assert len(found) == 29
    assert sum(run.ranked for run in found) == 15
    assert all(len(run.cosines) == 5 for run in found)
    cell = PRINTED.find("team.HLT", "cosine")
    assert cell is not None
    assert cell.printed == "0.63"  # as it is printed
    assert PRINTED.find("team.PRHLT", "cosine") is None


def test_rank_correlations_are_those_of_table_9() -> None:
    rows = {row[0]: row[1:] for row in rank_correlations(PRINTED).rows}
    assert rows == {
        "15 teams, ranked run": ("0.698", "0.559", "0.874", "0.867"),
        "top 10 teams": ("0.474", "0.316", "0.952", "0.657"),
        "all 29 runs": ("0.829", "0.684", "0.540", "0.588"),
        "top 10 runs": ("0.006", "0.067", "0.952", "0.661"),
    }


def test_tables_6_and_9_differ_where_they_differ() -> None:
    found = {(f.table, f.what): (f.printed, f.recomputed) for f in ranking_findings(PRINTED)}
    assert found == {
        ("6", "cosine of PRHLT"): ("illegible", "0.623"),
        ("6", "cosine of DsUniPi"): ("0.602", "0.601"),
        ("6", "cosine of BUAP"): ("0.059", "0.058"),
        ("6", "place 4"): ("elirf", "LT3"),
        ("6", "place 5"): ("LT3", "elirf"),
        ("9", "RGU/test-sent-predictions"): (
            "0.509 0.842 0.861 0.280 0.090",
            "RGU/test-sent-warppred",
        ),
    }


def test_ours_stand_where_their_cosine_puts_them(ours: Path) -> None:
    report = reproduce(ours=[ours])
    board, by_category = report.tables[:2]
    names = [row[0] for row in board.rows]
    assert names[:4] == ["trope: small", "CLaC", "UPF", "trope: lexicon"]
    assert board.ours == {0, 3}
    assert board.rows[0] == ("trope: small", "0.900", "0.800–1.000", "1.000", "0.900–1.100")
    assert by_category.rows[0] == ("trope: small", "0.900", "", "", "0.710", "")
    assert next(row for row in board.rows if row[0] == "PRHLT")[1] == ""
    assert "not strictly comparable" in by_category.note


def test_text_and_page(ours: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = reproduce(ours=[ours])
    assert "| **trope: small** " in as_text(report)
    page = as_html(report)
    assert page.count("<table>") == len(shown_tables(report))
    assert len(report.tables) == 4
    assert "<tr class=ours><td>trope: small</td>" in page
    assert "http" not in page  # needs no network
    out = tmp_path / "page.html"
    arguments = ["reproduce", "semeval2015", "--ours", str(ours), "--format", "html"]
    with pytest.raises(SystemExit) as leave:
        run([*arguments, "--out", str(out)])
    assert leave.value.code == 0
    assert out.read_text(encoding="utf-8") == page
    with pytest.raises(SystemExit):
        run(["reproduce", "semeval2015"])
    assert "rows -1.212, tweets –" in capsys.readouterr().out


def test_unknown_papers_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as leave:
        run(["reproduce", "semeval2051"])
    assert leave.value.code == 2
    assert "Did you mean 'semeval2015'?" in capsys.readouterr().err


@pytest.mark.shared
def test_errors_of_the_tables_on_real_files(shared: Path) -> None:
    rows = {row[:2]: row[2:] for row in reproduce(shared / "data").tables[3].rows}
    assert rows["2", "mean of all trial tweets"][1] == "rows -1.584, tweets -1.885"
    assert rows["3", "mean of all train tweets"][2] == "right: overall"
    assert rows["3", "mean of Metaphor"][1] == "-1.49"
    assert rows["4", "mean of all test tweets"] == (
        "-0.50",
        "rows -1.212, tweets -1.212",
        "right: rows",
    )
    assert rows["5", "decision tree, cosine / MSE"] == (
        "0.547 / 4.065",
        "0.5467 / 4.0658",
        "the row is the constant -2",
    )


@pytest.mark.shared
def test_overall_means_on_real_files(shared: Path) -> None:
    rows = {row.what: row for row in reproduce(shared / "data").rows}
    train, test = rows["train.overall, mean"], rows["test.overall, mean"]
    assert (train.published, train.status) == ("-1.99", "exact")
    assert (test.published, test.ours, test.status) == ("-0.50", "-1.212", "differs")
    for measure in ("cosine", "mse"):
        tree = rows[f"baseline.decision_tree, {measure}"]
        assert tree.status == "exact"
        assert "the constant -2" in tree.why
