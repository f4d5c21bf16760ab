"""Source domains of metaphors: by words and classes, only where asked for."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from trope.cli.analyze import analyze
from trope.core.records import Analysis, Figure, Token
from trope.tasks.figures.views import FreeDomains, add_domains, domain_scores


def _best(lemma: str, upos: str) -> str:
    scores = domain_scores(lemma, upos)
    return max(scores, key=scores.__getitem__, default="")


@pytest.mark.parametrize(
    ("lemma", "upos", "domain"),
    [
        ("battle", "NOUN", "WAR & CONFLICT"),
        ("tiger", "NOUN", "ANIMAL"),
        ("flame", "NOUN", "FIRE & ENERGY"),
        ("flower", "NOUN", "PLANT"),
        ("fortress", "NOUN", "BUILDING & STRUCTURE"),
    ],
)
def test_a_word_has_the_domain_above_it(lemma: str, upos: str, domain: str) -> None:
    assert _best(lemma, upos) == domain


def test_a_word_that_wordnet_does_not_know_has_no_domain() -> None:
    assert domain_scores("zzyqx", "NOUN") == {}
    token = Token("zzyqx", 0, 5, "NOUN", "NN", "zzyqx", -1, "root", 0.9)
    figure = Figure("metaphor", 0, 5, (0,), 0.9)
    [found] = add_domains([Analysis("zzyqx", (token,), (), (), figures=(figure,))], FreeDomains())
    assert found.figures == (figure,)


def _figures(*options: str) -> list[dict[str, object]]:
    text = "The new tax ignited a battle that devoured the party."
    result = CliRunner().invoke(analyze, [text, "--json", *options], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    found: list[dict[str, object]] = json.loads(result.stdout)["figures"]
    return found


def test_metaphors_have_domains_only_where_asked_for() -> None:
    without, with_domains = _figures(), _figures("--with", "domains")
    assert not any("domain" in figure for figure in without)
    assert any(figure["kind"] == "metaphor" and figure.get("domain") for figure in with_domains)
    assert [{k: v for k, v in f.items() if k != "domain"} for f in with_domains] == without


def test_an_empty_text_has_no_domains() -> None:
    assert add_domains([Analysis("", (), (), ())], FreeDomains()) == [Analysis("", (), (), ())]
