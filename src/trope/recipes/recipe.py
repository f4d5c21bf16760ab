"""A recipe: settings, sources, steps, an annotation project, and the data set after judging."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from trope.core.judgments import Judgment
from trope.corpora.files import Tell, tell_nobody
from trope.corpora.metadata import load_corpora
from trope.recipes.own_texts import OwnSource, check_own_texts
from trope.recipes.records import ItemLabel, Outcome, Record

if TYPE_CHECKING:
    from trope.corpora.files import InputFile
    from trope.pipeline import Pipeline
    from trope.recipes.answers import ProjectAnswers
    from trope.scale.job import Executor

T = TypeVar("T")

TextIs = Literal["tweets", "headlines", "bnc", "treebank", "own"]


@dataclass(frozen=True, slots=True)
class Need:
    """A file of a corpus of the catalogue that a recipe reads; `texts` if items come from it.

    `instead` is the setting with which the recipe does without this file.
    """

    corpus: str
    file: str
    texts: bool = False
    instead: str = ""


@dataclass(frozen=True, slots=True)
class OwnNeed:
    """A source of the user's own; `texts` if items come from it, else it is a list.

    `reader` reads one file that is no text, such as YAML.
    """

    source: OwnSource
    texts: bool = True
    reader: Callable[[Path], Iterable[object]] | None = None

    def files(self) -> list[InputFile]:
        """The files, in order."""
        return self.source.files(any_format=self.reader is not None)

    def check(self, tell: Tell) -> None:
        """Read the source to its end; BadInput if it cannot be used."""
        if self.reader is None:
            check_own_texts(self.source, tell)
        else:
            list(self.reader(Path(self.source.path)))


SourceNeed = Need | OwnNeed


@dataclass(frozen=True, slots=True)
class Card:
    """The description of a data set for its release.

    `text_is` says where the texts are from, `question` is the one that labels answer, `group_by`
    names the field whose values must not be shared between train and test. `citation` is that of
    the procedure, `texts` that of the catalogue's texts.
    """

    title: str
    text_is: TextIs
    licence: str
    citation: str
    labels: tuple[str, ...]
    question: str
    group_by: str
    texts: str = ""

    def manifest(self, *, own_texts: bool) -> dict[str, Any]:
        """What the manifest of a run says; licence and citation of own texts are their own."""
        found: dict[str, Any] = msgspec.to_builtins(self)
        cited = found.pop("texts")
        if own_texts:
            return {**found, "licence": "", "own_texts": True}
        return {**found, "citation": f"{self.citation} {cited}".strip()}


def work_here(systems: Sequence[str] = ()) -> Executor:
    """The default executor: this process, with these systems of the user's own."""
    from trope.scale.executors import LocalExecutor

    return LocalExecutor(systems=systems)


def no_systems(settings: Any) -> Sequence[str]:
    """For a recipe that uses the model as it ships."""
    return ()


def accept(settings: Any) -> None:
    """For a recipe whose settings name nothing that has to be opened."""


@dataclass(slots=True)
class Context:
    """What the steps of a run may use.

    `engine` makes the executor that has the model; `reader` is the model, for steps that use it.
    `facts` are findings of a step about all records (a threshold, a size); the funnel keeps them.
    `folder` is that of the run. `tell` is told what a user should know while the steps run.
    """

    data: Path
    settings: Any
    quiet: bool = False
    engine: Callable[[], Executor] = work_here
    reader: Pipeline | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    tell: Tell = tell_nobody
    _made: dict[str, Any] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.settings.seed)

    @property
    def pipeline(self) -> Pipeline:
        """The model, for steps that use it."""
        assert self.reader is not None, "steps that use the model are declared with_model"
        return self.reader

    @property
    def executor(self) -> Executor:
        """The executor that has the model; made on first use."""
        return self.once("executor", self.engine)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """A value that is made on first use and kept until the run ends."""
        if name not in self._made:
            self._made[name] = make()
        found: T = self._made[name]
        return found

    def find(self, corpus: str, file: str) -> Path:
        """The path of a file that the recipe needs."""
        return load_corpora()[corpus].find(file, self.data)


Apply = Callable[[Iterator[Record], Context], Iterator[Outcome]]


@dataclass(frozen=True, slots=True)
class Step:
    """One step: records in, records and drops out, in order.

    `piecewise` steps treat each record by itself, so that they can be resumed midway. `with_model`
    steps also use the model, here or on other machines. `unit` names the records that come out,
    if they are not what went in. `edited` is a file of the run that the step writes and that people
    may edit: the step is run again if they did.
    """

    name: str
    apply: Apply
    piecewise: bool = False
    with_model: bool = False
    unit: str = ""
    edited: str = ""


@dataclass(frozen=True, slots=True)
class ProjectParts:
    """An annotation project: its plan as TOML, its items, its demo items, files beside them."""

    plan: str
    items: tuple[dict[str, Any], ...]
    demo: tuple[dict[str, Any], ...] = ()
    others: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgedDataset:
    """A data set after judging.

    `tables` have the shape of the paper's; `others` are further files of rows, such as gold+.
    """

    judgments: tuple[Judgment, ...]
    labels: tuple[ItemLabel, ...]
    agreement: dict[str, Any]
    tables: dict[str, Any]
    others: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A data set of a paper, end to end; only wiring.

    `simulate` makes the data set with a simulated crowd, `finish` with people's answers.
    `renamed` are old keys of settings that are still read. `systems` are the systems of the user's
    own that settings name for the model's steps. `check` refuses settings that name what cannot be
    used (a folder of another task, a model that is not there) before a run writes anything.

    The folder holds config.toml (every setting with its default), published.toml and README.md.
    """

    name: str
    card: Card
    folder: Path
    settings: type
    needs: Callable[[Any], Sequence[SourceNeed]]
    steps: tuple[Step, ...]
    project: Callable[[Sequence[Record], Context], ProjectParts]
    simulate: Callable[[Sequence[Record], Context], JudgedDataset]
    finish: Callable[[Sequence[Record], ProjectAnswers, Context], JudgedDataset]
    renamed: Mapping[str, str] = field(default_factory=dict)
    systems: Callable[[Any], Sequence[str]] = no_systems
    check: Callable[[Any], None] = accept

    @property
    def uses_model(self) -> bool:
        """Whether any step uses the model."""
        return any(step.with_model for step in self.steps)
