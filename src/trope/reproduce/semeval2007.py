"""SemEval-2007 Task 8: readings counted, a participant scored again, the summary made again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from trope.corpora.semeval2007 import read_company_labels, read_samples
from trope.corpora.semeval2007_answers import key_of, read_submission
from trope.evaluate.metonymy import rounded, table_5
from trope.lexicon.readings import GRANULARITIES, NAME_CLASSES, labels
from trope.metrics.figures import Evaluation
from trope.metrics.metonymy import score_names
from trope.published import Published, read_published
from trope.render.tables import ReportTable
from trope.reproduce.report import Reproduction, read_ours
from trope.reproduce.rows import OurValue, Place, all_rows, counted, measured, read_notes
from trope.tasks.metonymy.samples import count_readings

PAPER = "semeval2007"
LITERAL = "literal"
_SYSTEMS = ("", "roles", "shallow", "majority")


def reproduce(data: str | Path | None = None, ours: Iterable[str | Path] = ()) -> Reproduction:
    """Every table, and our systems beside those of the task.

    Args:
        data: folder of the research data; without it nothing is counted or scored.
        ours: files that `trope evaluate metonymy --json` wrote.
    """
    printed, notes = read_published(PAPER), read_notes(PAPER)
    evaluations = read_ours(ours, "metonymy")
    found = summary_cells(printed)
    if data is not None:
        folder = Path(data) / PAPER
        found |= {**reading_cells(folder), **accuracy_cells(folder)}
    rows = all_rows(printed, notes, found, data=data is not None)
    return Reproduction(notes, tuple(rows), (system_table(printed, evaluations),))


def reading_cells(folder: Path) -> dict[Place, OurValue]:
    """Tables 1 and 2: how often each reading occurs in the samples at hand."""
    found: dict[Place, OurValue] = {}
    for table, column, name in (
        ("1", "location.train", "SemEval.train.xml"),
        ("1", "location.test", "SemEval.test.xml"),
        ("2", "organisation.train", "comp_toparse.train.gz"),
    ):
        name_class = "location" if table == "1" else "organisation"
        counts = count_readings(read_samples(folder / name), name_class)  # type: ignore[arg-type]
        found |= {(table, row, column): counted(count) for row, count in counts.items()}
    companies = [literal for _, literal in read_company_labels(folder / "companies_test.json")]
    found["2", LITERAL, "organisation.test"] = counted(sum(companies))
    found["2", "total", "organisation.test"] = counted(len(companies))
    return found


def accuracy_cells(folder: Path) -> dict[Place, OurValue]:
    """Table 3's rows of XRCE-M and the baseline, Table 4's baseline: answers scored again."""
    samples = {sample.id: sample for sample in read_samples(folder / "SemEval.test.xml")}
    companies = [literal for _, literal in read_company_labels(folder / "companies_test.json")]
    found: dict[Place, OurValue] = {}
    for level in GRANULARITIES:
        key = key_of(samples, level, "gold").labels
        gold = {sample: label for sample, label in key.items() if label is not None}
        submitted = read_submission(folder / "XRCE-M" / "toSend" / f"XRCE-M.location.{level}")
        for row, answers in (
            ("XRCE-M", submitted.labels),
            ("baseline", dict.fromkeys(gold, LITERAL)),
        ):
            accuracy = score_names(gold, answers, labels("location", level)).accuracy
            if accuracy is not None:
                found["3", row, f"location.{level}"] = measured(accuracy, 4)
        share = sum(companies) / len(companies)
        found["4", "baseline", f"organisation.{level}"] = measured(share, 4)
    return found


def summary_cells(printed: Published) -> dict[Place, OurValue]:
    """Table 5 from the organisers' results in full."""
    why = "from the organisers' results in full"
    found = {
        ("5", row, column): OurValue(shown, why=why)
        for (row, column), shown in table_5(printed).items()
    }
    for name_class in NAME_CLASSES:
        for level in GRANULARITIES:
            row = f"{name_class}.{level}.accuracy"
            cell = printed.find("baseline", row)
            if cell is not None:
                found["5", row, "base"] = OurValue(rounded(cell.value), why=why)
    return found


def system_table(printed: Published, evaluations: Sequence[Evaluation]) -> ReportTable:
    """Accuracies of the task's systems and of ours."""
    columns = [f"location.{level}" for level in GRANULARITIES] + ["organisation.coarse"]
    systems = dict.fromkeys(cell.row for cell in printed.cells if cell.table in ("3", "4"))
    rows: list[tuple[str, ...]] = []
    for system in systems:
        cells = [printed.find(system, column) for column in columns]
        rows.append((system, *("" if cell is None else cell.printed for cell in cells)))
    first = len(rows)
    for evaluation in evaluations:
        figures = {figure.name: figure.value for figure in evaluation.figures}
        for system in _SYSTEMS:
            part = f".{system}" if system else ""
            values = [figures.get(f"metonymy.{PAPER}.{c}{part}.accuracy") for c in columns]
            if any(value is not None for value in values):
                name = f"trope: {system or evaluation.tier}"
                rows.append((name, *("" if v is None else rounded(v) for v in values)))
    note = "Ours in bold; companies are scored at the coarse level, for want of their fine gold."
    return ReportTable(
        "Tables 3 and 4, and our systems: accuracy",
        ("system", *columns),
        tuple(rows),
        note,
        frozenset(range(first, len(rows))),
    )
