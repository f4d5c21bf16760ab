"""`trope audit`: how far controls get that do not read what is asked."""

from __future__ import annotations

from pathlib import Path

import click

from trope.catalog import AUDITS
from trope.cli.commands import ListingCommand
from trope.cli.completion import complete_names
from trope.corpora.metadata import missing_files_explained


@click.command(cls=ListingCommand, heading="Sets", names=AUDITS)
@click.argument("name", shell_complete=complete_names(AUDITS))
@click.option("--from", "data", required=True, type=click.Path(path_type=Path),
              help="Directory of the research data, with one folder per corpus.")  # fmt: skip
@click.option("--system", "system_file", type=click.Path(path_type=Path),
              help="Figures of a system (trope evaluate … --json); exit status 1 if a control "
                   "reaches them.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of the resamples for the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def audit(name: str, data: Path, system_file: Path | None, seed: int, as_json: bool) -> int:
    """Score controls on the data set NAME.

    The controls are a constant answer, the word alone, its context alone, and surface features;
    texts that train and test share are counted. A control that is as good as a system gets a
    warning.
    """
    from trope.audit.audit import find_warnings
    from trope.cli.figure_tables import print_audits
    from trope.core.errors import MissingData
    from trope.metrics.figures import new_evaluation, read_evaluation, to_json

    parts = AUDITS.load(name)
    if not data.is_dir():
        raise MissingData(data, "give the directory of the research data with --from")
    system = read_evaluation(system_file) if system_file else None
    with missing_files_explained(data):
        found = [part(data, seed) for part in parts]
    warnings = [warning for part in found for warning in find_warnings(part, system)]
    if as_json:
        figures = [figure for part in found for figure in part.figures]
        click.echo(to_json(new_evaluation("audit", "", "", figures)), nl=False)
        for warning in warnings:
            click.echo(f"warning: {warning.message}", err=True)
    else:
        print_audits(found, warnings, system)
    return int(any(warning.by_system for warning in warnings))
