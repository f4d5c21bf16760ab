import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import HEADLINE, TWO_SENTENCES, FakePipeline, restrict
from trope.core.errors import BadInput, UnknownName
from trope.core.export import expression, to_dict, to_json
from trope.core.options import parse_tasks
from trope.core.records import Metonymy, Sentiment


def test_dict_has_the_documented_keys_in_order() -> None:
    data = to_dict(HEADLINE)
    assert list(data) == ["text", "tokens", "sentences", "relations"]
    wanted = ["text", "start", "end", "upos", "xpos", "lemma", "head", "deprel"]
    assert list(data["tokens"][0]) == wanted
    assert data["tokens"][2]["head"] == -1
    assert data["sentences"] == [[0, 64]]


def test_relation_has_indices_and_the_words_behind_them() -> None:
    triplet, pair = to_dict(HEADLINE)["relations"]
    assert (triplet["verb"], triplet["subject"], triplet["object"]) == (4, 1, 8)
    assert triplet["words"] == {"verb": "face", "subject": "Sessions", "object": "questions"}
    assert triplet["kept"] is True
    assert triplet["root"] is True
    assert pair["subject"] is None
    assert pair["words"]["subject"] is None
    assert pair["expression"] == "face Democrats' Russia questions"


def test_rejected_relation_says_why() -> None:
    relation = to_dict(TWO_SENTENCES)["relations"][0]
    assert (relation["kept"], relation["reason"]) == (False, "light-verb")
    assert (relation["negated"], relation["passive"]) == (True, False)
    assert relation["verb_class"] == "light"
    assert to_dict(TWO_SENTENCES)["relations"][1]["particle"] == 10


def test_expression_is_the_text_between_its_offsets() -> None:
    for relation, data in zip(HEADLINE.relations, to_dict(HEADLINE)["relations"], strict=True):
        assert expression(relation, HEADLINE) == HEADLINE.text[data["start"] : data["end"]]


def test_tasks_that_did_not_run_leave_no_keys() -> None:
    without_relations = to_dict(restrict(HEADLINE, ("syntax",)))
    assert "relations" not in without_relations
    without_syntax = to_dict(restrict(HEADLINE, ("relations",)))
    assert list(without_syntax["tokens"][0]) == ["text", "start", "end"]
    assert without_syntax["relations"]
    assert "metaphor" not in to_dict(HEADLINE)["tokens"][0]


def test_metaphor_is_there_when_it_ran() -> None:
    tokens = tuple(replace(token, metaphor=0.25) for token in HEADLINE.tokens)
    analysis = replace(HEADLINE, tokens=tokens, tasks=("syntax", "metaphor"))
    assert to_dict(analysis)["tokens"][0]["metaphor"] == 0.25


def test_parse_tasks_orders_and_refuses() -> None:
    assert parse_tasks(" relations, syntax") == ("syntax", "relations")
    with pytest.raises(UnknownName, match="Did you mean 'syntax'"):
        parse_tasks("syntx")
    with pytest.raises(BadInput, match="choose from syntax, relations"):
        parse_tasks(" , ")


@pytest.mark.parametrize("indent", [0, 2])
def test_lone_surrogates_become_escapes(indent: int) -> None:
    text = "Bad \ud83d half"
    document = to_json(replace(HEADLINE, text=text), indent=indent)
    assert r"\ud83d" in document
    document.encode("utf-8")
    assert json.loads(document)["text"] == text


@pytest.mark.parametrize("indent", [0, 2])
def test_layout_is_the_same_with_and_without_a_surrogate(indent: int) -> None:
    good = to_json(replace(HEADLINE, text="x" * 64), indent=indent)
    bad = to_json(replace(HEADLINE, text="\ud800" + "x" * 63), indent=indent)
    assert bad.replace(r"\ud800", "x") == good


def test_json_has_an_id_only_where_there_is_a_name() -> None:
    assert json.loads(to_json(HEADLINE, name="a.txt:1"))["id"] == "a.txt:1"
    assert "id" not in json.loads(to_json(HEADLINE))


@given(st.text(st.characters(codec=None)))
def test_any_text_makes_one_line_of_utf8_that_reads_back(text: str) -> None:
    analysis = FakePipeline().analyze(text)
    document = to_json(analysis)
    assert "\n" not in document
    back = json.loads(document.encode("utf-8"))
    # two halves that stand together become one character in any JSON reader
    assert back["text"] == text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    assert to_json(analysis) == document


def test_names_and_sentiment_are_there_where_they_were_asked_for() -> None:
    name = Metonymy(0, 4, "organisation", "literal", 0.75, "the organisation Jeff itself")
    full = replace(
        HEADLINE,
        tasks=(*HEADLINE.tasks, "metonymy", "sentiment"),
        metonymies=(name,),
        sentiment=Sentiment(-2.5, -2),
    )
    data = json.loads(to_json(full))
    assert list(data)[-2:] == ["metonymies", "sentiment"]
    assert data["metonymies"] == [
        {
            "start": 0,
            "end": 4,
            "class": "organisation",
            "reading": "literal",
            "score": 0.75,
            "stands_for": "the organisation Jeff itself",
        }
    ]
    assert data["sentiment"] == {"score": -2.5, "integer": -2, "scale": "tweet"}
    without_words = replace(full, metonymies=(), sentiment=None)
    assert to_dict(without_words)["metonymies"] == []
    assert to_dict(without_words)["sentiment"] is None
    assert parse_tasks("sentiment, metonymy") == ("metonymy", "sentiment")
