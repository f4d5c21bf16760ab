"""`trope audit`: how far controls get that do not read what is asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.catalog import AUDITS
from trope.cli.commands import ListingCommand
from trope.cli.completion import complete_names
from trope.cli.judgments import label_options, labelled_folder, take_label_options
from trope.corpora.metadata import missing_files_explained

if TYPE_CHECKING:
    from trope.audit.audit import Audit
    from trope.core.records import TextKind
    from trope.corpora.files import FileOptions
    from trope.corpora.labelled_texts import LabelColumns
    from trope.metrics.figures import Evaluation


@click.command(cls=ListingCommand, heading="Sets", names=AUDITS)
@click.argument("name", required=False, default="", shell_complete=complete_names(AUDITS))
@click.option("--from", "data", type=click.Path(path_type=Path),
              help="Directory of the research data, with one folder per corpus.")  # fmt: skip
@click.option("--on", "own", metavar="FILE", type=click.Path(path_type=Path, exists=True),
              help="Labels of your own instead of NAME: a table, a run of a recipe, or an "
                   "annotation project.")  # fmt: skip
@click.option("--system", "system_file", type=click.Path(path_type=Path),
              help="Figures of a system (trope evaluate … --json); exit status 1 if a control "
                   "reaches them.")  # fmt: skip
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True,
              help="Seed of the resamples for the intervals.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
@click.pass_context
def audit(
    ctx: click.Context,
    /,
    name: str,
    data: Path | None,
    own: Path | None,
    system_file: Path | None,
    seed: int,
    as_json: bool,
    **options: Any,
) -> int:
    """Score controls on the data set NAME, or on labels of your own (--on FILE).

    The controls are a constant answer, the word alone, its context alone, and surface features;
    texts that train and test share are counted. A control that is as good as a system gets a
    warning.
    """
    from trope.audit.audit import find_warnings
    from trope.cli.figure_tables import print_audits
    from trope.metrics.figures import new_evaluation, read_evaluation, to_json

    if bool(name) == (own is not None):
        raise click.UsageError("give the NAME of a set, or labels of your own with --on FILE", ctx)
    system = read_evaluation(system_file) if system_file else None
    if own is not None:
        given = take_label_options(options | {"class_column": "", "kind": "plain"})
        found = [_audit_own(own, given, seed, system)]
    else:
        found = _audit_set(ctx, name, data, seed)
    warnings = [warning for part in found for warning in find_warnings(part, system)]
    if as_json:
        figures = [figure for part in found for figure in part.figures]
        click.echo(to_json(new_evaluation("audit", "", "", figures)), nl=False)
        for warning in warnings:
            click.echo(f"warning: {warning.message}", err=True)
    else:
        print_audits(found, warnings, system)
    return int(any(warning.by_system for warning in warnings))


def _audit_set(ctx: click.Context, name: str, data: Path | None, seed: int) -> list[Audit]:
    from trope.core.errors import MissingData

    parts = AUDITS.load(name)
    if data is None:
        raise click.MissingParameter(param_type="option", param_hint="'--from'", ctx=ctx)
    if not data.is_dir():
        raise MissingData(data, "give the directory of the research data with --from")
    with missing_files_explained(data):
        return [part(data, seed) for part in parts]


def _audit_own(
    source: Path,
    given: tuple[LabelColumns, FileOptions, TextKind | None],
    seed: int,
    system: Evaluation | None,
) -> Audit:
    from trope.audit.audit import audit_own
    from trope.corpora.labelled_texts import ANY_LABELS, read_labelled

    columns, files, _ = given
    with labelled_folder(source) as folder:
        labelled = replace(read_labelled(folder, ANY_LABELS, columns, files), path=source)
    return audit_own(labelled, positive=columns.positive, seed=seed, system=system)


audit.params += [one for one in label_options() if one.name not in ("kind", "class_column")]
