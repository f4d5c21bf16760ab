"""NewsMet's counts come out of the released splits, and Tables 1 and 5 out of evaluations."""

import json
from pathlib import Path

import pytest
from paper_figures import ours_of

from conftest import REPOSITORY
from trope.core.errors import BadInput
from trope.encoder.models import known_models
from trope.metrics.figures import read_evaluation
from trope.published import read_published
from trope.reproduce.newsmet import (
    count_cells,
    diversity_cells,
    literal_headlines,
    read_splits,
    reproduce,
    split_table,
)

HEADER = "Text,label,sample_type"
WORDS = ["grows", "eats", "holds", "keeps", "sings", "meets"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [HEADER, "Town council builds a small new bridge,0,gold"]
    rows += [
        f"Town council {word} a small new bridge,{int(at < 2)},gold_plus"
        for at, word in enumerate(WORDS)
    ]
    rows.append("Storm swallows the whole little harbour town,1,gold")
    for split in ("train", "val", "test"):
        text = "\n".join(rows).replace("small", f"{split}-sized").replace("little", f"{split} old")
        (tmp_path / f"{split}_goldplus.csv").write_text(text + "\n", encoding="utf-8")
    return tmp_path


def test_counts_of_accepted_and_rejected_candidates(folder: Path) -> None:
    splits = read_splits(folder)
    cells = count_cells(splits, read_published("newsmet"))
    shown = {place: ours.shown for place, ours in cells.items()}
    assert shown["2", "metaphorical headlines", "gold"] == "3"
    assert shown["2", "metaphorical headlines", "new"] == "6"  # two accepted in each split
    assert shown["2", "literal headline and verb", "new"] == "0"
    assert shown["2", "valid headlines", "sum"] == "12"
    assert shown["4.1", "literal headlines with a metaphorical reading", "count"] == "3"
    assert shown["4.1", "metaphorical headlines with a literal reading", "count"] == "0"
    assert shown["4.2.1", "literal, no candidate accepted", "percent"] == "0.0"
    assert shown["4.2.1", "literal, one candidate accepted", "percent"] == "0.0"
    assert shown["4.3", "rows of the test split", "value"] == "8"
    assert split_table(splits).rows[-1] == ("all", "3", "3", "6", "12", "24")


def test_candidates_of_literal_headlines_alone_are_clustered(folder: Path) -> None:
    splits = read_splits(folder)
    (offered,) = literal_headlines(splits["train"])
    assert (offered.words[offered.at], offered.candidates) == ("builds", tuple(WORDS))
    shown = {place: ours.shown for place, ours in diversity_cells(splits).items()}
    assert sum(int(shown["4.2.3", str(n), "headlines"]) for n in range(1, 7)) == 3
    assert ("4", "has", "diversity") not in shown


def test_detectors_stand_beside_the_printed_ones() -> None:
    report = reproduce(ours=ours_of("newsmet"))
    rows = {row.what: row for row in report.rows if row.table == "5"}
    row = rows["d_imbal_gold_plus_all_six, test.accuracy"]
    assert row.published == "0.61"
    assert row.ours.startswith("0.61 (")
    assert "encoder" in row.why  # which one it was is said
    controls, provenance = report.tables[:2]
    assert controls.rows[0] == ("constant", "0.57", "0.57", "1.00", "0.72")
    of_run = {row[0]: row for row in provenance.rows}
    assert of_run["d_imbal"][1:3] == ("e5hf", "c650bffdc8e3")
    ships = known_models()["small"].files[0].sha256  # the figures carry the sum of what ships
    assert of_run["none of these tables"][1:3] == ("small, which ships", ships[:12])
    notes = REPOSITORY / "src" / "trope" / "reproduce" / "notes" / "newsmet.toml"
    assert f"the model that ships ({ships[:12]})" in notes.read_text("utf-8")
    assert "trope train metaphor --silver" in provenance.note


def test_figures_of_the_papers_page_are_those_of_the_results() -> None:
    recorded = {
        figure["name"]: figure
        for figure in json.loads((REPOSITORY / "docs" / "figures.json").read_text("utf-8"))[
            "figures"
        ]
        if figure["tier"] == "small"
    }
    (path,) = ours_of("newsmet")
    evaluation = read_evaluation(path)
    for figure in evaluation.figures:
        own = recorded[figure.name]
        assert own["model_sha256"] == evaluation.model_sha256
        assert own["value"] == pytest.approx(figure.value, abs=1e-4)


def test_figures_of_another_task_are_refused() -> None:
    with pytest.raises(BadInput, match="figures of analogy"):
        reproduce(ours=ours_of("mean"))


@pytest.mark.shared
def test_the_released_splits_give_table_2(shared: Path) -> None:
    rows = {(r.table, r.what): r for r in reproduce(shared / "data").rows}
    for place, published in {
        ("2", "metaphorical headlines, gold"): "594",
        ("2", "literal headline and verb, gold"): "611",
        ("2", "metaphorical headlines, new"): "1,009",
        ("2", "literal headline and verb, new"): "455",
        ("4.1", "metaphorical headlines with a literal reading, count"): "266",
        ("4.1", "literal headlines with a metaphorical reading, count"): "445",
        ("4.3", "rows of the test split, value"): "546",
    }.items():
        assert (rows[place].published, rows[place].ours) == (published, published)
        assert rows[place].status == "as given"
    for verb in ("has", "Win", "propose"):
        assert rows["4", f"{verb}, diversity"].status == "exact"
    shares = [row for (table, what), row in rows.items() if table == "4.2.3" and "percent" in what]
    assert {row.status for row in shares} == {"within the interval"}
    assert rows["2", "invalid, gold"].status == "not available"
    assert "newsmet.csv" in rows["2", "invalid, gold"].why
