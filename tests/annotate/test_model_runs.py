"""Trope's heads and systems of a user's own as annotators."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from projects import copy_tables

from hub_folder import write_encoder
from own_labels import verb_rows, write_table
from trope.annotate.model_runs import named_heads
from trope.annotate.project import SAMPLE, new_project, open_project
from trope.annotate.questions import scale_of
from trope.cli.main import main
from trope.core.errors import BadInput, UnknownName


def command(*arguments: object) -> Any:
    return CliRunner().invoke(main, [*map(str, arguments)])


def answered(folder: Path, template: str, *options: object) -> dict[str, dict[str, Any]]:
    """What a run answered to the sample items of a template, by item."""
    new_project(folder, template)
    copy_tables(open_project(folder))
    assert command("annotate", "import", folder, folder / SAMPLE).exit_code == 0
    done = command("annotate", "model", folder, "m", "--json", *options)
    assert done.exit_code == 0, (done.output, done.exception)
    rows = command("annotate", "export", folder, "--what", "models").output.splitlines()
    return {row["item"]: row for row in map(json.loads, rows)}


@pytest.mark.parametrize(
    ("template", "questions"),
    [
        ("words", {"metaphorical"}),
        ("tweets2019", {"metaphorical"}),
        ("tweets2019-highlight", {"label"}),
        ("newsmet", {"sentence", "verb"}),
        ("spans", {"metaphors"}),
        ("semeval2015", {"score"}),
        ("semeval2007", {"class", "reading"}),
    ],
)
def test_heads_answer_the_questions_of_a_template(
    tmp_path: Path, template: str, questions: set[str]
) -> None:
    found = answered(tmp_path / "p", template)
    plan = open_project(tmp_path / "p").plan
    offered = {q.id: scale_of(q) for q in plan.questions}
    assert found
    for row in found.values():
        assert questions <= row["answers"].keys()
        assert row["error"] == ""
        for name, value in row["answers"].items():
            assert isinstance(value, list) or str(value) in offered[name]


def test_head_tells_a_metaphor_from_the_basic_meaning(tmp_path: Path) -> None:
    found = answered(tmp_path / "p", "words")
    assert found["w1"]["answers"] == {"metaphorical": "yes"}  # rumours flooded the staff room
    assert found["w2"]["answers"] == {"metaphorical": "no"}  # the river flooded two streets
    assert 0.5 < found["w1"]["confidence"] <= 1
    assert found["w1"]["settings"]["heads"] == {"metaphorical": "word"}
    assert len(found["w1"]["settings"]["model_sha256"]) == 64


def test_system_of_a_users_own_answers(tmp_path: Path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    rows = [(text, label) for text, _, label in verb_rows()]
    table = write_table(tmp_path / "t.csv", ("text", "label"), rows)
    system = tmp_path / "system"
    trained = command("train", "metaphor", "--on", table, "--out", system)
    assert trained.exit_code == 0, trained.output
    found = answered(tmp_path / "p", "newsmet", "--system", system)
    assert {row["model"] for row in found.values()} == {str(system)}
    assert found["h1"]["settings"]["heads"] == {"sentence": "text", "verb": "text"}
    refused = command("annotate", "model", tmp_path / "p", "other", "--system", tmp_path / "no")
    assert refused.exit_code
    new_project(tmp_path / "s", "semeval2015")
    wrong = command("annotate", "model", tmp_path / "s", "m", "--system", system)
    assert "answers none of the questions" in str(wrong.exception)


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ("metaphorical=word", "YES/NO"),
        ("metaphorical=word:yes/perhaps", "YES/NO"),
        ("metaphorical=words", "marks words"),
        ("metaphorical=sentiment", "scores from -5 to 5"),
        ("metaphor=word:yes/no", "no question is called"),
        ("metaphorical=oracle", "no head is called"),
    ],
)
def test_head_that_cannot_answer_its_question_is_refused(
    tmp_path: Path, named: str, why: str
) -> None:
    new_project(tmp_path / "p", "words")
    with pytest.raises((BadInput, UnknownName), match=why):
        named_heads(open_project(tmp_path / "p").plan, [named])


def test_questions_without_a_head_are_named(tmp_path: Path) -> None:
    new_project(tmp_path / "p", "pairs")
    with pytest.raises(BadInput, match="--head QUESTION=HEAD"):
        named_heads(open_project(tmp_path / "p").plan)


def test_item_that_no_head_can_judge_is_an_error(tmp_path: Path) -> None:
    folder = tmp_path / "p"
    new_project(folder, "words")
    (folder / "i.jsonl").write_text('{"id": "x", "text": "Nothing is highlighted."}\n')
    assert command("annotate", "import", folder, folder / "i.jsonl").exit_code == 0
    done = command("annotate", "model", folder, "m")
    assert done.exit_code == 1
    assert "0 of 1 item answered, 1 error" in done.output


def test_hugging_face_folder_answers(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'trope[train]')")
    folder = write_encoder(tmp_path / "hub", head="sentences")
    found = answered(tmp_path / "p", "newsmet", "--system", folder, "--head",
                     "sentence=text:metaphorical/literal")  # fmt: skip
    assert {row["model"] for row in found.values()} == {str(folder)}
    for row in found.values():
        assert row["answers"]["sentence"] in ("metaphorical", "literal")
        assert row["error"] == ""
