"""The tweet study: settings and lists come from the package, judgments from nowhere."""

from pathlib import Path

import pytest

from trope.core.errors import BadInput
from trope.reproduce.tweets2019 import possible_counts, reproduce


def test_nothing_of_the_data_set_is_filled_in() -> None:
    report = reproduce()
    for table in ("2", "3", "4", "5", "6"):
        assert set(report.statuses(table)) == {"not available"}


def test_settings_are_those_of_the_template() -> None:
    rows = {row.what: row for row in reproduce().rows if row.table == "4.2"}
    assert rows["dollars an hour, count"].ours == "12.00"
    assert {row.status for row in rows.values()} == {"as given"}


def test_shares_that_no_count_has() -> None:
    assert possible_counts("50.0", 4) == [2]
    assert possible_counts("33.3", 3) == [1]
    assert possible_counts("66.6", 3) == [2]  # cut off
    assert possible_counts("49.54", 1070) == []
    assert possible_counts("58.16", 1391) == [809]


def test_the_second_share_of_the_emotional_tweets_fits_nothing() -> None:
    (table,) = reproduce().tables
    rows = {row[0]: row[2] for row in table.rows}
    assert "540 of 1070" in rows["emotional: metaphor, percent"]
    assert rows["emotional: not metaphor, percent"] == "none"


def test_figures_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="leave --ours out"):
        reproduce(ours=[tmp_path])
