"""Tables of judgments, long (one row per judgment) or wide (one column per annotator)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Literal

from trope.core.errors import BadInput, BadRecord
from trope.core.judgments import Judgment, as_number, is_span_label, read_spans
from trope.corpora.sources import Source, source_name
from trope.corpora.tables import TEXT_COLUMNS, TableFormat, find_column, read_rows

Layout = Literal["auto", "long", "wide"]

KNOWN_COLUMNS: dict[str, tuple[str, ...]] = {
    "item": ("item", "item_id", "task", "task_id", "unit", "unit_id", "_unit_id", "tweet_id",
             "headline_id", "sentence_id", "id"),
    "annotator": ("annotator", "annotator_id", "worker", "worker_id", "workerid", "_worker_id",
                  "rater", "coder", "judge", "user", "user_id"),
    "label": ("label", "answer", "judgment", "judgement", "rating", "score", "response", "value"),
    "question": ("question", "question_id"),
    "weight": ("weight",),
    "seconds": ("seconds", "duration", "time_spent", "worktimeinseconds"),
    "gold": ("gold", "_gold", "gold_label", "golden"),
    "text": TEXT_COLUMNS,
}  # fmt: skip
"""Columns that are taken for each part, in this order, whatever their case."""

_PROTECTED = re.compile(r"^'(?=['=+\-@\t\r\n＝＋－＠])")
_TEXT_LENGTH = 60
"""A cell of a wide table that is longer than this is a text, not a judgment."""


@dataclass(frozen=True, slots=True)
class JudgmentColumns:
    """What the columns of a table are called; an empty name is found by `KNOWN_COLUMNS`.

    `annotators` names the columns of a wide table that hold judgments (none: all that are left).
    """

    item: str = ""
    annotator: str = ""
    label: str = ""
    question: str = ""
    weight: str = ""
    seconds: str = ""
    gold: str = ""
    text: str = ""
    verb: str = ""
    annotators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgmentTable:
    """All judgments of a source, how it was laid out, what was skipped, verbs of items, and the
    texts of those in which words were marked, or of all if their column was named."""

    name: str
    layout: str
    judgments: tuple[Judgment, ...]
    ignored_columns: tuple[str, ...] = ()
    skipped: int = 0
    verbs: Mapping[str, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)


def read_judgments(
    source: Source,
    *,
    columns: JudgmentColumns | None = None,
    layout: Layout = "auto",
    format: TableFormat = "auto",  # noqa: A002 - the word that users know
    missing: Sequence[str] = (),
    skip_empty: bool = False,
    encoding: str | None = None,
    delimiter: str | None = None,
    sheet: str | None = None,
) -> JudgmentTable:
    """The judgments of any table that `read_rows` reads.

    Args:
        columns: names of columns that `KNOWN_COLUMNS` would not find.
        layout: "auto" takes a table with an annotator and a label column for a long one.
        missing: labels that mean "no answer" and are left out, for example "NA".
        skip_empty: leave rows of a long table without a label out (empty cells of a wide one
            always mean that there is no answer).
        encoding, delimiter, sheet: as in `read_rows`.

    Raises:
        BadRecord: with the line, for a column that is not there, an empty label, a second
            judgment of the same item by the same annotator, or a weight that is not a number.
    """
    reader = _TableBuilder(
        source_name(source), columns or JudgmentColumns(), layout, frozenset(missing)
    )
    rows = read_rows(source, format=format, encoding=encoding, delimiter=delimiter, sheet=sheet)
    for line, row in map(_without_protection, rows):
        reader.read(line, row, skip_empty)
    return reader.table()


def read_model_answers(source: Source) -> dict[str, list[Judgment]]:
    """What models answered, by model.

    The table has the columns item, model and answer (and question, where there are several), or is
    what `trope annotate export --what models` writes.

    Raises:
        BadRecord: as `read_judgments`.
    """
    name = source_name(source)
    reader = _TableBuilder(name, JudgmentColumns(annotator="model"), "long", frozenset())
    for line, row in map(_without_protection, read_rows(source)):
        for one in _exported_answers(name, line, row) if "answers" in row else (row,):
            reader.read(line, one, skip_empty=True)
    models: dict[str, list[Judgment]] = {}
    for judgment in reader.table().judgments:
        models.setdefault(judgment.annotator, []).append(judgment)
    return models


def _exported_answers(name: str, line: int, row: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """One row per question; none for an item that has no valid answer."""
    try:
        answers = json.loads(row["answers"] or "{}")
        if not isinstance(answers, dict):
            raise ValueError
    except ValueError:
        raise BadRecord(name, line, "the answers are no JSON object; export them again") from None
    head = {"item": row.get("item", ""), "model": row.get("run") or row.get("model", "")}
    for question, answer in answers.items():
        label = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
        yield {**head, "question": question, "label": label}


class _TableBuilder:
    """What has been read so far; the first row decides the layout."""

    def __init__(
        self, name: str, columns: JudgmentColumns, layout: Layout, missing: frozenset[str]
    ) -> None:
        self.name, self.columns, self.layout, self.missing = name, columns, layout, missing
        self.keys: dict[str, str] = {}
        self.header: tuple[str, ...] | None = None
        self.annotators: tuple[str, ...] = ()
        self.judgments: list[Judgment] = []
        self.lines: dict[tuple[str, str, str], int] = {}
        self.verbs: dict[str, str] = {}
        self.texts: dict[str, str] = {}
        self.skipped = 0

    def read(self, line: int, row: Mapping[str, str], skip_empty: bool) -> None:
        if self.header is None:
            self._settle(line, row)
        elif tuple(row) != self.header:  # only lines of JSON differ from one another
            self._check_keys(line, row)
        item = row[self.keys["item"]].strip()
        if not item:
            self._refuse(line, "the item has no name; give it an id")
        self._keep_verb(line, item, row)
        for annotator, cell in self._answers(row):
            label = cell.strip()
            if label in self.missing or (not label and (self.layout == "wide" or skip_empty)):
                self.skipped += 1
            elif not label:
                self._refuse(
                    line, "the label is empty; fill it in or skip such rows with --skip-empty"
                )
            else:
                self._add(line, item, annotator.strip(), label, row)

    def table(self) -> JudgmentTable:
        """Everything, once the last row has been read."""
        if not self.judgments:
            raise BadInput(f"{self.name}: holds no judgment; give a table with answers")
        self._check_judgments()
        if not self.texts and not self.columns.text:
            self.keys.pop("text", None)  # nobody needs it
        used = {*self.keys.values(), *self.annotators, self.columns.verb}
        ignored = tuple(key for key in self.header or () if key not in used)
        return JudgmentTable(
            self.name,
            self.layout,
            tuple(self.judgments),
            ignored,
            self.skipped,
            self.verbs,
            self.texts,
        )

    def _check_judgments(self) -> None:
        """Refuse a table whose rows describe items: what was taken for judgments is none."""
        self._check_spans()
        columns = self.columns
        if self.layout == "long":
            named = columns.annotator or columns.label
            several = len({judgment.annotator for judgment in self.judgments}) > 1
            once = len({(j.item, j.question) for j in self.judgments}) == len(self.judgments)
            if several and once and not named and find_column(self.header or (), TEXT_COLUMNS):
                keys = f"{self.keys['annotator']!r} and {self.keys['label']!r}"
                self._refuse_items(
                    f"no item has two judgments in {keys}", "--annotator and --label"
                )
        elif not columns.annotators:
            given: dict[str, list[str]] = {name: [] for name in self.annotators}
            for judgment in self.judgments:
                given.setdefault(judgment.annotator, []).append(judgment.label)
            for name, labels in given.items():
                others = [one for other, own in given.items() if other != name for one in own]
                if _is_of_another_kind(labels, others):
                    cause = f"no value of {name!r} is in another column"
                    self._refuse_items(cause, "--annotators")

    def _check_spans(self) -> None:
        """Refuse an answer that is no list of spans where the others mark words."""
        marking = {
            judgment.question for judgment in self.judgments if is_span_label(judgment.label)
        }
        for one in self.judgments:
            if one.question in marking:
                try:
                    read_spans(one.label, self.texts.get(one.item))
                except ValueError as error:
                    line = self.lines[one.item, one.annotator, one.question]
                    remedy = "write marked words as [[start, end], …], none as []"
                    self._refuse(line, f"item {one.item!r}: the answer {error}; {remedy}")

    def _refuse_items(self, cause: str, options: str) -> None:
        problem = f"is a table of items, not of judgments ({cause})"
        raise BadInput(f"{self.name}: {problem}; if it is not, name the columns with {options}")

    def _settle(self, line: int, row: Mapping[str, str]) -> None:
        """Find out what each column is."""
        self.header = tuple(row)
        by_lower = {key.strip().lower(): key for key in reversed(self.header)}
        for part, known in KNOWN_COLUMNS.items():
            wanted = getattr(self.columns, part)
            if wanted:
                self._require(line, row, wanted)
                self.keys[part] = wanted
            elif found := next((by_lower[name] for name in known if name in by_lower), None):
                self.keys[part] = found
        if self.columns.verb:
            self._require(line, row, self.columns.verb)
        if "item" not in self.keys:
            self._refuse(
                line, f"none of the columns names the items: {_listed(row)}; name it with --item"
            )
        if self.layout == "auto":
            long = {"annotator", "label"} <= self.keys.keys() and not self.columns.annotators
            self.layout = "long" if long else "wide"
        if self.layout == "long":
            self._settle_long(line, row)
        else:
            self._settle_wide(line, row)

    def _settle_long(self, line: int, row: Mapping[str, str]) -> None:
        for part in ("annotator", "label"):
            if part not in self.keys:
                problem = (
                    f"none of the columns is the {part}: {_listed(row)}; name it with --{part}"
                )
                self._refuse(line, problem)

    def _settle_wide(self, line: int, row: Mapping[str, str]) -> None:
        for part in ("annotator", "label", "seconds", "weight"):
            if getattr(self.columns, part):
                self._refuse(line, f"a wide table has no column for the {part}; drop --{part}")
            self.keys.pop(part, None)
        for name in self.columns.annotators:
            self._require(line, row, name)
        taken = {*self.keys.values(), self.columns.verb}
        self.annotators = self.columns.annotators or tuple(
            key for key in row if key not in taken and key.strip().lower() not in TEXT_COLUMNS
        )
        if len(self.annotators) < 2:
            if not self.columns.annotators and find_column(row, TEXT_COLUMNS):
                self._refuse_items(f"it has {_listed(row)}", "--annotator and --label")
            problem = (
                f"neither annotator and label columns nor two columns of answers among "
                f"{_listed(row)}; name them with --annotator and --label, or with --annotators"
            )
            self._refuse(line, problem)

    def _check_keys(self, line: int, row: Mapping[str, str]) -> None:
        needed = [self.keys["item"]]
        if self.layout == "long":
            needed += [self.keys["annotator"], self.keys["label"]]
        for key in needed:
            self._require(line, row, key)
        if self.layout == "wide" and not self.columns.annotators:
            unknown = [key for key in row if key not in (self.header or ())]
            if unknown:
                problem = f"has a column {unknown[0]!r} that the first row lacks"
                self._refuse(line, f"{problem}; name the annotators with --annotators")

    def _answers(self, row: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        if self.layout == "long":
            yield row[self.keys["annotator"]], row[self.keys["label"]]
        else:
            for annotator in self.annotators:
                yield annotator, row.get(annotator, "")

    def _add(
        self, line: int, item: str, annotator: str, label: str, row: Mapping[str, str]
    ) -> None:
        if not annotator:
            self._refuse(
                line, f"item {item!r} has an answer without an annotator; name the annotator"
            )
        wanted = label.startswith("[") or self.columns.text
        if wanted and (text := row.get(self.keys.get("text", ""), "")):
            self.texts.setdefault(item, text)  # as it is: positions count its spaces
        if self.layout == "wide" and len(label) > _TEXT_LENGTH and not is_span_label(label):
            problem = f"column {annotator!r} holds a text, not judgments"
            self._refuse(line, f"{problem}; name the annotators with --annotators")
        question = self._cell(row, "question")
        first = self.lines.setdefault((item, annotator, question), line)
        if len(self.lines) == len(self.judgments):
            about = f" ({question})" if question else ""
            problem = f"{annotator!r} already judged {item!r}{about} on line {first}"
            self._refuse(line, f"{problem}; keep one of the two")
        weight = self._number(line, row, "weight")
        self.judgments.append(
            Judgment(
                item=intern(item),
                annotator=intern(annotator),
                label=intern(label),
                question=intern(question),
                weight=1.0 if weight is None else weight,
                seconds=self._number(line, row, "seconds"),
                gold=intern(self._cell(row, "gold")),
            )
        )

    def _cell(self, row: Mapping[str, str], part: str) -> str:
        return row.get(self.keys[part], "").strip() if part in self.keys else ""

    def _number(self, line: int, row: Mapping[str, str], part: str) -> float | None:
        text = self._cell(row, part)
        if not text:
            return None
        number = as_number(text)
        if number is None or number < 0:
            self._refuse(line, f"{part} must be a number of at least 0, got {text!r}")
        return number

    def _keep_verb(self, line: int, item: str, row: Mapping[str, str]) -> None:
        if not self.columns.verb:
            return
        verb = row.get(self.columns.verb, "").strip()
        if self.verbs.setdefault(item, verb) != verb:
            problem = f"item {item!r} has the verb {verb!r} here and {self.verbs[item]!r} before"
            self._refuse(line, f"{problem}; an item has one verb")

    def _require(self, line: int, row: Mapping[str, str], column: str) -> None:
        if column not in row:
            self._refuse(line, f"has no column {column!r}; it has {_listed(row)}")

    def _refuse(self, line: int, problem: str) -> None:
        raise BadRecord(self.name, line, problem)


def _is_of_another_kind(labels: Sequence[str], others: Sequence[str]) -> bool:
    """Whether a column shares no label with the others and is unlike them: names, numbers, years.

    Two annotators who differ everywhere have no label in common either, but few labels each.
    """
    if len(labels) < 3 or not others or {*labels} & {*others}:
        return False
    numbers = [sum(as_number(one) is not None for one in some) for some in (labels, others)]
    all_distinct = len({*labels}) >= 0.8 * len(labels)
    return all_distinct or (numbers[0] == len(labels)) != (numbers[1] == len(others))


def _without_protection(numbered: tuple[int, Mapping[str, str]]) -> tuple[int, Mapping[str, str]]:
    """The row without the apostrophes by which exports keep spreadsheets from reading formulas."""
    line, row = numbered
    if not any(cell.startswith("'") for cell in row.values()):
        return numbered
    return line, {name: _PROTECTED.sub("", cell) for name, cell in row.items()}


def _listed(row: Mapping[str, str]) -> str:
    return ", ".join(row)
