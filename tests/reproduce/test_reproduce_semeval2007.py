"""SemEval-2007's readings are counted, a participant is scored again, the rest says why not."""

from pathlib import Path

import pytest
from paper_figures import ours_of

from trope.reproduce.semeval2007 import reproduce


def test_ours_stand_below_the_systems_of_the_task() -> None:
    (table,) = reproduce(ours=ours_of("semeval2007")).tables
    names = [row[0] for row in table.rows]
    assert names[0] == "baseline"
    assert names[-1] == "trope: small"
    assert table.ours == {len(names) - 1}
    gyder = next(row for row in table.rows if row[0] == "GYDER")
    assert gyder[1:] == (".852", ".848", ".844", ".767")


def test_the_summary_needs_no_data() -> None:
    report = reproduce()
    statuses = report.statuses("5")
    assert statuses["differs"] == 2
    assert statuses["exact"] > 90
    assert report.statuses("1") == {"not computed": 18}


@pytest.mark.shared
def test_tables_on_the_research_data(shared: Path) -> None:
    report = reproduce(shared / "data")
    assert report.statuses("1") == {"as given": 18}  # counts of the files, no results
    train = [r for r in report.rows if r.table == "2" and r.what.endswith("organisation.train")]
    assert len(train) == 11
    assert {row.status for row in train} == {"as given"}
    scored = [r for r in report.rows if r.table == "3" and r.what.startswith(("XRCE", "base"))]
    assert {row.status for row in scored} == {"exact"}
    assert len(scored) == 6
    others = [r for r in report.rows if r.table == "3" and r not in scored]
    assert {row.status for row in others} == {"not available"}
