"""The page of a paper: its claims, our figures beside them, and how ours deviates.

Pages are generated from the same notes and rows as the report, so both always agree.
"""

from __future__ import annotations

from trope.reproduce.notes_file import Claim
from trope.reproduce.report import Report, Table, error_table, markdown, overview, table_name
from trope.reproduce.rows import Row

MADE = "<!-- made by `trope reproduce {paper} --write`; change the notes, not this page -->"


def as_page(report: Report) -> str:
    """The page in Markdown."""
    notes = report.notes
    parts = [f"# {notes.title}", "", MADE.format(paper=notes.paper), "", notes.source, ""]
    parts += [
        f"`trope reproduce {notes.paper} --from DATA` prints every table and figure of the paper",
        "cell by cell, with ours beside it; this page is its summary.",
    ]
    for table in (claim_table(report), overview(report), measured_table(report)):
        parts += ["", f"## {table.title}", "", *markdown(table)]
        parts += ["", table.note] if table.note else []
    errors = error_table(notes)
    parts += ["", f"## {errors.title}", "", *markdown(errors)]
    return "\n".join(parts) + "\n"


def claim_table(report: Report) -> Table:
    """A line for everything that the paper did."""
    rows = [
        (
            claim.section,
            claim.claim,
            claim.published,
            our_figure(report, claim),
            claim.deviation,
        )
        for claim in report.notes.claims
    ]
    columns = ("section", "claim", "published", "ours", "deviation")
    return Table("Claims", columns, tuple(rows))


def measured_table(report: Report) -> Table:
    """The cells that have something of ours beside them."""
    rows = [
        (table_name(row.table), row.what, row.published, row.ours, row.status, row.why)
        for row in report.rows
        if row.ours
    ]
    columns = ("where", "what", "published", "ours", "status", "why")
    note = "What cannot be had stands in the report, each with its reason."
    return Table("Published and ours", columns, tuple(rows), note)


def our_figure(report: Report, claim: Claim) -> str:
    """Our figures for a claim: a cell's with its status, a table's as counts of statuses."""
    return "; ".join(_figure(report, name) for name in claim.ours) or "no figure"


def _figure(report: Report, name: str) -> str:
    row = find_row(report, name)
    if row is None:
        counts = report.statuses(name)
        return f"{table_name(name)}: " + ", ".join(f"{n} {s}" for s, n in counts.items())
    if not row.ours:
        return row.status
    return f"{row.ours} ({row.status})"


def find_row(report: Report, name: str) -> Row | None:
    """The row that "table/row/column" names, None for a table's name alone."""
    table, _, rest = name.partition("/")
    if not rest:
        return None
    what = ", ".join(rest.rsplit("/", 1))
    return next((r for r in report.rows if (r.table, r.what) == (table, what)), None)
