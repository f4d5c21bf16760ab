"""`trope score metonymy`: by hand on small files, and exactly on a participant's."""

import json

import pytest

from trope.cli.main import run

SAMPLE = (
    '<sample id="samp{n}">\n<par>\n<annot><location reading="{reading}"> Peru </location></annot>'
    " slept.\n</par>\n</sample>\n"
)
PEOPLE = 'metonymic" metotype="place-for-people'
GOLD = ["literal", "literal", "literal", PEOPLE, PEOPLE, "mixed"]


def write(folder, level, *answers, head=None):
    path = folder / f"sub.{level}"
    lines = head or ["# Mine", "# location", f"# {level}"]
    path.write_text("\n".join([*lines, *answers]) + "\n")
    return path


@pytest.fixture
def gold(tmp_path):
    path = tmp_path / "gold.xml"
    samples = "".join(SAMPLE.format(n=n, reading=r) for n, r in enumerate(GOLD, start=1))
    path.write_text(f"<sampletexts>\n{samples}</sampletexts>\n")
    return path


def score(capsys, *arguments, code=0):
    with pytest.raises(SystemExit) as leave:
        run(["score", "metonymy", *map(str, arguments)])
    shown = capsys.readouterr()
    assert leave.value.code == code, shown.err
    return shown


def figures(shown):
    found = {figure["name"]: figure for figure in json.loads(shown.out)["figures"]}
    return {name.removeprefix("metonymy.semeval2007.location."): f for name, f in found.items()}


ANSWERS = [
    "samp6|literal",
    "samp1|literal",
    "samp2|literal",
    "samp3|place-for-people",
    "samp4|place-for-people",
    "samp5|unknown",
]


def test_figures_by_hand(gold, tmp_path, capsys):
    path = write(tmp_path, "fine", *ANSWERS)
    found = figures(score(capsys, gold, path, "--granularity", "fine", "--json"))
    assert found["fine.accuracy"]["value"] == 3 / 5
    assert found["fine.accuracy"]["n"] == 5
    assert found["fine.accuracy"]["low"] <= 3 / 5 <= found["fine.accuracy"]["high"]
    assert found["fine.coverage"]["value"] == 5 / 6
    assert found["fine.all_accuracy"]["value"] == 3 / 6
    assert found["fine.constant.accuracy"]["value"] == 3 / 6
    assert found["fine.precision.literal"]["value"] == 2 / 3
    assert found["fine.recall.literal"]["value"] == 2 / 3
    assert found["fine.all_precision.literal"]["value"] == 2 / 4
    assert found["fine.f.place-for-people"]["value"] == 1 / 2
    assert found["fine.f.mixed"]["value"] == 0
    assert found["fine.f.othermet"]["value"] is None
    assert found["fine.f.othermet"]["note"]


def test_the_scripts_convention(gold, tmp_path, capsys):
    path = write(tmp_path, "fine", *ANSWERS)
    options = ("--granularity", "fine", "--undefined", "script", "--json")
    assert figures(score(capsys, gold, path, *options))["fine.f.mixed"]["value"] is None


def test_a_changed_answer_changes_what_it_should(gold, tmp_path, capsys):
    changed = [row.replace("samp3|place-for-people", "samp3|literal") for row in ANSWERS]
    path = write(tmp_path, "fine", *changed)
    found = figures(score(capsys, gold, path, "--granularity", "fine", "--json"))
    assert found["fine.accuracy"]["value"] == 4 / 5
    assert found["fine.precision.place-for-people"]["value"] == 1
    assert found["fine.recall.literal"]["value"] == 1


def test_coarse_answers_that_are_not_literal_can_be_right(gold, tmp_path, capsys):
    rows = [f"samp{n}|{'literal' if n < 4 else 'non-literal'}" for n in range(1, 7)]
    path = write(tmp_path, "coarse", *rows)
    found = figures(score(capsys, gold, path, "--granularity", "coarse", "--json"))
    assert found["coarse.accuracy"]["value"] == 1
    assert found["coarse.f.non-literal"]["value"] == 1


def test_a_key_file_is_gold_too(tmp_path, capsys):
    key = tmp_path / "key"
    key.write_text("samp1|literal\nsamp2|mixed\n")
    path = write(tmp_path, "medium", "samp1|literal", "samp2|metonymic")
    shown = score(capsys, key, path, "--granularity", "medium")
    assert "accuracy 0.5000, coverage 1.0000" in shown.out
    assert "Mine: location, medium" in shown.out


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (ANSWERS[:-1], ": sample 'samp5' has no answer"),
        ([*ANSWERS, "samp7|literal"], ":10: sample 'samp7' is not in the gold file"),
        ([*ANSWERS, "samp1|mixed"], ":10: sample 'samp1' is also in line 5"),
        (
            [*ANSWERS[:-1], "samp5|metonymic"],
            ":9: sample 'samp5': 'metonymic' is not a fine reading",
        ),
        ([*ANSWERS[:-1], "samp5"], ":9: 'samp5' is not a line id|label"),
    ],
)
def test_bad_submissions_are_refused_in_one_line(gold, tmp_path, capsys, rows, words):
    path = write(tmp_path, "fine", *rows)
    shown = score(capsys, gold, path, "--granularity", "fine", code=2)
    assert shown.err.startswith(f"trope: {path}{words}")
    assert shown.err.count("\n") == 1


def test_what_does_not_fit_together_is_refused(gold, tmp_path, capsys):
    path = write(tmp_path, "fine", *ANSWERS)
    shown = score(capsys, gold, path, "--granularity", "coarse", code=2)
    assert "has fine labels, so it cannot be scored at coarse level" in shown.err
    head = ["# Mine", "# org", "# coarse"]
    path = write(tmp_path, "coarse", "samp1|literal", head=head)
    shown = score(capsys, gold, path, "--granularity", "coarse", code=2)
    assert "answers organisations, but the gold file has locations" in shown.err
    unknown = tmp_path / "test.xml"
    unknown.write_text(SAMPLE.format(n=1, reading="unknown"))
    path = write(tmp_path, "fine", "samp1|literal")
    shown = score(capsys, unknown, path, "--granularity", "fine", code=2)
    assert "test.xml:1: sample 'samp1' has no reading, so no fine gold label" in shown.err


@pytest.mark.shared
@pytest.mark.parametrize(
    ("level", "accuracy"),
    [("coarse", 0.851321585903084), ("medium", 0.848017621145374), ("fine", 0.841409691629956)],
)
def test_a_participants_files_get_their_official_accuracy(shared, capsys, level, accuracy):
    folder = shared / "data" / "semeval2007"
    submission = folder / "XRCE-M" / "toSend" / f"XRCE-M.location.{level}"
    arguments = (folder / "SemEval.test.xml", submission, "--granularity", level, "--json")
    found = figures(score(capsys, *arguments))
    assert found[f"{level}.accuracy"]["value"] == pytest.approx(accuracy, abs=1e-14)
