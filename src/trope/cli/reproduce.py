"""`trope reproduce`: the tables of a paper beside ours."""

from __future__ import annotations

from pathlib import Path

import click

from trope.catalog import REPRODUCTIONS


@click.command(epilog="Papers: " + "; ".join(f"{n}: {e.summary}" for n, e in REPRODUCTIONS.items()))
@click.argument("paper")
@click.option("--from", "data", type=click.Path(path_type=Path, exists=True, file_okay=False),
              help="Directory of the research data, to measure on.")  # fmt: skip
@click.option("--ours", multiple=True, type=click.Path(path_type=Path),
              help="Figures of `trope evaluate … --json`; may be given again.")  # fmt: skip
@click.option("--format", "form", type=click.Choice(["text", "html"]), default="text",
              show_default=True, help="A text in Markdown, or a page.")  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
def reproduce(
    paper: str, data: Path | None, ours: tuple[Path, ...], form: str, out: Path | None
) -> None:
    """Show the published tables of a PAPER beside our figures."""
    from trope.cli.output import open_output
    from trope.reproduce.report import as_html, as_text

    report = REPRODUCTIONS.load(paper)(data=data, ours=ours)
    with open_output(out) as file:
        file.write(as_html(report) if form == "html" else as_text(report))
