"""Metaphoric analogies: MEAN (Pitarch, Bernad and Gracia, 2023), end to end."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from trope.core.judgments import Judgment
from trope.corpora.conceptual_metaphors import read_frames, read_metaphors
from trope.corpora.mean import CODES, Analogy, spoken
from trope.lexicon.vectors import read_vectors
from trope.recipes import crowd
from trope.recipes.answers import CompleteAnswers, ProjectAnswers
from trope.recipes.crowd import CrowdSettings
from trope.recipes.own_texts import SourceSetting
from trope.recipes.recipe import (
    Card,
    Context,
    JudgedDataset,
    OwnNeed,
    ProjectParts,
    Recipe,
    SourceNeed,
    Step,
)
from trope.recipes.records import Drop, Outcome, Record
from trope.recipes.settings import Count, Number
from trope.recipes.sources import required, sources_of
from trope.tasks.analogy.checks import spelling_accuracy
from trope.tasks.analogy.distractors import WRONG, FrameInventory, propose

QUESTION, ENDING = "sound", "ending"
_TEMPTING = (0.0, 0.6, 0.3, 0.1)
"""Probabilities of the wrong choices, in the order of the codes."""
CORPUS = "conceptual"


@dataclass(frozen=True, slots=True)
class InventorySources:
    """YAML files of metaphors and of frames."""

    metaphors: SourceSetting
    frames: SourceSetting


@dataclass(frozen=True, slots=True)
class MeanSettings:
    """All settings; their defaults are in config.toml."""

    seed: int
    sources: InventorySources
    proposals: Number
    items_per_metaphor: Number
    items: Count
    crowd: CrowdSettings


def needs(settings: MeanSettings) -> list[SourceNeed]:
    """The files of metaphors and of frames."""
    sources = settings.sources
    metaphors = sources_of(
        sources.metaphors,
        CORPUS,
        reader=read_metaphors,
        instead="sources.metaphors=METAPHORS.yaml",
    )
    frames = sources_of(
        sources.frames, CORPUS, reader=read_frames, instead="sources.frames=FRAMES.yaml"
    )
    return [*required(metaphors, "sources.metaphors"), *required(frames, "sources.frames")]


def inventory(context: Context) -> FrameInventory:
    """The metaphors and frames, with the shipped vectors."""
    sources = context.settings.sources
    return context.once(
        "inventory",
        lambda: FrameInventory.of(
            chain.from_iterable(map(read_metaphors, _paths(sources.metaphors, context))),
            chain.from_iterable(map(read_frames, _paths(sources.frames, context))),
            read_vectors(),
        ),
    )


def _paths(setting: SourceSetting, context: Context) -> Iterator[Path]:
    for need in sources_of(setting, CORPUS, reader=read_metaphors):
        if isinstance(need, OwnNeed):
            yield Path(need.source.path)
        else:
            yield context.find(need.corpus, need.file)


def collect(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Metaphors of the shape A is B with at least one mapping of roles."""
    for metaphor in inventory(context).metaphors:
        if metaphor.domains is None:
            yield Drop(metaphor.name, "not-A-is-B")
        elif not metaphor.mappings:
            yield Drop(metaphor.name, "no-mapping")
        else:
            yield Record(metaphor.name, spoken(metaphor.name), {"metaphor": metaphor.name})


def make_items(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """An item per mapping that has a wrong choice of each kind."""
    everything = inventory(context)
    named = {metaphor.name: metaphor for metaphor in everything.metaphors}
    for record in records:
        metaphor = named[record.id]
        for number, mapping in enumerate(metaphor.mappings, start=1):
            identifier = f"{metaphor.name}-{number}"
            proposal = propose(metaphor, mapping, everything, count=context.settings.proposals)
            bare = [code for code in WRONG if not (proposal and proposal.candidates[code])]
            if proposal is None or bare:
                yield Drop(identifier, f"no-{bare[0]}" if bare else "not-A-is-B")
                continue
            item = proposal.item(identifier)
            parts = [spoken(p) for p in (item.first_domain, item.second_domain, item.element)]
            choices = dict(zip(CODES, map(spoken, item.choices), strict=True))
            yield Record(
                identifier,
                f"{parts[0]} is to {parts[1]} what {parts[2]} is to …",
                {
                    **record.fields,
                    "first_domain": parts[0],
                    "second_domain": parts[1],
                    "element": parts[2],
                    **choices,
                },
            )


def draw_items(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """A random sample with a limited number of items per metaphor."""
    every = list(records)
    order = list(range(len(every)))
    random.Random(f"{context.seed} items").shuffle(order)
    wanted = context.settings.items or len(every)
    chosen: set[int] = set()
    seen: Counter[str] = Counter()
    for place in order:
        metaphor = every[place].fields["metaphor"]
        if len(chosen) < wanted and seen[metaphor] < context.settings.items_per_metaphor:
            chosen.add(place)
            seen[metaphor] += 1
    kept = [every[place] for place in sorted(chosen)]
    domains = {r.fields[side] for r in kept for side in ("first_domain", "second_domain")}
    context.facts |= {"metaphors": len(seen), "domains": len(domains)}
    for place, record in enumerate(every):
        yield record if place in chosen else Drop(record.id, "not-drawn")


def make_project(items: Sequence[Record], context: Context) -> ProjectParts:
    """Items with their four endings in random order."""
    rows = []
    for item in items:
        choices = [item.fields[code] for code in CODES]
        random.Random(f"{context.seed} {item.id}").shuffle(choices)
        rows.append({"id": item.id, "text": item.text, "choices": list(dict.fromkeys(choices))})
    plan = Path(__file__).with_name("project.toml").read_text("utf-8")
    return ProjectParts(plan, tuple(rows))


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


RECIPE = Recipe(
    name="mean",
    card=Card(
        title="Metaphoric analogies with wrong choices of three kinds",
        text_is="own",
        licence="CC-BY-SA-4.0",
        citation="Pitarch, Bernad and Gracia (2023), MEAN: Metaphoric Erroneous ANalogies dataset "
        "for PTLMs metaphor knowledge probing, LDK 2023.",
        texts="Metaphors and frames: MetaNet.",
        labels=("yes", "no"),
        question=QUESTION,
        group_by="metaphor",
    ),
    folder=Path(__file__).parent,
    settings=MeanSettings,
    needs=needs,
    steps=(
        Step("metaphors", collect, unit="metaphors"),
        Step("items", make_items, piecewise=True, unit="items"),
        Step("drawn", draw_items, unit="items"),
    ),
    project=make_project,
    simulate=simulate,
    finish=finish,
    renamed={"a_metaphor": "items_per_metaphor"},
)
