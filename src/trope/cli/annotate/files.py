"""`trope annotate draw`, `import`, `export` and `settle`: items, people, judgments, labels and pay,
from and to files."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from trope.annotate.exchange.platforms import (
    describe_settlement,
    read_amount,
    read_submissions,
    settlement_files,
)
from trope.annotate.exchange.platforms import settle as settle_submissions
from trope.annotate.exchange.records import (
    EXPORT_FORMATS,
    EXPORTED,
    TOOL_FORMATS,
    JudgmentRecord,
    Losses,
    ToolRecord,
)
from trope.annotate.plan import Plan
from trope.annotate.project import Project
from trope.cli.aggregate import METHODS
from trope.cli.annotate.database import DIRECTORY, FILE, FOLDER, connected, warn_losses
from trope.cli.output import open_output
from trope.cli.sources import Notes, file_options, table_reading_options
from trope.core.errors import BadInput
from trope.core.files import atomic_write
from trope.core.progress import counted
from trope.corpora.files import find_files
from trope.corpora.sources import is_archive

if TYPE_CHECKING:
    from trope.recipes.own_texts import OwnText


@click.command(short_help="Draw a balanced set of texts for annotators.")
@click.argument("source", metavar="FILE[:COLUMN]")
@click.option("--per-class", "number", required=True, type=click.IntRange(min=1),
              help="How many texts of each class.")  # fmt: skip
@click.option("--label", default="", metavar="COLUMN", help="Column with the class of a text.")
@click.option("--score", default="", metavar="COLUMN",
              help="Column with a score from 0 to 1, such as a detector's.")  # fmt: skip
@click.option("--threshold", type=float, default=0.5, show_default=True,
              help="With --score: the lowest score of the class metaphorical.")  # fmt: skip
@click.option("--system", default="encoder", metavar="FOLDER",
              help="Without --label and --score: detector that sorts the texts.  [default: the one "
                   "that ships]")  # fmt: skip
@click.option(
    "--without",
    multiple=True,
    metavar="FILE[:COLUMN]",
    help="Draw no text of this file, such as training data; repeat for several.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Decides which are drawn.")
@click.option("--out", required=True, type=FILE, help="Table of the texts, to import.")
@click.option("--classes", type=FILE, help="Table of ids and classes, to compare later.")
def draw(
    source: str,
    number: int,
    label: str,
    score: str,
    threshold: float,
    system: str,
    without: tuple[str, ...],
    seed: int,
    out: Path,
    classes: Path | None,
) -> None:
    """Draw as many texts of each class, in random order, none of them twice or in another file.

    Annotators do not see the classes: OUT has ids and texts alone. Let two or more people judge
    them, and `trope agree` gives their kappa.
    """
    from trope.annotate.demo_task import draw_balanced
    from trope.recipes.own_texts import named_source, read_own_texts
    from trope.text.duplicates import text_digest

    if label and score:
        raise BadInput("--label and --score both tell the classes; give one of them")
    keep = tuple(filter(None, (label, score)))
    given = [
        text
        for text in read_own_texts(msgspec.structs.replace(named_source(source), keep=keep))
        if not text.reason
    ]
    others = {
        text_digest(text.text) for name in without for text in read_own_texts(named_source(name))
    }
    sorted_texts = _classes(given, label, score, threshold, system)
    digests = [text_digest(text.text) for text in given]
    drawn = draw_balanced(sorted_texts, digests, number=number, without=others, seed=seed)
    tables = [(out, "text", [given[at].text for at in drawn])]
    if classes is not None:
        tables.append((classes, "class", [sorted_texts[at] for at in drawn]))
    for path, column, values in tables:
        with open_output(path) as file:
            rows = zip((given[at].id for at in drawn), values, strict=True)
            csv.writer(file, lineterminator="\n").writerows([("id", column), *rows])
    named = ", ".join(sorted({sorted_texts[at] for at in drawn}))
    click.echo(f"{counted(len(drawn), 'text')}, {number} of each class ({named})", err=True)


def _classes(
    texts: Sequence[OwnText], label: str, score: str, threshold: float, system: str
) -> list[str]:
    """The class of each text: its label, or by its score, or by a detector."""
    if label:
        return [text.kept[label].strip() for text in texts]
    names = ("literal", "metaphorical")
    if score:
        return [names[_number(text, score) >= threshold] for text in texts]
    from trope.pipeline import Pipeline

    pipeline = Pipeline(systems=[system])
    read = pipeline.analyze_many([text.text for text in texts], tasks=("syntax", "metaphor"))
    return [names[any(one.sentence_verdict(s).metaphorical for s in one.sentences)] for one in read]


def _number(text: OwnText, column: str) -> float:
    try:
        return float(text.kept[column])
    except ValueError:
        problem = f"the text {text.id!r} has {text.kept[column]!r} in the column {column!r}"
        raise BadInput(f"{text.source}: {problem}, which is not a number; fix it") from None


@click.command("import", short_help="Add the items of a file: all of them, or none.")
@DIRECTORY
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@click.option("--format", "tool", type=click.Choice(["auto", *TOOL_FORMATS]), default="auto",
              help="The tool that wrote FILE; auto: any table, document or list.")  # fmt: skip
@click.option("--judgments", "what", flag_value="judgments", help="FILE is an export of judgments.")
@click.option("--people", "what", flag_value="people", help="FILE is an export of people.")
@click.option("--demo", "what", flag_value="demo", help="FILE holds items of the demo task.")
@click.option("--replace", "what", flag_value="replace",
              help="FILE has other texts or fields for items that nobody has judged.")  # fmt: skip
@click.option("--safe-cells", is_flag=True,
              help="Items of a CSV file whose cells were protected by export.")  # fmt: skip
@click.option("--unit", type=click.Choice(["file", "paragraph", "line"]), default=None,
              help="What one item of a document is.  [default: detected]")  # fmt: skip
@table_reading_options
def import_file(
    directory: Path,
    file: Path,
    tool: str,
    what: str | None,
    safe_cells: bool,
    **options: Any,
) -> None:
    """Add the items of FILE, a table, a document or a list: all of them, or none.

    FILE may also be a folder or an archive. People can work meanwhile. Control items are those
    with known answers in a column "gold". From a file of another tool, its items, people and
    judgments are added.
    """
    project = connected(directory)
    now = datetime.now(UTC)
    reading = file_options(options)
    if tool != "auto":
        if what or safe_cells:
            raise click.UsageError(f"--format {tool} imports all of FILE; give it alone")
        _import_tool(project, file, tool, now)
    elif what == "judgments":
        from trope.annotate.store.judgment_imports import import_judgments

        rows = judgment_reader(project.plan, file)
        number = import_judgments(project, file, rows, now=now)
        click.echo(f"{counted(number, 'judgment')} added")
    elif what == "people":
        from trope.annotate.exchange.files import read_objects
        from trope.annotate.store.imports import import_people

        number = import_people(project, file, read_objects(file), now=now)
        people = counted(number, "person", "people")
        click.echo(f"{people} added; make their links on the owner's page")
    elif what == "demo":
        from trope.annotate.store.practice import import_demo

        number = import_demo(
            *(project, file), now=now, by="command line", safe_cells=safe_cells, options=reading
        )
        click.echo(f"{counted(number, 'item')} added to the demo task")
    elif what == "replace":
        from trope.annotate.store.setup import replace_items

        number = replace_items(
            *(project, file), now=now, by="command line", safe_cells=safe_cells, options=reading
        )
        click.echo(f"{counted(number, 'item')} replaced")
    else:
        from trope.annotate.store.imports import import_items

        notes = Notes()
        if file.is_dir() or is_archive(file):
            find_files([str(file)], reading, tell=notes)
        number = import_items(
            *(project, file), now=now, by="command line", safe_cells=safe_cells, options=reading
        )
        click.echo(f"{counted(number, 'item')} added")
        notes.close()


def judgment_reader(plan: Plan, file: Path) -> Callable[[], Iterator[tuple[int, JudgmentRecord]]]:
    """What reads a file of judgments, by its suffix."""
    from trope.annotate.exchange import files

    kinds: dict[str, Callable[[], Iterator[tuple[int, JudgmentRecord]]]] = {
        ".jsonl": lambda: files.read_judgment_jsonl(file),
        ".csv": lambda: files.read_judgment_csv(file, plan.questions),
        ".parquet": lambda: files.read_judgment_parquet(file, plan.questions),
    }
    if file.suffix.lower() not in kinds:
        raise BadInput(f"{file}: judgments are read from .jsonl, .csv or .parquet")
    return kinds[file.suffix.lower()]


def _import_tool(project: Project, file: Path, tool: str, now: datetime) -> None:
    from trope.annotate.store.judgment_imports import import_tool_file

    losses = Losses()
    added = import_tool_file(project, file, _reader(project.plan, file, tool, losses), now=now)
    warn_losses(losses)
    items, people = counted(added.items, "item"), counted(added.people, "person", "people")
    click.echo(f"{items}, {people}, {counted(added.judgments, 'judgment')} added")


def _reader(
    plan: Plan, file: Path, tool: str, losses: Losses
) -> Callable[[], Iterator[ToolRecord]]:
    from trope.annotate.exchange.crowdflower import read_crowdflower
    from trope.annotate.exchange.label_studio import read_label_studio
    from trope.annotate.exchange.mturk import read_mturk

    readers = {
        "mturk": read_mturk,
        "crowdflower": read_crowdflower,
        "label-studio": read_label_studio,
    }

    def read() -> Iterator[ToolRecord]:
        losses.clear()  # the file is read twice, and counted once
        return readers[tool](file, plan, losses)

    return read


@click.command(short_help="Write judgments, labels, items or people to a file.")
@DIRECTORY
@click.option("--what", type=click.Choice(EXPORTED), default="judgments", show_default=True,
              help="What to write.")  # fmt: skip
@click.option("--out", type=FILE, help="File to write.")
@click.option("--format", "kind", type=click.Choice(EXPORT_FORMATS), default="jsonl",
              show_default=True,
              help="One object per row, one column per question, or a tool's own.")  # fmt: skip
@click.option("--history", is_flag=True, help="Also answers that were changed later.")
@click.option("--drafts", is_flag=True,
              help="Unfinished forms; with labels, also of items that lack judgments.")  # fmt: skip
@click.option("--method", type=click.Choice(METHODS), default="majority", show_default=True,
              help="How judgments become labels; means are for scales.")  # fmt: skip
@click.option("--ties", type=click.Choice(["none", "first", "random"]), default="none",
              show_default=True, help="Label of a tied item (majority).")  # fmt: skip
@click.option("--gold", is_flag=True,
              help="With answers: also those to control items, with the known answer.")  # fmt: skip
@click.option("--raw", is_flag=True, help="With models: also what they said, word for word.")
@click.option("--plain-cells", is_flag=True,
              help="CSV whose cells are not protected from spreadsheets.")  # fmt: skip
def export(directory: Path, out: Path | None, **given: Any) -> None:
    """Write judgments, in the order in which they were given, or what follows from them.

    answers: one row each, for trope agree and aggregate. labels: one per item and question; the
    decision of an adjudicator wins over the method. labelled: one row per item with its text, its
    fields and its labels. trials: answers of training and the demo task.
    models: what models answered, with their settings.

    CSV is safe to open in a spreadsheet: a cell that would be a formula begins with an apostrophe.
    """
    _check(given, out)
    plan = connected(directory).plan
    from trope.annotate.rules.aggregation import AggregationOptions
    from trope.annotate.store.exports import ExportOptions, export_lines, export_parquet

    options = ExportOptions(
        what=given["what"],
        format=given["kind"],
        history=given["history"],
        drafts=given["drafts"],
        gold=given["gold"],
        raw=given["raw"],
        plain_cells=given["plain_cells"],
        aggregation=AggregationOptions(method=given["method"], ties=given["ties"]),
    )
    losses = Losses()
    if options.format == "parquet" and out is not None:
        with atomic_write(out, "wb") as file:
            export_parquet(plan, options, losses, file)
    else:
        with open_output(out) as file:
            file.writelines(export_lines(plan, options, losses))
    warn_losses(losses)


def _check(options: Mapping[str, Any], out: Path | None) -> None:
    kind, what = options["kind"], options["what"]
    if kind == "parquet" and out is None:
        raise click.UsageError("--format parquet needs --out FILE")
    if kind in ("mturk", "label-studio") and what != "judgments":
        raise click.UsageError(f"--format {kind} holds judgments, not {what}")
    if kind == "crowdflower" and what not in ("judgments", "labels"):
        raise click.UsageError(f"--format crowdflower holds judgments or labels, not {what}")
    if options["history"] and kind in TOOL_FORMATS:
        raise click.UsageError(f"--format {kind} cannot hold the history; leave --history out")
    if options["gold"] and what != "answers":
        raise click.UsageError("--gold is for --what answers")
    if options["raw"] and what != "models":
        raise click.UsageError("--raw is for --what models")
    if options["drafts"] and what not in ("judgments", "labels", "labelled"):
        raise click.UsageError(f"there are no drafts of {what}")
    if options["drafts"] and what == "judgments" and kind in TOOL_FORMATS:
        raise click.UsageError(f"--format {kind} cannot hold drafts")


@click.command(short_help="Turn a platform's list of submissions into files to approve and pay.")
@DIRECTORY
@click.argument("file", type=FILE, metavar="FILE")
@click.option("--out", "folder", required=True, type=FOLDER, help="Folder for the files.")
@click.option("--reward", metavar="AMOUNT",
              help="What the platform pays per submission; the rest is a bonus.")  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def settle(directory: Path, file: Path, folder: Path, reward: str | None, as_json: bool) -> None:
    """Compare the submissions that Prolific or Mechanical Turk lists in FILE with the work.

    FILE is the CSV that the platform offers for download. Approved are those who have finished and
    gave their completion code, rejected those whom the owner has dismissed. All others are listed
    with the reason in review.csv, for the owner to decide. Nothing is sent anywhere: upload the
    files yourself, each once.
    """
    plan = connected(directory).plan
    from trope.annotate.store.reports import external_workers

    amount = None if reward is None else read_amount(reward)
    platform, submissions = read_submissions(file)
    workers = external_workers({one.worker for one in submissions}, plan)
    settled = settle_submissions(submissions, workers, amount)
    files = settlement_files(platform, settled)
    if taken := [name for name in (*files, "bonus.csv") if (folder / name).exists()]:
        raise BadInput(f"{folder / taken[0]}: already exists; choose another folder")
    for name, lines in files.items():
        with atomic_write(folder / name, private=True) as out:
            out.writelines(lines)
    if as_json:
        shown = [
            {"submission": one.id, "worker": one.worker, "verdict": one.verdict, "why": one.why}
            | {"bonus": str(one.bonus)}
            for one in settled
        ]
        document = {"platform": platform, "files": sorted(files), "submissions": shown}
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))
    else:
        click.echo(describe_settlement(platform, settled, plan.pay.currency))
        for name in files:
            click.echo(str(folder / name))
