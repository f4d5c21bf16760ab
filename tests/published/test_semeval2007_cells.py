"""The printed tables hold together, and the official results give them."""

from collections import Counter

import pytest

from trope.corpora.semeval2007 import read_samples
from trope.corpora.semeval2007_answers import key_of, read_submission
from trope.evaluate.metonymy import rounded, table_5
from trope.lexicon.readings import GRANULARITIES, labels
from trope.metrics.metonymy import score_names
from trope.published import read_published

PUBLISHED = read_published("semeval2007")
# averaged by the authors from rounded figures: a unit in the last place
OFF_BY_ONE = {
    ("organisation.medium.accuracy", "ave"),
    ("organisation.medium.mixed.f", "ave"),
}


def cells(table):
    return {(c.row, c.column): c.printed for c in PUBLISHED.cells if c.table == table}


def test_no_cell_is_given_twice():
    places = Counter((cell.row, cell.column) for cell in PUBLISHED.cells)
    assert max(places.values()) == 1


@pytest.mark.parametrize("table", ["1", "2"])
def test_columns_add_up(table):
    counts = cells(table)
    for column in {column for _, column in counts}:
        own = {row: int(value) for (row, place), value in counts.items() if place == column}
        assert sum(own.values()) == 2 * own["total"]


@pytest.mark.parametrize("table", ["3", "4"])
def test_accuracies_are_those_of_the_official_results(table):
    full = cells("full")
    for (system, column), printed in cells(table).items():
        assert rounded(float(full[system, f"{column}.accuracy"])) == printed


def test_table_5_follows_from_the_official_results():
    ours, printed = table_5(PUBLISHED), cells("5")
    assert len(ours) > 80
    unequal = {place for place, value in ours.items() if printed[place] != value}
    assert unequal == OFF_BY_ONE


@pytest.mark.shared
@pytest.mark.parametrize("level", GRANULARITIES)
def test_rescoring_a_participant_gives_the_official_results(shared, level):
    folder = shared / "data" / "semeval2007"
    samples = {one.id: one for one in read_samples(folder / "SemEval.test.xml")}
    submission = read_submission(folder / "XRCE-M" / "toSend" / f"XRCE-M.location.{level}")
    key = key_of(samples, level, "gold")
    scores = score_names(key.labels, submission.labels, labels("location", level))
    full = cells("full")
    official = {c: v for (system, c), v in full.items() if system == "XRCE-M"}
    prefix = f"location.{level}"
    ours = {f"{prefix}.accuracy": scores.accuracy, f"{prefix}.coverage": scores.coverage}
    for label, one in scores.classes.items():
        ours[f"{prefix}.{label}.precision"] = one.precision
        ours[f"{prefix}.{label}.recall"] = one.recall
        ours[f"{prefix}.{label}.f"] = one.f
    wanted = {place: value for place, value in official.items() if place.startswith(prefix)}
    assert set(ours) == set(wanted)
    for place, value in ours.items():
        official_value = None if wanted[place] == "undef" else float(wanted[place])
        assert value == pytest.approx(official_value, abs=1e-14), place


@pytest.mark.shared
def test_changed_answers_change_the_scores_by_what_they_should(shared):
    folder = shared / "data" / "semeval2007"
    samples = {one.id: one for one in read_samples(folder / "SemEval.test.xml")}
    answers = read_submission(folder / "XRCE-M" / "toSend" / "XRCE-M.location.coarse").labels
    gold = key_of(samples, "coarse", "gold").labels
    kinds = labels("location", "coarse")
    # 773 of 908 are right: 692 of 798 literal answers, 81 of 110 others; 721 and 187 are gold
    literal = next(s for s in gold if gold[s] == answers[s] == "literal")
    other = next(s for s in gold if gold[s] == answers[s] == "non-literal")
    missed = next(s for s in gold if gold[s] == "non-literal" and answers[s] == "literal")
    changed = {**answers, literal: "non-literal", other: None, missed: None}
    scores = score_names(gold, changed, kinds)
    assert (scores.accuracy, scores.coverage) == (771 / 906, 906 / 908)
    assert scores.all_accuracy == 771 / 908
    assert scores.classes["literal"].precision == 691 / 796
    assert scores.classes["literal"].recall == 691 / 721
    assert scores.classes["non-literal"].precision == 80 / 110
    assert scores.classes["non-literal"].f == 2 * 80 / (110 + 187)
    assert scores.all_classes["literal"].precision == 691 / 798
