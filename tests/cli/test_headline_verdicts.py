"""Headlines through the real command and the model that ships: kept, or dropped with a reason."""

import json
from typing import Any

import pytest
from click.testing import CliRunner

from trope import Pipeline
from trope.cli import analyze as command
from trope.cli.main import main


def headline(shipped: Pipeline, monkeypatch: pytest.MonkeyPatch, text: str) -> dict[str, Any]:
    monkeypatch.setattr(command, "load_pipeline", lambda threads: shipped)
    arguments = ["analyze", text, "--format", "json", "--kind", "headline"]
    done = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert done.exit_code == 0
    analysis: dict[str, Any] = json.loads(done.stdout)
    return analysis


def triplets(analysis: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (*(r["words"][role] for role in ("subject", "verb", "object")), r["root"], r["reason"])
        for r in analysis["relations"]
        if r["kind"] == "svo"
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Jeff Sessions due to face Democrats' Russia questions next week.",
            [("Sessions", "face", "questions", True, "")],
        ),
        (
            "France Threatens Brexit Deal Unless UK Takes More Calais Migrants.",
            [
                ("France", "Threatens", "Deal", True, "several-triplets"),
                ("UK", "Takes", "Migrants", False, "several-triplets"),
            ],
        ),
        ("Mayor Sleeps While Rats Eat Library", [("Rats", "Eat", "Library", False, "not-root")]),
    ],
    ids=["raising", "several", "not-root"],
)
def test_headlines_are_kept_or_dropped_for_the_right_reason(
    shipped: Pipeline,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    expected: list[tuple[Any, ...]],
) -> None:
    analysis = headline(shipped, monkeypatch, text)
    assert triplets(analysis) == expected
    for relation in analysis["relations"]:
        assert relation["kept"] == (relation["reason"] == "")
