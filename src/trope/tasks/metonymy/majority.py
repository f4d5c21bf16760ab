"""`majority`: the shares of the readings in the training data, whatever the context."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trope.core.errors import BadInput
from trope.lexicon.readings import LITERAL, NameClass
from trope.tasks.metonymy.task import NameInContext, Probabilities, check_training, spread


class Majority:
    """The baseline of the task: untrained it says "literal", trained the most frequent reading."""

    def __init__(self) -> None:
        self._shares: dict[NameClass, Probabilities] = {}

    def fit(self, names: Sequence[NameInContext], readings: Sequence[str]) -> None:
        """Count the readings of each class of names."""
        check_training(names, readings)
        for name_class in sorted({name.name_class for name in names}):
            own = Counter(
                reading
                for name, reading in zip(names, readings, strict=True)
                if name.name_class == name_class
            )
            self._shares[name_class] = spread(
                {reading: times / own.total() for reading, times in own.items()}, name_class
            )

    def predict(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """The same shares for all names of a class."""
        if self._shares and any(name.name_class not in self._shares for name in names):
            raise BadInput("this system has not learnt that class of names; fit it with both")
        return [
            self._shares.get(name.name_class) or spread({LITERAL: 1.0}, name.name_class)
            for name in names
        ]


def build() -> Majority:
    """An untrained system."""
    return Majority()
