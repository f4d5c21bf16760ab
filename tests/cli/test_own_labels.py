"""Labels of a user's own: train, evaluate, use; and what is wrong with a table of them."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from own_labels import name_rows, score_rows, verb_rows, write_table
from trope import Pipeline
from trope.cli.main import run as run_command
from trope.core.errors import BadInput, BadModel
from trope.core.files import sha256
from trope.tasks.own_systems import open_system

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed (pip install 'trope[systems]')"
)


class Result(NamedTuple):
    """What a command printed, and how it ended."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def run(*arguments: object) -> Result:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as leave:
        run_command([str(argument) for argument in arguments])
    return Result(int(leave.value.code or 0), out.getvalue(), err.getvalue())


def figures(result: Result) -> dict[str, dict[str, object]]:
    assert result.exit_code == 0, result.output
    return {figure["name"]: figure for figure in json.loads(result.stdout)["figures"]}


@pytest.fixture(scope="module")
def verbs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, tuple[str, ...]]:
    """A table with odd names, the folder trained on it, and the options that read it."""
    folder = tmp_path_factory.mktemp("verbs")
    table = write_table(
        folder / "odd name.csv", ("Satz", "Wort", "Urteil"),
        [(text, v, {"metaphor": "fig"}.get(label, "plain")) for text, v, label in verb_rows()],
        delimiter=";",
    )  # fmt: skip
    options = ("--column", "Satz", "--label", "Urteil", "--target", "Wort", "--positive", "fig")
    done = run("train", "metaphor", "--on", table, *options, "--out", folder / "system")
    assert done.exit_code == 0, done.output
    return table, folder / "system", options


def test_verbs_are_trained_measured_on_unseen_texts_and_used(
    verbs: tuple[Path, Path, tuple[str, ...]],
) -> None:
    table, system, options = verbs
    measured = run(
        "evaluate", "metaphor", "--on", table, *options, "--system", system, "--json", "--quiet"
    )
    found = figures(measured)
    train = json.loads((system / "trope.json").read_text())["items"]
    assert found["metaphor.own.system.f1"]["n"] == 120 - train
    assert found["metaphor.own.system.macro_f1"]["value"] > 0.9
    assert found["metaphor.own.always_metaphorical.macro_f1"]["value"] < 0.5
    used = run("analyze", "--system", system, "--json", "The coach had to plant the doubt.")
    analysis = json.loads(used.stdout)
    scores = {token["text"]: token["metaphor"] for token in analysis["tokens"]}
    assert scores["plant"] >= analysis["threshold"]
    assert scores["coach"] == 0.0  # it judges verbs
    literal = json.loads(run("analyze", "--system", system, "--json", "We plant the tree.").stdout)
    assert {t["text"]: t["metaphor"] for t in literal["tokens"]}["plant"] < literal["threshold"]


def test_a_corpus_run_with_an_own_system_is_another_run(
    verbs: tuple[Path, Path, tuple[str, ...]], tmp_path: Path
) -> None:
    _, system, _ = verbs
    texts = tmp_path / "texts.txt"
    texts.write_text("They plant the doubt.\nThey plant the tree.\n")
    out = tmp_path / "out"
    assert run("detect", texts, "--out", out, "--system", system).exit_code == 0
    again = run("detect", texts, "--out", out, "--resume")
    assert again.exit_code != 0
    assert "model" in again.output


def test_spacy_reads_with_an_own_system(verbs: tuple[Path, Path, tuple[str, ...]]) -> None:
    spacy = pytest.importorskip("trope.integrations.spacy", reason="spaCy is not installed")
    nlp = spacy.load(systems=[str(verbs[1])])
    doc = nlp("The coach had to plant the doubt.")
    assert [token.text for token in doc._.metaphors] == ["plant"]


def test_texts_that_all_have_one_label_are_told(
    verbs: tuple[Path, Path, tuple[str, ...]], tmp_path: Path
) -> None:
    rows = [("They plant the doubt again.", "plant", "fig"), ("A plant of grief.", "plant", "fig")]
    table = write_table(tmp_path / "one.csv", ("Satz", "Wort", "Urteil"), rows)
    done = run("evaluate", "metaphor", "--on", table, *verbs[2], "--system", verbs[1])
    assert done.exit_code == 0, done.output
    assert "all 2 texts scored have the same label" in done.stderr


def test_whole_texts_by_folds(tmp_path: Path) -> None:
    rows = [(text, label) for text, _, label in verb_rows()]
    table = write_table(tmp_path / "texts.csv", ("text", "label"), rows)
    found = figures(run("evaluate", "metaphor", "--on", table, "--folds", "3", "--json"))
    assert found["metaphor.own.light.f1"]["n"] == len(rows)
    assert found["metaphor.own.light.accuracy"]["value"] > 0.9


def test_sentiment(tmp_path: Path) -> None:
    table = write_table(tmp_path / "days.tsv", ("tweet", "score"), score_rows(), delimiter="\t")
    system = tmp_path / "system"
    assert run("train", "sentiment", "--on", table, "--out", system).exit_code == 0
    found = figures(
        run("evaluate", "sentiment", "--on", table, "--system", system, "--json", "--quiet")
    )
    assert found["sentiment.own.system.cosine"]["value"] > 0.9
    pipeline = Pipeline(systems=[system])
    bad, good = pipeline.analyze_many(["A dreadful day.", "A wonderful day."])
    assert bad.sentiment and good.sentiment
    assert bad.sentiment.score < -1 < 1 < good.sentiment.score


def test_names(tmp_path: Path) -> None:
    table = write_table(tmp_path / "names.csv", ("text", "name", "reading"), name_rows())
    system = tmp_path / "system"
    assert run("train", "metonymy", "--on", table, "--out", system).exit_code == 0
    found = figures(
        run("evaluate", "metonymy", "--on", table, "--system", system, "--json", "--quiet")
    )
    assert found["metonymy.own.system.accuracy.fine"]["value"] == 1.0
    analysis = Pipeline(systems=[system]).analyze("Kenya rejected the offer.")
    assert [name.reading for name in analysis.metonymies] == ["place-for-people"]


def test_labels_of_a_run_or_an_export_are_read_from_its_folder(tmp_path: Path) -> None:
    rows = verb_rows(80)
    (tmp_path / "items.jsonl").write_text("".join(
        json.dumps({"id": f"t{at}", "text": text, "fields": {"verb": v, "expression": v}}) + "\n"
        for at, (text, v, _) in enumerate(rows)
    ))  # fmt: skip
    labels = [{"item": f"t{at}", "label": label} for at, (_, _, label) in enumerate(rows)]
    labels[0]["label"] = None
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labels))
    done = run("train", "metaphor", "--on", tmp_path, "--out", tmp_path / "system")
    assert done.exit_code == 0, done.output
    assert json.loads((tmp_path / "system" / "trope.json").read_text())["level"] == "verbs"
    assert "left out 1 row without a label" in done.output


def test_a_run_of_another_task_is_refused(tmp_path: Path) -> None:
    (tmp_path / "items.jsonl").write_text('{"id": "a", "text": "A day is a road."}\n')
    (tmp_path / "labels.jsonl").write_text('{"item": "a", "label": "yes"}\n')
    (tmp_path / "manifest.json").write_text('{"recipe": "mean"}')
    done = run("train", "metaphor", "--on", tmp_path, "--out", tmp_path / "system")
    assert (done.exit_code, (tmp_path / "system").exists()) == (2, False)
    assert done.stderr == (
        f"trope: {tmp_path}: is a run of mean, whose labels are of analogy, not of metaphor; "
        "name the task analogy, or give another run\n"
    )


def test_a_system_of_another_task_is_refused(
    verbs: tuple[Path, Path, tuple[str, ...]], tmp_path: Path
) -> None:
    table = write_table(tmp_path / "days.csv", ("text", "score"), score_rows())
    refused = run("evaluate", "sentiment", "--on", table, "--system", verbs[1])
    assert refused.exit_code == 2
    assert f"{verbs[1]}: is a system for metaphor, not for sentiment" in refused.output
    with pytest.raises(BadInput, match="are both for metaphor; give one"):
        Pipeline(systems=[verbs[1], verbs[1]])
    with pytest.raises(BadInput, match="is no folder and no system"):
        Pipeline(systems=["my-sytem"])
    with pytest.raises(BadModel, match=r"has no trope\.json"):
        open_system(tmp_path)


def test_damaged_weights_are_refused(
    verbs: tuple[Path, Path, tuple[str, ...]], tmp_path: Path
) -> None:
    (tmp_path / "trope.json").write_bytes((verbs[1] / "trope.json").read_bytes())
    (tmp_path / "weights.npz").write_bytes(b"PK nothing")
    with pytest.raises(BadModel, match=r"weights\.npz: cannot be read"):
        open_system(tmp_path)


def test_nothing_is_scored_that_a_system_has_seen(tmp_path: Path) -> None:
    rows = [(text, label) for text, _, label in verb_rows(40)]
    table = write_table(tmp_path / "texts.csv", ("text", "label"), rows)
    system = tmp_path / "system"
    assert run("train", "metaphor", "--on", table, "--all", "--out", system).exit_code == 0
    shouted = write_table(
        tmp_path / "loud.csv", ("text", "label"), [(t.upper(), label) for t, label in rows]
    )
    refused = run("evaluate", "metaphor", "--on", shouted, "--system", system)
    assert refused.exit_code == 2
    assert "was trained on all texts" in refused.output


GOOD = [(text, label) for text, _, label in verb_rows(60)]
BAD_TABLES = [
    (("text", "note"), GOOD, "bad.csv:2: has no column 'label' with labels; it has text, note"),
    (("Satz", "label"), GOOD, "bad.csv:2: has no column 'text' with texts"),
    (("text", "label"), [(t, "metaphor") for t, _ in GOOD], "too few labels of one kind"),
    (("text", "label"), GOOD[:5], "labelled texts to train on; label at least 20"),
    (("text", "label"), [*GOOD, ("A new day.", "perhaps")], "bad.csv:62: the label 'perhaps'"),
    (("text", "label"), [("Doubt crept in.", "[[6, 11]]")], "label '[[6, 11]]' marks words"),
    (("text", "label"), [(t, "") for t, _ in GOOD], "no row has a label"),
    (
        ("text", "label", "split"),
        [*((*row, "train") for row in GOOD), (GOOD[0][0].upper(), GOOD[0][1], "test")],
        "bad.csv:62: has the text of line 2, but is in test, not train",
    ),
    (("text", "label", "split"), [(*row, "east") for row in GOOD], "bad.csv:2: the split 'east'"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "rows", "message"), BAD_TABLES)
def test_a_bad_table_is_one_line_and_leaves_nothing(
    tmp_path: Path, header: Sequence[str], rows: Sequence[Sequence[str]], message: str
) -> None:
    table = write_table(tmp_path / "bad.csv", header, rows)
    before = sha256(table)
    refused = run("train", "metaphor", "--on", table, "--out", tmp_path / "system")
    assert refused.exit_code == 2
    assert message in refused.output
    assert len(refused.output.strip().splitlines()) == 1
    assert not (tmp_path / "system").exists()
    assert sha256(table) == before


def test_a_verb_or_name_that_is_not_in_its_text(tmp_path: Path) -> None:
    rows = [*verb_rows(40), ("We rest.", "sleep", "literal")]
    table = write_table(tmp_path / "bad.csv", ("text", "verb", "label"), rows)
    refused = run(
        "train", "metaphor", "--on", table, "--target", "verb", "--all", "--out", tmp_path / "s"
    )
    assert "bad.csv:42: the verb 'sleep' is not a word of its text" in refused.output
    names = write_table(
        tmp_path / "names.csv", ("text", "name", "reading"), [("We rest.", "Peru", "literal")]
    )
    refused = run("train", "metonymy", "--on", names, "--out", tmp_path / "s")
    assert "names.csv:2: the name 'Peru' is not in its text" in refused.output
    scores = write_table(tmp_path / "scores.csv", ("text", "score"), [("We rest.", "11")])
    refused = run("train", "sentiment", "--on", scores, "--out", tmp_path / "s")
    assert "scores.csv:2: the score '11' is not a number from -5 to 5" in refused.output


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    refused = run("train", "metaphor", "--on", tmp_path / "none.csv", "--out", tmp_path / "s")
    assert refused.exit_code == 2
    assert "none.csv: not found; give a table with labels" in refused.output


def judged_project(
    folder: Path,
    header: Sequence[str],
    rows: Sequence[tuple[str, ...]],
    question: str,
    options: tuple[str, str],
) -> Path:
    """A project whose items one person has judged; rows end with their answers."""
    pytest.importorskip("django", reason="Django is not installed")
    assert run("annotate", "new", folder, "--template", "pairs").exit_code == 0
    offered = ", ".join(f'{{ value = "{option}" }}' for option in options)
    (folder / "project.toml").write_text(
        'title = "T"\nguidelines = "G"\njudgments_per_item = 1\n'
        f'[[questions]]\nid = "{question}"\nkind = "choice"\ntext = "?"\n'
        f"options = [{offered}]\n",
        encoding="utf-8",
    )
    items = write_table(folder / "made.csv", ("id", *header), [
        (f"v{at}", *row[:-1]) for at, row in enumerate(rows)
    ])  # fmt: skip
    assert run("annotate", "import", folder, items).exit_code == 0
    judged = folder / "judged.jsonl"
    about = {"annotator": "Ann", "state": "counted", "seconds": 3.0,
             "at": "2026-03-02T09:00:00+00:00"}  # fmt: skip
    judgments = (
        about | {"judgment": at + 1, "item": f"v{at}", "answers": {question: row[-1]}}
        for at, row in enumerate(rows)
    )
    judged.write_text("".join(json.dumps(one) + "\n" for one in judgments), encoding="utf-8")
    people = folder / "people.jsonl"
    people.write_text('{"name": "Ann", "role": "annotator", "joined": "2026-03-02T09:00:00Z"}\n')
    assert run("annotate", "import", folder, people, "--people").exit_code == 0
    done = run("annotate", "import", folder, judged, "--judgments")
    assert done.exit_code == 0, done.output
    return folder


def test_names_that_a_project_highlights_are_trained_on(tmp_path: Path) -> None:
    rows = [
        (text, name, "literal" if label == "literal" else "metonymic")
        for text, name, label in name_rows()
    ]
    project, system = tmp_path / "harbour", tmp_path / "system"
    judged_project(project, ("text", "highlight"), rows, "reading", ("literal", "metonymic"))
    done = run("train", "metonymy", "--on", project, "--out", system)
    assert done.exit_code == 0, done.output
    notes = json.loads((system / "trope.json").read_text())
    assert notes["trained_on"] == "harbour"  # not the folder that it was exported into
    found = figures(run("evaluate", "metonymy", "--on", project, "--system", system, "--json",
                        "--quiet"))  # fmt: skip
    held = found["metonymy.own.system.accuracy.coarse"]
    assert held["n"] == len(rows) - notes["items"] > 0


def test_a_project_is_audited_and_evaluated(tmp_path: Path) -> None:
    rows = [(text, verb, "yes" if label == "metaphor" else "no")
            for text, verb, label in verb_rows(40)]  # fmt: skip
    project = tmp_path / "harbour"
    judged_project(project, ("text", "verb"), rows, "figurative", ("yes", "no"))
    audited = figures(run("audit", "--on", project, "--target", "verb", "--json"))
    assert audited["audit.own.constant.accuracy"]["n"] == 40
    assert audited["audit.own.constant.f1"]["data"]["name"] == "harbour"
    assert {"audit.own.word_alone.f1", "audit.own.context.f1"} <= set(audited)
    texts = figures(run("audit", "--on", project, "--json"))
    assert "audit.own.words.macro_f1" in texts
    measured = run("evaluate", "metaphor", "--on", project, "--target", "verb", "--json", "--quiet")
    found = figures(measured)
    assert found["metaphor.own.encoder.f1"]["n"] == 40
    assert found["metaphor.own.encoder.f1"]["data"]["name"] == "harbour"
    saved = tmp_path / "figures.json"
    saved.write_text(measured.stdout, encoding="utf-8")
    compared = run("audit", "--on", project, "--target", "verb", "--system", saved)
    assert compared.exit_code in (0, 1)
    assert "Compared with nothing" not in compared.stdout
    unknown = run("audit", "--on", project, "--question", "colour")
    assert unknown.exit_code == 2
    assert unknown.stderr == f"trope: {project}: has no question 'colour'; it has figurative\n"


def test_a_table_of_any_labels_is_audited(tmp_path: Path) -> None:
    rows = [(text, verb, label) for text, verb, label in verb_rows(60)]
    table = write_table(tmp_path / "t.csv", ("text", "verb", "label"), rows)
    found = figures(run("audit", "--on", table, "--target", "verb", "--json"))
    # no verb of one use is in another fold, so that nothing is known of it
    assert found["audit.own.word_alone.accuracy"]["value"] == pytest.approx(
        sum(label == "literal" for *_, label in rows) / 60
    )
    parts = ("test", "train", "train")
    split = [(text, parts[n % 3], label) for n, (text, _, label) in enumerate(rows)]
    parted = write_table(tmp_path / "s.csv", ("text", "split", "label"), split)
    found = figures(run("audit", "--on", parted, "--json"))
    assert found["audit.own.words.accuracy"]["n"] == 20
    assert found["audit.own.words.accuracy"]["value"] > 0.8
    assert found["audit.own.duplicates_train.share"]["value"] == 0


@pytest.mark.parametrize(
    ("rows", "options", "words"),
    [
        ([("A b.", "x")] * 12, (), "has the labels x; label more texts"),
        ([(f"A {n}.", f"l{n % 3}") for n in range(12)], (), "name the one that means yes"),
        ([("A.", "x"), ("B.", "y")], (), "has 2 labelled texts; 10 are needed"),
        ([(f"A {n}.", "xy"[n % 2]) for n in range(12)], ("--positive", "z"), "has no label 'z'"),
        ([(f"A {n}.", "xy"[n % 2]) for n in range(12)], ("--label", "no"), "has no column 'no'"),
    ],
)
def test_labels_that_cannot_be_audited_are_one_line(
    tmp_path: Path, rows: list[tuple[str, str]], options: tuple[str, ...], words: str
) -> None:
    table = write_table(tmp_path / "t.csv", ("text", "label"), rows)
    told = run("audit", "--on", table, *options)
    assert (told.exit_code, told.stderr.count("\n")) == (2, 1)
    assert words in told.stderr


def test_an_audit_is_of_a_set_or_of_own_labels(tmp_path: Path) -> None:
    table = write_table(tmp_path / "t.csv", ("text", "label"), [("A.", "x")])
    for words in ((), ("newsmet", "--on", table)):
        told = run("audit", *words)
        assert told.exit_code == 2
        assert "the NAME of a set, or labels of your own" in told.stderr
