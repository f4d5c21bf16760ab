"""`trope reproduce`: the tables of a paper with our figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from trope.catalog import REPRODUCTIONS
from trope.cli.commands import ListingCommand
from trope.cli.completion import complete_names


@click.command(cls=ListingCommand, heading="Papers", names=REPRODUCTIONS)
@click.argument("paper", shell_complete=complete_names(REPRODUCTIONS))
@click.option("--from", "data", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Directory of the research data, to measure on.")  # fmt: skip
@click.option("--ours", multiple=True, type=click.Path(path_type=Path),
              help="Figures of `trope evaluate … --json`; may be given again.")  # fmt: skip
@click.option("--run", "run_folder", type=click.Path(path_type=Path),
              help="A finished run of the paper's recipe, to show its funnel.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "html", "json"]), default="text",
              show_default=True, help="A text in Markdown, a page, or JSON.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--write", "page", type=click.Path(path_type=Path),
              help="Also write the paper's page, and all its rows as JSON.")  # fmt: skip
def reproduce(
    paper: str,
    data: Path | None,
    ours: tuple[Path, ...],
    run_folder: Path | None,
    form: str,
    as_json: bool,
    out: Path | None,
    page: Path | None,
) -> None:
    """Show the published results of a PAPER with our figures."""
    from trope.cli.output import open_output
    from trope.reproduce import report as reports
    from trope.reproduce.report import as_page, funnel_table

    report = REPRODUCTIONS.load(paper)(data=data, ours=ours)
    if run_folder is not None:
        report = replace(report, tables=(*report.tables, funnel_table(run_folder, paper)))
    shown = {"text": reports.as_text, "html": reports.as_html, "json": reports.as_json}
    with open_output(out) as file:
        file.write(shown["json" if as_json else form](report))
    if page is not None:
        with open_output(page) as file:
            file.write(as_page(report))
        with open_output(page.with_suffix(".json")) as file:
            file.write(reports.as_json(report))
