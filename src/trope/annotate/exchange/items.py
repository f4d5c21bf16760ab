"""Items from a table, JSON lines or Parquet, checked line by line."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from math import isfinite
from pathlib import Path
from typing import Any

from trope.annotate.exchange.files import read_cells
from trope.annotate.exchange.records import RECORD_LIMIT
from trope.annotate.plan import Plan
from trope.annotate.questions import gold_faults, listed
from trope.annotate.rules.assignment import doubt_score
from trope.core.errors import BadRecord
from trope.core.texts import unstorable_character
from trope.corpora.files import FileOptions, find_files, good_rows, shows_no_format
from trope.corpora.records import TextRecord
from trope.corpora.tables import (
    ID_COLUMNS,
    TEXT_COLUMNS,
    TableRow,
    find_column,
    is_missing,
    named_texts,
    read_texts,
)

TEXT_LIMIT = 100_000
"""Characters of an item's text."""

Spans = list[list[int]]


@dataclass(frozen=True, slots=True)
class NewItem:
    """An item to be judged. `gold` are the known answers of a control item, else empty."""

    id: str
    text: str
    payload: dict[str, Any] = field(default_factory=dict)
    gold: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ColumnMapping:
    """What each column of a table is for.

    `uses` gives the use of a column: text, id, highlight, gold (known answers as JSON),
    gold.QUESTION, `FIELD` (kept under its name) or nothing (left out). Without an id, rows are
    counted and `made` stands before the number.
    """

    uses: Mapping[str, str]
    made: str = "item-"

    def apply(self, rows: Iterable[TableRow]) -> Iterator[TableRow]:
        """The rows with the names that items have."""
        names = {
            column: f"{column}_" if use == FIELD and column in _OWN_NAMES else use
            for column, use in self.uses.items()
            if use
        }
        has_ids = "id" in names.values()
        for number, (line, row) in enumerate(rows, start=1):
            own = {} if has_ids else {"id": f"{self.made}{number}"}
            for column, value in row.items():
                if name := names.get(column, ""):
                    own[column if name == FIELD else name] = value
            yield line, {"text": "", **own}


FIELD = "field"
"""The use of a column that is kept beside the text, under its own name."""

_OWN_NAMES = ("text", "id", "highlight", "gold")
_HIGHLIGHTS = ("highlight", "highlighted", "span", "target", "expression")
_CODE = re.compile(r"(?=.*\d)[\w.:/#-]{1,40}")
_DATE = re.compile(r"[12]\d{3}(-|$)|\d+[.,]\d+$")
"""How a date, a year or a decimal number looks."""
_NUMBERS = ("number", "no", "no.", "nr", "nr.", "#", "key", "code", "item", "item_id")


def guess_uses(
    columns: Sequence[str], plan: Plan, rows: Sequence[Mapping[str, str]] = ()
) -> dict[str, str]:
    """What each column is for, as its name and its first rows tell.

    The longest texts are those to judge if no name says so; ids are all different; words that
    every text holds are those to mark. A column without a name is left out.
    """
    gold = {f"gold.{name}" for name in _ids(plan)}
    if all(isinstance(_loose(row.get("gold") or "{}"), dict) for row in rows):
        gold.add("gold")
    uses = {name: name if name in gold else FIELD if name else "" for name in columns}
    found = {
        "highlight": find_column(columns, _HIGHLIGHTS),
        "id": find_column(columns, ID_COLUMNS) or _numbers(columns, rows) or _codes(columns, rows),
        "text": find_column(columns, TEXT_COLUMNS),
    }
    if found["text"] is None:
        free = [name for name in columns if name not in found.values()]
        found["text"] = max(free, key=lambda n: sum(len(r.get(n, "")) for r in rows), default=None)
    if found["highlight"] is None and (text := found["text"]):
        free = [name for name in columns if name and name not in found.values()]
        found["highlight"] = next((name for name in free if _marks(rows, name, text)), None)
    return uses | {name: use for use, name in found.items() if name is not None}


def _numbers(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str | None:
    """The column whose name says that it numbers the rows, and which does."""
    name = find_column(columns, _NUMBERS)
    values = [row.get(name, "") for row in rows] if name else []
    return name if values and all(values) and len(set(values)) == len(values) else None


def _codes(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> str | None:
    """The first column, if it has another short code with a digit in every row: no dates."""
    name = columns[0] if len(columns) > 1 and not columns[0].startswith("gold.") else ""
    values = [row.get(name, "") for row in rows]
    codes = len(set(values)) == len(values) > 1 and all(map(_CODE.fullmatch, values))
    return name if name and codes and not all(map(_DATE.match, values)) else None


def _marks(rows: Sequence[Mapping[str, str]], name: str, text: str) -> bool:
    """Whether a column has whole words of the text in every row, and fewer than all of them."""
    pairs = [(row.get(name, ""), row.get(text, "")) for row in rows]
    return bool(pairs) and all(
        1 < len(words) < len(whole) and len(_whole_words(words).findall(whole)) == 1
        for words, whole in pairs
    )


def mapping_faults(uses: Mapping[str, str], plan: Plan) -> Iterator[str]:
    """What is wrong with the uses of columns."""
    known = {"", FIELD, "text", "id", "highlight", "gold", *(f"gold.{n}" for n in _ids(plan))}
    if "text" not in uses.values():
        yield "choose the column that holds the texts"
    if uses.get(""):
        yield "a column has no name; name it in the file, or leave it out"
    for use, times in Counter(use for use in uses.values() if use not in ("", FIELD)).items():
        if use not in known:
            yield f"a column cannot be used as {use!r}"
        elif times > 1:
            yield f"{times} columns are used as {use}; choose one"


def _ids(plan: Plan) -> list[str]:
    return [question.id for question in plan.questions]


def read_items(
    path: str | Path,
    plan: Plan,
    *,
    safe_cells: bool = False,
    options: FileOptions | None = None,
    columns: ColumnMapping | None = None,
) -> Iterator[NewItem]:
    """The items of a table, one at a time; a document or a list has only texts.

    The items of several files, in a folder or an archive, have the name of their file in their id.
    Columns: `text`; `id` (else rows are counted); `highlight`, the marked words or their offsets;
    `gold`, a JSON object, or a column `gold.QUESTION` each; all others are fields of the item.
    `safe_cells` takes away what protects the cells of a CSV file from spreadsheets; `columns` says
    what the columns are for, if their names do not.

    Raises:
        BadRecord: with the line, for a text that is missing or too long, a duplicate id, a
            highlight that is not in the text, or known answers to unknown questions.
    """
    with closing(_IdLines()) as seen:
        record = None
        for name, record in _records(Path(path), safe_cells, options or FileOptions(), columns):
            if before := seen.add(record.id, record.line):
                problem = f"id {record.id!r} is already in line {before}"
                raise BadRecord(name, record.line, problem)
            yield checked_item(record, plan, name)
    if record is None:
        raise BadRecord(path, 1, "has no items; give a file with rows")


def checked_item(record: TextRecord, plan: Plan, path: str | Path) -> NewItem:
    """The item of a record.

    Raises:
        BadRecord: with what is wrong with it.
    """
    try:
        return _item(record, plan)
    except _ItemFault as fault:
        raise BadRecord(path, record.line, str(fault)) from None


def _records(
    path: Path, safe_cells: bool, options: FileOptions, columns: ColumnMapping | None
) -> Iterator[tuple[str, TextRecord]]:
    """The records of a file, or of the files of a folder or archive, with the names of these."""
    if safe_cells or (options.format is None and shows_no_format(path)):
        records = (
            named_texts(read_cells(path, options=options), str(path))
            if safe_cells
            else read_texts(path, limit=RECORD_LIMIT)  # the first line tells the format
        )
        yield from ((str(path), record) for record in records)
        return
    files = find_files([str(path)], options)
    for file in files:
        rows = good_rows(file, replace(options, limit=RECORD_LIMIT))
        rows = columns.apply(rows) if columns else rows
        for record in named_texts(rows, file.path):
            if len(files) > 1:
                place = Path(file.path).relative_to(path).as_posix()
                own = f"{place}:{record.id}" if file.is_table or record.line else place
                record = replace(record, id=own)
            yield file.path, record


class _ItemFault(Exception):
    """What is wrong with a record, without its place."""


def _item(record: TextRecord, plan: Plan) -> NewItem:
    if is_missing(record.text):
        raise _ItemFault("has no text")
    parts = (record.text, record.id, *record.fields.keys(), *record.fields.values())
    if found := next(filter(None, map(unstorable_character, parts)), ""):
        raise _ItemFault(f"contains {found}")
    if len(record.text) > TEXT_LIMIT:
        raise _ItemFault(
            f"has a text of more than {TEXT_LIMIT:,} characters; --unit paragraph divides documents"
        )
    if not record.id or len(record.id) > 200:
        raise _ItemFault("has no id, or one of more than 200 characters")
    payload: dict[str, Any] = {}
    gold: dict[str, Any] = {}
    for name, value in record.fields.items():
        if name == "highlight":
            payload["highlight"] = _highlight(value, record.text)
        elif name == "gold":
            gold |= _object(value)
        elif name.startswith("gold."):
            gold |= {name.removeprefix("gold."): _loose(value)} if value else {}
        else:
            payload[name] = value
    for name in {q.options_from for q in plan.questions if q.options_from}:
        payload[name] = list(listed(_loose(payload.get(name, ""))))
    for fault in gold_faults(plan.questions, gold):
        raise _ItemFault(fault)
    for shown in plan.shown:
        if shown.required and not payload.get(shown.field):
            raise _ItemFault(f"has no {shown.field!r}, which the project shows")
    item = NewItem(record.id, record.text, payload, gold)
    if plan.order == "uncertainty":
        doubt_of(item, plan)
    return item


def doubt_of(item: NewItem, plan: Plan) -> float:
    """The uncertainty of an item, from the field named in the plan; control items need none."""
    name, value = plan.uncertainty.field, item.payload.get(plan.uncertainty.field)
    if item.gold and value in (None, ""):
        return 0.0
    try:
        score = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise _ItemFault(f"has no number in {name!r}, which orders the items") from None
    if not isfinite(score) or (plan.uncertainty.measure == "probability" and not 0 <= score <= 1):
        raise _ItemFault(f"has {value!r} in {name!r}, which is not a {plan.uncertainty.measure}")
    return doubt_score(score, plan.uncertainty.measure)


def batch_of(item: NewItem, plan: Plan) -> str:
    """The name of the item's batch; empty where it has none."""
    return str(item.payload.get(plan.batches.field) or "")[:200] if plan.batches.field else ""


def _highlight(value: str, text: str) -> Spans:
    """The highlighted spans, given as offsets in JSON or as words that occur once in the text.

    "art" stands once in "the art of the party": letters within another word do not count.
    """
    if not value:
        return []
    given = _loose(value)
    if isinstance(given, list):
        spans = [given] if given and isinstance(given[0], int) else given
        for span in spans:
            if not _within(span, text):
                raise _ItemFault(f"the highlight {span} is not a [start, end] within the text")
        return [list(span) for span in spans]
    if len(found := list(_whole_words(value).finditer(text))) == 1:
        return [list(found[0].span())]
    if (times := text.count(value)) != 1:
        problem = "is not in the text" if not times else f"is in the text {times} times"
        raise _ItemFault(f"highlight {value!r} {problem}; give offsets such as [[3, 8]]")
    return [[text.index(value), text.index(value) + len(value)]]


def _whole_words(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")


def highlight_cell(spans: Sequence[Sequence[int]], text: str) -> str:
    """Highlighted spans as a file gives them: the words, where these say which are meant."""
    if len(spans) == 1:
        start, end = spans[0]
        try:
            if _highlight(text[start:end], text) == [list(spans[0])]:
                return text[start:end]
        except _ItemFault:
            pass
    return json.dumps(spans) if spans else ""


def _within(span: object, text: str) -> bool:
    if not isinstance(span, list) or len(span) != 2:
        return False
    start, end = span
    return isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)


def _object(value: str) -> Mapping[str, Any]:
    given = _loose(value) if value else {}
    if not isinstance(given, dict):
        raise _ItemFault('gold must be a JSON object such as {"score": 3}')
    return given


def _loose(value: Any) -> Any:
    """The value of a JSON list, object or number; any other string as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


class _IdLines:
    """Ids with the lines where they were seen, kept on disk so that memory does not grow."""

    def __init__(self) -> None:
        self._rows = sqlite3.connect("")  # a file without a name, deleted with this object
        self._rows.execute("PRAGMA journal_mode=OFF")
        self._rows.execute("CREATE TABLE seen (id TEXT PRIMARY KEY, line INTEGER) WITHOUT ROWID")

    def add(self, identifier: str, line: int) -> int | None:
        """Add the id; returns the line where it was seen before, if any."""
        row = (identifier, line)
        if self._rows.execute("INSERT OR IGNORE INTO seen VALUES (?, ?)", row).rowcount:
            return None
        found = self._rows.execute("SELECT line FROM seen WHERE id = ?", (identifier,))
        return int(found.fetchone()[0])

    def close(self) -> None:
        """Close the file."""
        self._rows.close()
