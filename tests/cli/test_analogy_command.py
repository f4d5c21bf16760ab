"""`trope analogy`, `trope score analogy` and items of one's own, from the command line."""

import csv
import json

import pytest

from analogies import ROWS, write_data, write_set
from trope.cli.main import run
from trope.corpora.mean import COLUMNS, read_mean


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
    assert (status, "1 item was accepted" in err) == (0, True)
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


def test_a_set_with_its_title_comes_from_standard_input(tmp_path, capsys, monkeypatch):
    path = write_set(tmp_path / "set.csv", ["IDEA;SEED;fact;qqq;seedling;www;moon"])
    assert path.read_text().startswith("METAPHOR;")
    with path.open(encoding="utf-8") as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        status, out, _ = call(capsys, "analogy", "check", "-")
    assert (status, out.startswith("1 item")) == (0, True)


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


@pytest.fixture
def judged_run(data, tmp_path):
    """A run of mean as people leave it: every second item was accepted."""
    run = tmp_path / "a run"
    run.mkdir()
    names = ("first_domain", "second_domain", "element", "gold", "sDdA", "dDsA", "dDdA")
    items, labels = [], []
    for item in read_mean(data / "mean/MEAN_datasetV1.csv"):
        cells = (item.first_domain, item.second_domain, item.element, *item.choices)
        fields = dict(zip(names, cells, strict=True))
        items.append({"id": f"m{item.id}", "text": "…", "fields": fields})
        labels.append({"item": f"m{item.id}", "label": "yes" if int(item.id) % 2 else "no"})
    for name, rows in (("items", items), ("labels", labels)):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (run / f"{name}.jsonl").write_text(lines)
    return run


def test_accepted_items_of_a_run_are_trained_on_measured_and_answered(judged_run, tmp_path, capsys):
    system = tmp_path / "system"
    status, _, err = call(capsys, "train", "analogy", "--on", judged_run, "--all", "--out", system)
    assert (status, "trained on 12 items" in err) == (0, True), err
    status, out, err = call(
        capsys, "evaluate", "analogy", "--on", judged_run, "--folds", "3", "--json"
    )
    assert status == 0, err
    assert json.loads(out)["figures"][0]["n"] == 12
    status, out, err = call(capsys, "analogy", "answer", judged_run, "--system", system)
    assert len(out.splitlines()) == 1 + 12
    assert "of 12 items answered rightly" in err
    status, _, err = call(capsys, "evaluate", "analogy", "--on", judged_run, "--system", system)
    assert (status, "the system was trained on all items" in err) == (2, True)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda run: (run / "labels.jsonl").unlink(), "labels.jsonl: not found; give a run of"),
        (
            lambda run: (run / "items.jsonl").write_text('{"id": "m1", "text": "A day."}\n'),
            "items.jsonl:1: is no analogy; give a run of mean",
        ),
        (
            lambda run: (run / "labels.jsonl").write_text('{"item": "m1", "label": "no"}\n'),
            "labels.jsonl: no item was accepted; judge the items first",
        ),
    ],
)
def test_folders_without_accepted_items_are_refused(change, says, judged_run, tmp_path, capsys):
    change(judged_run)
    status, _, err = call(
        capsys, "train", "analogy", "--on", judged_run, "--out", tmp_path / "system"
    )
    assert (status, says in err, "\n" in err.strip()) == (2, True, False), err
    assert not (tmp_path / "system").exists()


def test_items_may_come_as_any_table(data, tmp_path, capsys):
    items = list(read_mean(data / "mean/MEAN_datasetV1.csv"))
    table = tmp_path / "Übungen (neu).csv"
    with table.open("w", encoding="cp1252", newline="") as file:
        rows = csv.writer(file)  # commas, where MEAN has semicolons
        rows.writerow(COLUMNS)
        rows.writerows((i.first_domain, i.second_domain, i.element, *i.choices) for i in items)
    options = ("--on", table, "--all", "--out", tmp_path / "system")
    status, _, err = call(capsys, "train", "analogy", *options)
    assert (status, f"trained on {len(items)} items" in err) == (0, True), err
    for command in ("answer", "check"):
        status, _, err = call(capsys, "analogy", command, table)
        assert "trope:" not in err
        assert status < 2
    with table.open("a", encoding="cp1252") as file:
        file.write("LOVE,WAR,lover,soldier,,river,cloud\n")
    status, _, err = call(capsys, "train", "analogy", *options)
    assert (status, f"csv:{len(items) + 2}: column" in err) == (2, True), err


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
