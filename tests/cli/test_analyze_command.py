import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from builders import FakePipeline
from trope.cli import analyze as command
from trope.cli.main import main, run
from trope.core.errors import BadInput
from trope.core.records import Analysis

TESTS = Path(__file__).parents[1]


@pytest.fixture(autouse=True)
def fake_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "load_pipeline", lambda threads: FakePipeline())


def trope(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(main, ["analyze", *arguments], input=stdin, catch_exceptions=False)


def start(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    """The command as a process of its own, with a pipeline that needs no model."""
    code = (
        "from trope.cli import analyze, main; from builders import FakePipeline;"
        "analyze.load_pipeline = lambda threads: FakePipeline(); main.run()"
    )
    path = os.pathsep.join([str(TESTS), str(TESTS.parent / "src")])
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", code, "analyze", *arguments],
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": path, **environment},
    )


def shell(
    *arguments: str, stdin: bytes = b"", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    with start(*arguments, **environment) as process:
        output, errors = process.communicate(stdin)
    return subprocess.CompletedProcess(arguments, process.returncode, output, errors)


def test_one_text_as_json_is_an_object() -> None:
    result = trope("Rain ate roads.", "--format", "json")
    assert result.exit_code == 0
    data = json.loads(result.stdout)
    assert data["text"] == "Rain ate roads."
    assert data["relations"][0]["words"] == {"verb": "ate", "subject": "Rain", "object": "roads"}
    assert "id" not in data


def test_json_option_is_the_same_as_its_format() -> None:
    assert trope("Rain.", "--json").stdout == trope("Rain.", "--format", "json").stdout


def test_several_texts_as_json_are_a_list() -> None:
    data = json.loads(trope("Rain ate roads.", "Sun shone.", "So.", "--json").stdout)
    assert [item["text"] for item in data] == ["Rain ate roads.", "Sun shone.", "So."]


def test_jsonl_has_an_object_a_line_with_its_place(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("Rain ate roads.\nSun shone.\n")
    lines = trope(str(file), "--format", "jsonl").stdout.splitlines()
    assert [json.loads(line)["id"] for line in lines] == [f"{file}:1", f"{file}:2"]


def test_jsonl_is_written_while_texts_still_come(monkeypatch: pytest.MonkeyPatch) -> None:
    class Breaking(FakePipeline):
        def analyze_many(self, texts: Iterator[str], **_: object) -> Iterator[Analysis]:
            yield self.analyze(next(iter(texts)))
            raise BadInput("the second text is broken")

    monkeypatch.setattr(command, "load_pipeline", lambda threads: Breaking())
    result = CliRunner().invoke(main, ["analyze", "One.", "Two.", "--format", "jsonl"])
    assert json.loads(result.stdout)["text"] == "One."
    assert isinstance(result.exception, BadInput)


def test_only_leaves_the_rest_out() -> None:
    data = json.loads(trope("Rain ate roads.", "--json", "--only", "relations").stdout)
    assert "upos" not in data["tokens"][0]
    data = json.loads(trope("Rain ate roads.", "--json", "--only", "syntax").stdout)
    assert "relations" not in data
    assert "kept" not in trope("Rain ate roads.", "--only", "syntax").stdout
    assert "VERB" not in trope("Rain ate roads.", "--only", "relations").stdout


def test_kind_and_threads_reach_the_pipeline(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    class Listening(FakePipeline):
        def analyze_many(self, texts: Iterator[str], **options: object) -> Iterator[Analysis]:
            seen.append(options)
            return super().analyze_many(texts)

    monkeypatch.setattr(
        command, "load_pipeline", lambda threads: seen.append(threads) or Listening()
    )
    assert trope("Rain.", "--kind", "tweet", "--threads", "2").exit_code == 0
    tasks = ("syntax", "relations")
    assert seen == [
        2,
        {"kind": "tweet", "tasks": tasks, "threshold": None, "words": "noticed"},
    ]


def test_out_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out.json"
    result = trope("Rain ate roads.", "--json", "--out", str(out))
    assert result.stdout == ""
    assert json.loads(out.read_text())["text"] == "Rain ate roads."
    before = out.read_text()
    table = tmp_path / "t.jsonl"
    table.write_text('{"text": "One."}\n{"text":\n')
    failed = shell(str(table), "--format", "jsonl", "--out", str(out))
    assert failed.returncode == 2
    assert out.read_text() == before
    assert [path.name for path in out.parent.iterdir()] == ["out.json"]


def test_html_of_files_is_named_for_them(tmp_path: Path) -> None:
    file = tmp_path / "rain & sun.txt"
    file.write_text("Rain ate roads.\n")
    page = trope(str(file), "--format", "html").stdout
    assert "<title>rain &amp; sun.txt</title>" in page


def test_text_format_is_the_default_and_has_no_colours_when_piped() -> None:
    result = trope("Rain ate roads.")
    assert "\x1b" not in result.stdout
    assert result.stdout == "Rain ate roads.\n"


def test_trees_and_relations_are_shown_on_request() -> None:
    assert "svo  Rain – ate – roads  kept" in trope("Rain ate roads.", "--relations").stdout
    assert "VERB" in trope("Rain ate roads.", "--trees").stdout
    page = trope("Rain ate roads.", "--trees", "--format", "html").stdout
    assert 'id="trees" checked' in page
    assert 'id="relations">' in page


@pytest.mark.parametrize(("option", "task"), [("--trees", "relations"), ("--relations", "syntax")])
def test_details_of_a_task_that_is_left_out_are_a_fault(option: str, task: str) -> None:
    with pytest.raises(BadInput, match=f"{option} needs .*; add .* to --only"):
        trope("Rain ate roads.", option, "--only", task)


def test_standard_input_is_read_when_nothing_is_given() -> None:
    assert (
        json.loads(trope("--json", stdin="Rain ate roads.\n").stdout)["text"] == "Rain ate roads."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["missing.txt"], "trope: missing.txt: not found; check the file name"),
        (["Rain.", "--only", "metafor"], "trope: no task is called 'metafor'"),
        (["Rain.", "--format", "xml"], "trope: Invalid value for '--format'"),
        ([""], "trope: no text in ''"),
    ],
)
def test_faults_are_one_line_on_standard_error_with_status_2(
    arguments: list[str], message: str
) -> None:
    result = shell(*arguments)
    assert result.returncode == 2
    assert result.stdout == b""
    error = result.stderr.decode()
    assert error.startswith(message)
    assert error.count("\n") == 1


def test_empty_standard_input_is_a_fault_that_names_it() -> None:
    result = shell()
    assert result.returncode == 2
    assert b"standard input" in result.stderr


def test_results_alone_are_on_standard_output() -> None:
    result = shell("-", "--json", "--verbose", stdin="Räin ate 😂.".encode())
    assert result.returncode == 0
    assert result.stderr == b""
    assert json.loads(result.stdout)["text"] == "Räin ate 😂."


def test_output_is_utf8_whatever_the_locale() -> None:
    result = shell("-", stdin="Räin ate 😂.".encode(), PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert "Räin ate 😂." in result.stdout.decode("utf-8")


def test_an_argument_that_is_no_utf8_becomes_escapes() -> None:
    result = shell(os.fsdecode(b"R\xe4in ate roads."), "--json")
    assert result.returncode == 0
    assert rb"R\udce4in" in result.stdout


@pytest.mark.parametrize("form", ["text", "jsonl", "json"])
def test_a_reader_that_has_seen_enough_is_no_fault(tmp_path: Path, form: str) -> None:
    file = tmp_path / "many.txt"
    file.write_text("Rain ate roads.\n" * 2_000)
    with start(str(file), "--format", form, "--unit", "line") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_interrupted_work_ends_with_130_and_leaves_no_file(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(FakePipeline):
        def analyze_many(self, texts: Iterator[str], **_: object) -> Iterator[Analysis]:
            yield self.analyze(next(iter(texts)))
            raise KeyboardInterrupt

    monkeypatch.setattr(command, "load_pipeline", lambda threads: Interrupted())
    with pytest.raises(SystemExit) as stopped:
        run(["analyze", "One.", "Two.", "--out", str(tmp_path / "out.txt")])
    assert stopped.value.code == 130
    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().err.split() == ["trope:", "stopped"]


def test_a_command_that_was_stopped_says_how_it_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("trope.cli.detect.load_executor", interrupt)
    (tmp_path / "in.txt").write_text("Rain ate roads.\n")
    with pytest.raises(SystemExit) as stopped:
        run(["detect", str(tmp_path / "in.txt"), "--out", str(tmp_path / "out")])
    assert stopped.value.code == 130
    assert "trope: stopped; the same command with --resume goes on" in capsys.readouterr().err


def test_help_names_every_option() -> None:
    text = trope("--help").stdout
    for option in ("--format", "--json", "--kind", "--only", "--column", "--whole", "--out"):
        assert option in text
