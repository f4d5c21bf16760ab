"""Tables that `trope data` prints, made for 80 columns."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from trope.corpora.checks import FileReport
from trope.corpora.download import ReportBytes
from trope.corpora.metadata import CorpusMetadata

_WIDE = 240
"""Width where the output is not a terminal: rows stay on one line for grep and diff."""

_MARKS = {"equal": ("✓", "green"), "missing": ("–", "yellow"), "differs": ("✗", "red")}


def corpora(all_corpora: Sequence[CorpusMetadata]) -> None:
    """Print one line per corpus."""
    table = _table("Name", "What it is", "Licence")
    table.add_column("Size", justify="right", no_wrap=True)
    table.add_column("Get", no_wrap=True)
    for one in all_corpora:
        table.add_row(one.name, one.title, one.licence, _size(one.bytes), _ways(one))
    console = _console()
    console.print(table)
    console.print(
        f"\n{len(all_corpora)} corpora. Get: yes = trope data get downloads it, part = some of it."
        "\nMore about one of them: trope data info NAME",
        style="dim",
    )


def corpus(one: CorpusMetadata) -> None:
    """Print everything about one corpus."""
    console = _console()
    console.print(f"[bold]{one.name}[/bold]  {one.title}")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="cyan", no_wrap=True)
    grid.add_column(overflow="fold")
    for label, value in (
        ("Holds", one.extent),
        ("For", one.purpose),
        ("Source", one.source),
        ("Licence", one.licence),
        ("", one.terms),
        ("Cite", one.citation),
        *(("Note", note) for note in one.notes),
        ("Get", _how_to_get(one)),
    ):
        grid.add_row(label, Text(value))
    console.print(grid)
    console.print()
    table = _table("File")
    table.add_column("Size", justify="right", no_wrap=True)
    table.add_column("Holds")
    table.add_column("SHA-256", no_wrap=True)
    for file in one.files:
        counts = ", ".join(f"{number:,} {_spaced(name)}" for name, number in file.counts.items())
        own = f"[{file.licence}]" if file.licence else ""
        holds = Text(" ".join(filter(None, (counts, own))))
        table.add_row(Text(file.name, overflow="fold"), _size(file.bytes), holds, file.sha256[:8])
    console.print(table)


def findings(checked: Sequence[CorpusMetadata], reports: Sequence[FileReport]) -> None:
    """Print what a check found: one line per corpus, and one for each wrong file."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    right = 0
    for one in checked:
        mine = [report for report in reports if report.corpus == one.name]
        wrong = [report for report in mine if report.status != "equal"]
        right += not wrong
        absent = len(mine) > 1 and all(report.status == "missing" for report in mine)
        if absent:
            grid.add_row(
                _mark("missing"), one.name, Text(f"all {len(mine)} files missing; {_remedy(mine)}")
            )
            continue
        summary = f"{len(mine)} file{'s' * (len(mine) != 1)}"
        if wrong:
            summary += f", {len(wrong)} wrong"
        grid.add_row(_mark("differs" if wrong else "equal"), one.name, summary)
        for report in wrong:
            grid.add_row("", "", _problem(report))
    console = _console()
    console.print(grid)
    console.print(f"\n{right} of {len(checked)} corpora are complete and match the catalogue.")


def downloads(one: CorpusMetadata, results: Sequence[dict[str, Any]]) -> None:
    """Print the result of each file of a download."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    by_hand = [result for result in results if result["status"] == "by hand"]
    for result in results:
        if result["path"]:
            grid.add_row(result["status"], Text(result["path"]))
    if by_hand:
        names = ", ".join(result["file"] for result in by_hand)
        grid.add_row("by hand", Text(f"{names}: {one.obtain}"))
    _console().print(grid)


@contextmanager
def download_bar(name: str, quiet: bool) -> Iterator[ReportBytes | None]:
    """A function that moves a bar on standard error; None where there is no terminal."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(name, total=None)
        yield lambda have, total: progress.update(task, completed=have, total=total)


def _console() -> Console:
    fixed = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if fixed else _WIDE, highlight=False, markup=True)


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", pad_edge=False)
    for index, column in enumerate(columns):
        table.add_column(
            column, no_wrap=index == 0 and column == "Name", style="cyan" * (not index)
        )
    return table


def _ways(one: CorpusMetadata) -> str:
    if not one.downloadable:
        return "–"
    return "yes" if len(one.downloadable) == len(one.files) else "part"


def _how_to_get(one: CorpusMetadata) -> str:
    command = f"trope data get {one.name} --to DIR"
    if len(one.downloadable) == len(one.files):
        return command
    if one.downloadable:
        return (
            f"{command} ({len(one.downloadable)} of {len(one.files)} files). Others: {one.obtain}"
        )
    return one.obtain


def _mark(status: str) -> Text:
    character, style = _MARKS[status]
    return Text(character, style=style)


def _problem(report: FileReport) -> Text:
    what = "missing; " if report.status == "missing" else ""
    return Text(f"{report.file}: {what}{'; '.join(report.problems)}")


def _remedy(reports: Sequence[FileReport]) -> str:
    """The way to get most of the files, where some can be downloaded and some cannot."""
    remedies = [report.problems[0] for report in reports]
    return max(remedies, key=lambda remedy: (remedy.startswith("run"), remedies.count(remedy)))


def _size(number: int) -> str:
    if number < 1000:
        return f"{number} B"
    if number < 100_000:
        return f"{number / 1000:.1f} kB"
    return f"{number / 1_000_000:.1f} MB"


def _spaced(name: str) -> str:
    return name.replace("_", " ")
