"""`trope rewrite`: candidates with their reasons, and a clear word for what cannot be rewritten."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from trope import Pipeline, rewrite
from trope.cli import rewrite as command
from trope.core.errors import BadInput, MissingData
from trope.lexicon.inflection import inflect


@pytest.fixture(autouse=True)
def loaded(shipped: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "load_pipeline", lambda *_: shipped)
    monkeypatch.setattr("trope.pipeline._shipped", lambda: shipped)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(command.rewrite, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_candidates_are_inflected_and_put_into_the_text() -> None:
    text = "Critics demolished the plan on Monday."
    found = json.loads(run(text, "--to", "literal", "--verb", "demolished", "--json"))
    (own,) = found["rewritings"]
    assert text[own["start"] : own["end"]] == own["verb"] == "demolished"
    assert len(own["candidates"]) == 6
    for candidate in own["candidates"]:
        assert candidate["form"] == inflect(candidate["lemma"], "VBD")
        assert candidate["text"] == text.replace("demolished", candidate["form"])
        assert 0 <= candidate["metaphor"] <= 1
    scores = [candidate["score"] for candidate in own["candidates"]]
    assert scores == sorted(scores, reverse=True)


def test_the_verb_itself_is_never_offered_in_any_spelling() -> None:
    (own,) = rewrite("Senators criticized the budget.", to="literal", verb="criticized", top=40)
    assert not {"criticize", "criticise"} & {candidate.lemma for candidate in own.candidates}


def test_text_shows_why_each_is_offered() -> None:
    output = run(
        "Critics demolished the plan.", "--to", "literal", "--verb", "demolish", "--top", "2"
    )
    assert output.splitlines()[0] == "Critics demolished the plan."
    assert sum("fit" in line and "meaning" in line for line in output.splitlines()) == 2


def test_without_a_verb_all_fitting_ones_are_rewritten() -> None:
    found = rewrite("The mayor visited the school and thanked the teachers.", to="metaphorical")
    assert [own.verb for own in found] == ["visited", "thanked"]


def test_items_are_what_the_annotation_template_reads() -> None:
    item = json.loads(run("Union criticizes the offer of the airline", "--format", "items"))
    assert (item["id"], item["highlight"]) == ("h1", "criticizes")
    assert len(item["literal"]) == len(item["metaphorical"]) == 6


def test_one_text_of_many_that_cannot_be_rewritten_stops_no_other(tmp_path: Path) -> None:
    file = tmp_path / "texts.txt"
    file.write_text("The green house.\nThe mayor visited the school.\n")
    result = CliRunner().invoke(
        command.rewrite, [str(file), "--to", "metaphorical"], standalone_mode=False
    )
    assert result.return_value == 1
    assert "no full verb" in result.stderr
    assert "visited" in result.stdout


@pytest.mark.parametrize(
    ("text", "verb", "problem"),
    [
        ("The green house.", None, "no full verb"),
        ("The mayor visited the school.", "eats", "has no verb 'eats'; its verbs are visited"),
        ("The mayor saw the man who saw her.", "saw", "occurs 2 times"),
        ("Burn!", None, "one word"),
        ("He kicked the bucket last night.", "kicked", "idiom"),
        ("The mayor visited the school.", None, "no metaphorical verb"),
        ("The mayor blorfled the school.", "blorfled", "'blorfled' is not in the dictionaries"),
        ("", None, "one word"),
    ],
)
def test_what_cannot_be_rewritten_gets_a_clear_word(
    text: str, verb: str | None, problem: str
) -> None:
    with pytest.raises(BadInput, match=problem):
        rewrite(text, to="literal", verb=verb)


OWN = "attacked,blorfled,criticises,door,demolishes,would,attacks,tear apart,praised"


def test_candidates_of_the_user_are_all_ranked_with_reasons_or_named_with_theirs() -> None:
    text = "Critics demolished the plan on Monday."
    arguments = (text, "--to", "literal", "--verb", "demolished", "--candidates", OWN)
    (own,) = json.loads(run(*arguments, "--json"))["rewritings"]
    forms = {candidate["form"] for candidate in own["candidates"]}
    assert forms == {"attacked", "criticised", "praised"}  # inflected for the place
    assert all(
        {"fit", "meaning", "metaphor"} <= candidate.keys() for candidate in own["candidates"]
    )
    scores = [candidate["score"] for candidate in own["candidates"]]
    assert scores == sorted(scores, reverse=True)
    assert {refused["word"]: refused["reason"] for refused in own["refused"]} == {
        "blorfled": "is not in the dictionaries of trope",
        "door": "is not a verb",
        "demolishes": "is the verb of the text",
        "would": "is an auxiliary",
        "attacks": "repeats 'attacked'",
        "tear apart": "is more than one word",
    }
    shown = run(*arguments)
    assert "not ranked: 'blorfled' is not in the dictionaries of trope" in shown


def test_candidates_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "verbs.txt"
    file.write_text("reject\n\n criticize \n")
    arguments = ("--to", "literal", "--verb", "demolished", "--candidates", str(file), "--json")
    (own,) = json.loads(run("Critics demolished the plan.", *arguments))["rewritings"]
    assert {candidate["lemma"] for candidate in own["candidates"]} == {"reject", "criticize"}


@pytest.mark.parametrize(
    ("candidates", "problem"),
    [
        ("blorf, zzyx", "none of the candidates can replace 'demolished': 'blorf' is not in"),
        (" , ", "list of candidates is empty"),
        ("x," * 1001, "1001 candidates; give at most 1000"),
    ],
)
def test_a_list_without_usable_candidates_is_refused(candidates: str, problem: str) -> None:
    arguments = ["Critics demolished the plan.", "--to", "literal", "--verb", "demolished"]
    with pytest.raises(BadInput, match=problem):
        CliRunner().invoke(
            command.rewrite, [*arguments, "--candidates", candidates], catch_exceptions=False
        )


def test_candidates_are_given_or_made_by_a_model_but_not_both() -> None:
    arguments = ["Critics demolished the plan.", "--model", "x", "--candidates", "reject"]
    with pytest.raises(BadInput, match="leave out --candidates"):
        CliRunner().invoke(command.rewrite, arguments, catch_exceptions=False)


def test_a_batch_says_what_its_texts_say_alone(shipped: Pipeline) -> None:
    texts = ["Union criticizes the offer.", "The green house.", "The mayor visited the school."]
    first, refused, last = shipped.rewrite_many(
        texts, to="metaphorical", verbs=["criticizes", None, None]
    )
    assert isinstance(refused, BadInput)
    for text, found in ((texts[0], first), (texts[2], last)):
        assert isinstance(found, list)
        (own,), (alone,) = found, rewrite(text, to="metaphorical")
        assert {c.lemma for c in own.candidates} == {c.lemma for c in alone.candidates}
        assert (own.verb, own.start) == (alone.verb, alone.start)


class ByHand:
    """Fills masked places from a list."""

    def fill(self, words: Sequence[str], at: int, number: int) -> list[str]:
        assert words[at] == "criticizes"
        return ["slams", "rejects", "1944", "door", "criticized", "rejected"][:number]


def test_a_masked_language_model_gives_the_columns_of_the_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(command, "load_model", lambda _: ByHand())
    found = json.loads(run("Union criticizes the offer of the airline", "--model", "x", "--json"))
    assert found["focus_verb"] == "criticizes"
    assert found["candidates"][:2] == ["slams", "rejects"]
    assert {*found["literal_cands"], *found["metaphorical_cands"]} == {"slams", "rejects"}
    assert found["meaning_preserved_cands"] == []
    assert found["dropped"]["not alphabetic"] == 1
    assert found["reason"] == "fewer than 6 candidates"
    stays = run(
        "Union criticizes the offer of the airline", "--model", "x", "--focus-verb-may-stay"
    )
    assert "criticized" in stays


def test_a_model_that_is_not_there_is_told() -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
    asked = ["Prices climb.", "--model", "/nonexistent"]
    found = CliRunner().invoke(command.rewrite, asked)
    assert isinstance(found.exception, MissingData)
    assert str(found.exception).startswith("/nonexistent: not found; give a folder")
