"""Settings for joining and leaving a project: profile, reading, training, demo task, selection,
external workers, withdrawal.

Everything is off unless project.toml says otherwise.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from trope.annotate.questions import AnswerCondition, Question, gold_faults
from trope.annotate.rules.selection import Pace, ScoreWeights

_CODE = re.compile(r"[A-Za-z0-9_-]{4,64}")


@dataclass(frozen=True, slots=True)
class Weighting:
    """The weight of those whose answer to a profile question is one of `values`."""

    question: str
    values: tuple[str, ...]
    weight: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Questions about the person; all conditions of `eligible` must hold to take part."""

    questions: tuple[Question, ...] = ()
    eligible: tuple[AnswerCondition, ...] = ()
    weights: tuple[Weighting, ...] = ()

    def admits(self, answers: Mapping[str, Any]) -> bool:
        """Whether someone with these answers may take part."""
        return all(_given(answers, c.question) & set(c.values) for c in self.eligible)

    def weight(self, answers: Mapping[str, Any]) -> float:
        """The weight of someone with these answers: the product of all weights that apply."""
        product = 1.0
        for each in self.weights:
            if _given(answers, each.question) & set(each.values):
                product *= each.weight
        return product


@dataclass(frozen=True, slots=True)
class TrainingItem:
    """A training item; `message` is shown with the known answers once the answer is locked."""

    text: str
    answers: dict[str, Any]
    message: str
    highlight: str = ""
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Training:
    """Training items, and the share of them that must be answered right (0: none)."""

    items: tuple[TrainingItem, ...] = ()
    pass_mark: float = 0.0


@dataclass(frozen=True, slots=True)
class DemoTask:
    """The demo task: how many items, and how many of them have known answers."""

    items: int = 0
    gold: int = 0
    paid: bool = False


@dataclass(frozen=True, slots=True)
class SelectionRules:
    """Who is accepted after the demo task.

    by "owner": the owner accepts people; "pass": everyone who reaches the pass mark is accepted at
    once; "best": the best `best` are accepted as soon as `after` applicants have finished.
    """

    by: Literal["", "owner", "pass", "best"] = ""
    best: int = 5
    after: int = 0
    pass_mark: float = 0.0
    weights: ScoreWeights = field(default_factory=ScoreWeights)
    pace: Pace = field(default_factory=Pace)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What happens to the answers of someone who withdraws; the consent says so."""

    answers: Literal["keep", "erase"] = "keep"

    @property
    def sentence(self) -> str:
        """What the consent and the withdrawal page say."""
        kept = "are kept without your name" if self.answers == "keep" else "are erased"
        return (
            "You may withdraw at any time. What you told about yourself is then erased, and the "
            f"answers that you have given {kept}."
        )


@dataclass(frozen=True, slots=True)
class ExternalWorkers:
    """External workers: what they get at the end.

    Without `completion_code` everyone gets their own code. `return_url` leads back, with {code}
    in place of the code. `places` limits how many may take part (0: no limit).
    """

    completion_code: str = ""
    declined_code: str = ""
    return_url: str = ""
    places: int = 0


def consent_version(text: str, withdrawal: Withdrawal) -> str:
    """A version of the consent text: it changes when the text does."""
    return hashlib.sha256(f"{text.strip()}\n{withdrawal.sentence}".encode()).hexdigest()[:12]


def profile_faults(profile: Profile) -> Iterator[str]:
    """What is wrong with eligibility and weights; the questions are checked as all questions."""
    known = {question.id: question for question in profile.questions}
    for where, conditions in (("eligible", profile.eligible), ("weights", profile.weights)):
        for condition in conditions:
            if condition.question not in known:
                yield f"profile.{where}: {condition.question!r} is not a question of the profile"
                continue
            offered = {option.value for option in known[condition.question].offered({}, {})}
            for value in condition.values:
                if offered and value not in offered:
                    yield f"profile.{where}: {condition.question!r} can never be {value!r}"
    for each in profile.weights:
        if not 0 < each.weight <= 1000:
            yield f"profile.weights: a weight must be above 0 and at most 1000, is {each.weight}"
    for question in profile.questions:
        if question.kind == "spans" or question.options_from:
            yield f"profile: question {question.id!r} needs an item, but a profile has none"


def training_faults(training: Training, questions: Sequence[Question]) -> Iterator[str]:
    """What is wrong with the training items."""
    for number, item in enumerate(training.items, start=1):
        where = f"training item {number}"
        if item.highlight and item.text.count(item.highlight) != 1:
            yield f"{where}: the highlight {item.highlight!r} must occur exactly once in the text"
        if not item.text.strip() or not item.message.strip() or not item.answers:
            yield f"{where}: needs text, answers and a message"
        for fault in gold_faults(questions, item.answers):
            yield f"{where}: {fault}"


def number_faults(
    training: Training, demo: DemoTask, selection: SelectionRules, outside: ExternalWorkers
) -> Iterator[str]:
    """What is wrong with the numbers and codes."""
    for name, share in (
        ("training.pass_mark", training.pass_mark),
        ("selection.pass_mark", selection.pass_mark),
    ):
        if not 0 <= share <= 1:
            yield f"{name}: must be between 0 and 1, is {share}"
    if not 0 <= demo.gold <= demo.items:
        yield f"demo.gold: must be between 0 and demo.items ({demo.items}), is {demo.gold}"
    if selection.by in ("pass", "best") and not demo.items:
        yield f"selection.by: {selection.by!r} needs a demo task; set demo.items"
    if selection.by == "pass" and not demo.gold:
        yield "selection.by: 'pass' needs known answers; set demo.gold"
    if selection.best < 1:
        yield f"selection.best: must be 1 or more, is {selection.best}"
    if selection.by == "best" and selection.after < selection.best:
        yield "selection.after: must be at least selection.best, or there is no choice"
    parts = (selection.weights.gold, selection.weights.skips, selection.weights.time)
    if min(parts) < 0 or not sum(parts):
        yield "selection.weights: must be 0 or more, and not all 0"
    if selection.pace.expected <= 0 or not 0 <= selection.pace.too_fast < selection.pace.expected:
        yield "selection.pace: expected must be above too_fast, and that 0 or more"
    for name in ("completion_code", "declined_code"):
        code = getattr(outside, name)
        if code and not _CODE.fullmatch(code):
            yield f"outside.{name}: must have 4 to 64 letters, digits, - or _"
    if outside.return_url and not outside.return_url.startswith("https://"):
        yield "outside.return_url: must begin with https://"
    if outside.places < 0:
        yield "outside.places: must be 0 (no limit) or more"


def _given(answers: Mapping[str, Any], question: str) -> set[str]:
    answer = answers.get(question)
    if answer is None:
        return set()
    return {str(part) for part in answer} if isinstance(answer, list) else {str(answer)}
