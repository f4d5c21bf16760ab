"""Errors in the printed tables of SemEval-2015 Task 11, shown by recomputation."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from trope.corpora.semeval2015 import FILES, SplitName
from trope.corpora.tweet_ids import read_scored_ids
from trope.metrics.scale import score_scale
from trope.published import Published
from trope.reproduce.report import ReportTable
from trope.tasks.sentiment.submission import CONSTANT

SETS: dict[str, SplitName] = {"2": "trial", "3": "train", "4": "test"}
"""The table that describes each set."""
_OPEN = "not measured"


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
