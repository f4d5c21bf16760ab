"""The page of a paper: what it did, our figures beside it, what differs, and errors in print.

Made from the same notes and rows as the report; all rows are in the JSON file beside the page.
"""

from __future__ import annotations

from trope.reproduce.notes_file import Claim
from trope.reproduce.report import Report, Table, error_table, markdown, overview, table_name
from trope.reproduce.rows import Row

GENERATED = "<!-- written by `trope reproduce {paper} --write`; edit the notes, not this page -->"


def as_page(report: Report) -> str:
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


def claim_table(report: Report) -> Table:
    """One row for everything that the paper did."""
    rows = [
        (claim.section, claim.claim, claim.published, our_figure(report, claim), claim.deviation)
        for claim in report.notes.claims
    ]
    columns = ("section", "what the paper did", "published", "ours", "deviation")
    return Table("The paper and trope", columns, tuple(rows))


def difference_table(report: Report) -> Table:
    """The cells whose published value lies outside our interval."""
    rows = [
        (table_name(row.table), row.what, row.published, row.ours, row.why)
        for row in report.rows
        if row.status == "differs"
    ]
    columns = ("where", "what", "published", "ours", "why")
    return Table("What differs", columns, tuple(rows))


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
