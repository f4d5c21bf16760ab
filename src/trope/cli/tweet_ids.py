"""`trope data deliver` and `trope data rejoin`: tweets as ids with scores, and with texts again."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.cli.sources import file_options, table_reading_options

if TYPE_CHECKING:
    from trope.corpora.files import FileOptions

_JSON = click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
_OUT = click.option("--out", required=True, type=click.Path(path_type=Path, dir_okay=False),
                    help="File to write.")  # fmt: skip
_THERE = click.Path(path_type=Path, exists=True)


@click.command()
@click.argument("source", type=_THERE)
@_OUT
@click.option("--integer", is_flag=True, help="Round scores to integers, halves up.")
@click.option("--id", "id_column", default="", help="Column of ids.  [default: id]")
@click.option("--score", default="score", show_default=True, help="Column of scores.")
@table_reading_options
@_JSON
def deliver(
    source: Path,
    out: Path,
    integer: bool,
    id_column: str,
    score: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Write tweet ids with their scores, without texts.

    SOURCE is a finished run of `trope recipe run semeval2015`, or a table with ids and scores.
    """
    from trope.corpora.tweet_ids import write_delivery

    if source.is_dir():
        rows = list(_scores_of_run(source))
    else:
        rows = list(_scores_of_table(source, id_column, score, options))
    scored = [(identifier, value) for identifier, value in rows if value is not None]
    number = write_delivery(scored, out, integer=integer)
    if as_json:
        document = {"file": str(out), "tweets": number, "without_score": len(rows) - number}
        click.echo(json.dumps(document, indent=1))
        return
    left = f"; {len(rows) - number} without a score are left out" if len(rows) > number else ""
    click.echo(f"{out}: {number} tweets{left}")


def _scores_of_run(folder: Path) -> Iterator[tuple[str, float | None]]:
    from trope.release.finished_run import read_run

    run = read_run(folder)
    for item in run.items:
        yield str(item.fields.get("source_id") or item.id), run.labels[item.id].score


def _scores_of_table(
    path: Path, id_column: str, column: str, options: dict[str, Any]
) -> Iterator[tuple[str, float | None]]:
    from trope.core.errors import BadRecord
    from trope.core.judgments import as_score
    from trope.corpora.files import find_files, good_rows
    from trope.corpora.tables import ID_COLUMNS, find_column

    how = file_options(options)
    for file in find_files([str(path)], how):
        for line, row in good_rows(file, how):
            key = id_column or find_column(row, ID_COLUMNS)
            for wanted in (key or "id", column):
                if wanted not in row:
                    problem = f"has no column {wanted!r}; it has {', '.join(row)}"
                    raise BadRecord(file.path, line, f"{problem}: name it with --id or --score")
            value = as_score(row[column])
            if value is None and row[column].strip():
                problem = f"score {row[column]!r} is not a number; give one from -5 to 5"
                raise BadRecord(file.path, line, problem)
            yield row[key or "id"].strip(), value


@click.command()
@click.argument("ids", type=_THERE)
@click.argument("texts", type=_THERE)
@_OUT
@click.option("--column", default="", help="Column of texts.  [default: text]")
@click.option("--id", "id_column", default="", help="Column of ids.  [default: id]")
@table_reading_options
@_JSON
def rejoin(
    ids: Path,
    texts: Path,
    out: Path,
    column: str,
    id_column: str,
    as_json: bool,
    **options: Any,
) -> None:
    """Join delivered ids with texts again.

    IDS has an id and a score per line, separated by a tab, as `trope data deliver` writes them;
    TEXTS is a table of the tweets that you have fetched. The result is a table with id, text,
    score and integer, which recipes take as a source.
    """
    from trope.core.errors import BadRecord
    from trope.core.files import atomic_write
    from trope.corpora.tweet_ids import read_scored_ids
    from trope.corpora.tweet_ids import rejoin as join_texts

    by_id = _texts_by_id(texts, column, id_column, file_options(options))
    joined = join_texts(list(read_scored_ids(ids)), by_id)
    if not joined.tweets:
        problem = f"has no text with an id of {ids}"
        raise BadRecord(texts, None, f"{problem}; name the column of ids with --id")
    with atomic_write(out) as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(("id", "text", "score", "integer"))
        rows.writerows((one.id, one.text, one.score, one.integer) for one in joined.tweets)
    if as_json:
        document = {"file": str(out), "texts": len(joined.tweets), "perished": joined.perished}
        click.echo(json.dumps(document, indent=1))
    else:
        click.echo(f"{out}: {joined.describe()}")


def _texts_by_id(path: Path, column: str, id_column: str, how: FileOptions) -> dict[str, str]:
    """The texts of a table by their ids, which must be there: numbers of lines are no ids."""
    from trope.core.errors import BadRecord
    from trope.corpora.files import find_files, good_rows
    from trope.corpora.rows import fields_shown, with_inner_fields
    from trope.corpora.tables import ID_COLUMNS, find_column
    from trope.recipes.own_texts import ID_REMEDY, OwnSource, SourceColumns, read_own_texts

    for file in find_files([str(path)], how):
        for line, row in with_inner_fields(good_rows(file, how), [id_column]):
            if id_column not in row if id_column else find_column(row, ID_COLUMNS) is None:
                problem = f"has no column {id_column or 'id'!r}; it has {fields_shown(row)}"
                raise BadRecord(file.path, line, f"{problem}: name it with --id")
            break
    source = OwnSource(
        str(path),
        "texts",
        columns=SourceColumns(column, id_column),
        encoding=how.encoding,
        delimiter=how.delimiter,
        sheet=how.sheet,
    )
    try:
        return {text.id: text.text for text in read_own_texts(source)}
    except BadRecord as error:
        problem = error.problem.replace("in the settings file: encoding =", "with --encoding")
        problem = problem.removesuffix(f", {ID_REMEDY}")  # here, numbers of rows are no ids
        problem = problem.replace("in the settings", "with --id or --column")
        raise BadRecord(error.path, error.line, problem) from None
