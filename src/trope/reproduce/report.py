"""What a reproduction gives: tables with titles and notes, as text and as a page of its own."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells under column titles; `ours` are rows that trope measured."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    ours: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Report:
    """All tables of one paper."""

    title: str
    tables: tuple[Table, ...]


_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); text-align: right; }
th:first-child, td:first-child { text-align: left; }
tr.ours { background: color-mix(in srgb, Highlight 22%, transparent); font-weight: 600; }
.wide { overflow-x: auto; }
"""  # noqa: E501 - a rule a line


def as_text(report: Report) -> str:
    """The report for a terminal or a Markdown page."""
    parts = [f"# {report.title}"]
    for table in report.tables:
        parts += ["", f"## {table.title}", "", *_markdown(table)]
        if table.note:
            parts += ["", table.note]
    return "\n".join(parts) + "\n"


def as_html(report: Report) -> str:
    """The report as one page that needs no network, in light and dark."""
    body = "\n".join(_html_table(table) for table in report.tables)
    title = html.escape(report.title)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style></head>\n<body><main><h1>{title}</h1>\n{body}\n</main></body></html>\n"
    )


def _markdown(table: Table) -> list[str]:
    rows = [
        [f"**{cells[0]}**", *cells[1:]] if at in table.ours else list(cells)
        for at, cells in enumerate(table.rows)
    ]
    widths = [
        max(3, *(len(row[at]) for row in (table.columns, *rows)))
        for at in range(len(table.columns))
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return [_line(table.columns, widths), rule, *(_line(row, widths) for row in rows)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(shown) + " |"


def _html_table(table: Table) -> str:
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.columns)
    rows = "\n".join(
        f"<tr{' class=ours' if at in table.ours else ''}>"
        + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
        + "</tr>"
        for at, cells in enumerate(table.rows)
    )
    note = f"<p>{html.escape(table.note)}</p>" if table.note else ""
    return (
        f'<div class="wide"><table><caption>{html.escape(table.title)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>{note}"
    )
