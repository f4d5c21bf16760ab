"""Tables of a report: as Markdown, and as one page that needs no network."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_LONGEST_NUMBER = 24  # characters; longer cells are words, and set to the left
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: 600; padding: .3rem 0; }
th, td { padding: .2rem .7rem; border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent); text-align: right; }
th:first-child, td:first-child, td.words { text-align: left; }
tr.ours { background: color-mix(in srgb, Highlight 22%, transparent); font-weight: 600; }
.wide { overflow-x: auto; }
"""  # noqa: E501 - a rule a line


@dataclass(frozen=True, slots=True)
class ReportTable:
    """Rows of cells under column titles; `ours` are rows that trope measured."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    ours: frozenset[int] = frozenset()


def text_page(title: str, source: str, tables: Iterable[ReportTable]) -> str:
    """A heading, a line about the source, and the tables; for a terminal or a Markdown page."""
    parts = [f"# {title}", "", source]
    for table in tables:
        parts += ["", f"## {table.title}", "", *markdown(table)]
        if table.note:
            parts += ["", table.note]
    return "\n".join(parts) + "\n"


def html_page(title: str, source: str, tables: Iterable[ReportTable]) -> str:
    """The same as one page, in light and dark."""
    body = "\n".join(_html_table(table) for table in tables)
    title, source = html.escape(title), html.escape(source)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<style>{_STYLE}</style></head>\n<body><main><h1>{title}</h1>\n<p>{source}</p>\n"
        f"{body}\n</main></body></html>\n"
    )


def markdown(table: ReportTable, *, padded: bool = True) -> list[str]:
    """The lines of a table in Markdown, with aligned columns if padded; rows of ours are bold."""
    rows = [
        [f"**{cells[0]}**", *cells[1:]] if at in table.ours else list(cells)
        for at, cells in enumerate(table.rows)
    ]
    rows = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    widths = [
        max(3, *(len(row[at]) for row in (table.columns, *rows))) if padded else 0
        for at in range(len(table.columns))
    ]
    rule = "|" + "|".join("-" * max(3, width + 2) for width in widths) + "|"
    return [_line(table.columns, widths), rule, *(_line(row, widths) for row in rows)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = (cell.ljust(width) for cell, width in zip(cells, widths, strict=True))
    return "| " + " | ".join(shown) + " |"


def _html_table(table: ReportTable) -> str:
    head = "".join(f'<th scope="col">{html.escape(column)}</th>' for column in table.columns)
    rows = "\n".join(
        f"<tr{' class=ours' if at in table.ours else ''}>"
        + "".join(_html_cell(cell) for cell in cells)
        + "</tr>"
        for at, cells in enumerate(table.rows)
    )
    note = f"<p>{html.escape(table.note)}</p>" if table.note else ""
    return (
        f'<div class="wide"><table><caption>{html.escape(table.title)}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody></table></div>{note}"
    )


def _html_cell(cell: str) -> str:
    words = " class=words" if len(cell) > _LONGEST_NUMBER else ""
    return f"<td{words}>{html.escape(cell)}</td>"
