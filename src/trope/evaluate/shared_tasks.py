"""Submissions to shared tasks, any number of them with one gold file, as leaderboards."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

from trope.core.errors import BadInput, BadRecord
from trope.core.files import sha256
from trope.corpora.mean import COLUMNS, read_own_items
from trope.corpora.semeval2007_answers import NameAnswers, read_submission
from trope.corpora.sources import numbered_lines
from trope.evaluate.analogy_figures import PREFIX, AnalogyItems
from trope.evaluate.leaderboard import (
    BoardRow,
    Leaderboard,
    Values,
    best_first,
    printed_name_systems,
    printed_tweet_systems,
)
from trope.evaluate.scorers import (
    analogy_figures,
    check_words,
    read_choices,
    read_name_gold,
    read_word_key,
    score_name_answers,
    word_figures,
)
from trope.lexicon.readings import GRANULARITIES, LITERAL
from trope.metrics.figures import DataRef, Measurement
from trope.published import read_published
from trope.tasks.analogy.controls import overlap_scores
from trope.tasks.analogy.cross_validation import right
from trope.tasks.sentiment import submission as tweets

SharedTask = Literal["analogy", "metaphor", "metonymy", "sentiment"]
SHARED_TASKS: tuple[SharedTask, ...] = get_args(SharedTask)

_CHOICES = 4
_TWEETS = 4000


@dataclass(frozen=True, slots=True)
class _Scoring:
    """How the submissions to one gold file are scored; `category` finds the measures of parts."""

    title: str
    measures: tuple[str, ...]
    category: re.Pattern[str]
    score: Callable[[Any], Values]
    constants: Mapping[str, Values]
    published: Callable[[], dict[str, Values]]
    beside_print: str = ""

    def board(self, submitted: Sequence[BoardRow], published: bool) -> Leaderboard:
        """The board; a printed system of the name of a submission is left out."""
        own = {row.name for row in submitted}
        printed = self.published().items() if published else ()
        rows = [*submitted]
        rows += [BoardRow(name, "published", v) for name, v in printed if name not in own]
        found = dict.fromkeys(measure for row in rows for measure in row.figures)
        return Leaderboard(
            self.title,
            tuple(measure for measure in self.measures if measure in found),
            tuple(measure for measure in found if self.category.fullmatch(measure)),
            best_first(rows, self.measures[0]),
            tuple(BoardRow(name, "constant", values) for name, values in self.constants.items()),
            self.beside_print,
        )


def make_leaderboards(
    gold: Path,
    submissions: Sequence[str],
    *,
    task: SharedTask | None = None,
    categories: Path | None = None,
    company_labels: Path | None = None,
    published: bool = False,
    seed: int = 0,
) -> tuple[SharedTask, list[Leaderboard]]:
    """The task and its boards: one, or for names one per granularity.

    Args:
        submissions: files, or `NAME=FILE`. A file alone is called by the name in it, or its own.
        task: if None, what the first lines of the files tell.
        published: with the systems of the paper; GOLD must then be the test set of the task.

    Raises:
        BadRecord: for a submission to another task, and whatever the scorer of the task refuses.
        BadInput: for two submissions of one name.
    """
    named = [_named(given) for given in submissions]
    chosen = task or _common_task(gold, [path for _, path in named])
    if chosen == "metonymy":
        return chosen, _name_boards(gold, named, company_labels, published, seed)
    scoring = {
        "analogy": lambda: _analogies(gold, seed),
        "metaphor": lambda: _words(gold, seed),
        "sentiment": lambda: _tweets(gold, categories, seed),
    }[chosen]()
    named = [(name or _stem(path), path) for name, path in named]
    _check_names(named)
    rows = [BoardRow(n, "submission", scoring.score(path), str(path)) for n, path in named]
    return chosen, [scoring.board(rows, published)]


def _named(given: str) -> tuple[str, Path]:
    """The name and the file of `NAME=FILE`; no name for a file alone."""
    name, equals, path = given.partition("=")
    if not equals or not name.strip() or Path(given).exists():
        return "", Path(given)
    return name.strip(), Path(path)


def _stem(path: Path) -> str:
    return path.name.partition(".")[0] or path.name


def _check_names(named: Iterable[tuple[str, Path]]) -> None:
    seen: dict[str, Path] = {}
    for name, path in named:
        if name in seen:
            problem = f"two submissions are called {name!r}: {seen[name]} and {path}"
            raise BadInput(f"{problem}; name them differently with NAME=FILE")
        seen[name] = path


def task_of(path: Path) -> SharedTask | None:
    """The task that a gold file or a submission belongs to by its first line, None if unclear.

    Raises:
        BadRecord: for an empty file.
    """
    lines = (text.strip("\ufeff ") for _, text in numbered_lines(path, encoding=None))
    first = next((text for text in lines if text.strip()), "").lower()
    header = {cell.strip('" ') for cell in re.split(r"[,;\t]", first)}
    if first.startswith(("<", "#")) or re.fullmatch(r"[^|,;\t]+\|[^|,;\t]+", first):
        return "metonymy"
    if first.startswith("metaphor;") or {c.lower() for c in COLUMNS} <= header:
        return "analogy"  # the title above the header, or the header
    if {"id", "answer"} <= header:
        return "analogy"
    if re.match(r"[^,;|\s]*\d[^,;|\s]*[\t ]+-?\d", first):
        return "sentiment"
    if {"id", "label"} <= header or re.fullmatch(r"[^,;]+[,;](0|1|metaphorical|literal)", first):
        return "metaphor"
    return None


def _common_task(gold: Path, submissions: Sequence[Path]) -> SharedTask:
    task = task_of(gold)
    if task is None:
        problem = f"is not the gold of {', '.join(SHARED_TASKS)} by its first line"
        raise BadRecord(gold, 1, f"{problem}; check the file, or name the task with --task")
    for path in submissions:
        other = task_of(path)
        if other not in (task, None):
            problem = f"looks like a submission to the task {other}, but {gold} is of {task}"
            raise BadRecord(path, 1, f"{problem}; give submissions to one task, or --task")
    return task


def _measures(figures: Iterable[Measurement], *prefixes: str) -> Values:
    """The figures whose names begin with one of the prefixes, by the rest of the name."""
    found: dict[str, Measurement] = {}
    for figure in figures:
        prefix = next((p for p in prefixes if figure.name.startswith(f"{p}.")), None)
        if prefix is not None and ".constant." not in figure.name:
            found[figure.name.removeprefix(f"{prefix}.")] = figure
    return found


def _tweets(gold: Path, categories: Path | None, seed: int) -> _Scoring:
    truth = tweets.read_gold(gold, categories=categories)
    prefix, data = "sentiment.semeval2015", DataRef(gold.name, "gold", sha256(gold))

    def score(answers: Mapping[str, int]) -> Values:
        figures = tweets.submission_figures(
            truth, answers, prefix=f"{prefix}.test", by_category=prefix, data=data, seed=seed
        )
        return _measures(figures, f"{prefix}.test", prefix)

    def published() -> dict[str, Values]:
        _check_size(gold, len(truth.scores), _TWEETS)
        return printed_tweet_systems(read_published("semeval2015"))

    return _Scoring(
        "Sentiment of figurative tweets",
        ("cosine", "mse"),
        re.compile(r".+\.cosine"),
        lambda path: score(tweets.read_submission(path, truth.scores)),
        {f"always {tweets.CONSTANT}": score(dict.fromkeys(truth.scores, tweets.CONSTANT))},
        published,
        "Printed systems were measured by the task's own categories, which its files do not have; "
        "the columns are not strictly comparable.",
    )


def _words(gold: Path, seed: int) -> _Scoring:
    key, prefix = read_word_key(gold), "metaphor.submission"

    def score(path: Path) -> Values:
        answers = read_word_key(path)
        check_words(key, answers)
        return _measures(word_figures(key, answers.labels, prefix, seed), prefix)

    always = word_figures(key, dict.fromkeys(key.labels, True), prefix, seed)
    return _Scoring(
        "Metaphorical words",
        ("f1", "precision", "recall", "accuracy"),
        re.compile(r".+\.f1"),
        score,
        {"always metaphorical": _measures(always, prefix)},
        lambda: _nothing_printed("metaphor"),
    )


def _analogies(gold: Path, seed: int) -> _Scoring:
    items = read_own_items(gold)
    data, prefix = DataRef(gold.name, "all", sha256(gold)), f"{PREFIX}.submission"
    spelling = AnalogyItems(items, data, seed).accuracy("accuracy", right(overlap_scores(items)))
    chance = Measurement("chance", 1 / _CHOICES, None, None, len(items), data, note="by definition")
    return _Scoring(
        "Metaphoric analogies",
        ("accuracy",),
        re.compile(r"overlap_wrong\.accuracy|errors\..+"),
        lambda path: _measures(
            analogy_figures(items, read_choices(path, items), data, seed), prefix
        ),
        {"most similar spelling": {"accuracy": spelling}, "chance": {"accuracy": chance}},
        lambda: _nothing_printed("analogy"),
    )


def _name_boards(
    gold: Path,
    named: Sequence[tuple[str, Path]],
    company_labels: Path | None,
    published: bool,
    seed: int,
) -> list[Leaderboard]:
    """One board per granularity that was submitted, from the roughest."""
    read = [(name, path, read_submission(path)) for name, path in named]
    boards = []
    for level in GRANULARITIES:
        own = [(n or a.system, path, a) for n, path, a in read if a.granularity == level]
        if not own:
            continue
        _check_names((name, path) for name, path, _ in own)
        key = read_name_gold(gold, own[0][2], company_labels)
        for _, path, answers in own:
            if answers.name_class != key.name_class:
                problem = f"answers {answers.name_class}s, but {gold} has {key.name_class}s"
                raise BadRecord(path, 2, f"{problem}; give submissions to one gold file")
        scoring = _names(replace(key, path=str(gold)), seed)
        rows = [BoardRow(n, "submission", scoring.score(a), str(path)) for n, path, a in own]
        boards.append(scoring.board(rows, published))
    return boards


def _names(key: NameAnswers, seed: int) -> _Scoring:
    place = f"{key.name_class}.{key.granularity}"

    def score(answers: NameAnswers) -> Values:
        figures = score_name_answers(key, answers, seed=seed).evaluation.figures
        return _measures(figures, f"metonymy.semeval2007.{place}")

    def published() -> dict[str, Values]:
        printed = read_published("semeval2007")
        size = printed.find("gold", f"{place}.samples")
        _check_size(Path(key.path), len(key.labels), 0 if size is None else int(size.printed))
        return printed_name_systems(printed, place)

    literal = replace(key, system="always literal", labels=dict.fromkeys(key.labels, LITERAL))
    return _Scoring(
        f"Names of the class {key.name_class}, {key.granularity} readings",
        ("accuracy", "coverage", "all_accuracy"),
        re.compile(r"f\..+"),
        score,
        {literal.system: score(literal)},
        published,
    )


def _nothing_printed(task: str) -> dict[str, Values]:
    raise BadInput(f"no systems are published for the task {task}; leave --published out")


def _check_size(gold: Path, found: int, wanted: int) -> None:
    if found != wanted:
        problem = f"has {found:,} items, but the published systems answered {wanted:,}"
        raise BadRecord(gold, None, f"{problem}; leave --published out")
