"""Labels of a user's own: in any table, in a run of a recipe, or in an export of annotations.

One text in five is set aside by its wording, so that train and test share no text, in whatever
order the rows stand; a column of splits is used instead where there is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import sha256
from trope.core.judgments import as_score
from trope.core.records import TextKind
from trope.corpora.files import FileOptions
from trope.corpora.tables import (
    TEXT_COLUMNS,
    TableRow,
    find_column,
    is_missing,
    named_delimiter,
    read_rows,
)
from trope.lexicon.readings import METONYMIC, NON_LITERAL, canonical, readings, to_name_class
from trope.text.duplicates import text_digest

TaskName = Literal["metaphor", "sentiment", "metonymy", "analogy"]
LabelTask = TaskName | Literal["labels"]
ANY_LABELS: LabelTask = "labels"
"""Instead of a task: labels as they are written, whatever they mean."""

SystemLevel = Literal["sentences", "verbs", "words"]
"""What a label of metaphor is about."""

ITEMS, LABELS = "items.jsonl", "labels.jsonl"
LABEL_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "metaphor": ("label", "metaphor", "metaphorical", "gold", "gold_label", "class"),
    "sentiment": ("score", "sentiment", "rating", "label", "gold"),
    "metonymy": ("reading", "label", "gold", "gold_label"),
}
"""Column names that mean the label of a task, in this order; case does not matter."""

_ANY_COLUMNS = ("label", "metaphor", "metaphorical", "reading", "gold", "gold_label", "class")
_TARGETS = {"metonymy": ("name", "target", "entity")}
_CLASSES = ("name_class", "class", "kind")
_YES = ("metaphor", "metaphorical", "metaphoric", "figurative", "m", "met", "yes", "y", "true", "1")
_NO = ("literal", "nonmetaphor", "notmetaphor", "nonmetaphorical", "notmetaphorical", "l", "lit",
       "no", "n", "false", "0", "none")  # fmt: skip
_TRAIN, _OTHER = ("train", "training"), ("test", "validation", "valid", "val", "dev", "trial")
_LOWEST, _HIGHEST = -5, 5
SHARE = 5
"""One text in so many is set aside."""
_OTHER_METONYMY = "othermet"
_TASK_OF_RECIPE = {"tweets2019": "metaphor", "newsmet": "metaphor", "semeval2015": "sentiment",
                   "semeval2007": "metonymy", "mean": "analogy"}  # fmt: skip
# what items have whose verb is labelled: those of a run of tweets2019, and of its project; a run of
# newsmet labels headlines
_OF_VERBS = {"verb", "expression"}, {"verb", "object", "highlight"}
_KIND_OF_RECIPE: dict[str, TextKind] = {
    "tweets2019": "tweet",
    "newsmet": "headline",
    "semeval2015": "tweet",
}


@dataclass(frozen=True, slots=True)
class LabelColumns:
    """What the columns are called; an empty name is found by the usual ones.

    `target` is the verb that is judged, or the name; `positive` the label that means metaphor;
    `question` the one whose labels of an annotation project are used.
    """

    text: str = ""
    label: str = ""
    target: str = ""
    name_class: str = ""
    split: str = ""
    positive: str = ""
    question: str = ""


@dataclass(frozen=True, slots=True)
class OwnLabel:
    """A text with its answer: whether it is a metaphor, its score, or the reading of its name."""

    text: str
    answer: Any
    line: int
    target: str = ""
    start: int | None = None
    end: int | None = None
    name_class: str = ""
    split: str = ""

    @property
    def digest(self) -> int:
        """The number of its text."""
        return text_digest(self.text)


@dataclass(frozen=True, slots=True)
class LabelledSet:
    """All labelled items of a source, and how many rows have no label."""

    task: LabelTask
    path: Path
    sha256: str
    items: tuple[OwnLabel, ...]
    unlabelled: int = 0

    @property
    def level(self) -> SystemLevel:
        """What a label of metaphor is about."""
        return "verbs" if self.task == "metaphor" and self.items[0].target else "sentences"

    def parts(self) -> tuple[list[OwnLabel], list[OwnLabel]]:
        """Items to train with, and those that are set aside; no text is in both."""
        if any(item.split for item in self.items):
            train = [item for item in self.items if item.split in _TRAIN]
            return train, [item for item in self.items if item.split not in _TRAIN]
        held = [item.digest % SHARE == 0 for item in self.items]
        return (
            [item for item, out in zip(self.items, held, strict=True) if not out],
            [item for item, out in zip(self.items, held, strict=True) if out],
        )


def read_labelled(
    source: Path,
    task: LabelTask,
    columns: LabelColumns,
    files: FileOptions | None = None,
) -> LabelledSet:
    """The labelled items of a table, or of a folder with items.jsonl and labels.jsonl.

    Rows without a label or a text are left out.

    Raises:
        MissingData: where there is no such file.
        BadRecord: for a column that is not there, a label that the task does not have, a target
            that is not in its text, or a text that is in two splits.
    """
    if source.is_dir():
        _check_recipe(source, task)
        path, rows = source / LABELS, _joined_rows(source, columns.question)
        if task in ("metaphor", ANY_LABELS) and not columns.target:
            first = next(rows, None)
            rows = iter([first, *rows] if first else ())
            if first is not None and any(fields <= set(first[1]) for fields in _OF_VERBS):
                columns = replace(columns, target="verb")
    elif not source.is_file():
        raise MissingData(source, "give a table with labels, or the folder of a run")
    else:
        reading = files or FileOptions()
        path, rows = (
            source,
            read_rows(
                source,
                encoding=reading.encoding or None,
                delimiter=named_delimiter(reading.delimiter),
                sheet=reading.sheet or None,
            ),
        )
    reader = _LabelReader(str(path), task, columns)
    items = tuple(item for line, row in rows if (item := reader.item(line, row)) is not None)
    if not items:
        raise BadRecord(path, None, "no row has a label; label some texts first")
    _check_splits(items, str(path))
    return LabelledSet(task, source, sha256(path), items, reader.unlabelled)


def _check_recipe(run: Path, task: LabelTask) -> None:
    """Refuse the run of a recipe whose labels are of another task."""
    recipe = _recipe_of(run)
    about = _TASK_OF_RECIPE.get(recipe, task)
    if task not in (about, ANY_LABELS):
        problem = f"is a run of {recipe}, whose labels are of {about}, not of {task}"
        raise BadRecord(run, None, f"{problem}; name the task {about}, or give another run")


def _recipe_of(run: Path) -> str:
    """The recipe of a run; empty for any other folder or file."""
    try:
        return str(json.loads((run / "manifest.json").read_text(encoding="utf-8"))["recipe"])
    except (OSError, ValueError, TypeError, KeyError):
        return ""


def text_kind(source: Path) -> TextKind:
    """What the texts of a source are; of all sources, only the run of a recipe says so."""
    return _KIND_OF_RECIPE.get(_recipe_of(source), "plain")


def _joined_rows(folder: Path, question: str) -> Iterator[TableRow]:
    """The labels of a run or an export, each with the fields of its item."""
    for name in (ITEMS, LABELS):
        if not (folder / name).is_file():
            remedy = (
                "finish the run with --answers or --simulate, or export items and labels of the "
                "project into this folder (trope annotate export PROJECT --what labels)"
            )
            raise MissingData(folder / name, remedy)
    items = {row["id"]: row for _, row in read_rows(folder / ITEMS)}
    rows = list(read_rows(folder / LABELS))
    asked = sorted({row["question"] for _, row in rows if row.get("question")})
    if question and question not in asked:
        known = ", ".join(asked) or "none"
        raise BadRecord(folder / LABELS, None, f"has no question {question!r}; it has {known}")
    if len(asked) > 1 and not question:
        problem = f"has labels of several questions; name one with --question ({', '.join(asked)})"
        raise BadRecord(folder / LABELS, None, problem)
    for line, row in rows:
        if question and row.get("question") != question:
            continue
        item = items.get(row["item"])
        if item is None:
            raise BadRecord(
                folder / LABELS, line, f"names the item {row['item']!r}, which {ITEMS} has not"
            )
        flat = _fields_of(item)
        score = row.get("score") or ""
        label = row.get("label") or ""
        yield line, {**flat, "text": item["text"], "label": label, "score": score or label}


def _fields_of(item: Mapping[str, str]) -> dict[str, str]:
    """What is known of an item: `fields` of a run, or the other columns of an export."""
    if not item.get("fields"):
        own = {name: value for name, value in item.items() if name not in ("id", "text", "gold")}
        return _marked_words(item) | own
    fields = json.loads(item["fields"])
    return {name: "" if value is None else str(value) for name, value in fields.items()}


def _marked_words(item: Mapping[str, str]) -> dict[str, str]:
    """Of an export, the highlighted words as a name, and their place, if there is one such span."""
    spans = json.loads(item.get("highlight") or "[]")
    if len(spans) != 1:
        return {}
    start, end = spans[0]
    return {"name": item["text"][start:end], "start": str(start), "end": str(end)}


class _LabelReader:
    """Reads rows of one table; the first one decides which columns are which."""

    def __init__(self, path: str, task: LabelTask, columns: LabelColumns) -> None:
        self.path, self.task, self.columns = path, task, columns
        self.unlabelled = 0
        self._keys: dict[str, str] = {}

    def item(self, line: int, row: Mapping[str, str]) -> OwnLabel | None:
        """The item of a row; None for one without a label or a text."""
        if not self._keys:
            self._keys = self._find(line, row)
        given = {part: row.get(key, "") for part, key in self._keys.items()}
        if is_missing(given["label"]) and given["label"].strip().lower() != "none":
            self.unlabelled += 1
            return None
        if is_missing(given["text"]):
            self.unlabelled += 1
            return None
        kind = self._name_class(line, given.get("name_class", ""))
        item = OwnLabel(
            given["text"],
            self._answer(line, given["label"].strip(), kind),
            line,
            given.get("target", "").strip(),
            _place(given.get("start", "")),
            _place(given.get("end", "")),
            kind,
            self._split(line, given.get("split", "")),
        )
        if "target" in self._keys:
            self._check_target(item)
        return item

    def _find(self, line: int, row: Mapping[str, str]) -> dict[str, str]:
        wanted, labels = self.columns, LABEL_COLUMNS.get(self.task, _ANY_COLUMNS)
        found = {
            "text": self._column(line, row, wanted.text, TEXT_COLUMNS, "texts", "--column"),
            "label": self._column(line, row, wanted.label, labels, "labels", "--label"),
        }
        if wanted.target or self.task in _TARGETS:
            known = _TARGETS.get(self.task, ())
            found["target"] = self._column(line, row, wanted.target, known, "names", "--target")
            found |= {k: key for k in ("start", "end") if (key := find_column(row, (k,)))}
        if wanted.name_class or find_column(row, _CLASSES):
            found["name_class"] = self._column(
                line, row, wanted.name_class, _CLASSES, "classes of names", "--class-column"
            )
        if wanted.split or find_column(row, ("split",)):
            found["split"] = self._column(line, row, wanted.split, ("split",), "splits", "--split")
        return found

    def _column(
        self,
        line: int,
        row: Mapping[str, str],
        wanted: str,
        known: Sequence[str],
        what: str,
        option: str,
    ) -> str:
        found = wanted if wanted in row else None if wanted else find_column(row, known)
        if found is None:
            looked = repr(wanted) if wanted else f"{known[0]!r}" if known else "that"
            problem = f"has no column {looked} with {what}; it has {', '.join(row)}"
            raise BadRecord(self.path, line, f"{problem}; name it with {option}")
        return found

    def _answer(self, line: int, label: str, kind: str) -> Any:
        if self.task == ANY_LABELS:
            return label
        if self.task == "metaphor":
            return self._metaphor(line, label)
        if self.task == "metonymy":
            return self._reading(line, label, kind)
        score = as_score(label)
        if score is None or not _LOWEST <= score <= _HIGHEST:
            problem = f"the score {label!r} is not a number from {_LOWEST} to {_HIGHEST}"
            raise BadRecord(self.path, line, f"{problem}; rescale or fix it")
        return score

    def _metaphor(self, line: int, label: str) -> bool:
        if self.columns.positive:
            return label == self.columns.positive
        plain = "".join(letter for letter in label.lower() if letter.isalnum())
        if plain in _YES or plain in _NO:
            return plain in _YES
        if label.startswith("[") and label.endswith("]"):
            problem = f"the label {label!r} marks words, where one label per text or verb is needed"
            raise BadRecord(self.path, line, f"{problem}; name another question with --question")
        remedy = "write metaphor or literal, or name the label of metaphors with --positive"
        raise BadRecord(self.path, line, f"the label {label!r} is not one of metaphors; {remedy}")

    def _reading(self, line: int, label: str, kind: str) -> str:
        usual = canonical(label.lower())
        if usual in (METONYMIC, NON_LITERAL):
            return _OTHER_METONYMY  # which pattern it is was not labelled
        known = readings(to_name_class(kind))
        if usual not in known:
            problem = f"the label {label!r} is not a reading of a {kind}"
            raise BadRecord(self.path, line, f"{problem}; known: {', '.join(known)}, {METONYMIC}")
        return usual

    def _name_class(self, line: int, given: str) -> str:
        if self.task != "metonymy":
            return ""
        try:
            return to_name_class(given.strip().lower() or "location")
        except (BadInput, LookupError) as error:
            raise BadRecord(self.path, line, f"{error}; fix the class") from None

    def _split(self, line: int, given: str) -> str:
        split = given.strip().lower()
        if split and split not in (*_TRAIN, *_OTHER):
            raise BadRecord(
                self.path, line, f"the split {given!r} is not train, validation or test"
            )
        return split

    def _check_target(self, item: OwnLabel) -> None:
        if not item.target:
            raise BadRecord(self.path, item.line, "has no target; fill in the verb or the name")
        if self.task == "metonymy" and item.target.lower() not in item.text.lower():
            problem = f"the name {item.target!r} is not in its text"
            raise BadRecord(self.path, item.line, f"{problem}; spell it as the text does")


def _place(given: str) -> int | None:
    return int(given) if given.strip().isdigit() else None


def _check_splits(items: Sequence[OwnLabel], path: str) -> None:
    first: dict[int, OwnLabel] = {}
    for item in items:
        if not item.split:
            continue
        other = first.setdefault(item.digest, item)
        if (other.split in _TRAIN) != (item.split in _TRAIN):
            problem = (
                f"has the text of line {other.line}, but is in {item.split}, not {other.split}"
            )
            raise BadRecord(path, item.line, f"{problem}; give both the same split")
