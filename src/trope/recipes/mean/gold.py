"""Accepted analogies: judgments of people or a simulated crowd about the proposed ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trope.core.judgments import Judgment
from trope.corpora.mean import CODES, Analogy
from trope.recipes import crowd
from trope.recipes.answers import CompleteAnswers, ProjectAnswers
from trope.recipes.recipe import Context, JudgedDataset
from trope.recipes.records import Record
from trope.tasks.analogy.checks import spelling_accuracy

QUESTION, ENDING = "sound", "ending"
_TEMPTING = (0.0, 0.6, 0.3, 0.1)
"""Probabilities of the wrong choices, in the order of the codes."""


def simulate(items: Sequence[Record], context: Context) -> JudgedDataset:
    """A simulated crowd answers and rates the items; the accepted ones are the data set."""
    return _judged_dataset(items, _simulated_judgments(items, context), context)


def finish(items: Sequence[Record], answers: ProjectAnswers, context: Context) -> JudgedDataset:
    """The same with answers of people, for items that enough of them judged."""
    people = answers.complete(dict.fromkeys(crowd.ids_of(items), answers.plan.judgments_per_item))
    return _judged_dataset(items, people.judgments((ENDING, QUESTION)), context, people)


def _simulated_judgments(items: Sequence[Record], context: Context) -> list[Judgment]:
    rng = crowd.generator(context.seed, "truth")
    settings = context.settings.crowd
    sound = {item.id: "yes" if rng.random() < settings.machine else "no" for item in items}
    people = crowd.names(settings.annotators)
    skills = crowd.skills(crowd.generator(context.seed, "skills"), settings, len(people))
    judgments: list[Judgment] = []
    for name, skill in zip(people, skills, strict=True):
        own = crowd.generator(context.seed, name)
        for item in items:
            judgments += _judge(own, name, skill, item, sound[item.id])
    return judgments


def _judged_dataset(
    items: Sequence[Record],
    judgments: Sequence[Judgment],
    context: Context,
    people: CompleteAnswers | None = None,
) -> JudgedDataset:
    answers = crowd.of_question(judgments, QUESTION)
    votes = people.votes((QUESTION,)) if people else answers
    labels = crowd.majority_labels(votes, crowd.ids_of(items))
    if people:
        labels = people.settle(labels)
    kept = {label.item for label in labels if label.label == "yes"}
    accepted = [item for item in items if item.id in kept]
    return JudgedDataset(
        tuple(judgments),
        labels,
        {"measure": "fleiss", "overall": crowd.agreement_of(answers, seed=context.seed)},
        {
            "accepted": len(accepted),
            "metaphors": len({item.fields["metaphor"] for item in accepted}),
            "table 4": _errors(items, judgments),
            "spelling alone": round(spelling_accuracy([_analogy(item) for item in accepted]), 4)
            if accepted
            else None,
        },
    )


def _judge(rng: crowd.Random, name: str, skill: float, item: Record, sound: str) -> list[Judgment]:
    took = crowd.seconds(rng)
    right = rng.random() < skill
    code = CODES[0] if right else str(rng.choice(CODES, p=_TEMPTING))
    verdict = crowd.answer(rng, sound, ("yes", "no"), skill)
    return [
        Judgment(item.id, name, item.fields[code], ENDING, seconds=took),
        Judgment(item.id, name, verdict, QUESTION, seconds=took),
    ]


def _errors(items: Sequence[Record], judgments: Sequence[Judgment]) -> dict[str, int]:
    """Counts of wrong endings by kind."""
    by_id = {item.id: item.fields for item in items}
    found: Counter[str] = Counter()
    for judgment in judgments:
        if judgment.question == ENDING:
            codes = [code for code in CODES if by_id[judgment.item][code] == judgment.label]
            found[codes[0]] += 1
    return {code: found[code] for code in CODES[1:]}


def _analogy(item: Record) -> Analogy:
    fields = item.fields
    choices = tuple(fields[code] for code in CODES)
    domains = fields["first_domain"], fields["second_domain"], fields["element"]
    return Analogy(item.id, *domains, choices, 0)
