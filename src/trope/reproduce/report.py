"""A reproduction: one row per printed value, shown as text, JSON, HTML or the page of the paper.

What a run of our recipe counted stands beside the counts that the paper prints. The texts are
others than the paper's, so that nothing of it is a row of the reproduction. A funnel ends before
anybody judges, or with what people judged, so that no simulated crowd is in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from trope import __version__
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.metrics.figures import Evaluation, read_evaluation
from trope.render.tables import ReportTable, html_page, markdown, text_page
from trope.reproduce.rows import STATUSES, Claim, PaperNotes, ReportRow

_SIMULATED = ".simulated_"
"""What the names of test sets begin with that nobody judged but a simulated crowd."""

GENERATED = "<!-- written by `trope reproduce {paper} --write`; edit the notes, not this page -->"
FILE = "funnel.json"


@dataclass(frozen=True, slots=True)
class Reproduction:
    """All that a paper prints beside ours; `tables` show more of ours, or more of its errors."""

    notes: PaperNotes
    rows: tuple[ReportRow, ...]
    tables: tuple[ReportTable, ...] = ()

    @property
    def title(self) -> str:
        """The title of the paper, shortened."""
        return self.notes.title

    def statuses(self, table: str = "") -> dict[str, int]:
        """How many rows have each status, of one table or of all."""
        counts = Counter(row.status for row in self.rows if table in ("", row.table))
        return {status: counts[status] for status in STATUSES if counts[status]}


def read_ours(paths: Iterable[str | Path], task: str) -> list[Evaluation]:
    """The evaluations in files of `trope evaluate`.

    Raises:
        BadInput: for figures of another task, or of a simulated crowd.
    """
    found = [read_evaluation(path) for path in paths]
    for evaluation in found:
        for figure in evaluation.figures:
            if _SIMULATED in figure.name:
                raise BadInput(
                    f"--ours has {figure.name}, which a simulated crowd made; give figures of "
                    "labels that people gave"
                )
        if evaluation.task != task:
            raise BadInput(f"--ours has figures of {evaluation.task}; give those of {task}")
    return found


def table_name(name: str) -> str:
    """How a printed table is called: "Table 3", "Figure 1", "Section 4.1"."""
    if name.startswith("figure"):
        return name[0].upper() + name[1:]
    if "." in name:
        return f"Section {name.removesuffix('.text')}"
    return f"Table {name}"


def shown_tables(report: Reproduction) -> list[ReportTable]:
    """Everything as tables: an overview, what is printed, the errors, and the further ones."""
    printed = [
        ReportTable(
            f"{table_name(table.name)}: {table.title}",
            ("what", "published", "ours", "status", "why"),
            tuple(
                (row.what, row.published, row.ours, row.status, row.why)
                for row in report.rows
                if row.table == table.name
            ),
        )
        for table in report.notes.tables
    ]
    return [overview(report), *printed, error_table(report.notes), *report.tables]


def overview(report: Reproduction) -> ReportTable:
    """How many cells of each table have each status."""
    rows = [
        (f"{table_name(t.name)}: {t.title}", *_counts(report.statuses(t.name)))
        for t in report.notes.tables
    ]
    rows.append(("all", *_counts(report.statuses())))
    return ReportTable("Overview: cells by status", ("printed", *STATUSES), tuple(rows))


def error_table(notes: PaperNotes) -> ReportTable:
    """Errors and gaps of the paper, and how we read them."""
    rows = tuple((error.where, error.problem, error.reading) for error in notes.errors)
    return ReportTable("Errors and gaps in print", ("where", "problem", "our reading"), rows)


def _counts(statuses: dict[str, int]) -> list[str]:
    return [str(statuses.get(status, "")) for status in STATUSES]


def as_text(report: Reproduction) -> str:
    """The report for a terminal or a Markdown page."""
    return text_page(report.title, report.notes.source, shown_tables(report))


def as_json(report: Reproduction) -> str:
    """The report as one JSON document, indented, ending in a line break."""
    document = {
        "trope": __version__,
        "paper": report.notes.paper,
        "title": report.title,
        "source": report.notes.source,
        "statuses": report.statuses(),
        "rows": [asdict(row) for row in report.rows],
        "errors": report.notes.errors,
        "tables": [
            {"title": t.title, "columns": t.columns, "rows": t.rows, "note": t.note}
            for t in report.tables
        ],
    }
    return msgspec.json.format(msgspec.json.encode(document), indent=1).decode() + "\n"


def as_html(report: Reproduction) -> str:
    """The report as one page that needs no network, in light and dark."""
    return html_page(report.title, report.notes.source, shown_tables(report))


def as_page(report: Reproduction) -> str:
    """The page in Markdown; it links the JSON file of all rows beside it."""
    notes = report.notes
    rows = f"[{notes.paper}.json]({notes.paper}.json)"
    parts = [f"# {notes.title}", "", GENERATED.format(paper=notes.paper), "", notes.source, ""]
    parts += [
        f"`trope reproduce {notes.paper} --from DATA` compares every table and figure of the paper",
        f"with ours. This page is the summary; {rows} has all rows.",
    ]
    for table in (claim_table(report), overview(report), difference_table(report)):
        if table.rows:
            parts += ["", f"## {table.title}", "", *markdown(table, padded=False)]
    errors = error_table(notes)
    if errors.rows:
        parts += ["", f"## {errors.title}", "", *markdown(errors, padded=False)]
    return "\n".join(parts) + "\n"


def claim_table(report: Reproduction) -> ReportTable:
    """One row for everything that the paper did."""
    rows = [
        (claim.section, claim.claim, claim.published, our_figure(report, claim), claim.deviation)
        for claim in report.notes.claims
    ]
    columns = ("section", "what the paper did", "published", "ours", "deviation")
    return ReportTable("The paper and trope", columns, tuple(rows))


def difference_table(report: Reproduction) -> ReportTable:
    """The cells whose published value lies outside our interval."""
    rows = [
        (table_name(row.table), row.what, row.published, row.ours, row.why)
        for row in report.rows
        if row.status == "differs"
    ]
    columns = ("where", "what", "published", "ours", "why")
    return ReportTable("What differs", columns, tuple(rows))


def our_figure(report: Reproduction, claim: Claim) -> str:
    """Our figures for a claim: a cell's with its status, a table's as counts of statuses."""
    return "; ".join(_figure(report, name) for name in claim.ours) or "no figure"


def _figure(report: Reproduction, name: str) -> str:
    row = find_row(report, name)
    if row is None:
        counts = report.statuses(name)
        return f"{table_name(name)}: " + ", ".join(f"{n} {s}" for s, n in counts.items())
    if not row.ours:
        return row.status
    return f"{row.ours} ({row.status})"


def find_row(report: Reproduction, name: str) -> ReportRow | None:
    """The row that "table/row/column" names, None for a table's name alone."""
    table, _, rest = name.partition("/")
    if not rest:
        return None
    what = ", ".join(rest.rsplit("/", 1))
    return next((r for r in report.rows if (r.table, r.what) == (table, what)), None)


class RunStep(msgspec.Struct, frozen=True):
    """A step of a recipe: how many came, how many stayed, in all and by group."""

    name: str
    out: int
    groups: dict[str, int] = {}
    facts: dict[str, Any] = {}


class PrintedCount(msgspec.Struct, frozen=True):
    """A count of the paper, and the step of the recipe that it belongs to."""

    step: str
    printed: str
    group: str = ""
    section: str = ""
    note: str = ""


class PaperFunnel(msgspec.Struct, frozen=True):
    """All steps of a run."""

    recipe: str
    steps: tuple[RunStep, ...]
    published: tuple[PrintedCount, ...] = ()


def read_funnel(folder: Path) -> PaperFunnel:
    """The funnel of a run.

    Raises:
        MissingData: for a folder without one.
        BadRecord: for a file that is none.
    """
    path = folder / FILE
    if not path.is_file():
        raise MissingData(path, "give the folder of a finished run of `trope recipe`")
    try:
        return msgspec.json.decode(path.read_bytes(), type=PaperFunnel)
    except msgspec.MsgspecError as error:
        raise BadRecord(
            path, None, f"is not the funnel of a run ({error}); run the recipe again"
        ) from None


def funnel_table(folder: Path, paper: str) -> ReportTable:
    """The printed counts beside those of a run of the paper's recipe.

    Raises:
        BadInput: for a run of another recipe.
    """
    funnel = read_funnel(folder)
    if funnel.recipe != paper:
        raise BadInput(f"{folder}: is a run of {funnel.recipe}; give one of {paper}")
    steps = {step.name: step for step in funnel.steps}
    rows = tuple(
        (
            ", ".join(filter(None, (count.step, count.group))),
            count.section,
            count.printed,
            _count(steps.get(count.step), count.group),
            count.note,
        )
        for count in funnel.published
    )
    return ReportTable(
        "Funnel of our recipe, over other texts",
        ("step", "section", "printed", "our run", "note"),
        rows,
        "Not the paper's texts: the counts show what the steps do, and are no reproduction.",
    )


def _count(step: RunStep | None, group: str) -> str:
    if step is None:
        return ""
    found = step.out if not group else step.groups.get(group, step.facts.get(group, ""))
    return f"{found:,}" if isinstance(found, int) else str(found)
