"""Baselines: `majority`, the most frequent reading; `roles` and `shallow`, linear models."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from trope.core.errors import BadInput
from trope.lexicon.readings import LITERAL, NameClass
from trope.lexicon.verbs import VerbClasses, read_verbnet
from trope.tasks.linear_model import LinearModel, fit_linear
from trope.tasks.metonymy.features import Features, role_features, shallow_features
from trope.tasks.metonymy.task import NameInContext, Probabilities, check_training, fill_readings


class MajorityReading:
    """The baseline: untrained it answers "literal", trained the most frequent reading."""

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
            self._shares[name_class] = fill_readings(
                {reading: times / own.total() for reading, times in own.items()}, name_class
            )

    def predict(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """The same shares for all names of a class."""
        if self._shares and any(name.name_class not in self._shares for name in names):
            raise BadInput("this system was not trained on that class of names; train it on both")
        return [
            self._shares.get(name.name_class) or fill_readings({LITERAL: 1.0}, name.name_class)
            for name in names
        ]


def build_majority() -> MajorityReading:
    """An untrained system."""
    return MajorityReading()


STRENGTH = 1.0
"""Inverse of the regularisation; `trope evaluate` chooses its own by cross-validation on train."""


class LinearMetonymy:
    """Multinomial logistic regression over features of a name; the same weights in every run.

    Paper: `roles` is of the kind of Nissim and Markert (2005) and GYDER (Farkas et al. 2007).
    Needs: labelled names; the extra `systems`.
    Gives: probabilities of the fine readings.
    Differs: one model for all granularities, rougher labels by sums; trees instead of relations
        that people annotated.
    """

    def __init__(
        self, features: Callable[[NameInContext], Features], *, strength: float = STRENGTH
    ) -> None:
        self.features = features
        self.strength = strength
        self.models: dict[NameClass, LinearModel] = {}

    def fit(self, names: Sequence[NameInContext], readings: Sequence[str]) -> None:
        """Learn the weights of each class of names that is given."""
        check_training(names, readings)
        for name_class in sorted({name.name_class for name in names}):
            pairs = [
                (self.features(name), reading)
                for name, reading in zip(names, readings, strict=True)
                if name.name_class == name_class
            ]
            self.models[name_class] = self._fitted(
                [row for row, _ in pairs], [reading for _, reading in pairs]
            )

    def predict(self, names: Sequence[NameInContext]) -> list[Probabilities]:
        """The probabilities of the readings; those that training never saw have none."""
        found: list[Probabilities] = [{}] * len(names)
        for name_class in sorted({name.name_class for name in names}):
            if name_class not in self.models:
                raise BadInput(
                    f"this system was not trained on class {name_class!r}; fit it with both"
                )
            own = [at for at, name in enumerate(names) if name.name_class == name_class]
            rows = [self.features(names[at]) for at in own]
            model = self.models[name_class]
            for at, row in zip(own, model.probabilities(rows).tolist(), strict=True):
                found[at] = fill_readings(dict(zip(model.classes, row, strict=True)), name_class)
        return found

    def _fitted(self, rows: list[Features], readings: list[str]) -> LinearModel:
        if len(set(readings)) < 2:
            raise BadInput("all readings are the same; give names with several to learn from")
        what = "this metonymy system"
        return fit_linear(rows, readings, solver="lbfgs", strength=self.strength, what=what)


def build_roles(
    *, verbnet: str | Path | VerbClasses | None = None, strength: float = STRENGTH
) -> LinearMetonymy:
    """An untrained system of grammatical roles; with VerbNet's classes where it is given."""
    classes = read_verbnet(verbnet) if isinstance(verbnet, str | Path) else verbnet
    return LinearMetonymy(partial(role_features, verb_classes=classes), strength=strength)


def build_shallow(*, strength: float = STRENGTH) -> LinearMetonymy:
    """An untrained system of words and tags alone, which the task's paper found to fail."""
    return LinearMetonymy(shallow_features, strength=strength)
