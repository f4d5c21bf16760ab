"""SemEval-2015 Task 11: the leaderboard with ours in it, rank correlations, errors in print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from trope.metrics.figures import Evaluation, Measurement
from trope.metrics.scale import score_scale, spearman
from trope.published import Cell, Published, read_published
from trope.reproduce.notes_file import read_notes
from trope.reproduce.report import ReportTable, Reproduction, read_ours
from trope.reproduce.rows import OurValue, Place, all_rows, counted, estimated, measured
from trope.reproduce.semeval2015_errors import SETS, delivered_scores, errors_table
from trope.tasks.sentiment.categories import CATEGORIES
from trope.tasks.sentiment.submission import CONSTANT

PAPER = "semeval2015"
TOP = 10
_COLUMNS = ("all", *CATEGORIES)
_PREFIX = "sentiment.semeval2015."
_SHOWN = ("", "lexicon", "constant", "naive_bayes", "maximum_entropy", "decision_tree")


@dataclass(frozen=True, slots=True)
class Submission:
    """A run of Table 9: its team, its name, whether it is the one that was ranked, its cosines."""

    team: str
    name: str
    ranked: bool
    cosines: dict[str, float]


def reproduce(data: str | Path | None = None, ours: Iterable[str | Path] = ()) -> Reproduction:
    """Every table beside ours.

    Args:
        data: folder of the research data; without it, means are not measured on the tweets.
        ours: files that `trope evaluate sentiment --json` wrote.
    """
    printed, notes = read_published(PAPER), read_notes(PAPER)
    evaluations = read_ours(ours, "sentiment")
    folder = None if data is None else Path(data) / PAPER
    found = run_cells(printed) | baseline_cells(evaluations)
    if folder is not None:
        found |= {**mean_cells(folder), **constant_cells(folder)}
    tables = (
        leaderboard(printed, evaluations),
        category_board(printed, evaluations),
        rank_correlations(printed),
        errors_table(printed, folder),
    )
    rows = all_rows(printed, notes, found, data=data is not None)
    return Reproduction(notes, tuple(rows), tables)


def run_cells(printed: Published) -> dict[Place, OurValue]:
    """Teams and runs, counted in Table 9."""
    found = runs(printed)
    return {
        ("6.text", "teams", "count"): counted(len({run.team for run in found})),
        ("6.text", "runs", "count"): counted(len(found)),
    }


def mean_cells(folder: Path) -> dict[Place, OurValue]:
    """The number and the mean of all scores of each set, Tables 2 to 4."""
    cells: dict[Place, OurValue] = {}
    for table, split in SETS.items():
        scores = delivered_scores(folder, split)
        row = f"{split}.overall"
        cells[table, row, "count"] = counted(len(scores))
        cells[table, row, "mean"] = measured(sum(scores) / len(scores))
    return cells


def constant_cells(folder: Path) -> dict[Place, OurValue]:
    """What the constant that Table 5's decision tree equals gets on the test set."""
    gold = delivered_scores(folder, "test")
    score = score_scale(gold, [float(CONSTANT)] * len(gold))
    why = f"the row is the constant {CONSTANT}; a tree over bags of words does worse (leaderboard)"
    row = "baseline.decision_tree"
    pairs = {"cosine": score.cosine, "mse": score.mse}
    return {
        ("5", row, column): measured(value, 4, why)
        for column, value in pairs.items()
        if value is not None
    }


def baseline_cells(evaluations: Iterable[Evaluation]) -> dict[Place, OurValue]:
    """The two other baselines of Table 5, ours."""
    cells: dict[Place, OurValue] = {}
    for evaluation in evaluations:
        figures = {f.name.removeprefix(_PREFIX): f for f in evaluation.figures}
        for system in ("naive_bayes", "maximum_entropy"):
            for column in ("cosine", "mse"):
                figure = figures.get(f"test.{system}.{column}")
                if figure is not None and (ours := estimated(figure)):
                    cells["5", f"baseline.{system}", column] = ours
    return cells


def runs(printed: Published) -> list[Submission]:
    """The runs of Table 9 in its order; the first of a team is the one that was ranked."""
    found: dict[str, dict[str, float]] = {}
    for cell in _table(printed, "9"):
        found.setdefault(cell.row.removeprefix("run."), {})[cell.column] = cell.value
    teams: set[str] = set()
    rows = []
    for row, cosines in found.items():
        team, _, name = row.partition("/")
        rows.append(Submission(team, name, team not in teams, cosines))
        teams.add(team)
    return rows


def leaderboard(printed: Published, evaluations: Iterable[Evaluation]) -> ReportTable:
    """Table 6 and our systems, by cosine; what the paper's text lacks stays empty."""
    rows: list[tuple[float, tuple[str, ...], bool]] = []
    for team in dict.fromkeys(cell.row for cell in _table(printed, "6")):
        name = team.removeprefix("team.")
        cosine, mse = (printed.find(team, column) for column in ("cosine", "mse"))
        order = next(run.cosines["all"] for run in runs(printed) if run.team == name)
        rows.append((order, (name, _printed(cosine), "", _printed(mse), ""), False))
    for name, system, figures in _ours(evaluations):
        own = [figures.get(f"test{system}.{measure}") for measure in ("cosine", "mse")]
        if own[0] is not None and own[0].value is not None:
            measured = [text for figure in own for text in _measured(figure)]
            rows.append((own[0].value, (name, *measured), True))
    return _ranked(
        "Leaderboard: Table 6 and ours",
        ("system", "cosine", "95 %", "MSE", "95 %"),
        rows,
        "Ours in bold. The cosine of PRHLT cannot be read; Table 9 gives its place. Any negative "
        "constant has the cosine of `constant`.",
    )


def category_board(printed: Published, evaluations: Iterable[Evaluation]) -> ReportTable:
    """Table 9, ranked runs, and our systems: cosine by category."""
    rows: list[tuple[float, tuple[str, ...], bool]] = []
    for run in runs(printed):
        name = f"{run.team} {run.name}".strip() + ("" if run.ranked else " (not ranked)")
        cells = [f"{run.cosines[column]:.3f}" for column in _COLUMNS]
        rows.append((run.cosines["all"], (name, *cells), False))
    for name, system, figures in _ours(evaluations):
        own = [figures.get(f"{part}{system}.cosine") for part in ("test", *CATEGORIES)]
        if own[0] is not None and own[0].value is not None:
            rows.append((own[0].value, (name, *(_measured(figure)[0] for figure in own)), True))
    return _ranked(
        "Cosine by category: Table 9 and ours",
        ("system", *_COLUMNS),
        rows,
        "Ours in bold, with categories by rule: the test set's own labels are not in its files, so "
        "that the columns of categories are not strictly comparable.",
    )


def rank_correlations(printed: Published) -> ReportTable:
    """Spearman's correlation of the overall rank with that of each category, from Table 9."""
    all_runs = runs(printed)
    ranked = [run for run in all_runs if run.ranked]
    groups = {
        f"{len(ranked)} teams, ranked run": ranked,
        f"top {TOP} teams": ranked[:TOP],
        f"all {len(all_runs)} runs": all_runs,
        f"top {TOP} runs": sorted(all_runs, key=lambda run: -run.cosines["all"])[:TOP],
    }
    rows = []
    for name, group in groups.items():
        overall = [run.cosines["all"] for run in group]
        found = [spearman(overall, [r.cosines[c] for r in group]) for c in CATEGORIES]
        rows.append((name, *("–" if value is None else f"{value:.3f}" for value in found)))
    return ReportTable(
        "Rank correlations recomputed from Table 9",
        ("systems", *CATEGORIES),
        tuple(rows),
        "Metaphor separates the best systems; sarcasm and irony hardly do.",
    )


def _table(printed: Published, table: str) -> list[Cell]:
    return [cell for cell in printed.cells if cell.table == table]


def _ours(evaluations: Iterable[Evaluation]) -> list[tuple[str, str, dict[str, Measurement]]]:
    """For each system that was measured: its name, its part of a figure's name, all figures."""
    found = []
    for evaluation in evaluations:
        figures = {f.name.removeprefix(_PREFIX): f for f in evaluation.figures}
        for system in _SHOWN:
            own = f".{system}" if system else ""
            if f"test{own}.cosine" in figures:
                name = system.replace("_", " ") or evaluation.tier
                found.append((f"trope: {name}", own, figures))
    return found


def _printed(cell: Cell | None) -> str:
    return "" if cell is None else cell.printed


def _measured(figure: Measurement | None) -> tuple[str, str]:
    if figure is None or figure.value is None:
        return "", ""
    low, high = figure.low, figure.high
    return f"{figure.value:.3f}", "" if low is None else f"{low:.3f}–{high:.3f}"


def _ranked(
    title: str,
    columns: tuple[str, ...],
    rows: list[tuple[float, tuple[str, ...], bool]],
    note: str,
) -> ReportTable:
    rows = sorted(rows, key=lambda row: -row[0])
    ours = frozenset(at for at, row in enumerate(rows) if row[2])
    return ReportTable(title, columns, tuple(row[1] for row in rows), note, ours)
