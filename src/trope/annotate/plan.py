"""What project.toml says: the settings of a project, and what is wrong with them."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any, Literal

from trope.annotate import admission
from trope.annotate.admission import (
    DemoTask,
    ExternalWorkers,
    Profile,
    SelectionRules,
    SignOn,
    Training,
    Withdrawal,
)
from trope.annotate.questions import Question, read_answers
from trope.annotate.rules.assignment import Caps, Measure, Order
from trope.annotate.rules.conduct import QualityRules
from trope.annotate.rules.selection import ReadingRules, RequiredStages
from trope.core.config import convert_config, read_config
from trope.core.errors import BadConfig

_NAME = re.compile(r"[a-z][a-z0-9_]*")

RENAMED_KEYS = {
    "judgments_an_item": "judgments_per_item",
    "items_a_page": "items_per_page",
}
"""Settings of 0.1 that had another name; they are still read, with a warning."""


@dataclass(frozen=True, slots=True)
class SkipRules:
    """Whether items may be skipped, and up to which share."""

    allowed: bool = False
    limit: float = 0.2


@dataclass(frozen=True, slots=True)
class ControlItems:
    """Control items: their share of a page, and the share that must be answered right."""

    share: float = 0.0
    pass_mark: float = 0.7
    at_least: int = 5


@dataclass(frozen=True, slots=True)
class Pay:
    """What is paid for a page or for an item; "0" means volunteers."""

    amount: str = "0"
    per: Literal["page", "item"] = "page"
    currency: str = "USD"


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """Which field of an item holds its uncertainty, and whether it is a probability."""

    field: str = "uncertainty"
    measure: Measure = "value"


@dataclass(frozen=True, slots=True)
class Batches:
    """Which field of an item names its batch (none: no batches), and who opens the next one."""

    field: str = ""
    open: Literal["owner", "automatic"] = "owner"


@dataclass(frozen=True, slots=True)
class ShownField:
    """A field of the item that the page shows beside its text; `required` if each must have it."""

    field: str
    label: str = ""
    required: bool = True


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example in the guidelines."""

    text: str
    highlight: str = ""
    answers: dict[str, Any] = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Answers that mean that the person is unsure: the item then gets `more` judgments, once."""

    question: str = ""
    values: tuple[str, ...] = ()
    more: int = 0


@dataclass(frozen=True, slots=True)
class Adjudication:
    """Which items an adjudicator sees, and what happens to those that nobody decided.

    An item is disputed if its answers to one of `questions` differ (none named: every choice, and
    spans where nothing else is asked); on a scale, if they are more than `spread` apart.
    """

    questions: tuple[str, ...] = ()
    spread: int = 2
    unresolved: Literal["aggregate", "exclude"] = "aggregate"


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What people see of the models that annotate beside them.

    `blind`: nothing. `suggest`: the form is filled in with the answer of `run`, and a person
    confirms or corrects it; `blind_share` of the items come without. `audit`: nothing, and people
    judge a random `sample` of what `run` answered. No `run` named is the first one.
    """

    show: Literal["blind", "suggest", "audit"] = "blind"
    run: str = ""
    blind_share: float = 0.2
    sample: int = 200


@dataclass(frozen=True, slots=True)
class PaperTables:
    """The data of the tables of the tweet study: the question, its positive answer, the question
    whether a text was understood, and fields of the items."""

    question: str = ""
    positive: str = "yes"
    understood: str = ""
    verb: str = "verb"
    noun: str = "object"
    part: str = "subset"


@dataclass(frozen=True, slots=True)
class Plan:
    """All that project.toml says."""

    title: str
    guidelines: str
    questions: tuple[Question, ...]
    template: str = ""
    consent: str = ""
    text_label: str = ""
    shown: tuple[ShownField, ...] = ()
    senses: Literal["", "highlight", "text"] = ""
    examples: tuple[Example, ...] = ()
    items_per_page: int = 10
    judgments_per_item: int = 3
    lease_minutes: int = 60
    order: Order = "random"
    seed: int = 13
    database: str = ""
    skip: SkipRules = field(default_factory=SkipRules)
    gold: ControlItems = field(default_factory=ControlItems)
    caps: Caps = field(default_factory=Caps)
    pay: Pay = field(default_factory=Pay)
    uncertainty: Uncertainty = field(default_factory=Uncertainty)
    batches: Batches = field(default_factory=Batches)
    # quality
    quality: QualityRules = field(default_factory=QualityRules)
    doubt: Doubt = field(default_factory=Doubt)
    adjudication: Adjudication = field(default_factory=Adjudication)
    tables: PaperTables = field(default_factory=PaperTables)
    models: ModelUse = field(default_factory=ModelUse)
    # the way in and out
    profile: Profile = field(default_factory=Profile)
    reading: ReadingRules = field(default_factory=ReadingRules)
    training: Training = field(default_factory=Training)
    demo: DemoTask = field(default_factory=DemoTask)
    selection: SelectionRules = field(default_factory=SelectionRules)
    withdrawal: Withdrawal = field(default_factory=Withdrawal)
    outside: ExternalWorkers = field(default_factory=ExternalWorkers)
    sign_on: SignOn = field(default_factory=SignOn)

    @property
    def stages(self) -> RequiredStages:
        """The stages between an invitation and work."""
        return RequiredStages(
            profile=bool(self.profile.questions),
            reading=self.reading.first,
            training=len(self.training.items),
            demo=self.demo.items > 0,
            selection=bool(self.selection.by),
        )

    @property
    def consent_version(self) -> str:
        """The version of the consent; it changes with the text."""
        return admission.consent_version(self.consent, self.withdrawal)

    def shows_suggestion(self, item: str) -> bool:
        """Whether the form of the item with this id may be filled in; the same each time."""
        if self.models.show != "suggest":
            return False
        drawn = hashlib.sha256(f"{self.seed} {item}".encode()).digest()
        return int.from_bytes(drawn[:6], "big") / 2**48 >= self.models.blind_share

    def earned(self, judged: int) -> Decimal:
        """The pay for that many judgments; part of a page is paid in proportion."""
        amount = Decimal(self.pay.amount) * judged
        per_item = amount / self.items_per_page if self.pay.per == "page" else amount
        return per_item.quantize(Decimal("0.01"))


def read_plan(path: Path) -> Plan:
    """The plan of a project.toml.

    Raises:
        BadConfig: with every fault of the file.
    """
    return _without_faults(read_config(path, Plan, RENAMED_KEYS), path)


def parse_plan(text: str, path: Path) -> Plan:
    """The plan that a text says which is to become the project.toml at `path`.

    Raises:
        BadConfig: with every fault of the text.
    """
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise BadConfig(path, [str(error)]) from None
    return _without_faults(convert_config(data, Plan, path, RENAMED_KEYS), path)


def _without_faults(plan: Plan, path: Path) -> Plan:
    faults = [
        *_number_faults(plan),
        *_question_faults(plan.questions),
        *_example_faults(plan),
        *_quality_faults(plan),
        *_admission_faults(plan),
    ]
    if faults:
        raise BadConfig(path, faults)
    return plan


def _number_faults(plan: Plan) -> Iterator[str]:
    for name in ("items_per_page", "judgments_per_item", "lease_minutes"):
        if getattr(plan, name) < 1:
            yield f"{name}: must be 1 or more, is {getattr(plan, name)}"
    for name, share in (
        ("skip.limit", plan.skip.limit),
        ("gold.share", plan.gold.share),
        ("gold.pass_mark", plan.gold.pass_mark),
        ("models.blind_share", plan.models.blind_share),
    ):
        if not 0 <= share <= 1:
            yield f"{name}: must be between 0 and 1, is {share}"
    if plan.models.sample < 1:
        yield f"models.sample: must be 1 or more, is {plan.models.sample}"
    for name in ("day", "week", "total"):
        if getattr(plan.caps, name) < 0:
            yield f"caps.{name}: must be 0 (no limit) or more"
    if plan.database and not plan.database.startswith(("postgres://", "postgresql://")):
        yield "database: must be empty (SQLite) or begin with postgresql://"
    try:
        if not (amount := Decimal(plan.pay.amount)).is_finite() or amount < 0:
            raise InvalidOperation
    except InvalidOperation:
        yield f"pay.amount: must be an amount such as '0.60', is {plan.pay.amount!r}"


def _quality_faults(plan: Plan) -> Iterator[str]:
    kinds = {question.id: question.kind for question in plan.questions}
    named = {
        "quality.question": [plan.quality.question],
        "doubt.question": [plan.doubt.question],
        "tables.question": [plan.tables.question],
        "tables.understood": [plan.tables.understood],
        "adjudication.questions": plan.adjudication.questions,
    }
    for key, names in named.items():
        for name in names:
            if name and kinds.get(name) not in ("choice", "scale"):
                yield f"{key}: {name!r} is not a question with a choice or a scale"
    for key, share in (
        ("honest_gold", plan.quality.honest_gold),
        ("alpha", plan.quality.alpha),
        ("most_outliers", plan.quality.most_outliers),
    ):
        if not 0 < share < 1:
            yield f"quality.{key}: must be between 0 and 1, is {share}"
    if plan.doubt.question and (plan.doubt.more < 0 or not plan.doubt.values):
        yield "doubt: needs values that mean doubt, and more must be 0 or more"


def _admission_faults(plan: Plan) -> Iterator[str]:
    if plan.profile.questions:
        yield from _question_faults(plan.profile.questions)
    yield from admission.profile_faults(plan.profile)
    yield from admission.training_faults(plan.training, plan.questions)
    for number, item in enumerate(plan.training.items, start=1):
        yield from _place_faults(f"training item {number}", plan.questions, item.text, item.answers)
    yield from admission.number_faults(plan.training, plan.demo, plan.selection, plan.outside)
    yield from admission.sign_on_faults(plan.sign_on)
    if min(plan.reading.pause_hours, plan.reading.least_seconds) < 0:
        yield "reading: pause_hours and least_seconds must be 0 or more"


def _question_faults(questions: tuple[Question, ...]) -> Iterator[str]:
    if not questions:
        yield "questions: there are none; add [[questions]]"
    for name, times in Counter(question.id for question in questions).items():
        if times > 1:
            yield f"questions: {times} have the id {name!r}"
    before: dict[str, Question] = {}
    for question in questions:
        yield from _faults_of(question, before)
        before[question.id] = question


def _faults_of(question: Question, before: dict[str, Question]) -> Iterator[str]:
    where = f"question {question.id!r}"
    if not _NAME.fullmatch(question.id):
        yield f"{where}: the id may only have lower-case letters, digits and _"
    if not question.text.strip():
        yield f"{where}: has no text"
    if not all(option.value.strip() for option in question.options):
        yield f"{where}: an option has no value"
    chooses = question.kind in ("choice", "multi")
    if chooses and not question.options and not question.options_from:
        yield f"{where}: a {question.kind} needs options or options_from"
    if question.kind == "scale" and question.low >= question.high:
        yield f"{where}: a scale needs low below high"
    for what in ("value", "key"):
        given = [getattr(option, what) for option in question.options]
        for name, times in Counter(filter(None, given)).items():
            if times > 1:
                yield f"{where}: {times} options have the {what} {name!r}"
    for condition in question.when:
        yield from _condition_faults(where, condition.question, condition.values, before)
    for wrong in question.contradicts:
        yield from _condition_faults(where, wrong.question, wrong.answers, before)
    if question.within and question.within not in before:
        yield f"{where}: within names {question.within!r}, which is not an earlier question"


def _condition_faults(
    where: str, name: str, values: tuple[str, ...], before: dict[str, Question]
) -> Iterator[str]:
    if name not in before:
        yield f"{where}: shown when {name!r} is answered, which is not an earlier question"
        return
    offered = {option.value for option in before[name].offered({}, {})}
    for value in values:
        if before[name].kind in ("choice", "scale") and offered and value not in offered:
            yield f"{where}: {name!r} can never be {value!r}"


def _example_faults(plan: Plan) -> Iterator[str]:
    """An example whose answers the form would refuse would mislead everyone."""
    for number, example in enumerate(plan.examples, start=1):
        if example.highlight and example.highlight not in example.text:
            yield f"example {number}: the highlight {example.highlight!r} is not in the text"
        for name in example.answers.keys() - {question.id for question in plan.questions}:
            yield f"example {number}: answers {name!r}, which is not a question"
        yield from _place_faults(f"example {number}", plan.questions, example.text, example.answers)
        fixed = [q for q in plan.questions if not q.options_from and q.kind != "spans"]
        given = {name: _as_given(value) for name, value in example.answers.items()}
        _, faults = read_answers(fixed, given, text=example.text, payload={})
        for name in sorted(faults.keys() & example.answers.keys()):
            yield f"example {number}: the answer to {name!r} {faults[name]}"


def _place_faults(
    where: str, questions: tuple[Question, ...], text: str, answers: Mapping[str, Any]
) -> Iterator[str]:
    for question in questions:
        given = answers.get(question.id, []) if question.kind == "spans" else []
        for place in given if isinstance(given, list) else [given]:
            whole = isinstance(place, list) and [type(end) for end in place] == [int, int]
            if not whole or not 0 <= place[0] < place[1] <= len(text):
                yield f"{where}: the answer to {question.id!r} must be words of its text"


def _as_given(value: object) -> list[str]:
    return [str(part) for part in value] if isinstance(value, list) else [str(value)]
