"""The spread of figures over models that differ in their seed."""

from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput
from trope.metrics.figures import DataRef, Evaluation, Measurement, new_evaluation, spread

DATA = DataRef(name="own", split="test", sha256="ab")


def measured(model: str, **values: float | None) -> Evaluation:
    figures = [
        Measurement(name, value, None, None, 10, DATA, note="" if value is not None else "none")
        for name, value in values.items()
    ]
    return new_evaluation("metaphor", "small", model, figures)


def values(evaluation: Evaluation) -> dict[str, float | None]:
    return {figure.name: figure.value for figure in evaluation.figures}


def test_mean_and_deviation_of_what_differs() -> None:
    found = spread(
        [measured("a" * 64, f1=0.7, constant=0.5), measured("b" * 64, f1=0.8, constant=0.5)]
    )
    assert values(found) == {"f1.mean": pytest.approx(0.75), "f1.sd": pytest.approx(0.0707107)}
    assert found.task == "metaphor, 2 models"
    assert found.model_sha256 == ""
    assert found.figures[0].note == "models aaaaaaaaaaaa, bbbbbbbbbbbb: 0.7000, 0.8000"
    assert found.figures[0].data == DATA


def test_what_one_model_lacks_is_left_out() -> None:
    found = spread([measured("a", f1=0.7, ece=None, more=1), measured("b", f1=0.8, ece=0.1)])
    assert list(values(found)) == ["f1.mean", "f1.sd"]


@given(st.lists(st.floats(0, 1), min_size=2, max_size=6, unique=True))
def test_as_the_standard_library_computes_it(scores: list[float]) -> None:
    found = values(spread([measured(str(n), f1=score) for n, score in enumerate(scores)]))
    assert found["f1.mean"] == pytest.approx(sum(scores) / len(scores))
    assert found["f1.sd"] == pytest.approx(stdev(scores))


@pytest.mark.parametrize("models", [["a"], ["a", "a"], ["a", "b", "a"]])
def test_one_model_has_no_spread(models: list[str]) -> None:
    with pytest.raises(BadInput, match="two models or more, each of them once"):
        spread([measured(model, f1=0.5) for model in models])
