"""What a recipe is: settings, data that it needs, steps, a project, a crowd or people to finish."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from trope.core.judgments import Judgment
from trope.corpora.metadata import load_corpora
from trope.recipes.records import Outcome, Record

if TYPE_CHECKING:
    from trope.pipeline import Pipeline
    from trope.recipes.answers import Answers
    from trope.scale.job import Executor

T = TypeVar("T")

TextIs = Literal["tweets", "headlines", "bnc", "treebank", "own"]


@dataclass(frozen=True, slots=True)
class Need:
    """A file of a corpus of the catalogue that a recipe reads."""

    corpus: str
    file: str


@dataclass(frozen=True, slots=True)
class Card:
    """What a data set is, for those who publish it.

    `text_is` tells whose the texts are, `question` is the one that labels answer, `group_by` names
    the field of the items that must not be split between train and test.
    """

    title: str
    text_is: TextIs
    licence: str
    citation: str
    labels: tuple[str, ...]
    question: str
    group_by: str


def work_here() -> Executor:
    """The executor of a run that says nothing else: this process."""
    from trope.scale.local import LocalExecutor

    return LocalExecutor()


@dataclass(slots=True)
class Context:
    """What the steps of a run may use.

    `engine` makes the executor that has the model, `reader` is the model of a step that reads with
    it. `facts` are what a step found out about the whole (a threshold, a size); they are kept.
    """

    data: Path
    settings: Any
    quiet: bool = False
    engine: Callable[[], Executor] = work_here
    reader: Pipeline | None = None
    facts: dict[str, Any] = field(default_factory=dict)
    _made: dict[str, Any] = field(default_factory=dict)

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.settings.seed)

    @property
    def pipeline(self) -> Pipeline:
        """The model, for steps that read with it."""
        assert self.reader is not None, "steps that read with the model are marked: with_model"
        return self.reader

    @property
    def executor(self) -> Executor:
        """Who reads with the model; called in when it is first asked for."""
        return self.once("executor", self.engine)

    def once(self, name: str, make: Callable[[], T]) -> T:
        """What is made when it is first asked for, and kept as long as the run lasts."""
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
    """One stage of the way: records in, records and drops out, in order.

    `piecewise` steps look at each record by itself, so that they can be taken up again in their
    middle. `with_model` ones read with the model as well, here or on other machines. `unit` is
    what the step gives, where that is not what it takes.
    """

    name: str
    apply: Apply
    piecewise: bool = False
    with_model: bool = False
    unit: str = ""


@dataclass(frozen=True, slots=True)
class ProjectParts:
    """An annotation project: its plan as TOML, its items, its demo items, files beside them."""

    plan: str
    items: tuple[dict[str, Any], ...]
    demo: tuple[dict[str, Any], ...] = ()
    others: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Label:
    """What a crowd made of an item; without a label there is a reason."""

    item: str
    label: str | None
    score: float | None = None
    votes: int = 0
    share: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """A data set that a crowd has judged.

    `tables` are of the paper's shape; `others` are further files of rows (gold+, for example).
    """

    judgments: tuple[Judgment, ...]
    labels: tuple[Label, ...]
    agreement: dict[str, Any]
    tables: dict[str, Any]
    others: dict[str, tuple[dict[str, Any], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Recipe:
    """A data set of a paper, end to end; wiring alone.

    `simulate` ends it with a crowd that is drawn by the seed, `finish` with what people answered.
    The folder holds config.toml (every setting with its default), published.toml and README.md.
    """

    name: str
    card: Card
    folder: Path
    settings: type
    needs: Callable[[Any], Sequence[Need]]
    steps: tuple[Step, ...]
    project: Callable[[Sequence[Record], Context], ProjectParts]
    simulate: Callable[[Sequence[Record], Context], Finished]
    finish: Callable[[Sequence[Record], Answers, Context], Finished]

    @property
    def reads_with_model(self) -> bool:
        """Whether a step does."""
        return any(step.with_model for step in self.steps)
