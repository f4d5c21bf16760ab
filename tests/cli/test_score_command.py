"""`trope score sentiment`: the measures, the penalty, and what is refused, by its line."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from trope.cli.main import run
from trope.core.errors import BadRecord
from trope.tasks.sentiment.submission import read_gold, read_submission, write_submission

BASE = 472189928340606976
GOLD = {str(BASE + at): score for at, score in enumerate((-3, -2, 1, 4, -2, -4, 2, -1))}
IDS = list(GOLD)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.tsv"
    write_submission(GOLD.items(), path)
    return path


def submit(folder: Path, text: str) -> Path:
    path = folder / "submission.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def score(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, dict[str, object]]:
    with pytest.raises(SystemExit) as leave:
        run(["score", "sentiment", *map(str, arguments), "--json"])
    assert leave.value.code == 0
    document = json.loads(capsys.readouterr().out)
    assert document["task"] == "sentiment"
    return {figure["name"]: figure for figure in document["figures"]}


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as leave:
        run(["score", "sentiment", *map(str, arguments)])
    assert leave.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_a_perfect_submission(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures = score(capsys, gold, gold)
    assert figures["sentiment.semeval2015.test.cosine"]["value"] == pytest.approx(1)
    assert figures["sentiment.semeval2015.test.mse"]["value"] == 0
    assert figures["sentiment.semeval2015.test.constant.mse"]["value"] == pytest.approx(
        sum((score + 2) ** 2 for score in GOLD.values()) / 8
    )


def test_three_quarters_cost_the_penalty_exactly(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = submit(tmp_path, "".join(f"{i}\t{s + 1}\n" for i, s in list(GOLD.items())[:6]))
    figures = score(capsys, gold, path)
    own = list(GOLD.values())[:6]
    product = sum(s * (s + 1) for s in own)
    lengths = (sum(s * s for s in own) * sum((s + 1) ** 2 for s in own)) ** 0.5
    cosine = figures["sentiment.semeval2015.test.cosine"]
    assert cosine["value"] == pytest.approx(0.75 * product / lengths)
    assert cosine["note"] == "2 of 8 missing, with the penalty"
    assert figures["sentiment.semeval2015.test.mse"]["value"] == pytest.approx(8 / 6)


def test_zeros_have_no_cosine(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    figures = score(capsys, gold, submit(tmp_path, "".join(f"{i}\t0\n" for i in GOLD)))
    cosine = figures["sentiment.semeval2015.test.cosine"]
    assert cosine["value"] is None
    assert "all 0" in str(cosine["note"])


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (f"{IDS[0]}\t2", "is also in line 1"),
        ("12345\t2", "is not in the gold file; leave it out"),
        (f"{str(BASE)[:15]}000\t2", "a spreadsheet has put zeros"),
        ("4.72189928340607E+17\t2", "turned into a number"),
        ("1.2e17\t2", "turned into a number"),
        (f"{IDS[1]}\tgood", "is not a number"),
        (f"{IDS[1]}\tnan", "is not a number"),
        (f"{IDS[1]}\t6", "outside the scale"),
        (f"{IDS[1]}\t1.5", "is not an integer"),
        (f"{IDS[1]}", "has 1 column; write an id, a tab and a score"),
        (f"{IDS[1]}\t", "has 1 column; write an id, a tab and a score"),
    ],
)
def test_a_bad_row_is_refused_with_its_line(
    row: str, words: str, gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(capsys, gold, submit(tmp_path, f"{IDS[0]}\t-2\n{row}\n"))
    assert "submission.tsv:2: " in said
    assert words in said


def test_an_empty_submission_is_refused(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "is empty" in refused(capsys, gold, submit(tmp_path, ""))
    assert "holds no ids" in refused(capsys, gold, submit(tmp_path, "\n"))


def test_wrong_usage(gold: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "Missing argument 'SUBMISSION'" in refused(capsys, gold)
    assert "must be a file" in refused(capsys, "-", gold)
    assert "not found" in refused(capsys, gold, gold.parent / "none.tsv")


def test_gold_with_texts_is_scored_by_category(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts = ("fine #sarcasm", "fine #irony", "literally fine", "fine")
    path = tmp_path / "gold.tsv"
    path.write_text("".join(f"{at}\t{at - 4}\t{t}\n" for at, t in enumerate(texts, 1)))
    given = submit(tmp_path, "1\t-3\n2\t-2\n3\t-2\n")
    figures = score(capsys, path, given)
    assert figures["sentiment.semeval2015.sarcasm.cosine"]["value"] == pytest.approx(1)
    assert figures["sentiment.semeval2015.metaphor.mse"]["value"] == 1
    assert figures["sentiment.semeval2015.irony.constant.mse"]["value"] == 0
    assert figures["sentiment.semeval2015.other.mse"]["value"] is None


def test_categories_of_the_organisers_own(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "categories.tsv"
    own.write_text("".join(f"{i}\t{'irony' if at % 2 else 'Other'}\n" for at, i in enumerate(IDS)))
    figures = score(capsys, gold, gold, "--categories", own)
    assert figures["sentiment.semeval2015.irony.cosine"]["n"] == 4
    assert "sentiment.semeval2015.sarcasm.cosine" not in figures
    own.write_text(f"{IDS[0]}\tirony\n")
    assert f"no category for id {IDS[1]}" in refused(capsys, gold, gold, "--categories", own)


def test_bundle_scores_as_we_do(
    gold: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    archive = tmp_path / "bundle.zip"
    with pytest.raises(SystemExit) as leave:
        run(["score", "sentiment", str(gold), "--bundle", str(archive), "--title", "A task"])
    assert leave.value.code == 0
    with zipfile.ZipFile(archive) as bundle:
        bundle.extractall(tmp_path / "b")
        names = set(bundle.namelist())
        assert {"competition.yaml", "logo.png", "overview.md", "terms.md"} <= names
        assert "title: A task" in bundle.read("competition.yaml").decode()
    (tmp_path / "in" / "res").mkdir(parents=True)
    (tmp_path / "b" / "reference_data").rename(tmp_path / "in" / "ref")
    given = {name: score - 1 if score > -4 else score for name, score in list(GOLD.items())[:5]}
    write_submission(given.items(), tmp_path / "in" / "res" / "mine.tsv")
    program = tmp_path / "b" / "scoring_program" / "score.py"
    command = [sys.executable, str(program), str(tmp_path / "in"), str(tmp_path / "out")]
    subprocess.run(command, check=True, env={})
    theirs = json.loads((tmp_path / "out" / "scores.json").read_text())
    ours = score(capsys, gold, tmp_path / "in" / "res" / "mine.tsv")
    for measure in ("cosine", "mse"):
        value = ours[f"sentiment.semeval2015.test.{measure}"]["value"]
        assert theirs[measure] == pytest.approx(value)
    write_submission([("1", 0)], tmp_path / "in" / "res" / "mine.tsv")
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={})
    assert done.returncode == 1
    assert "mine.tsv:1: id 1 is not asked for" in done.stderr


@pytest.mark.shared
def test_constant_and_organisers_pair_on_real_files(
    shared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = shared / "data" / "semeval2015"
    test = folder / "tagged-GoldTest.tsv.gz"
    gold = read_gold(test)
    assert len(gold.scores) == 4000
    three = submit(tmp_path, "".join(f"{i}\t-2\n" for i in list(gold.scores)[:3000]))
    figures = score(capsys, test, three)
    assert figures["sentiment.semeval2015.test.constant.cosine"]["value"] == pytest.approx(
        0.5467, abs=5e-5
    )
    assert figures["sentiment.semeval2015.test.constant.mse"]["value"] == pytest.approx(4.06575)
    assert figures["sentiment.semeval2015.test.cosine"]["n"] == 3000
    with pytest.raises(BadRecord, match="is not in the gold file") as error:
        read_submission(folder / "test.csv", read_gold(folder / "gold.csv").scores)
    assert error.value.line == 42  # the organisers' example has an id too many
