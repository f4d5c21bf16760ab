"""Metonymy of names: SemEval-2007 Task 8 (Markert and Nissim, 2007), end to end."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.corpora.conllu import read_conllu
from trope.corpora.records import NameSample, TextRecord
from trope.lexicon.names import read_name_list
from trope.lexicon.readings import NAME_CLASSES, readings
from trope.recipes.crowd import CrowdSettings
from trope.recipes.own_texts import SourceSetting, read_own_texts
from trope.recipes.recipe import Card, Context, OwnNeed, ProjectParts, Recipe, SourceNeed, Step
from trope.recipes.records import SUBSET, Drop, Outcome, Record
from trope.recipes.semeval2007.gold import QUESTION, finish, sample_of, simulate
from trope.recipes.settings import Count, Share
from trope.recipes.sources import own_records, required, sources_of
from trope.recipes.steps import template
from trope.tasks.metonymy.samples import (
    NameFrame,
    company_frame,
    country_frame,
    read_review_sheet,
    write_review_sheet,
)
from trope.tasks.metonymy.samples import collect_samples as collect_names

CORPUS = "ewt"
REVIEW = "review.csv"
"""The sheet that a run writes; `decision` is keep, homonym or not understood."""
_NEW_DOCUMENT = "newdoc id ="


@dataclass(frozen=True, slots=True)
class SplitSizes:
    """Samples of a class in train and test."""

    train: Count
    test: Count


@dataclass(frozen=True, slots=True)
class DoubtSettings:
    """How the simulated annotators resolve their differences."""

    settled: Share
    doubtful: Share


@dataclass(frozen=True, slots=True)
class TextSources:
    """Where documents come from."""

    texts: SourceSetting


@dataclass(frozen=True, slots=True)
class Semeval2007Settings:
    """All settings; their defaults are in config.toml."""

    seed: int
    sources: TextSources
    companies: SourceSetting
    places: SourceSetting
    ignore_case: bool
    review: str
    location: SplitSizes
    organisation: SplitSizes
    crowd: CrowdSettings
    doubts: DoubtSettings


def needs(settings: Semeval2007Settings) -> list[SourceNeed]:
    """The files of texts and the lists of names."""
    return [
        *required(
            sources_of(settings.sources.texts, CORPUS, instead="sources.texts=my-folder"),
            "sources.texts",
        ),
        *sources_of(settings.companies, texts=False),
        *sources_of(settings.places, texts=False),
    ]


def collect_samples(_: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """The documents of the sources, each once; the sentences of a treebank are joined."""
    seen: set[str] = set()
    for need in sources_of(context.settings.sources.texts, CORPUS):
        if isinstance(need, OwnNeed):
            documents = own_records(need.source)
        else:
            documents = _treebank_documents(context.find(CORPUS, need.file), need.file)
        for document in documents:
            again = isinstance(document, Record) and document.text in seen
            yield Drop(document.id, "exact") if again else document
            if isinstance(document, Record):
                seen.add(document.text)


def _treebank_documents(path: Path, name: str) -> Iterator[Outcome]:
    title = ""
    sentences: list[str] = []
    for sentence in read_conllu(path):
        found = [c for c in sentence.comments if _NEW_DOCUMENT in c]
        if found and sentences:
            yield Record(title, " ".join(sentences))
            sentences = []
        title = found[0].partition("=")[2].strip() if found else title or name
        sentences.append(sentence.text)
    if sentences:
        yield Record(title, " ".join(sentences))


def _frames(settings: Semeval2007Settings) -> Iterator[NameFrame]:
    """The names of each class: those of the user's own lists, else ours."""
    places, companies = _own_names(settings.places), _own_names(settings.companies)
    yield NameFrame("location", places) if places else country_frame()
    yield NameFrame("organisation", companies) if companies else company_frame()


def _own_names(setting: SourceSetting) -> dict[str, tuple[str, ...]]:
    """The names of own lists: a name per line with its other spellings, or a column of a table."""
    found: dict[str, tuple[str, ...]] = {}
    for need in sources_of(setting):
        if not isinstance(need, OwnNeed):
            continue
        if need.source.columns.text:
            names = (text.text.strip() for text in read_own_texts(need.source) if not text.reason)
            found |= {name: (name,) for name in names}
        else:
            found |= read_name_list(need.source.path)
    return found


def find_samples(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """A sample for every name of a country or a company, with its context."""
    settings = context.settings
    frames = tuple(_frames(settings))
    for document in records:
        text = [TextRecord(document.id, document.text, 0)]
        number = 0
        for frame in frames:
            for sample in collect_names(text, frame, ignore_case=settings.ignore_case):
                number += 1
                yield _record(sample, f"{document.id}-{number}")
        if not number:
            yield Drop(document.id, "no-name")


def _record(sample: NameSample, identifier: str) -> Record:
    before = sum(len(sentence) + 1 for sentence in sample.sentences[: sample.target])
    fields = {
        SUBSET: sample.name_class,
        "name": sample.name,
        "name_class": sample.name_class,
        "title": sample.title,
        "start": before + sample.start,
        "end": before + sample.end,
    }
    return Record(identifier, " ".join(sample.sentences), fields)


def check(settings: Semeval2007Settings) -> None:
    """Read the review sheet that is named; BadInput for one of no use."""
    if settings.review:
        read_review_sheet(Path(settings.review))


def reviewed(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Samples without those that a reviewer removes, in a sheet of their own or that of the run."""
    every = list(records)
    own = context.folder / REVIEW
    if context.settings.review:
        decisions = read_review_sheet(Path(context.settings.review))
    else:
        if not own.exists():
            write_review_sheet(map(sample_of, every), own)
            context.facts["to review"] = f"homonyms and unclear samples, in {REVIEW}"
        decisions = read_review_sheet(own)
    for record in every:
        decision = decisions.get(record.id, "keep")
        yield record if decision == "keep" else Drop(record.id, decision.replace(" ", "-"))


def draw_subsets(records: Iterator[Record], context: Context) -> Iterator[Outcome]:
    """Random train and test samples of each class, without overlap."""
    every = list(records)
    part: dict[str, str] = {}
    for name_class in NAME_CLASSES:
        own = [record.id for record in every if record.fields["name_class"] == name_class]
        sizes = getattr(context.settings, name_class)
        train, test = _fitting(len(own), sizes.train, sizes.test)
        drawn = random.Random(f"{context.seed} {name_class}").sample(own, train + test)
        part |= dict.fromkeys(drawn[:train], f"{name_class}-train")
        part |= dict.fromkeys(drawn[train:], f"{name_class}-test")
    for record in every:
        own_part = part.get(record.id)
        if own_part is None:
            yield Drop(record.id, "not-drawn")
        else:
            yield record.having(**{SUBSET: own_part})


def _fitting(there: int, train: int, test: int) -> tuple[int, int]:
    """The wanted numbers, or fewer in the same proportion."""
    if train + test <= there:
        return train, test
    share = round(there * train / (train + test))
    return share, there - share


def make_project(items: Sequence[Record], context: Context) -> ProjectParts:
    """The task's project, with the name marked in its context."""
    rows = tuple(
        {
            "id": item.id,
            "text": item.text,
            "highlight": [[item.fields["start"], item.fields["end"]]],
            "name_class": item.fields["name_class"],
        }
        for item in items
    )
    return ProjectParts(template("semeval2007"), rows)


RECIPE = Recipe(
    name="semeval2007",
    card=Card(
        title="Names of places and organisations with their readings",
        text_is="treebank",
        licence="CC-BY-SA-4.0",
        citation="Markert and Nissim (2007), SemEval-2007 Task 08: Metonymy Resolution at "
        "SemEval-2007, SemEval 2007.",
        texts="Texts: Silveira et al. (2014), LREC 2014.",
        labels=tuple(dict.fromkeys(name for kind in NAME_CLASSES for name in readings(kind))),
        question=QUESTION,
        group_by="title",
    ),
    folder=Path(__file__).parent,
    settings=Semeval2007Settings,
    needs=needs,
    steps=(
        Step("collect", collect_samples, unit="documents"),
        Step("names", find_samples, piecewise=True, unit="samples"),
        Step("review", reviewed, unit="samples", edited=REVIEW),
        Step("subsets", draw_subsets, unit="samples"),
    ),
    project=make_project,
    simulate=simulate,
    finish=finish,
    renamed={"texts": "sources.texts"},
    check=check,
)
