"""Agreement on highlighted words: values computed by hand, dissenters, malformed answers."""

import csv
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from projects import START
from visitors import owner

from trope.annotate.exchange.files import read_judgment_jsonl
from trope.annotate.project import new_project, open_project
from trope.annotate.rules.span_agreement import measure_spans, overlap
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.judgment_imports import import_judgments
from trope.annotate.store.reports import measure_project
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadRecord
from trope.core.judgments import Judgment, read_spans

TEXTS = {"a": "The debate caught fire.", "b": "He keeps his shoes."}
# item a: words 0 to 3; the first marks {2, 3}, the second {3}, the third none; item b: nobody
GIVEN = {
    "a": {"first": "[[11, 22]]", "second": "[[18, 22]]", "third": "[]"},
    "b": {"first": "[]", "second": "[]", "third": "[]"},
}


def judgments(given: dict[str, dict[str, str]] = GIVEN) -> list[Judgment]:
    return [
        Judgment(item, name, label, "words")
        for item, answers in given.items()
        for name, label in answers.items()
    ]


def values(found: Any) -> dict[str, float | None]:
    return {one.name: one.value for one in found.agreements}


def test_values_computed_by_hand() -> None:
    found = measure_spans(judgments(), TEXTS)
    value = values(found)
    # exactly the same words: none of the three pairs of a, all three of b
    assert value["percent"] == value["unanimous"] == 0.5
    # a: 2·1/(2+1), 0 and 0, mean 2/9; b: both none, 1
    assert value["overlap"] == pytest.approx(float((Fraction(2, 9) + 1) / 2))
    # any words: a has two of three pairs unequal (P = 1/3), b none; p(some) = (2/3 + 0)/2 = 1/3
    chance = Fraction(1, 9) + Fraction(4, 9)
    assert value["any_fleiss"] == pytest.approx(float((Fraction(2, 3) - chance) / (1 - chance)))
    # eight words; "caught" is marked by one of three, "fire" by two: P = 1/3 each, 1 for the rest
    observed = Fraction(1, 8) * (6 + Fraction(2, 3))
    chance = Fraction(1, 64) + Fraction(49, 64)  # p(marked) = (1/3 + 2/3)/8
    assert value["word_percent"] == pytest.approx(float(observed))
    assert value["word_unanimous"] == 0.75
    assert value["word_fleiss"] == pytest.approx(float((observed - chance) / (1 - chance)))
    # alpha: 24 answers, 3 marked; observed disagreement 2·(2/2 + 2/2) = 4, by chance 2·3·21/23
    assert value["word_alpha"] == pytest.approx(float(1 - Fraction(4) / Fraction(2 * 3 * 21, 23)))
    # Cohen: first and second differ on one of 8 words, marked 2/8 and 1/8
    pairs = {one.name: one.value for one in found.pairs}
    chance = Fraction(2 * 1 + 6 * 7, 64)
    assert pairs["first|second"] == pytest.approx(float((Fraction(7, 8) - chance) / (1 - chance)))
    assert pairs["first|third"] == pairs["second|third"] == 0
    assert value["word_cohen"] == pytest.approx(0.2)
    [disputed] = found.disputed
    assert disputed.item == "a"
    assert disputed.answers == {"caught fire": 1, "fire": 1, "none": 1}


def test_equal_answers_agree_fully_and_a_dissenter_lowers_every_value() -> None:
    same = {"a": dict.fromkeys(("x", "y", "z"), "[[11, 22]]"), "b": GIVEN["b"]}
    assert set(values(measure_spans(judgments(same), TEXTS)).values()) == {1.0}
    dissent = {"a": same["a"] | {"z": "[]"}, "b": GIVEN["b"]}
    value = values(measure_spans(judgments(dissent), TEXTS))
    assert all(found is not None and found < 1 for found in value.values())


def test_undefined_values_say_why() -> None:
    nobody = measure_spans(judgments({"b": GIVEN["b"]}), TEXTS)
    notes = {one.name: one.note for one in nobody.agreements}
    assert values(nobody)["percent"] == 1
    assert "nobody marked a word" in notes["word_fleiss"]
    unknown = measure_spans(judgments(), {})
    assert "--text" in {one.name: one.note for one in unknown.agreements}["word_fleiss"]
    alone = measure_spans(judgments({"a": {"first": "[[0, 3]]"}}), TEXTS)
    assert {one.note for one in alone.agreements} == {"undefined: no item has two answers"}


places = st.frozensets(st.integers(0, 12))


@given(places, places)
def test_overlap_is_a_share_and_symmetric(one: frozenset[int], other: frozenset[int]) -> None:
    assert 0 <= overlap(one, other) <= 1
    assert overlap(one, other) == overlap(other, one)
    assert (overlap(one, other) == 1) == (one == other)


@given(st.text(max_size=30))
def test_any_text_is_spans_or_an_error_in_words(label: str) -> None:
    try:
        spans = read_spans(label)
    except ValueError as error:
        assert "is not a list of [start, end]" in str(error)
    else:
        assert all(0 <= start < end for start, end in spans)


def table(path: Path, given: dict[str, dict[str, str]] = GIVEN) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["item", "annotator", "label", "text"])
        for item, answers in given.items():
            rows.writerows([item, name, label, TEXTS[item]] for name, label in answers.items())
    return path


def test_agree_reads_a_table_of_marked_words(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["agree", str(table(tmp_path / "t.csv")), "--json"])
    assert done.exit_code == 0, done.output
    [question] = json.loads(done.stdout)["questions"]
    found = {one["name"]: one for one in question["agreements"]}
    assert found["word_fleiss"]["value"] == pytest.approx(5 / 21)
    assert found["word_fleiss"]["word"] == "fair"
    assert found["overlap"]["word"] == ""  # a share is no kappa


@pytest.mark.parametrize(
    ("label", "cause"),
    [
        ("[[9, 4]]", "is not a list of [start, end] with start before end"),
        ("[[4]]", "is not a list of [start, end]"),
        ("[[-1, 4]]", "is not a list of [start, end]"),
        ("[[0, 4.5]]", "is not a list of [start, end]"),
        ("[[0, 4]", "is not a list of [start, end]"),
        ("yes", "is not a list of [start, end]"),
        ("[[20, 90]]", "[20, 90] is outside the text; the text has 23 characters"),
    ],
)
def test_malformed_spans_are_refused_with_the_line(label: str, cause: str, tmp_path: Path) -> None:
    given = {"a": GIVEN["a"] | {"second": label}}
    done = CliRunner().invoke(main, ["agree", str(table(tmp_path / "t.csv", given))])
    assert isinstance(done.exception, BadRecord)
    problem = str(done.exception)
    assert "t.csv:3: item 'a': the answer" in problem
    assert cause in problem
    assert "write marked words as [[start, end], …], none as []" in problem


@pytest.fixture
def highlighting(tmp_path: Path) -> Any:
    """The project of free highlighting with one text that two call a metaphor, and one does not."""
    folder = tmp_path / "p"
    new_project(folder, "tweets2019-highlight")
    project = open_project(folder)
    connect(project, **web_settings())
    rows = [{"id": name, "text": text} for name, text in TEXTS.items()]
    items = tmp_path / "items.jsonl"
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, items, now=START)
    marked = {"label": "metaphor", "words": [[11, 22]]}
    answers = [("a", name, marked) for name in ("x", "y")]
    answers += [("a", "z", {"label": "not_metaphor"})]
    answers += [("b", name, {"label": "not_metaphor"}) for name in ("x", "y", "z")]
    given = tmp_path / "judgments.jsonl"
    given.write_text("".join(map(line, enumerate(answers, start=1))), encoding="utf-8")
    import_judgments(project, given, lambda: read_judgment_jsonl(given), now=START)
    return project


def line(numbered: tuple[int, tuple[str, str, dict[str, Any]]]) -> str:
    number, (item, name, answers) = numbered
    row = {"judgment": number, "item": item, "annotator": name, "answers": answers}
    return json.dumps(row | {"state": "counted", "seconds": 5, "at": START.isoformat()}) + "\n"


def test_who_says_that_there_is_no_metaphor_has_marked_none(highlighting: Any) -> None:
    measured = {one.id: one.agreement for one in measure_project(highlighting.plan)}
    assert measured["words"] is not None
    assert measured["words"].judgments == 6
    value = values(measured["words"])
    assert value["overlap"] == pytest.approx((1 / 3 + 1) / 2)
    # two of eight words have P = 1/3, p(marked) = 2·(2/3)/8 = 1/6: (5/6 − 26/36) / (10/36)
    assert value["word_fleiss"] == pytest.approx(0.4)


def test_exported_answers_give_the_same_agreement(highlighting: Any, tmp_path: Path) -> None:
    out = tmp_path / "answers.csv"
    command = ["annotate", "export", str(highlighting.folder), "--what", "answers"]
    done = CliRunner().invoke(main, [*command, "--format", "csv", "--out", str(out)])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, ["agree", str(out), "--json"])
    questions = {one["question"]: one for one in json.loads(done.stdout)["questions"]}
    found = {one["name"]: one["value"] for one in questions["words"]["agreements"]}
    measured = {one.id: one.agreement for one in measure_project(highlighting.plan)}
    assert found == values(measured["words"])


def test_a_question_can_count_as_not_answered_where_it_was_not_shown(highlighting: Any) -> None:
    path = highlighting.folder / "project.toml"
    plan = path.read_text(encoding="utf-8")
    path.write_text(plan.replace("least = 1", 'least = 1\nunshown = "nothing"'), encoding="utf-8")
    measured = {
        one.id: one.agreement for one in measure_project(open_project(highlighting.folder).plan)
    }
    assert measured["words"] is not None
    assert measured["words"].judgments == 2


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"answers": {"words": [[22, 11]]}}, "the answer to 'words' '[[22, 11]]' is not a list"),
        ({"answers": {"words": [[11]]}}, "the answer to 'words' '[[11]]' is not a list of [start"),
        ({"answers": {"words": "caught"}}, "the answer to 'words' '\"caught\"' is not a list of"),
        ({"answers": {"words": [[11, 99]]}}, "[11, 99] is outside the text; the text has 23 char"),
        ({"digest": "0123456789abcdef"}, "is about another text than item 'a' has here; import"),
    ],
)
def test_judgments_that_do_not_fit_the_text_are_not_imported(
    changes: dict[str, Any], problem: str, highlighting: Any, tmp_path: Path
) -> None:
    own = tmp_path / "own.jsonl"
    command = ["annotate", "export", str(highlighting.folder), "--out", str(own)]
    assert CliRunner().invoke(main, command).exit_code == 0
    rows = [json.loads(text) for text in own.read_text(encoding="utf-8").splitlines()]
    rows[1] |= changes
    own.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    other = tmp_path / "other"
    new_project(other, "tweets2019-highlight")
    add = ["annotate", "import", str(other)]
    assert CliRunner().invoke(main, [*add, str(tmp_path / "items.jsonl")]).exit_code == 0
    done = CliRunner().invoke(main, [*add, str(own), "--judgments"])
    assert isinstance(done.exception, BadRecord)
    assert f"{own}:2: " in str(done.exception)
    assert problem in str(done.exception)
    left = CliRunner().invoke(main, ["annotate", "export", str(other)])
    assert left.output == ""  # nothing of the file is there


def test_the_owner_sees_the_agreement_per_word(highlighting: Any) -> None:
    page = owner().get("/project/quality").content.decode()
    row = page.partition("Fleiss&#x27; kappa of words</th>")[2].partition("</tr>")[0]
    assert "0.400" in row
    assert "fair" in row
