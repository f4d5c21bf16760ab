"""`trope analogy build|check` and `trope score analogy`, from the command line."""

import json

import pytest

from analogies import ROWS, write_data, write_set
from trope.cli.main import run
from trope.corpora.mean import read_mean


@pytest.fixture
def data(tmp_path):
    return write_data(tmp_path / "data")


def call(capsys, *arguments):
    with pytest.raises(SystemExit) as leave:
        run([str(argument) for argument in arguments])
    shown = capsys.readouterr()
    return leave.value.code, shown.out, shown.err


def test_proposals_are_reviewed_accepted_and_checked(data, tmp_path, capsys):
    sheet, accepted = tmp_path / "review.csv", tmp_path / "set.csv"
    folder = data / "conceptual"
    status, _, err = call(capsys, "analogy", "build", "--from", folder, "--out", sheet)
    assert status == 0
    assert "4 items proposed" in err
    lines = sheet.read_text().splitlines()
    lines[1] = f"yes{lines[1]}"
    sheet.write_text("\n".join(lines) + "\n")
    status, _, err = call(capsys, "analogy", "build", "--accepted", sheet, "--out", accepted)
    assert (status, "1 items were accepted" in err) == (0, True)
    (item,) = read_mean(accepted)
    assert item.gold == "seed_sower"


def test_one_metaphor_may_be_asked_for(data, capsys):
    folder = data / "conceptual"
    status, out, _ = call(
        capsys, "analogy", "build", "--from", folder, "--metaphor", "DEBTS_ARE_WEIGHTS"
    )
    assert status == 0
    assert len(out.splitlines()) == 2
    status, _, err = call(
        capsys, "analogy", "build", "--from", folder, "--metaphor", "DEBT_ARE_WEIGHT"
    )
    assert status == 2
    assert "similar: DEBTS_ARE_WEIGHTS" in err


def test_build_needs_one_source(data, tmp_path, capsys):
    for options in ([], ["--from", data, "--accepted", tmp_path / "x.csv"]):
        status, _, err = call(capsys, "analogy", "build", *options)
        assert (status, "give either" in err) == (2, True)


def test_check_tells_faults_by_line_and_status(tmp_path, capsys):
    doubled = "IDEA;SEED;fact;qqq;soil;soil;moon"
    path = write_set(tmp_path / "set.csv", [*ROWS[1:2], doubled])
    status, out, _ = call(capsys, "analogy", "check", path)
    assert status == 1
    assert f"{path}:4: doubled choice: 'soil' occurs 2 times" in out
    assert "spelling alone answers" in out
    status, out, _ = call(capsys, "analogy", "check", path, "--json")
    assert json.loads(out)["items"] == 2
    clean = write_set(tmp_path / "clean.csv", ["IDEA;SEED;fact;qqq;seedling;www;moon"])
    status, out, _ = call(capsys, "analogy", "check", clean)
    assert status == 0


def test_check_refuses_what_is_no_set(tmp_path, capsys):
    path = write_set(tmp_path / "bad.csv", ["IDEA;SEED;fact;moon;soil;www;moon"])
    status, _, err = call(capsys, "analogy", "check", path)
    assert status == 2
    assert err.startswith(f"trope: {path}:3: the right choice 'moon' is also a wrong one")


def test_a_repaired_set_is_written(data, tmp_path, capsys):
    path = write_set(tmp_path / "set.csv", ["IDEA;SEED;thinker;sower_of_it;soil;aqua;moon"])
    out = tmp_path / "repaired.csv"
    status, _, err = call(
        capsys, "analogy", "check", path, "--repair", data / "conceptual", "--out", out
    )
    assert status == 1
    assert "1 item repaired" in err
    (item,) = read_mean(out)
    assert item.gold == "sower_of_it"
    status, _, err = call(capsys, "analogy", "check", path, "--out", out)
    assert (status, "give both" in err) == (2, True)


def submission(path, answers):
    path.write_text("id,answer\n" + "".join(f"{i},{a}\n" for i, a in answers))
    return path


@pytest.fixture
def gold(tmp_path):
    return write_set(tmp_path / "gold.csv", ROWS[:3])


def test_answers_are_scored_with_their_kinds_of_errors(gold, tmp_path, capsys):
    answers = [(1, "Seed sower"), (2, "garden"), (3, "violin")]
    path = submission(tmp_path / "mine.csv", answers)
    status, out, _ = call(capsys, "score", "analogy", gold, path, "--json")
    found = {f["name"]: f["value"] for f in json.loads(out)["figures"]}
    assert status == 0
    assert found["analogy.mean.submission.accuracy"] == pytest.approx(1 / 3)
    assert found["analogy.mean.submission.errors.sDdA"] == 0.5
    assert found["analogy.mean.submission.errors.dDdA"] == 0.5
    assert "analogy.mean.overlap.accuracy" in found
    status, out, _ = call(capsys, "score", "analogy", gold, path)
    assert "submission.accuracy" in out


def test_a_submission_without_errors_has_no_shares_of_them(gold, tmp_path, capsys):
    answers = [(1, "seed_sower"), (2, "sprout"), (3, "carrier")]
    path = submission(tmp_path / "mine.csv", answers)
    _, out, _ = call(capsys, "score", "analogy", gold, path, "--json")
    found = {f["name"]: f for f in json.loads(out)["figures"]}
    assert found["analogy.mean.submission.errors.sDdA"]["value"] is None


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([(9, "soil")], "mine.csv:2: no item has the id '9'"),
        ([(1, "soil"), (1, "soil")], "mine.csv:3: id '1' is also in line 2"),
        ([(1, "sand")], "mine.csv:2: 'sand' is not a choice of item 1"),
        ([(1, "")], "mine.csv:2: column 'answer' is empty"),
        ([(1, "soil")], "mine.csv: has no answer to 2 items, the first is 2"),
    ],
)
def test_bad_answers_are_named(gold, tmp_path, capsys, answers, says):
    path = submission(tmp_path / "mine.csv", answers)
    status, _, err = call(capsys, "score", "analogy", gold, path)
    assert status == 2
    assert says in err


def test_a_light_system_learns_ones_own_items_and_answers_a_table_without_right_choices(
    data, tmp_path, capsys
):
    items, system = data / "mean/MEAN_datasetV1.csv", tmp_path / "system"
    status, _, err = call(capsys, "train", "analogy", "--on", items, "--out", system)
    assert (status, "a light system for analogy trained on" in err) == (0, True)
    table = tmp_path / "mine.csv"
    table.write_text(
        "MetSource;MetTarget;SourceRole;one;two;three\nTIME;RIVER;hour;wave;fork;sky\n"
    )
    status, out, err = call(capsys, "analogy", "answer", table, "--system", system)
    assert status == 0, err
    header, row = out.splitlines()
    assert header == "id,metaphor,element,answer,score"
    assert row.startswith("1,TIME IS RIVER,hour,")
    status, out, err = call(
        capsys, "evaluate", "analogy", "--on", items, "--system", system, "--json"
    )
    figures = {figure["name"]: figure for figure in json.loads(out)["figures"]}
    trained = json.loads((system / "trope.json").read_text())["items"]
    assert figures["analogy.own.system.accuracy"]["n"] == 24 - trained > 0
    assert f"{trained} items left out" in err
    status, _, err = call(capsys, "analyze", "--system", system, "A day.")
    assert (status, "is a system for analogy; give it to trope analogy" in err) == (2, True)


def test_own_items_by_folds_beside_vectors_spelling_and_chance(data, tmp_path, capsys):
    items, vectors = data / "mean/MEAN_datasetV1.csv", tmp_path / "few.txt"
    vectors.write_text("seed 1 0\nsprout 1 0.1\nidea 0 1\n")
    status, out, err = call(
        capsys, "evaluate", "analogy", "--on", items, "--folds", "3", "--vectors", vectors, "--json"
    )
    assert status == 0, err
    found = {figure["name"]: figure for figure in json.loads(out)["figures"]}
    assert {name.split(".")[2] for name in found} == {"light", "static", "spelling", "chance"}
    assert found["analogy.own.light.accuracy"]["n"] == 24
    assert found["analogy.own.static.accuracy"]["note"] == "few.txt"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (
            ["MetSource,MetTarget,SourceRole,A", "TIME,RIVER,hour,wave"],
            "mine.csv:1: has fewer than",
        ),
        (["MetSource,MetTarget,SourceRole,A,B", "TIME,RIVER,hour,wave,"], "mine.csv:2: "),
        (["A,B,C", "1,2,3"], "mine.csv:1: the header lacks MetSource"),
    ],
)
def test_items_that_cannot_be_answered_are_refused(lines, message, tmp_path, capsys):
    table, out = tmp_path / "mine.csv", tmp_path / "out.csv"
    table.write_text("\n".join(lines) + "\n")
    status, _, err = call(capsys, "analogy", "answer", table, "--out", out)
    assert (status, message in err) == (2, True), err
    assert not out.exists()


def test_too_few_items_and_a_folder_of_another_task_are_refused(tmp_path, capsys):
    few = write_set(tmp_path / "few.csv", ROWS[:3])
    status, _, err = call(capsys, "train", "analogy", "--on", few, "--out", tmp_path / "system")
    assert (status, "few.csv: has" in err, "write at least 8 items" in err) == (2, True, True)
    assert not (tmp_path / "system").exists()
    (tmp_path / "other").mkdir()
    (tmp_path / "other/trope.json").write_text('{"task": "sentiment", "kind": "light"}')
    status, _, err = call(capsys, "analogy", "answer", few, "--system", tmp_path / "other")
    assert (status, "is a system for sentiment, not for analogy" in err) == (2, True)
