"""SemEval-2015 Task 11: the leaderboard with ours in it, rank correlations, errors in print."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from trope.corpora.semeval2015 import FILES, SplitName
from trope.corpora.tweet_ids import read_scored_ids
from trope.evaluate.leaderboard import printed_runs, rank_correlation
from trope.metrics.figures import Evaluation, Measurement
from trope.metrics.scale import score_scale
from trope.published import Cell, Published, read_published
from trope.render.tables import ReportTable
from trope.reproduce.report import Reproduction, read_ours
from trope.reproduce.rows import OurValue, Place, all_rows, counted, estimated, measured, read_notes
from trope.tasks.sentiment.categories import CATEGORIES
from trope.tasks.sentiment.submission import CONSTANT

PAPER = "semeval2015"
TOP = 10
_COLUMNS = ("all", *CATEGORIES)
_PREFIX = "sentiment.semeval2015."
_SHOWN = ("", "lexicon", "constant", "naive_bayes", "maximum_entropy", "decision_tree")

SETS: dict[str, SplitName] = {"2": "trial", "3": "train", "4": "test"}
"""The table that describes each set."""

_OPEN = "not measured"


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
    found = printed_runs(printed)
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


def leaderboard(printed: Published, evaluations: Iterable[Evaluation]) -> ReportTable:
    """Table 6 and our systems, by cosine; what the paper's text lacks stays empty."""
    rows: list[tuple[float, tuple[str, ...], bool]] = []
    for team in dict.fromkeys(cell.row for cell in _table(printed, "6")):
        name = team.removeprefix("team.")
        cosine, mse = (printed.find(team, column) for column in ("cosine", "mse"))
        order = next(float(run.cosines["all"]) for run in printed_runs(printed) if run.team == name)
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
    for run in printed_runs(printed):
        name = f"{run.team} {run.name}".strip() + ("" if run.ranked else " (not ranked)")
        cells = [f"{float(run.cosines[column]):.3f}" for column in _COLUMNS]
        rows.append((float(run.cosines["all"]), (name, *cells), False))
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
    all_runs = printed_runs(printed)
    ranked = [run for run in all_runs if run.ranked]
    groups = {
        f"{len(ranked)} teams, ranked run": ranked,
        f"top {TOP} teams": ranked[:TOP],
        f"all {len(all_runs)} runs": all_runs,
        f"top {TOP} runs": sorted(all_runs, key=lambda run: -float(run.cosines["all"]))[:TOP],
    }
    rows = []
    for name, group in groups.items():
        found = [
            rank_correlation((float(run.cosines["all"]), float(run.cosines[c])) for run in group)
            for c in CATEGORIES
        ]
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


@dataclass(frozen=True, slots=True)
class Finding:
    """Something printed beside what it should be, and what follows."""

    table: str
    what: str
    printed: str
    recomputed: str
    verdict: str


def errors_table(printed: Published, folder: Path | None) -> ReportTable:
    """All findings as a table; without a folder of the tweets, nothing is measured on them."""
    found = [
        *mean_findings(printed, folder),
        *baseline_findings(printed, folder),
        *ranking_findings(printed),
    ]
    return ReportTable(
        "Errors in print, by recomputation",
        ("table", "what", "printed", "recomputed", "verdict"),
        tuple((f.table, f.what, f.printed, f.recomputed, f.verdict) for f in found),
    )


def mean_findings(printed: Published, folder: Path | None) -> list[Finding]:
    """Tables 2 to 4: the overall mean against the rows' mean, and against the tweets'."""
    found = []
    for table, split in SETS.items():
        rows = _rows(printed, split)
        overall = rows.pop("overall")
        total = sum(count for count, _ in rows.values())
        weighted = sum(count * mean for count, mean in rows.values()) / total
        measured = None if folder is None else _measured_mean(folder, split)
        shown = f"rows {weighted:.3f}, tweets {'–' if measured is None else f'{measured:.3f}'}"
        found.append(
            Finding(
                table,
                f"mean of all {split} tweets",
                f"{overall[1]:.2f}",
                shown,
                _mean_verdict(overall[1], weighted, measured),
            )
        )
        if measured is not None and abs(overall[1] - measured) < 0.005 < abs(weighted - measured):
            count, mean = rows["metaphor"]
            needed = (measured * total - weighted * total) / count + mean
            found.append(
                Finding(table, "mean of Metaphor", f"{mean:.2f}", f"{needed:.2f}",
                        "what it would be, were the other rows right")
            )  # fmt: skip
    return found


def baseline_findings(printed: Published, folder: Path | None) -> list[Finding]:
    """Table 5: the row of the decision tree is a constant."""
    cells = [printed.find("baseline.decision_tree", name) for name in ("cosine", "mse")]
    shown = " / ".join(cell.printed for cell in cells if cell is not None)
    if folder is None:
        return [Finding("5", "decision tree, cosine / MSE", shown, "–", _OPEN)]
    gold = [row.score for row in read_scored_ids(folder / FILES["test"])]
    score = score_scale(gold, [float(CONSTANT)] * len(gold))
    near = all(
        cell is not None and value is not None and abs(cell.value - value) < 0.001
        for cell, value in zip(cells, (score.cosine, score.mse), strict=True)
    )
    verdict = f"the row is the constant {CONSTANT}" if near else "no constant"
    given = f"{score.cosine:.4f} / {score.mse:.4f}"
    return [Finding("5", "decision tree, cosine / MSE", shown, given, verdict)]


def ranking_findings(printed: Published) -> list[Finding]:
    """Tables 6 and 9: cosines that differ, places that are swapped, runs that are one."""
    first: dict[str, str] = {}
    for cell in printed.cells:
        if cell.table == "9" and cell.column == "all":
            first.setdefault(cell.row.removeprefix("run.").partition("/")[0], cell.printed)
    found = []
    teams = [t.removeprefix("team.") for t in _names(printed, "6")]
    for team in teams:
        own = printed.find(f"team.{team}", "cosine")
        if own is None:
            found.append(Finding("6", f"cosine of {team}", "illegible", first[team], "in Table 9"))
        elif abs(own.value - float(first[team])) >= 0.00055:
            found.append(
                Finding("6", f"cosine of {team}", own.printed, first[team], "Table 9 differs")
            )
    order = sorted(teams, key=lambda team: -float(first[team]))
    for at, (one, other) in enumerate(zip(teams, order, strict=True), start=1):
        if one != other:
            found.append(
                Finding("6", f"place {at}", one, other, "by the longer cosines of Table 9")
            )
    return [*found, *_same_runs(printed)]


def _same_runs(printed: Published) -> list[Finding]:
    values: dict[tuple[str, ...], str] = {}
    found = []
    for row in _names(printed, "9"):
        own = tuple(c.printed for c in printed.cells if c.table == "9" and c.row == row)
        name = row.removeprefix("run.")
        if own in values:
            found.append(
                Finding("9", name, " ".join(own), values[own], "equal in every column: one run")
            )
        values.setdefault(own, name)
    return found


def _rows(printed: Published, split: str) -> dict[str, tuple[int, float]]:
    rows: dict[str, tuple[int, float]] = {}
    for cell in printed.cells:
        if cell.row.startswith(f"{split}.") and cell.column == "mean":
            count = printed.find(cell.row, "count")
            name = cell.row.removeprefix(f"{split}.")
            rows[name] = (0 if count is None else int(count.printed), cell.value)
    return rows


def delivered_scores(folder: Path, split: SplitName) -> list[float]:
    """All scores of a set that the organisers delivered, with or without a text."""
    rows = read_scored_ids(folder / FILES[split], score_at=2 if split == "train" else 1)
    return [row.score for row in rows]


def _measured_mean(folder: Path, split: SplitName) -> float:
    return fmean(delivered_scores(folder, split))


def _mean_verdict(overall: float, rows: float, measured: float | None) -> str:
    if measured is None:
        return "rows and overall agree" if abs(overall - rows) < 0.005 else "they differ"
    right = [
        name
        for name, value in (("overall", overall), ("rows", rows))
        if abs(value - measured) < 0.005
    ]
    return f"right: {', '.join(right)}" if right else "neither is right: use the tweets'"


def _names(printed: Published, table: str) -> list[str]:
    return list(dict.fromkeys(cell.row for cell in printed.cells if cell.table == table))
