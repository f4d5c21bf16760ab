"""What people import stays where it is; a change of these lists is a change of the promise."""

import inspect

import pytest

import trope

SIGNATURES = {
    "analyze": ["text", "only", "threshold", "kind", "words"],
    "analyze_many": ["texts", "only", "threshold", "kind", "words", "batch_size"],
    "load": ["tier", "threads", "kind", "only", "threshold", "words", "systems", "device"],
    "rewrite": ["text", "to", "verb", "top", "kind", "candidates"],
    "to_frame": ["docs", "rows"],
    "to_table": ["docs", "rows"],
}
RECORDS = {"Analysis", "Metonymy", "Relation", "SentenceSpan", "Sentiment", "Token"}
RECORDS |= {"Figure", "FigureVerdict", "Name"}
REWRITING = {"Candidate", "Rewriting"}
NAMES = {*RECORDS, *REWRITING, "Pipeline", "TropeError", "__version__", *SIGNATURES}


def test_package_exports_these_names_and_no_others() -> None:
    assert set(trope.__all__) == NAMES
    assert set(dir(trope)) == NAMES
    assert list(trope.__all__) == sorted(trope.__all__)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_name_can_be_had(name: str) -> None:
    assert getattr(trope, name) is not None


@pytest.mark.parametrize(("name", "parameters"), SIGNATURES.items())
def test_functions_take_what_they_took(name: str, parameters: list[str]) -> None:
    assert list(inspect.signature(getattr(trope, name)).parameters) == parameters


def test_a_wrong_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'analise'"):
        trope.analise  # noqa: B018
