"""`trope query`: the tables of a corpus that the workbench shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import click
import msgspec

from trope.cli.output import open_output
from trope.core.errors import BadInput
from trope.core.records import WordView
from trope.workbench.corpus.queries import VIEWS, AnyQuery, make_query
from trope.workbench.requests import BadField

FORMATS = ("text", "csv", "json")
_DRAWN = ("rates", "figures", "verbs")
"""Views with a plot."""

_FILE = click.Path(path_type=Path, dir_okay=False)
_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]}, subcommand_metavar="VIEW [OPTIONS]"
)
@click.argument("folder", type=click.Path(path_type=Path))
@click.pass_context
def query(context: click.Context, folder: Path) -> None:
    """Query a corpus that trope detect wrote into FOLDER.

    The first query builds an index, which takes a while. Most views need words, which trope
    detect --counts-only leaves out.
    """
    context.obj = {**(context.obj or {}), "folder": folder}


def _run(view: str) -> Callable[..., None]:
    def run(**given: Any) -> None:
        names = [field.name for field in msgspec.structs.fields(VIEWS[view])]
        try:
            asked = make_query(view, {name: given.pop(name) for name in names})
        except BadField as fault:
            option = f"--{fault.field.replace('_', '-')}"
            remedy = f"see trope query FOLDER {view} --help"
            raise BadInput(f"{fault.sentence(option)}; {remedy}") from None
        _answer(asked, **given)

    return run


def _answer(
    asked: AnyQuery,
    *,
    table_format: str,
    as_json: bool,
    out: Path | None,
    index: Path | None,
    words: WordView | None,
    quiet: bool,
    verbose: bool,
    plot: Path | None = None,
) -> None:
    from trope.render.plots import check_plot
    from trope.workbench.corpus.corpus import open_corpus
    from trope.workbench.corpus.terminal import write_table
    from trope.workbench.corpus.views import answer

    shared = click.get_current_context().obj
    folder, quiet = shared["folder"], quiet or bool(shared.get("quiet"))
    if plot is not None:
        check_plot(plot)

    def tell(step: str) -> None:
        if not quiet:
            click.echo(f"{folder}: {step} …", err=True)

    corpus = open_corpus(folder, words=words, index=index, progress=tell)
    try:
        table = answer(corpus, asked)
    finally:
        corpus.close()
    if plot is not None:
        from trope.workbench.corpus.table import draw_table

        draw_table(table, plot)
    form = "json" if as_json else table_format
    with open_output(out) as file:
        write_table(table, file, form)
    if form == "csv" and not quiet:
        for note in table.notes:
            click.echo(f"trope: {note}", err=True)


def _options(view: str) -> list[click.Parameter]:
    """The parameters of a view: the fields of its query, and options for the output."""
    hints = get_type_hints(VIEWS[view], include_extras=True)
    found = [_parameter(field, hints[field.name]) for field in msgspec.structs.fields(VIEWS[view])]
    if view == "text":
        found = [click.Argument(["text"], type=int, metavar="NUMBER")]
    drawn = "Draw the table into this .svg, .png or .pdf file."
    counted = "Words that count as metaphors.  [default: as in the corpus]"
    built = "Folder of the index.  [default: your cache folder]"
    return [
        *found,
        click.Option(
            ["--format", "table_format"],
            type=click.Choice(FORMATS),
            default="text",
            show_default=True,
            help="Format of the table.",
        ),
        click.Option(["--json", "as_json"], is_flag=True, help="Same as --format json."),
        click.Option(["--out"], type=_FILE, help="File to write."),
        *([click.Option(["--plot"], type=_FILE, help=drawn)] if view in _DRAWN else []),
        click.Option(["--words"], type=click.Choice(get_args(WordView)), help=counted),
        click.Option(["--index"], type=_FOLDER, help=built),
        click.Option(["--quiet"], is_flag=True, help="No notes on standard error."),
        click.Option(["--verbose"], is_flag=True, help="Show tracebacks of errors."),
    ]


def _parameter(field: msgspec.structs.FieldInfo, hint: Any) -> click.Parameter:
    kind, *metas = get_args(hint)
    description = next(m.description for m in reversed(metas) if m.description)
    names = [f"--{field.name.replace('_', '-')}", field.name]
    if kind is bool:
        return click.Option(names, is_flag=True, help=description)
    if get_origin(kind) is tuple:
        return click.Option(names, multiple=True, metavar="COLUMN=VALUE", help=description)
    required = field.default is msgspec.NODEFAULT
    shown = not required and field.default != "" and "[default" not in description
    return click.Option(
        names,
        type=_click_type(kind),
        required=required,
        **({} if required or field.default == "" else {"default": field.default}),
        show_default=shown,
        metavar=None if get_origin(kind) is Literal else _METAVARS.get(field.name),
        help=description,
    )


_METAVARS = {"by": "COLUMN", "part": "VALUE", "against": "VALUE", "regex": "PATTERN"}
_METAVARS |= dict.fromkeys(("lemma", "form", "object", "subject"), "WORD")


def _click_type(kind: Any) -> Any:
    """The click type of a field; limits are checked later."""
    if get_origin(kind) is Literal:
        return click.Choice([one for one in get_args(kind) if one])
    return kind


def _command(view: str) -> click.Command:
    summary = VIEWS[view].__doc__ or ""
    first = f"{summary.partition('.')[0]}."
    return click.Command(
        view, params=_options(view), callback=_run(view), help=summary, short_help=first
    )


for _view in VIEWS:
    query.add_command(_command(_view))
