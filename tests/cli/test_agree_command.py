"""`trope agree` and `trope aggregate` as people and scripts use them."""

import csv
import io
import json

import pytest

from trope.cli.main import run

LONG = """item,annotator,label,verb
1,ann,yes,makes
1,bob,yes,makes
1,cy,no,makes
2,ann,yes,devoured
2,bob,yes,devoured
2,cy,yes,devoured
3,ann,no,started
3,bob,yes,started
3,cy,no,started
4,ann,no,lend
4,bob,no,lend
5,ann,no,eat
5,bob,no,eat
5,cy,no,eat
"""
SCALE = """item,annotator,label,gold
g,ann,2,1..3
g,bob,-2,1..3
t,ann,3,
t,bob,-3,
u,bob,1,
v,new,4,
"""


@pytest.fixture
def trope(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "long.csv").write_text(LONG)
    (tmp_path / "scale.csv").write_text(SCALE)

    def call(*arguments):
        with pytest.raises(SystemExit) as leave:
            run(list(arguments))
        said = capsys.readouterr()
        return leave.value.code, said.out, said.err

    return call


def test_agreement_as_json(trope):
    status, out, err = trope("agree", "long.csv", "--verb-column", "verb", "--json")
    assert (status, err) == (0, "")
    (question,) = json.loads(out)["questions"]
    found = {one["name"]: one for one in question["agreements"]}
    assert (question["items"], question["annotators"], question["usual"]) == (5, 3, 3)
    assert found["fleiss"]["low"] <= found["fleiss"]["value"] <= found["fleiss"]["high"]
    assert (found["fleiss"]["n"], found["fleiss_complete"]["n"]) == (5, 4)
    assert found["alpha_interval"]["value"] is None
    assert found["alpha_interval"]["note"]
    sizes = [(part["name"], part["agreements"][0]["n"]) for part in question["exclusions"]]
    assert sizes == [("no", 5), ("partial", 4), ("full", 3)]
    assert [pair["name"] for pair in question["pairs"]] == ["ann|bob", "ann|cy", "bob|cy"]
    assert question["disputed"][0]["item"] == "1"


def test_agreement_for_people(trope):
    status, out, err = trope("agree", "long.csv")
    assert status == 0
    assert "Landis–Koch" in out
    assert "most disputed" in out
    assert "give it with --order" in out
    assert "not used: verb" in err


def test_the_same_seed_gives_the_same_intervals(trope):
    first = trope("agree", "long.csv", "--json", "--seed", "3")
    assert first == trope("agree", "long.csv", "--json", "--seed", "3")
    assert first[1] != trope("agree", "long.csv", "--json", "--seed", "4")[1]


def test_questions_are_measured_one_by_one(trope, tmp_path):
    (tmp_path / "q.csv").write_text(
        "item,annotator,label,question\n1,a,y,one\n1,b,y,one\n2,a,n,one\n2,b,n,one\n1,a,y,two\n"
    )
    _, out, _ = trope("agree", "q.csv", "--json")
    one, two = json.loads(out)["questions"]
    assert (one["question"], two["question"]) == ("one", "two")
    assert one["agreements"][2]["value"] == pytest.approx(1)
    assert "one annotator" in two["agreements"][2]["note"]


@pytest.mark.parametrize("method", ["majority", "dawid-skene", "mace", "glad"])
def test_labels_go_to_standard_output(trope, method):
    status, out, err = trope("aggregate", "long.csv", "--method", method)
    assert status == 0
    rows = {row["item"]: row for row in csv.DictReader(io.StringIO(out), delimiter="\t")}
    assert {item: rows[item]["label"] for item in "245"} == {"2": "yes", "4": "no", "5": "no"}
    assert all(0 <= float(row["confidence"]) <= 1 for row in rows.values())
    assert "5 items, 0 without a label" in err


def test_ties_are_unresolved_unless_told_otherwise(trope, tmp_path):
    (tmp_path / "tie.csv").write_text("item,annotator,label\n1,a,x\n1,b,y\n")
    _, out, err = trope("aggregate", "tie.csv")
    assert "unresolved: tie of x, y" in out
    assert "1 without a label" in err
    assert trope("aggregate", "tie.csv", "--ties", "first")[1].splitlines()[1].split("\t")[2] == "x"


def test_reliability_weighs_means(trope):
    _, out, err = trope("aggregate", "scale.csv", "--method", "weighted-mean")
    rows = {row["item"]: row for row in csv.DictReader(io.StringIO(out), delimiter="\t")}
    assert float(rows["t"]["score"]) == 3.0  # ann is right on the test question, bob is not
    assert rows["u"]["note"] == "undefined: all weights are 0"
    assert rows["v"]["note"].startswith("undefined: no answer")
    assert "no test question answered" in err


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_files_of_labels(trope, tmp_path, suffix):
    status, out, _ = trope("aggregate", "scale.csv", "--method", "mean", "--out", f"o.{suffix}")
    assert (status, out) == (0, "")
    written = (tmp_path / f"o.{suffix}").read_text()
    assert written.count("\n") == (4 if suffix == "jsonl" else 5)


def test_aggregate_as_json_is_all_there_is(trope):
    status, out, err = trope("aggregate", "scale.csv", "--method", "mean", "--json")
    assert (status, err) == (0, "")
    (question,) = json.loads(out)["questions"]
    assert [item["score"] for item in question["items"]] == [0.0, 0.0, 1.0, 4.0]


def test_known_labels_are_held_fixed(trope, tmp_path):
    (tmp_path / "gold.csv").write_text(
        "item,annotator,label,gold\n1,a,x,y\n1,b,x,y\n2,a,y,\n2,b,y,\n"
    )
    arguments = ("aggregate", "gold.csv", "--method", "dawid-skene", "--json")
    free = json.loads(trope(*arguments)[1])["questions"][0]["items"][0]["label"]
    held = json.loads(trope(*arguments, "--use-gold")[1])["questions"][0]["items"][0]["label"]
    assert (free, held) == ("x", "y")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("agree", "none.csv"), "none.csv: not found"),
        (("agree", "long.csv", "--label", "rating"), "long.csv:2: has no column 'rating'"),
        (("agree", "long.csv", "--order", "no"), "lacks 'yes'"),
        (("aggregate", "long.csv", "--method", "mean"), "'no' are not numbers"),
        (("aggregate", "long.csv", "--method", "weighted-mean"), "--gold"),
        (("aggregate", "long.csv", "--out", "labels.xlsx"), "must end in .csv, .tsv or .jsonl"),
    ],
)
def test_faults_are_one_line(trope, arguments, words):
    status, out, err = trope(*arguments)
    line = err.strip().splitlines()[-1]
    assert (status, out) == (2, "")
    assert line.startswith("trope: ")
    assert words in line


def test_zero_has_no_sign(trope, tmp_path):
    (tmp_path / "zero.csv").write_text("item,a,b,c\n1,y,y,n\n2,n,y,n\n3,y,y,y\n")
    status, out, _ = trope("agree", "zero.csv")
    assert status == 0
    assert "0.000" in out
    assert "-0.000" not in out


MODELS = """item,model,answer
1,small,yes
2,small,no
3,small,no
4,small,no
5,small,yes
1,large,yes
2,large,yes
3,large,no
4,large,no
5,large,no
"""


def test_models_beside_people(trope, tmp_path):
    (tmp_path / "models.csv").write_text(MODELS)
    status, out, _ = trope("agree", "long.csv", "--models", "models.csv", "--json")
    assert status == 0
    (question,) = json.loads(out)["questions"]
    small, large = question["models"]
    assert (small["model"], large["model"], large["items"], large["judgments"]) == (
        "small", "large", 5, 14)  # fmt: skip
    equal = {one["model"]: one["agreement"][0]["model"]["value"] for one in question["models"]}
    assert equal["large"] == pytest.approx((2 / 3 + 1 + 2 / 3 + 1 + 1) / 5)
    assert equal["small"] == pytest.approx((2 / 3 + 0 + 2 / 3 + 1 + 0) / 5)
    assert large["alternative"]["passes"] is None
    assert "30 items each" in large["alternative"]["notes"][0]
    status, out, _ = trope("agree", "long.csv", "--models", "models.csv", "--epsilon", "crowd")
    assert status == 0
    assert "model large: 5 items, 14 judgments of people" in out
    assert "ε = 0.1: not possible" in out


def test_models_of_an_export(trope, tmp_path):
    rows = [
        {"run": "large-1", "item": "1", "answers": {"figurative": "yes", "scale": 2}, "error": ""},
        {"run": "large-1", "item": "2", "answers": {}, "error": "invalid"},
        {"run": "large-1", "item": "3", "answers": {"figurative": "no", "scale": -1}, "error": ""},
    ]
    lines = [f"{json.dumps(row | {'model': 'a model'})}\n" for row in rows]
    (tmp_path / "models.jsonl").write_text("".join(lines))
    people = ["item,annotator,question,label"]
    people += [f"{item},{name},figurative,yes" for item in "123" for name in ("ann", "bob")]
    people += [f"{item},{name},scale,2" for item in "123" for name in ("ann", "bob")]
    (tmp_path / "two.csv").write_text("\n".join(people) + "\n")
    status, out, _ = trope("agree", "two.csv", "--models", "models.jsonl", "--json")
    assert status == 0
    found = {one["question"]: one["models"][0] for one in json.loads(out)["questions"]}
    assert {name: (one["model"], one["items"]) for name, one in found.items()} == {
        "figurative": ("large-1", 2), "scale": ("large-1", 2)}  # fmt: skip
    assert found["scale"]["agreement"][0]["model"]["value"] == 0.5


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("item,annotator,answer\n1,m,yes\n", "models.csv:2: has no column 'model'"),
        ("item,model,answer\n1,m,yes\n1,m,no\n", "models.csv:3: 'm' already judged '1' on line 2"),
        ("item,model,answer\n", "models.csv: holds no judgment"),
        ("item,run,answers\n1,m,yes\n", "models.csv:2: the answers are no JSON object"),
        ("item,model,question,answer\n1,m,q,yes\n1,m,mood,yes\n", "model 'm' answers 'q'"),
    ],
)
def test_answers_of_models_that_cannot_be_used(trope, tmp_path, content, said):
    (tmp_path / "models.csv").write_text(content)
    status, out, err = trope("agree", "long.csv", "--models", "models.csv")
    assert (status, out) == (2, "")
    assert said in err.splitlines()[-1] and "Traceback" not in err


def test_an_epsilon_that_is_none(trope, tmp_path):
    (tmp_path / "models.csv").write_text(MODELS)
    status, _, err = trope("agree", "long.csv", "--models", "models.csv", "--epsilon", "7")
    assert status == 2 and "experts, skilled, crowd" in err
