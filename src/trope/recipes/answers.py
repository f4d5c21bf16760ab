"""Answers of people in the annotation service, used instead of a simulated crowd's.

They are read from the export of a run's project and checked against the items of the run:

    judgments.jsonl   judgments of annotators: the one file that is needed
    decisions.jsonl   decisions of adjudicators (--what decisions)
    trials.jsonl      answers to the demo task (--what trials)
    team.jsonl        judgments of a team that had its own project (semeval2015)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from trope.annotate.exchange.files import read_objects
from trope.annotate.exchange.items import NewItem, read_items
from trope.annotate.exchange.records import JudgmentRecord, as_time, form_values, from_object
from trope.annotate.plan import Plan, read_plan
from trope.annotate.project import CONFIG
from trope.annotate.questions import read_answers
from trope.core.errors import BadInput, BadRecord, MissingData
from trope.core.files import sha256
from trope.core.judgments import Judgment
from trope.recipes.records import ItemLabel

ADJUDICATOR = "adjudicator"
EXCLUDED = "excluded by an adjudicator"
TOO_FEW = "too few judgments"

JUDGMENTS, DECISIONS, TRIALS, TEAM = "judgments", "decisions", "trials", "team"
KINDS = (JUDGMENTS, DECISIONS, TRIALS, TEAM)
TRIAL_ITEMS = "trial.jsonl"
PROJECT_ITEMS = ("items.jsonl", "demo.jsonl", TRIAL_ITEMS)
DEMO = "demo"
_AGAIN = "export the judgments of this run's project: trope annotate export RUN/project --out FILE"
Lines = tuple[tuple[int, JudgmentRecord], ...]


@dataclass(frozen=True, slots=True)
class AdjudicatedAnswers:
    """The decision of an adjudicator; an excluded item has no answers."""

    answers: Mapping[str, Any]
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class DemoAnswers:
    """The answers of one annotator to an item of the demo task."""

    item: str
    annotator: str
    answers: Mapping[str, Any]
    skipped: bool
    seconds: float
    at: datetime


@dataclass(frozen=True, slots=True)
class ProjectAnswers:
    """All answers of people about the items of a run, checked, in the order they were given.

    `counted` are the judgments that count, `control` those of control items that are items of the
    run, `left_out` counts the others by their state.
    """

    path: Path
    plan: Plan
    counted: tuple[JudgmentRecord, ...]
    control: tuple[JudgmentRecord, ...] = ()
    demo: tuple[DemoAnswers, ...] = ()
    decisions: Mapping[str, AdjudicatedAnswers] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)

    def complete(self, least: Mapping[str, int]) -> CompleteAnswers:
        """The judgments of items that have enough of them, or a decision."""
        number = Counter(row.item for row in self.counted)
        lacking = {
            item: ItemLabel(item, None, votes=number[item], reason=_too_few(number[item], needed))
            for item, needed in least.items()
            if number[item] < needed and item not in self.decisions
        }
        rows = [row for row in self.counted if row.item in least and row.item not in lacking]
        return CompleteAnswers(tuple(rows), self.decisions, lacking)


def _too_few(number: int, needed: int) -> str:
    return f"{TOO_FEW}: {number} of {needed}"


@dataclass(frozen=True, slots=True)
class CompleteAnswers:
    """Judgments of items that enough people judged; `lacking` has a label for each other item."""

    rows: tuple[JudgmentRecord, ...]
    decisions: Mapping[str, AdjudicatedAnswers]
    lacking: Mapping[str, ItemLabel]

    def judgments(self, questions: Sequence[str]) -> list[Judgment]:
        """The answers to these questions, one row per answer."""
        return as_rows(self.rows, questions)

    def votes(self, questions: Sequence[str]) -> list[Judgment]:
        """The same, except that an adjudicator's decision replaces the answers to its item."""
        open_ones = [row for row in self.rows if row.item not in self.decisions]
        decided = [
            Judgment(item, ADJUDICATOR, as_label(decision.answers[question]), question)
            for item, decision in self.decisions.items()
            for question in questions
            if question in decision.answers
        ]
        return [*as_rows(open_ones, questions), *decided]

    def settle(self, labels: Iterable[ItemLabel]) -> tuple[ItemLabel, ...]:
        """The labels with decisions applied, and a reason where judgments are missing."""
        number = Counter(row.item for row in self.rows)
        return tuple(self._settled(label, number[label.item]) for label in labels)

    def _settled(self, label: ItemLabel, votes: int) -> ItemLabel:
        if label.item in self.lacking:
            return self.lacking[label.item]
        if label.item not in self.decisions:
            return label
        if self.decisions[label.item].excluded:
            return ItemLabel(label.item, None, votes=votes, reason=EXCLUDED)
        return replace(label, votes=votes, share=None, score=None)


def as_rows(
    forms: Iterable[JudgmentRecord | DemoAnswers], questions: Sequence[str]
) -> list[Judgment]:
    """Forms as one row per answer, in the order of the questions."""
    return [
        Judgment(
            form.item,
            form.annotator,
            as_label(form.answers[question]),
            question,
            weight=form.weight if isinstance(form, JudgmentRecord) else 1.0,
            seconds=round(form.seconds, 3),
        )
        for form in forms
        for question in questions
        if question in form.answers
    ]


def as_label(answer: Any) -> str:
    """An answer as a label; several chosen options are joined by `|`."""
    return "|".join(map(str, answer)) if isinstance(answer, list) else str(answer)


@dataclass(frozen=True, slots=True)
class ProjectExport:
    """The files of an export with their checksums; their answers are not checked yet."""

    path: Path
    files: Mapping[str, Path]
    sums: Mapping[str, str]
    judgments: Lines
    team: Lines


def read_export(path: Path) -> ProjectExport:
    """Read the export in a folder, or the judgments in one file.

    Raises:
        MissingData: there are no judgments.
        BadRecord: a line is not a judgment; the first one is named.
    """
    files = {JUDGMENTS: path} if path.is_file() else _files(path)
    if JUDGMENTS not in files:
        missing = path / f"{JUDGMENTS}.jsonl" if path.is_dir() else path
        raise MissingData(missing, _AGAIN)
    sums = {kind: sha256(file) for kind, file in files.items()}
    team = _judged(files[TEAM]) if TEAM in files else ()
    return ProjectExport(path, files, sums, _judged(files[JUDGMENTS]), team)


def _files(folder: Path) -> dict[str, Path]:
    """The files that exist and have content: without decisions or trials, theirs are empty."""
    named = {kind: folder / f"{kind}.jsonl" for kind in KINDS}
    there = {kind: path for kind, path in named.items() if path.is_file()}
    return {k: path for k, path in there.items() if k == JUDGMENTS or path.stat().st_size}


def _judged(path: Path) -> Lines:
    found = []
    for line, given in read_objects(path):
        if given.get("simulated"):
            raise BadRecord(
                path, line, f"is a judgment of a simulated crowd, not of a person; {_AGAIN}"
            )
        try:
            found.append((line, from_object(given)))
        except ValueError as error:
            raise BadRecord(path, line, f"{error}; {_AGAIN}") from None
    if not found:
        raise BadRecord(path, None, f"has no judgments; {_AGAIN}")
    return tuple(found)


def check_export(export: ProjectExport, project: Path) -> ProjectAnswers:
    """Check the answers of an export against the items of a project; annotators get pseudonyms.

    Raises:
        BadRecord: a line is about an item that the run does not have, gives an answer that was not
            offered, or judges an item for the second time; the first one is named.
    """
    plan = read_plan(project / CONFIG)
    items = _items(project, plan)
    checker = _Checker(plan, items)
    left_out: Counter[str] = Counter()
    rows = [*checker.judged(export.files[JUDGMENTS], export.judgments, "a", left_out)]
    if export.team:
        rows += checker.judged(export.files[TEAM], export.team, "t", left_out)
    counted = tuple(row for row in rows if row.state == "counted")
    if not counted:
        problem = "has no judgment that counts; export again when people have judged"
        raise BadInput(f"{export.path}: {problem}")
    demo = tuple(checker.tried(export.files[TRIALS], left_out)) if TRIALS in export.files else ()
    decisions = dict(checker.decided(export.files[DECISIONS])) if DECISIONS in export.files else {}
    control = tuple(row for row in rows if row.state == "gold")
    return ProjectAnswers(export.path, plan, counted, control, demo, decisions, dict(left_out))


def _items(project: Path, plan: Plan) -> dict[str, NewItem]:
    there = [project / name for name in PROJECT_ITEMS if (project / name).is_file()]
    filled = [path for path in there if path.stat().st_size]
    return {item.id: item for path in filled for item in read_items(path, plan)}


class _Checker:
    """Checks lines one after the other and remembers the pseudonyms that it gave."""

    def __init__(self, plan: Plan, items: Mapping[str, NewItem]) -> None:
        self._plan, self._items = plan, items
        self._names: dict[tuple[str, str], str] = {}

    def judged(
        self, path: Path, lines: Lines, prefix: str, left_out: Counter[str]
    ) -> Iterator[JudgmentRecord]:
        """The judgments that count, and those of control items; the others are counted by state."""
        seen: dict[tuple[str, str], int] = {}
        for line, row in lines:
            if not row.current:
                continue
            if row.state == "gold" and row.item not in self._items:
                left_out["test question that is no item"] += 1
                continue
            item = self._item(path, line, row.item)
            if not row.is_about(item.text):
                problem = f"is about another text than item {row.item!r} of this run"
                raise BadRecord(path, line, f"{problem}; {_AGAIN}")
            if row.state not in ("counted", "gold"):
                left_out[row.state] += 1
                continue
            before = seen.setdefault((row.item, row.annotator), line)
            if before != line:
                problem = f"{row.annotator!r} already judged item {row.item!r} in line {before}"
                raise BadRecord(path, line, f"{problem}; {_AGAIN}")
            answers = self._answers(path, line, item, row.answers)
            yield replace(row, annotator=self._name(prefix, row.annotator), answers=answers)

    def tried(self, path: Path, left_out: Counter[str]) -> Iterator[DemoAnswers]:
        """Answers to the demo items of the run; those to other items are counted."""
        for line, given in read_objects(path):
            row = _trial(path, line, given)
            if given.get("part") != DEMO:
                left_out["training"] += 1
            elif row.item not in self._items:
                left_out["demo item that is no item"] += 1
            else:
                answers = self._answers(path, line, self._items[row.item], row.answers)
                yield replace(row, annotator=self._name("a", row.annotator), answers=answers)

    def decided(self, path: Path) -> Iterator[tuple[str, AdjudicatedAnswers]]:
        """The current decision about each item."""
        for line, given in read_objects(path):
            if given.get("current") is False:
                continue
            name, answers = given.get("item"), given.get("answers")
            if not isinstance(name, str) or not isinstance(answers, dict):
                problem = "has no item or no answers; export it with --what decisions"
                raise BadRecord(path, line, problem)
            item = self._item(path, line, name)
            excluded = given.get("excluded") is True
            yield name, AdjudicatedAnswers(self._answers(path, line, item, answers), excluded)

    def _item(self, path: Path, line: int, name: str) -> NewItem:
        if name in self._items:
            return self._items[name]
        raise BadRecord(
            path, line, f"is about item {name!r}, which this run does not have; {_AGAIN}"
        )

    def _answers(
        self, path: Path, line: int, item: NewItem, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        asked = [question.id for question in self._plan.questions]
        if strange := sorted(set(given) - set(asked)):
            problem = f"item {item.id!r}: answers {strange[0]!r}, which the project does not ask"
            raise BadRecord(path, line, f"{problem} (it asks: {', '.join(asked)}); {_AGAIN}")
        answers, faults = read_answers(
            self._plan.questions, form_values(given), text=item.text, payload=item.payload
        )
        for question in asked:  # a question without an answer is no vote, and no error here
            if question in faults and question in given:
                problem = f"the answer {given[question]!r} to {question!r} {faults[question]}"
                raise BadRecord(path, line, f"item {item.id!r}: {problem}; {_AGAIN}")
        return answers

    def _name(self, prefix: str, person: str) -> str:
        """A pseudonym; annotators are numbered in the order of their first line."""
        if (prefix, person) not in self._names:
            number = sum(key[0] == prefix for key in self._names) + 1
            self._names[prefix, person] = f"{prefix}{number:02d}"
        return self._names[prefix, person]


def _trial(path: Path, line: int, given: Mapping[str, Any]) -> DemoAnswers:
    try:
        return DemoAnswers(
            str(given["item"]),
            str(given["annotator"]),
            dict(given["answers"]),
            bool(given["skipped"]),
            float(given["seconds"]),
            as_time(given["at"]),
        )
    except (KeyError, TypeError, ValueError):
        raise BadRecord(
            path, line, "is not an answer to the demo task; export it with --what trials"
        ) from None
