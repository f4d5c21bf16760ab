"""Gold labels of headlines: the annotation project, judgments of people or a simulated crowd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

import msgspec

from trope.core.judgments import Judgment
from trope.lexicon.vectors import read_vectors
from trope.recipes import crowd
from trope.recipes.answers import CompleteAnswers, ProjectAnswers
from trope.recipes.newsmet.headlines import LITERAL, METAPHORICAL
from trope.recipes.recipe import Context, JudgedDataset, ProjectParts
from trope.recipes.records import ItemLabel, Record
from trope.recipes.steps import template
from trope.tasks.rewriting.measures import (
    diversity,
    metaphoricity,
    share_with_right,
    silver_quality,
)

QUESTION, VERB, INVALID = "sentence", "verb", "invalid"
LABELS = (METAPHORICAL, LITERAL, INVALID)
MORE = {LITERAL: "more_literal", METAPHORICAL: "more_metaphorical"}
SAME = {LITERAL: "literal_same_meaning", METAPHORICAL: "metaphorical_same_meaning"}
ASKED = (QUESTION, VERB, *MORE.values(), *SAME.values())
OTHER = {METAPHORICAL: LITERAL, LITERAL: METAPHORICAL}

_VERB_CARRIES = 0.65  # share of metaphorical headlines whose verb is the metaphor
_ACCEPTABLE = 0.3  # share of candidates that fit
_INVALID = 0.2


@dataclass(frozen=True, slots=True)
class _HiddenTruth:
    """The simulated truth about a headline."""

    sentence: str
    verb: str
    acceptable: frozenset[str]


@dataclass(frozen=True, slots=True)
class GoldHeadline:
    """A headline with its final labels and the accepted candidates."""

    item: Record
    sentence: str
    verb: str
    accepted: tuple[str, ...]

    @property
    def group(self) -> str:
        """The row of Table 2."""
        if INVALID in (self.sentence, self.verb):
            return "invalid"
        return f"H_{self.sentence[0]} & V_{self.verb[0]}"

    @property
    def offered(self) -> list[str]:
        """The candidates that annotators saw; none if the labels of headline and verb differ."""
        if self.sentence != self.verb or self.sentence not in OTHER:
            return []
        found: list[str] = self.item.fields[OTHER[self.sentence]]
        return found


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
        {"gold.jsonl": tuple(map(_gold_row, judged)), "gold_plus.jsonl": tuple(gold_plus(judged))},
    )


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
    """Headlines with labels; ties are left out."""
    kept: dict[str, dict[str, list[set[str]]]] = {}
    for judgment in judgments:
        if judgment.question in SAME.values():
            words = {word for word in judgment.label.split("|") if word}
            kept.setdefault(judgment.item, {}).setdefault(judgment.question, []).append(words)
    found = []
    for item, label, verb in zip(items, labels, verbs, strict=True):
        if label.label is None or verb.label is None:
            continue
        accepted: tuple[str, ...] = ()
        if label.label == verb.label and label.label in OTHER:
            to = OTHER[label.label]
            votes = kept.get(item.id, {}).get(SAME[to], [])
            accepted = tuple(
                word for word in item.fields[to] if 2 * sum(word in v for v in votes) > len(votes)
            )
        found.append(GoldHeadline(item, label.label, verb.label, accepted))
    return found


def _gold_row(judged: GoldHeadline) -> dict[str, Any]:
    return {
        "id": judged.item.id,
        "label": judged.sentence,
        "verb": judged.verb,
        "accepted": list(judged.accepted),
        "group": judged.group,
    }


def gold_plus(judged: Sequence[GoldHeadline]) -> list[dict[str, Any]]:
    """A new headline for every accepted candidate, with the opposite label."""
    rows = []
    for one in judged:
        start, end = one.item.fields["start"], one.item.fields["end"]
        for number, word in enumerate(one.accepted, start=1):
            rows.append(
                {
                    "id": f"{one.item.id}-{number}",
                    "item": one.item.id,
                    "text": one.item.text[:start] + word + one.item.text[end:],
                    "candidate": word,
                    "label": OTHER[one.sentence],
                }
            )
    return rows


def tables(items: Sequence[Record], judged: Sequence[GoldHeadline]) -> dict[str, Any]:
    """Tables 2 to 4 and Figure 3 of the paper, and what the silver labels are worth."""
    valid = [one for one in judged if one.group != "invalid"]
    quality = silver_quality(
        [one.item.fields["silver"] == METAPHORICAL for one in judged],
        [one.sentence == METAPHORICAL for one in judged],
    )
    return {
        "unresolved": len(items) - len(judged),
        "table 2": dict(sorted(Counter(one.group for one in judged).items())),
        "new headlines": dict(Counter(row["label"] for row in gold_plus(judged))),
        "table 3": _by_type(valid),
        "silver": msgspec.to_builtins(quality),
        "accepted": _accepted(judged),
        "diversity": _diversity(judged),
        "figure 3": _metaphoricity(judged),
        "table 5": "not made here: train with `trope train metaphor --silver --gold RUN`",
    }


def _by_type(valid: Sequence[GoldHeadline]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for one in valid:
        own = found.setdefault(one.item.fields["type"], {"H_m": 0, "H_m+l": 0})
        own["H_m"] += one.sentence == METAPHORICAL
        own["H_m+l"] += 1
    return dict(sorted(found.items()))


def _accepted(judged: Sequence[GoldHeadline]) -> dict[str, Any]:
    found = {}
    for sentence in (METAPHORICAL, LITERAL):
        numbers = [len(one.accepted) for one in judged if one.offered and one.sentence == sentence]
        found[sentence] = {
            "none": msgspec.to_builtins(share_with_right(numbers, 0)),
            "one": msgspec.to_builtins(share_with_right(numbers, 1)),
        }
    return found


def _diversity(judged: Sequence[GoldHeadline]) -> dict[str, int]:
    """Literal headlines by the number of different metaphors among their candidates."""
    found: Counter[int] = Counter()
    for one in judged:
        if one.sentence == LITERAL and one.offered:
            before = one.item.text[: one.item.fields["start"]].split()
            after = one.item.text[one.item.fields["end"] :].split()
            words = [*before, one.item.fields["focus_verb"], *after]
            found[diversity(words, len(before), one.offered)] += 1
    return {str(number): found[number] for number in sorted(found, reverse=True)}


def _metaphoricity(judged: Sequence[GoldHeadline]) -> dict[str, Any]:
    """The mean of the smaller cosine with subject and object, for all and accepted candidates."""
    vectors = read_vectors()
    sides: Mapping[str, list[float]] = {"M_init": [], "M_final": []}
    for one in judged:
        if one.sentence != LITERAL or not one.offered:
            continue
        for word in one.offered:
            fields = one.item.fields
            value = metaphoricity(word, fields["subject"], fields["object"], vectors)
            if value is not None:
                sides["M_init"].append(value)
                if word in one.accepted:
                    sides["M_final"].append(value)
    return {
        name: {"n": len(values), "mean": round(fmean(values), 4) if values else None}
        for name, values in sides.items()
    }
