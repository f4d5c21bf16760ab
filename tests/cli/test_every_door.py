"""The same files through every command: the same texts, the same judgments, the same refusals."""

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from builders import FakePipeline
from own_files import FILES, fill_folder, protected, scan, workbook, write_tables
from trope.cli import analyze
from trope.cli.main import run
from trope.corpora.files import read_document
from trope.recipes.own_texts import named_source, read_own_texts
from trope.scale import executors


@pytest.fixture(autouse=True)
def fake_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analyze, "load_pipeline", lambda threads: FakePipeline())
    monkeypatch.setattr(executors, "load_pipeline", lambda threads: FakePipeline(metaphor=True))


class Done(NamedTuple):
    """How a command ended, and what it printed."""

    exit_code: int
    stdout: str
    stderr: str


def trope(*arguments: object) -> Done:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err), pytest.raises(SystemExit) as leave:
        run([*map(str, arguments)])
    return Done(int(leave.value.code or 0), out.getvalue(), err.getvalue())


def show(*cells: str) -> None:
    """A row of a table, for `pytest -s`."""
    sys.stdout.write("".join(cells) + "\n")


def analyzed(path: Path) -> list[tuple[str, str]]:
    """Names and texts as `analyze` reports them."""
    done = trope("analyze", path, "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [(row.get("id", ""), row["text"]) for row in rows]


def detected(path: Path, out: Path) -> list[tuple[str, str]]:
    """Files and texts as `detect` writes them."""
    trope("detect", path, "--out", out)
    rows = [
        json.loads(line)
        for shard in sorted(out.glob("part-*.jsonl"))
        for line in shard.read_text().splitlines()
    ]
    return [(row["file"], row["text"]) for row in rows]


def imported(path: Path, project: Path) -> list[tuple[str, str]]:
    """Ids and texts of the items that `annotate import` adds."""
    pytest.importorskip("django", reason="Django is not installed (trope[annotate])")
    assert trope("annotate", "new", project, "--template", "words").exit_code == 0
    done = trope("annotate", "import", project, path)
    assert done.exit_code == 0, done.stderr
    rows = trope("annotate", "export", project, "--what", "items").stdout.splitlines()
    return [(row["id"], row["text"]) for row in map(json.loads, rows)]


def test_a_folder_of_twenty_files_gives_all_commands_the_same_texts(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    texts = fill_folder(folder)
    read: dict[str, list[tuple[str, str]]] = {
        "analyze": analyzed(folder),
        "detect": detected(folder, tmp_path / "out"),
        "annotate import": imported(folder, tmp_path / "project"),
        "recipe": sourced(folder),
    }
    for command, found in read.items():
        assert [text for _, text in found] == texts, command
    show("\n", f"{'file':24}", *(f"{command:>17}" for command in [*read, "workbench"]))
    for name, (content, own) in FILES.items():
        stem = name.partition(".")[0]
        counts = [sum(stem in place for place, _ in found) for found in read.values()]
        assert counts == [len(own)] * len(read), name
        assert read_document(content, name).split() == " ".join(own).split()  # the workbench's
        show(f"{name:24}", *(f"{count:>11} texts" for count in [*counts, len(own)]))


def test_names_of_rows_say_from_which_file_they_are(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("id,text\n7,Rain fell.\n")
    names = [f"{name}:7" for name in ("a.csv", "b.csv")]
    assert [name for name, _ in analyzed(tmp_path)] == names
    assert [name for name, _ in analyzed(tmp_path / "a.csv")] == ["7"]
    paths = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    rows = trope("analyze", *paths, "--format", "jsonl").stdout.splitlines()
    assert [json.loads(row)["id"] for row in rows] == [f"{path}:7" for path in paths]


JUDGMENTS = [("item", "annotator", "label", "note")] + [
    (str(item), annotator, label, "naïve; “quoted”")
    for item, labels in enumerate(["yyn", "yyy", "nyn", "nnn", "yny"], start=1)
    for annotator, label in zip(
        ("Zoë", "José", "Ann"),
        ({"y": "oui, métaphore", "n": "non"}[one] for one in labels),
        strict=True,
    )
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("judgments")
    for name, content in write_tables(JUDGMENTS).items():
        (folder / name).write_bytes(content)
    return folder


def measured(command: str, path: Path) -> dict[str, Any]:
    done = trope(command, path, "--json")
    assert done.exit_code == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found.pop("file") == str(path)
    return found


@pytest.mark.parametrize("command", ["agree", "aggregate"])
def test_a_table_of_judgments_means_the_same_in_every_format(command: str, tables: Path) -> None:
    expected = measured(command, tables / "comma.csv")
    (question,) = expected["questions"]
    if command == "agree":
        assert question["labels"] == {"non": 7, "oui, métaphore": 8}
        value = next(a["value"] for a in question["agreements"] if "alpha" in a["name"])
    else:
        assert [item["label"] for item in question["items"]] == [
            {"y": "oui, métaphore", "n": "non"}[one] for one in "yynny"
        ]
        value = len(question["items"])
    show()
    for path in sorted(tables.iterdir()):
        assert measured(command, path) == expected, path.name
        show(f"{command:10} {path.name:20} {value:.3f}")


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.xlsx", protected(workbook()), "is protected by a password; save it without one"),
        ("a.xlsx", b"item,annotator,label", "is not a workbook; open it in its program"),
        ("a.xls", b"anything", ".xls is not read; save it as .xlsx"),
        ("a.csv", b"item,item,label\n1,a,b\n", "the header has 'item' more than once"),
        ("a.csv", b"", "is empty; give a table"),
    ],
)
def test_a_table_is_refused_by_all_commands_for_the_same_reason(
    tmp_path: Path, name: str, content: bytes, problem: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    for command in ("analyze", "agree", "aggregate"):
        done = trope(command, path)
        assert (done.exit_code, done.stdout) == (2, "")
        assert problem in done.stderr


def test_a_document_is_no_table_of_judgments(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(scan())
    for command in ("agree", "aggregate"):
        assert "a.pdf: is a document; give a table" in trope(command, tmp_path / "a.pdf").stderr


def sourced(path: Path) -> list[tuple[str, str]]:
    """Ids and texts that a recipe takes from a source."""
    texts = read_own_texts(named_source(str(path)))
    return [(text.id, text.text) for text in texts if not text.reason]


@pytest.mark.parametrize("name", FILES)
def test_recipes_take_every_file_as_a_source(tmp_path: Path, name: str) -> None:
    content, texts = FILES[name]
    (tmp_path / name).write_bytes(content)
    assert [text for _, text in sourced(tmp_path / name)] == texts


def test_a_folder_with_files_that_cannot_be_read_ends_with_status_1(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "good.txt").write_text("The old house leaned toward the water. " * 5)
    (folder / "notes.bin").write_bytes(b"\0")
    done = trope("analyze", folder, "--format", "jsonl")
    assert done.exit_code == 0
    assert "notes.bin: skipped: its name does not show its format" in done.stderr
    (folder / "scan.pdf").write_bytes(scan())
    (folder / "cut.csv").write_text('id,text\n1,Rain fell.\n2,"open\n')
    done = trope("analyze", folder, "--format", "jsonl")
    assert done.exit_code == 1
    assert len(done.stdout.splitlines()) == 2
    assert "cut.csv: not read from line 3 on: " in done.stderr
    assert "scan.pdf: not read: has no text on its 2 pages, only images" in done.stderr
    done = trope("detect", folder, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert "2 rows refused" in done.stderr
    (folder / "good.txt").unlink()
    (folder / "cut.csv").unlink()
    done = trope("analyze", folder)
    assert done.exit_code == 2
    assert "only images" in done.stderr


def test_a_folder_is_imported_whole_or_not_at_all(tmp_path: Path) -> None:
    pytest.importorskip("django", reason="Django is not installed (trope[annotate])")
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.csv").write_text("id,text\n1,Rain fell.\n")
    (folder / "b.pdf").write_bytes(scan())
    (folder / "c.doc").write_bytes(b"x")
    assert trope("annotate", "new", tmp_path / "p", "--template", "words").exit_code == 0
    done = trope("annotate", "import", tmp_path / "p", folder)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "b.pdf: has no text on its 2 pages" in done.stderr
    (folder / "b.pdf").unlink()
    done = trope("annotate", "import", tmp_path / "p", folder)
    assert (done.exit_code, done.stdout) == (0, "1 item added\n")
    assert "c.doc: skipped: .doc is not read; save it as .docx" in done.stderr
