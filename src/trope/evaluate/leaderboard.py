"""A leaderboard: ranks, intervals, minimum, maximum and average, and correlations of ranks.

Minimum, maximum and average over the systems are those of Table 5 of SemEval-2007 Task 8; the
correlation of ranks overall with ranks by category is that of Table 7 of SemEval-2015 Task 11. The
systems of both papers are here with their printed values.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any, Literal

import msgspec

from trope import __version__
from trope.metrics.figures import DataRef, Measurement
from trope.metrics.scale import spearman
from trope.published import Published
from trope.render.tables import ReportTable

FEWEST_RANKED = 3
"""With fewer systems, ranks have no correlation."""

_LOWER_IS_BETTER = "mse"

Values = Mapping[str, Measurement]
"""Figures by measure: "cosine", "sarcasm.cosine"."""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A system or a constant with its figures; `path` is empty where there is no file."""

    name: str
    kind: Literal["submission", "published", "constant"]
    figures: Values
    path: str = ""

    def value(self, measure: str) -> float | None:
        """The value of a measure, None where it is undefined or was not measured."""
        figure = self.figures.get(measure)
        return None if figure is None else figure.value


@dataclass(frozen=True, slots=True)
class SystemsSummary:
    """What the systems reach at the least, at the most and on average."""

    minimum: float
    maximum: float
    average: float


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The systems of a task, best first; the first measure ranks them, categories are parts.

    `beside_print` says what to mind where printed systems stand in the table of categories.
    """

    title: str
    measures: tuple[str, ...]
    categories: tuple[str, ...]
    systems: tuple[BoardRow, ...]
    constants: tuple[BoardRow, ...]
    beside_print: str = ""

    def ranks(self, measure: str) -> dict[str, int]:
        """The ranks of the systems from 1; equal values share the better one, undefined have none.

        Of mean squared errors the lowest is the best.
        """
        sign = -1 if measure.endswith(_LOWER_IS_BETTER) else 1
        values = {row.name: row.value(measure) for row in self.systems}
        known = {name: sign * value for name, value in values.items() if value is not None}
        return {name: 1 + sum(v > own for v in known.values()) for name, own in known.items()}

    def summary(self, measure: str) -> SystemsSummary | None:
        """Minimum, maximum and average over the systems."""
        values = [row.value(measure) for row in self.systems if measure in row.figures]
        # a system without errors has no shares of them, rather than shares of 0
        scores = not measure.endswith(_LOWER_IS_BETTER) and not measure.startswith("errors.")
        return summarise(values, zero=scores)

    def correlation(self, category: str) -> float | None:
        """Spearman's correlation of the ranks overall and in a category."""
        pairs = [(row.value(self.measures[0]), row.value(category)) for row in self.systems]
        return rank_correlation(pairs)


def summarise(values: Sequence[float | None], *, zero: bool = True) -> SystemsSummary | None:
    """Minimum, maximum and average; None where nothing is defined.

    With `zero`, undefined scores count as 0 in the average, as the organisers of SemEval-2007 did.
    """
    known = [value for value in values if value is not None]
    if not known:
        return None
    average = sum(known) / len(values) if zero else fmean(known)
    return SystemsSummary(min(known), max(known), average)


def rank_correlation(pairs: Iterable[tuple[float | None, float | None]]) -> float | None:
    """Spearman's correlation of two measures over the systems for which both are defined."""
    known = [(one, other) for one, other in pairs if one is not None and other is not None]
    if len(known) < FEWEST_RANKED:
        return None
    return spearman([one for one, _ in known], [other for _, other in known])


def best_first(rows: Iterable[BoardRow], measure: str) -> tuple[BoardRow, ...]:
    """The rows by the value of a measure, undefined ones last."""

    def place(row: BoardRow) -> float:
        value = row.value(measure)
        return math.inf if value is None else -value

    return tuple(sorted(rows, key=place))


def as_tables(board: Leaderboard) -> list[ReportTable]:
    """The board as tables: systems and constants, categories, summary, correlations of ranks."""
    tables = [_main_table(board)]
    if board.categories:
        tables.append(_category_table(board))
    tables.append(_summary_table(board))
    if board.categories and len(board.systems) >= FEWEST_RANKED:
        tables.append(_correlation_table(board))
    return tables


def _main_table(board: Leaderboard) -> ReportTable:
    main, *others = board.measures
    ranks = board.ranks(main)
    rows = [
        (
            row.name,
            str(ranks.get(row.name, "–")) if row.kind != "constant" else "",
            _shown(row.value(main)),
            _interval(row.figures.get(main)),
            *(_shown(row.value(measure)) for measure in others),
        )
        for row in (*board.systems, *board.constants)
    ]
    notes = ["Rows without a rank are constants; a system must beat them."]
    if any(row.kind == "published" for row in board.systems):
        notes.append("Systems without an interval have their printed values; submissions are bold.")
    notes += [
        f"{row.name}: {figure.note}."
        for row in board.systems
        if row.kind == "submission" and (figure := row.figures.get(main)) and figure.note
    ]
    columns = ("system", "rank", main, "95 %", *others)
    return ReportTable(board.title, columns, tuple(rows), " ".join(notes), _submitted(board))


def _submitted(board: Leaderboard) -> frozenset[int]:
    """The submissions, where printed systems stand beside them."""
    mixed = any(row.kind == "published" for row in board.systems)
    found = {at for at, row in enumerate(board.systems) if row.kind == "submission"}
    return frozenset(found if mixed else ())


def _category_table(board: Leaderboard) -> ReportTable:
    ranks = {category: board.ranks(category) for category in board.categories}

    def cell(row: BoardRow, category: str) -> str:
        place = ranks[category].get(row.name) if row.kind != "constant" else None
        return _shown(row.value(category)) + ("" if place is None else f" ({place})")

    rows = tuple(
        (row.name, *(cell(row, category) for category in board.categories))
        for row in (*board.systems, *board.constants)
    )
    title = f"{board.title}: categories, with ranks"
    ours = _submitted(board)
    note = board.beside_print if ours else ""
    return ReportTable(title, ("system", *board.categories), rows, note, ours)


def _summary_table(board: Leaderboard) -> ReportTable:
    rows = []
    for measure in (*board.measures, *board.categories):
        found = board.summary(measure)
        values = (None,) * 3 if found is None else (found.minimum, found.maximum, found.average)
        constants = [_shown(row.value(measure)) for row in board.constants]
        rows.append((measure, *map(_shown, values), *constants))
    columns = ("measure", "minimum", "maximum", "average", *(row.name for row in board.constants))
    count = f"{len(board.systems)} system{'' if len(board.systems) == 1 else 's'}"
    return ReportTable(f"{board.title}: over {count}", columns, tuple(rows))


def _correlation_table(board: Leaderboard) -> ReportTable:
    rows = tuple((category, _shown(board.correlation(category))) for category in board.categories)
    title = f"{board.title}: correlation of ranks"
    columns = ("category", f"Spearman with {board.measures[0]}")
    return ReportTable(title, columns, rows, f"Over {len(board.systems)} systems.")


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _interval(figure: Measurement | None) -> str:
    if figure is None or figure.low is None:
        return ""
    return f"{figure.low:.3f} to {figure.high:.3f}"


def as_json(task: str, gold: str, checksum: str, boards: Iterable[Leaderboard]) -> str:
    """All boards with one gold file as one JSON document, ending in a line break."""
    document = {
        "trope": __version__,
        "task": task,
        "gold": {"name": gold, "sha256": checksum},
        "boards": [_document(board) for board in boards],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def _document(board: Leaderboard) -> dict[str, Any]:
    ranks = {measure: board.ranks(measure) for measure in (*board.measures, *board.categories)}
    return {
        "title": board.title,
        "measures": board.measures,
        "categories": board.categories,
        "systems": [
            {**_row_document(row), "ranks": {m: own.get(row.name) for m, own in ranks.items()}}
            for row in board.systems
        ],
        "constants": [_row_document(row) for row in board.constants],
        "summary": {measure: board.summary(measure) for measure in ranks},
        "rank_correlations": {one: board.correlation(one) for one in board.categories},
    }


def _row_document(row: BoardRow) -> dict[str, Any]:
    figures = {measure: msgspec.to_builtins(figure) for measure, figure in row.figures.items()}
    return {"name": row.name, "kind": row.kind, "file": row.path, "figures": figures}


@dataclass(frozen=True, slots=True)
class PrintedRun:
    """A run of Table 9: its team, its name, whether it is the one that was ranked, its cosines."""

    team: str
    name: str
    ranked: bool
    cosines: dict[str, str]


def printed_runs(printed: Published) -> list[PrintedRun]:
    """The runs of Table 9 of SemEval-2015; the first of a team is the one that was ranked."""
    found: dict[str, dict[str, str]] = {}
    for cell in printed.cells:
        if cell.table == "9":
            found.setdefault(cell.row.removeprefix("run."), {})[cell.column] = cell.printed
    teams: set[str] = set()
    rows = []
    for row, cosines in found.items():
        team, _, name = row.partition("/")
        rows.append(PrintedRun(team, name, team not in teams, cosines))
        teams.add(team)
    return rows


def printed_tweet_systems(printed: Published) -> dict[str, Values]:
    """The ranked run of each team of SemEval-2015: cosines of Table 9, errors of Table 6."""
    found: dict[str, Values] = {}
    for run in printed_runs(printed):
        if not run.ranked:
            continue
        cells = {
            "cosine" if column == "all" else f"{column}.cosine": _printed(shown, "Table 9")
            for column, shown in run.cosines.items()
        }
        if error := printed.find(f"team.{run.team}", "mse"):
            cells["mse"] = _printed(error.printed, "Table 6")
        found[run.team] = cells
    return found


def printed_name_systems(printed: Published, place: str) -> dict[str, Values]:
    """The official results of SemEval-2007 Task 8 for "location.coarse" and the like."""
    found: dict[str, dict[str, Measurement]] = {}
    for cell in printed.cells:
        if cell.table != "full" or cell.row in ("gold", "baseline"):
            continue
        if cell.column.startswith(f"{place}."):
            label, _, score = cell.column.removeprefix(f"{place}.").rpartition(".")
            measure = f"{score}.{label}" if label else score
            found.setdefault(cell.row, {})[measure] = _printed(cell.printed, "official results")
    return dict(found)


def _printed(shown: str, where: str) -> Measurement:
    value = None if shown == "undef" else float(shown)
    note = f"printed: {where}" if value is not None else f"undefined in print: {where}"
    return Measurement(where, value, None, None, 0, DataRef("", where, ""), note=note)
