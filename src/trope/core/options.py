"""What may be asked of an analysis: tasks, a kind of text, and a view of the figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from trope.core.errors import BadInput, UnknownName
from trope.core.records import TextKind, WordView

TASKS = ("syntax", "relations", "metaphor", "metonymy", "sentiment")
"""What an analysis can hold, in the order in which it is shown."""

FURTHER_TASKS = ("domains",)
"""What an analysis holds only where it is asked for by name."""

DEFAULT_WORDS: WordView = "noticed"

CONTENT_SHOWN = 0.525
"""The lowest probability of MIPVU at which a content word is shown where the model does not know
what readers notice; the best by the mean F1 over the training sentences of Meta4XNLI and the
project's own."""


@dataclass(frozen=True, slots=True)
class FigureView:
    """Which words are shown as metaphors, and a threshold instead of the model's."""

    words: WordView = DEFAULT_WORDS
    threshold: float | None = None

    def __post_init__(self) -> None:
        if self.words not in get_args(WordView):
            raise UnknownName("view of words", str(self.words), get_args(WordView))
        limit = self.threshold
        if limit is not None and not (isinstance(limit, int | float) and 0 <= limit <= 1):
            raise BadInput(f"a threshold is a probability, not {limit!r}; give one from 0 to 1")

    def lowest(self, probability: float, noticed: float | None) -> tuple[WordView, float]:
        """The words that are shown in the end, and the lowest score of one.

        `probability` is the model's threshold of MIPVU, `noticed` that of what readers notice; None
        where the model does not know it, which shows content words instead.
        """
        words, limit = self.words, probability
        if words == "noticed" and noticed is not None:
            limit = noticed
        elif words == "noticed":
            words, limit = "content", max(limit, CONTENT_SHOWN)
        return words, limit if self.threshold is None else self.threshold


def parse_tasks(names: str | Iterable[str]) -> tuple[str, ...]:
    """The tasks of "syntax,relations" or ["syntax", "relations"], in the order of `TASKS`.

    Raises:
        UnknownName: for an unknown task.
        BadInput: for no task, or for what is not a name.
    """
    listed = names.split(",") if isinstance(names, str) else names
    if not isinstance(listed, Iterable):
        raise BadInput(f"tasks are names, not {names!r}; choose from {', '.join(TASKS)}")
    wanted = {str(name).strip() for name in listed} - {""}
    for name in sorted(wanted):
        if name not in TASKS:
            raise UnknownName("task", name, TASKS)
    if not wanted:
        raise BadInput(f"no task is named; choose from {', '.join(TASKS)}")
    return tuple(task for task in TASKS if task in wanted)


def check_kind(kind: str) -> TextKind:
    """The kind of text of that name.

    Raises:
        UnknownName: for an unknown kind.
    """
    for known in get_args(TextKind):
        if kind == known:
            return known  # type: ignore[no-any-return]
    raise UnknownName("kind of text", str(kind), get_args(TextKind))
