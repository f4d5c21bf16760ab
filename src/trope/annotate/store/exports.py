"""Exports: what is written, and in which format, decided in one place."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Literal

from trope import __version__
from trope.annotate.exchange import crowdflower, files, label_studio, mturk
from trope.annotate.exchange.records import Losses, as_cells, as_object
from trope.annotate.plan import Plan
from trope.annotate.rules.aggregation import AggregationOptions
from trope.annotate.rules.agreement import as_document, as_markdown
from trope.annotate.store import labels, practice, rows
from trope.annotate.store.database import retried, write_transaction
from trope.annotate.store.model_answers import ModelAnswer, ModelRun
from trope.annotate.store.models import Event
from trope.annotate.store.reports import measure_project


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """What is exported (one of `EXPORTED`), in which of `EXPORT_FORMATS`, and how.

    `history` adds answers that were changed later, `drafts` unfinished forms or, with labels, items
    that lack judgments, `gold` answers to control items, `raw` what models said word for word.
    `plain_cells` leaves CSV unprotected.
    """

    what: str = "judgments"
    format: str = "jsonl"
    history: bool = False
    drafts: bool = False
    gold: bool = False
    raw: bool = False
    plain_cells: bool = False
    aggregation: AggregationOptions = field(default_factory=AggregationOptions)


@dataclass(frozen=True, slots=True)
class ExportTable:
    """The columns of a table with their types (of Arrow), and its rows."""

    types: Mapping[str, str]
    rows: Iterable[Mapping[str, Any]]


def export_lines(plan: Plan, options: ExportOptions, losses: Losses) -> Iterator[str]:
    """The lines of an export in any format but Parquet."""
    if write := _TOOL_FILES.get((options.format, options.what)):
        return write(plan, options, losses)
    table = _table(plan, options, losses)
    if options.format == "csv":
        return files.csv_lines(list(table.types), table.rows, safe=not options.plain_cells)
    return files.jsonl_lines(table.rows)


def export_parquet(plan: Plan, options: ExportOptions, losses: Losses, file: IO[bytes]) -> None:
    """Write an export as Parquet."""
    table = _table(plan, options, losses)
    files.write_parquet(file, table.types, table.rows)


def agreement_text(plan: Plan, kind: Literal["json", "md"], sample: rows.ItemSample) -> str:
    """The agreement on every question as a file of its own, over all items or a sample of them."""
    measured = measure_project(plan, sample=sample)
    if kind == "json":
        document = {
            "trope": __version__,
            "title": plan.title,
            "note": sample.note,
            "questions": [
                {"id": one.id, "text": one.text, "problem": one.problem}
                | (as_document(one.agreement) if one.agreement else {})
                for one in measured
            ],
        }
        return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    lines = [f"# Agreement: {plan.title}", *([f"\n{sample.note}"] if sample.note else ())]
    for one in measured:
        lines += ["", f"## {one.text}", ""]
        lines += as_markdown(one.agreement) if one.agreement else [one.problem]
    return "\n".join(lines) + "\n"


@retried
def note_release(licence: str, *, now: datetime, by: str) -> None:
    """Note that someone took a release, and under which licence."""
    with write_transaction():
        Event.objects.create(at=now, who=by, what="release", detail={"licence": licence})


def _table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    if options.what == "judgments" and options.drafts:
        return _draft_table()
    return _TABLES[options.what](plan, options, losses)


def _judgment_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    records = rows.judgment_records(history=options.history)
    types = files.judgment_types(plan.questions)
    if options.format == "jsonl":
        return ExportTable(types, map(as_object, records))
    return ExportTable(types, (as_cells(record, plan.questions) for record in records))


def _draft_table() -> ExportTable:
    types = dict.fromkeys(("item", "annotator", "form", "since"), "string")
    return ExportTable(types | {"in_hand": "bool"}, rows.draft_rows())


def _answer_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    types = rows.answer_types(plan, gold=options.gold)
    return ExportTable(types, rows.answer_objects(plan, gold=options.gold))


def _label_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    return ExportTable(labels.LABEL_TYPES, labels.label_rows(_labelled(plan, options, losses)))


def _labelled_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    found = list(_labelled(plan, options, losses))
    types = labels.labelled_types(found)
    return ExportTable(types, labels.labelled_rows(found, types))


def _decision_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    return ExportTable(rows.DECISION_TYPES, rows.decision_rows(history=options.history))


def _item_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    # a file with a header needs all columns before the first row
    fields = [] if options.format == "jsonl" else rows.item_fields()
    return ExportTable(
        dict.fromkeys(["id", "text", *fields, "gold"], "string"), rows.item_objects()
    )


def _people_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    return ExportTable(dict.fromkeys(rows.person_columns(), "string"), rows.person_rows())


def _trial_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    return ExportTable(practice.TRIAL_TYPES, practice.trial_rows())


def _model_table(plan: Plan, options: ExportOptions, losses: Losses) -> ExportTable:
    types = _MODEL_TYPES | ({"raw": "string"} if options.raw else {})
    return ExportTable(types, _model_rows(raw=options.raw))


def _labelled(plan: Plan, options: ExportOptions, losses: Losses) -> Iterator[labels.LabelledItem]:
    return labels.labelled_items(plan, losses, options=options.aggregation, drafts=options.drafts)


_MODEL_TYPES = {
    "run": "string",
    "item": "string",
    "answers": "string",
    "confidence": "float64",
    "error": "string",
    "detail": "string",
    "tokens_in": "int64",
    "tokens_out": "int64",
    "seconds": "float64",
    "at": "string",
    "model": "string",
    "settings": "string",
}


def _model_rows(*, raw: bool = False) -> Iterator[dict[str, Any]]:
    """Every answer of every run with the run's settings; raw answers only if asked for."""
    columns = ("run_id", "item__external_id", *list(_MODEL_TYPES)[2:9], "at", "raw")
    runs = {run.pk: run for run in ModelRun.objects.all()}
    rows = ModelAnswer.objects.order_by("run_id", "pk").values_list(*columns)
    for number, *cells, at, said in rows.iterator(chunk_size=2_000):
        run = runs[number]
        row = dict(zip(list(_MODEL_TYPES)[1:9], cells, strict=True))
        row = {"run": run.name, **row, "at": at.isoformat(), "model": run.settings.get("model")}
        row |= {"settings": run.shown_settings}
        yield row | ({"raw": said} if raw else {})


def _mturk(plan: Plan, options: ExportOptions, losses: Losses) -> Iterator[str]:
    return mturk.mturk_lines(plan, rows.judgments_with_items(), rows.item_fields(), losses)


def _label_studio(plan: Plan, options: ExportOptions, losses: Losses) -> Iterator[str]:
    return label_studio.task_lines(plan, rows.items_with_judgments(), losses)


def _crowdflower_full(plan: Plan, options: ExportOptions, losses: Losses) -> Iterator[str]:
    judgments, accuracy = rows.judgments_with_items(), rows.gold_accuracy()
    return crowdflower.full_report(plan, judgments, rows.item_fields(), accuracy, losses)


def _crowdflower_aggregated(plan: Plan, options: ExportOptions, losses: Losses) -> Iterator[str]:
    units = (
        (
            one.item,
            {name: (result.label, result.confidence) for name, result in one.labels.items()},
            one.judgments,
            one.last,
        )
        for one in _labelled(plan, options, losses)
    )
    voted = [q.id for q in plan.questions if q.kind in ("choice", "scale", "spans")]
    losses["answers of several choices are left out of the aggregated report"] += sum(
        question.kind == "multi" for question in plan.questions
    )
    return crowdflower.aggregated_report(voted, units, rows.item_fields())


_TABLES: dict[str, Callable[[Plan, ExportOptions, Losses], ExportTable]] = {
    "judgments": _judgment_table,
    "answers": _answer_table,
    "labels": _label_table,
    "labelled": _labelled_table,
    "decisions": _decision_table,
    "items": _item_table,
    "people": _people_table,
    "trials": _trial_table,
    "models": _model_table,
}

_TOOL_FILES: dict[tuple[str, str], Callable[[Plan, ExportOptions, Losses], Iterator[str]]] = {
    ("mturk", "judgments"): _mturk,
    ("label-studio", "judgments"): _label_studio,
    ("crowdflower", "judgments"): _crowdflower_full,
    ("crowdflower", "labels"): _crowdflower_aggregated,
}
