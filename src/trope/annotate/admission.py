"""Settings for joining and leaving a project: profile, reading, training, demo task, selection,
external workers, sign-on, withdrawal.

Everything is off unless project.toml says otherwise.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

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


@dataclass(frozen=True, slots=True)
class SignOnRule:
    """Who may sign on, and in which role: people with one of the addresses, or with an address of
    one of the domains; with a `claim`, only if it has one of the `values`."""

    role: Literal["owner", "adjudicator", "annotator"]
    emails: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    claim: str = ""
    values: tuple[str, ...] = ()

    def admits(self, email: str, claims: Mapping[str, Any]) -> bool:
        """Whether the rule is about someone with this verified address and these claims."""
        if not _EMAIL.fullmatch(email):
            return False
        listed = email.lower() in {one.lower() for one in self.emails}
        within = email.lower().rpartition("@")[2] in {one.lower() for one in self.domains}
        if (self.emails or self.domains) and not (listed or within):
            return False
        return not self.claim or bool(_given(claims, self.claim) & set(self.values))


@dataclass(frozen=True, slots=True)
class SignOn:
    """Sign-on with an OpenID Connect provider; off without an issuer.

    The client secret is read from the environment only. The first rule that fits says the role.
    Without `owner_links`, owners can come in by sign-on only.
    """

    issuer: str = ""
    client_id: str = ""
    name: str = ""
    owner_links: bool = True
    admit: tuple[SignOnRule, ...] = ()

    def role_of(self, email: str, claims: Mapping[str, Any]) -> str:
        """The role of someone with this verified address; "" for someone who is not admitted."""
        return next((rule.role for rule in self.admit if rule.admits(email, claims)), "")


# no other script: letters that look or fold alike must not stand for an address of the list
_EMAIL = re.compile(r"[!-?A-~]+@[A-Za-z0-9.-]+")


def is_safe_address(address: object) -> bool:
    """Whether the address is encrypted, or on this machine."""
    if not isinstance(address, str):
        return False
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    near = parts.hostname in ("localhost", "127.0.0.1", "::1")
    return bool(parts.hostname) and (parts.scheme == "https" or (parts.scheme == "http" and near))


def sign_on_faults(sign_on: SignOn) -> Iterator[str]:
    """What is wrong with the settings of sign-on."""
    if sign_on == SignOn():
        return
    if not is_safe_address(sign_on.issuer) or set("?#") & set(sign_on.issuer):
        yield "sign_on.issuer: must be the https address of the provider"
    if not sign_on.client_id:
        yield "sign_on.client_id: is missing; the provider gives you one"
    if not sign_on.admit:
        yield "sign_on.admit: nobody could sign on; add [[sign_on.admit]] with a role"
    for number, rule in enumerate(sign_on.admit, start=1):
        where = f"sign_on.admit {number}"
        if not (rule.emails or rule.domains or rule.claim):
            yield f"{where}: would admit everyone; add emails, domains or a claim"
        if bool(rule.claim) != bool(rule.values):
            yield f"{where}: a claim needs values, and values a claim"
        for email in rule.emails:
            if not _EMAIL.fullmatch(email):
                yield f"{where}: {email!r} is not an e-mail address"
        for domain in rule.domains:
            if not _EMAIL.fullmatch(f"x@{domain}"):
                yield f"{where}: {domain!r} is not a domain such as example.org"
    if not sign_on.owner_links and "owner" not in {rule.role for rule in sign_on.admit}:
        yield "sign_on.owner_links: must be true, because no rule of sign_on.admit admits an owner"


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
