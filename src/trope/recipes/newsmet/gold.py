"""Gold labels of headlines: the annotation project, judgments of people or a simulated crowd."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from trope.core.judgments import Judgment
from trope.recipes import crowd
from trope.recipes.answers import CompleteAnswers, ProjectAnswers
from trope.recipes.newsmet.headlines import LITERAL, METAPHORICAL
from trope.recipes.newsmet.judged import (
    GOLD,
    INVALID,
    OTHER,
    GoldHeadline,
    gold_plus,
    gold_row,
    tables,
)
from trope.recipes.recipe import Context, JudgedDataset, ProjectParts
from trope.recipes.records import ItemLabel, Record
from trope.recipes.steps import template

QUESTION, VERB = "sentence", "verb"
LABELS = (METAPHORICAL, LITERAL, INVALID)
MORE = {LITERAL: "more_literal", METAPHORICAL: "more_metaphorical"}
SAME = {LITERAL: "literal_same_meaning", METAPHORICAL: "metaphorical_same_meaning"}
_THEN = {MORE[to]: SAME[to] for to in MORE}
"""Which question follows for the candidates that were chosen."""
ASKED = (QUESTION, VERB, *MORE.values(), *SAME.values())
CONTRADICTORY = "contradictory: a literal headline with a metaphorical verb"
NO_VERB = "no label of the verb"

_VERB_CARRIES = 0.65  # share of metaphorical headlines whose verb is the metaphor
_ACCEPTABLE = 0.3  # share of candidates that fit
_INVALID = 0.2


@dataclass(frozen=True, slots=True)
class _HiddenTruth:
    """The simulated truth about a headline."""

    sentence: str
    verb: str
    acceptable: frozenset[str]


def make_project(items: Sequence[Record], context: Context) -> ProjectParts:
    """The paper's project: headlines with their focus verb and both lists of candidates."""
    return ProjectParts(template("newsmet"), tuple(map(_row, items)))


def _row(item: Record) -> dict[str, Any]:
    fields = item.fields
    return {
        "id": item.id,
        "text": item.text,
        "highlight": [[fields["start"], fields["end"]]],
        LITERAL: fields[LITERAL],
        METAPHORICAL: fields[METAPHORICAL],
    }


def simulate(items: Sequence[Record], context: Context) -> JudgedDataset:
    """A simulated crowd judges every headline; gives gold, gold+ and the paper's tables."""
    return _judged_dataset(items, _simulated_judgments(items, context), context)


def finish(items: Sequence[Record], answers: ProjectAnswers, context: Context) -> JudgedDataset:
    """The same with answers of people, for headlines that enough of them judged."""
    people = answers.complete(dict.fromkeys(crowd.ids_of(items), answers.plan.judgments_per_item))
    return _judged_dataset(items, people.judgments(ASKED), context, people)


def _simulated_judgments(items: Sequence[Record], context: Context) -> list[Judgment]:
    hidden = _hidden_truths(items, context)
    rng = crowd.generator(context.seed, "skills")
    settings = context.settings.crowd
    judgments: list[Judgment] = []
    people = crowd.names(settings.annotators)
    for name, skill in zip(people, crowd.skills(rng, settings, len(people)), strict=True):
        own = crowd.generator(context.seed, name)
        for item in items:
            judgments += _judge(own, name, skill, item, hidden[item.id])
    return judgments


def _judged_dataset(
    items: Sequence[Record],
    judgments: Sequence[Judgment],
    context: Context,
    people: CompleteAnswers | None = None,
) -> JudgedDataset:
    votes = people.votes(ASKED) if people else judgments
    ids = crowd.ids_of(items)
    labels = crowd.majority_labels(crowd.of_question(votes, QUESTION), ids)
    verbs = crowd.majority_labels(crowd.of_question(votes, VERB), ids)
    if people:
        labels, verbs = people.settle(labels), people.settle(verbs)
    labels = tuple(map(_settled, labels, verbs))
    judged = _gold_headlines(items, votes, labels, verbs)
    return JudgedDataset(
        tuple(judgments),
        labels,
        {
            "measure": "fleiss",
            "overall": crowd.agreement_of(
                crowd.of_question(judgments, QUESTION), seed=context.seed
            ),
            "verb": crowd.agreement_of(crowd.of_question(judgments, VERB), seed=context.seed),
        },
        tables(items, judged),
        {GOLD: tuple(map(gold_row, judged)), "gold_plus.jsonl": tuple(gold_plus(judged))},
    )


def _settled(headline: ItemLabel, verb: ItemLabel) -> ItemLabel:
    """The label of a headline in the light of its verb's.

    What is figurative otherwise in either is invalid; a headline whose verb is a metaphor is none
    that is literal.
    """
    if headline.label is None:
        return headline
    if verb.label is None:
        reason = f"{NO_VERB}: {verb.reason}" if verb.reason else NO_VERB
        return replace(headline, label=None, reason=reason)
    if headline.label == LITERAL and verb.label == METAPHORICAL:
        return replace(headline, label=None, reason=CONTRADICTORY)
    return replace(headline, label=INVALID) if verb.label == INVALID else headline


def _hidden_truths(items: Sequence[Record], context: Context) -> dict[str, _HiddenTruth]:
    rng = crowd.generator(context.seed, "truth")
    found = {}
    for item in items:
        (sentence,) = crowd.hidden_truth(
            rng, [item.fields["silver"]], (METAPHORICAL, LITERAL), context.settings.crowd.machine
        )
        sentence = INVALID if rng.random() < _INVALID else sentence
        carries = sentence == METAPHORICAL and rng.random() < _VERB_CARRIES
        offered = [*item.fields[LITERAL], *item.fields[METAPHORICAL]]
        fit = frozenset(word for word in offered if rng.random() < _ACCEPTABLE)
        found[item.id] = _HiddenTruth(sentence, METAPHORICAL if carries else LITERAL, fit)
    return found


def _judge(
    rng: crowd.Random, name: str, skill: float, item: Record, hidden: _HiddenTruth
) -> list[Judgment]:
    """The answers of one person to the questions that the form shows for a headline."""
    took = crowd.seconds(rng)
    sentence = crowd.answer(rng, hidden.sentence, LABELS, skill)
    verb = crowd.answer(rng, hidden.verb, (METAPHORICAL, LITERAL), skill)
    if sentence == LITERAL:
        verb = LITERAL  # a headline with a metaphorical verb is not literal
    found = [
        Judgment(item.id, name, sentence, QUESTION, seconds=took),
        Judgment(item.id, name, verb, VERB, seconds=took),
    ]
    if sentence != verb or sentence not in OTHER:
        return found
    to = OTHER[sentence]
    more = [word for word in item.fields[to] if rng.random() < _chance(word, hidden, skill)]
    same = [word for word in more if rng.random() < skill]
    for question, words in ((MORE[to], more), (SAME[to], same)):
        found.append(Judgment(item.id, name, "|".join(words), question, seconds=took))
    return found


def _chance(word: str, hidden: _HiddenTruth, skill: float) -> float:
    return skill if word in hidden.acceptable else 1 - skill


def _gold_headlines(
    items: Sequence[Record],
    judgments: Sequence[Judgment],
    labels: Sequence[ItemLabel],
    verbs: Sequence[ItemLabel],
) -> list[GoldHeadline]:
    """Headlines with labels; those without one are left out."""
    kept = _kept_words(judgments)
    found = []
    for item, label, verb in zip(items, labels, verbs, strict=True):
        if label.label is None or verb.label is None:
            continue
        accepted: tuple[str, ...] = ()
        if label.label == verb.label and label.label in OTHER:
            to = OTHER[label.label]
            votes = [*kept.get((item.id, SAME[to]), {}).values()]
            accepted = tuple(
                word for word in item.fields[to] if 2 * sum(word in v for v in votes) > len(votes)
            )
        found.append(GoldHeadline(item, label.label, verb.label, accepted))
    return found


def _kept_words(judgments: Sequence[Judgment]) -> dict[tuple[str, str], dict[str, set[str]]]:
    """Which candidates mean the same, by item and question, to each annotator.

    Who chose none before was not asked, but has seen them: nothing is kept then.
    """
    kept: dict[tuple[str, str], dict[str, set[str]]] = {}
    for judgment in judgments:
        place = judgment.item, _THEN.get(judgment.question, judgment.question)
        words = kept.setdefault(place, {}).setdefault(judgment.annotator, set())
        if judgment.question not in _THEN:
            words.update(word for word in judgment.label.split("|") if word)
    return kept
