"""`trope annotate export`: judgments, labels, items, people and drafts as files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trope.annotate.exchange.records import Losses
from trope.annotate.project import Project
from trope.cli.annotating.options import DIRECTORY, FILE, connected, tell_losses
from trope.cli.output import open_output
from trope.core.files import atomic_write

if TYPE_CHECKING:
    from trope.annotate.store.labels import Labelled

FORMATS = ("jsonl", "csv", "parquet", "mturk", "crowdflower", "label-studio")
# those of rules.aggregating, which would load numpy for every command
_METHODS = ("majority", "mean", "weighted-mean", "dawid-skene", "mace", "glad")
_WHAT = ("judgments", "answers", "labels", "decisions", "items", "people", "trials")


@click.command(short_help="Write judgments, labels, items or people to a file.")
@DIRECTORY
@click.option("--what", type=click.Choice(_WHAT), default="judgments", show_default=True,
              help="What is written.")  # fmt: skip
@click.option("--out", type=FILE, help="File to write.")
@click.option("--format", "kind", type=click.Choice(FORMATS), default="jsonl", show_default=True,
              help="An object a row, a column a question, or a tool's own.")  # fmt: skip
@click.option("--history", is_flag=True, help="Also answers that were changed later.")
@click.option("--drafts", is_flag=True,
              help="Unfinished forms; with labels, also of items that lack judgments.")  # fmt: skip
@click.option("--method", type=click.Choice(_METHODS), default="majority", show_default=True,
              help="How judgments become labels; means are those of scales.")  # fmt: skip
@click.option("--ties", type=click.Choice(["none", "first", "random"]), default="none",
              show_default=True, help="Label of a tied item (majority).")  # fmt: skip
@click.option("--gold", is_flag=True,
              help="With answers: also those to control items, with what is known.")  # fmt: skip
@click.option("--plain-cells", is_flag=True,
              help="CSV whose cells are not protected from spreadsheets.")  # fmt: skip
def export(directory: Path, out: Path | None, **options: Any) -> None:
    """Write judgments, in the order in which they were given, or what comes of them.

    answers: a row each, for trope agree and aggregate. labels: one an item and question; what an
    adjudicator decided wins over the method. trials: of training and the demo task.

    CSV is safe to open in a spreadsheet: a cell that would be a formula begins with an apostrophe.
    """
    _check(options, out)
    project = connected(directory)
    losses = Losses()
    if options["kind"] == "parquet" and out is not None:
        with atomic_write(out, "wb") as file:
            _write_parquet(project, options, losses, file)
    else:
        with open_output(out) as file:
            for line in _lines(project, options, losses):
                file.write(line)
    tell_losses(losses)


def _check(options: Mapping[str, Any], out: Path | None) -> None:
    kind, what = options["kind"], options["what"]
    if kind == "parquet" and out is None:
        raise click.UsageError("--format parquet needs --out FILE")
    if kind in ("mturk", "label-studio") and what != "judgments":
        raise click.UsageError(f"--format {kind} holds judgments, not {what}")
    if kind == "crowdflower" and what not in ("judgments", "labels"):
        raise click.UsageError(f"--format crowdflower holds judgments or labels, not {what}")
    if options["history"] and (kind in ("mturk", "crowdflower", "label-studio")):
        raise click.UsageError(f"--format {kind} cannot hold the history; leave --history out")
    if options["gold"] and what != "answers":
        raise click.UsageError("--gold is for --what answers")
    if options["drafts"] and what not in ("judgments", "labels"):
        raise click.UsageError(f"there are no drafts of {what}")
    if options["drafts"] and what == "judgments" and kind not in ("jsonl", "csv", "parquet"):
        raise click.UsageError(f"--format {kind} cannot hold drafts")


def _lines(project: Project, options: Mapping[str, Any], losses: Losses) -> Iterator[str]:
    kind, what = options["kind"], options["what"]
    safe = not options["plain_cells"] and what != "answers"  # those are for programs of ours
    if kind in ("mturk", "crowdflower", "label-studio"):
        yield from _tool_lines(project, options, losses)
        return
    from trope.annotate.exchange import text_files
    from trope.annotate.store import exporting

    if what == "judgments" and not options["drafts"]:
        rows = exporting.judgments(history=options["history"])
        yield from (
            text_files.judgment_csv(rows, project.plan.questions, safe=safe)
            if kind == "csv"
            else text_files.judgment_jsonl(rows)
        )
        return
    types, objects = _table(project, options, losses)
    if kind == "csv":
        yield from text_files.csv_lines(list(types), objects, safe=safe)
    else:
        yield from text_files.jsonl_lines(objects)


def _write_parquet(project: Project, options: Mapping[str, Any], losses: Losses, file: Any) -> None:
    from trope.annotate.exchange import parquet
    from trope.annotate.store import exporting

    if options["what"] == "judgments" and not options["drafts"]:
        rows = exporting.judgments(history=options["history"])
        parquet.write_judgments(file, rows, project.plan.questions)
    else:
        parquet.write_parquet(file, *_table(project, options, losses))


def _table(
    project: Project, options: Mapping[str, Any], losses: Losses
) -> tuple[dict[str, str], Iterable[dict[str, Any]]]:
    """Columns with their types, and rows."""
    from trope.annotate.store import answers, demo_items, exporting, labels

    if options["what"] == "labels":
        return labels.LABEL_TYPES, labels.label_rows(_labelled(project, options, losses))
    if options["what"] == "answers":
        gold = options["gold"]
        head = answers.answer_head(project.plan, gold=gold)
        return head, answers.answer_objects(project.plan, gold=gold)
    if options["what"] == "decisions":
        return exporting.DECISION_TYPES, exporting.decisions(history=options["history"])
    if options["what"] == "trials":
        return demo_items.TRIAL_TYPES, demo_items.trial_rows()
    if options["what"] == "people":
        return dict.fromkeys(exporting.person_names(), "string"), exporting.people()
    if options["what"] == "items":
        # in a file with a head, its columns have to be known before the first row
        fields = [] if options["kind"] == "jsonl" else exporting.item_fields()
        return dict.fromkeys(["id", "text", *fields, "gold"], "string"), exporting.item_objects()
    types = dict.fromkeys(("item", "annotator", "form", "since"), "string")
    return types | {"in_hand": "bool"}, exporting.drafts()


def _labelled(project: Project, options: Mapping[str, Any], losses: Losses) -> Iterator[Labelled]:
    from trope.annotate.rules.aggregating import Way
    from trope.annotate.store.labels import labelled_items

    way = Way(method=options["method"], ties=options["ties"])
    return labelled_items(project.plan, losses, way=way, drafts=options["drafts"])


def _tool_lines(project: Project, options: Mapping[str, Any], losses: Losses) -> Iterator[str]:
    from trope.annotate.exchange import crowdflower, label_studio, mturk
    from trope.annotate.store import exporting

    plan = project.plan
    if options["kind"] == "label-studio":
        return label_studio.task_lines(plan, exporting.items_with_judgments(), losses)
    fields = exporting.item_fields()
    if options["kind"] == "mturk":
        return mturk.mturk_lines(plan, exporting.judgments_with_items(), fields, losses)
    if options["what"] == "judgments":
        rows = exporting.judgments_with_items()
        return crowdflower.full_report(plan, rows, fields, exporting.trust(), losses)
    units = (
        (
            one.item,
            {name: (result.label, result.confidence) for name, result in one.labels.items()},
            one.judgments,
            one.last,
        )
        for one in _labelled(project, options, losses)
    )
    voted = [question.id for question in plan.questions if question.kind in _VOTED]
    losses["answers of several choices are left out of the aggregated report"] += sum(
        question.kind == "multi" for question in plan.questions
    )
    return crowdflower.aggregated_report(voted, units, fields)


_VOTED = ("choice", "scale", "spans")
