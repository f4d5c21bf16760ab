"""Sources of a user's own that cannot be used, or not as they are."""

import json
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_own_sources import go, settings_file, tweets, write_table

from trope.annotate.project import open_project
from trope.core.errors import BadRecord
from trope.recipes.own_texts import OwnSource, SourceColumns, read_own_texts

IS_EMPTY = "has no text; give a file with texts"
NUMBER = "was turned into a number"


@pytest.mark.parametrize(
    ("name", "content", "column", "said"),
    [
        ("a.csv", "id,b\n1,So it goes\n", "a", "a.csv:2: has no column 'a'; it has id, b"),
        ("a.csv", "nr,b\n1,So it goes\n", "", "a.csv:2: no column is called 'text' (found: nr, b)"),
        ("a.csv", "", "text", "a.csv:1: is empty"),
        ("a.txt", "", "", f"a.txt: {IS_EMPTY}"),
        ("a.csv", "id,text\n", "text", f"a.csv: {IS_EMPTY}"),
        ("a.csv", "id,text\n1,\n2,nan\n", "text", f"a.csv: {IS_EMPTY}"),
        ("a.csv", "id,text\n1,a\n2,b\n1,c\n", "text", "a.csv:4: the id '1' is also in line 2"),
        ("a.csv", "id,text\n1.0,one\n", "text", f"a.csv:2: id '1.0' {NUMBER}; export"),
        ("a.csv", "id,text\n4.51E+17,one\n", "text", f"a.csv:2: id '4.51E+17' {NUMBER} and"),
        ("a.csv", "id;text\n4,51E+17;one\n", "text", f"a.csv:2: id '4,51E+17' {NUMBER} and"),
        ("a.csv", "id;text\n12,0;one\n", "text", f"a.csv:2: id '12,0' {NUMBER}; export"),
        ("a.csv", "id,text\n,one\n", "text", "a.csv:2: has no id in 'id'; fill it in"),
        ("a.txt", "A text.\n", "text", "a.txt: has no column 'text', because it is not a table"),
        ("a.csv", "id,text\n1,\u00e9 \udce9 \u00e9\n", "text", "a.csv:2: is not UTF-8 (byte 0xe9)"),
    ],
)  # fmt: skip
def test_bad_source_is_refused_with_its_line_before_anything_is_written(
    name, content, column, said, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    setting = f"sources.tweets={name}:{column}" if column else f"sources.tweets={name}"
    assert go(tmp_path / "run", "semeval2015", "--set", setting) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_two_sources_of_one_name_are_refused(tmp_path, capsys):
    (tmp_path / "b").mkdir()
    for folder in (tmp_path, tmp_path / "b"):
        (folder / "posts.txt").write_text("So it goes, again and again.\n")
    both = [str(tmp_path / "posts.txt"), str(tmp_path / "b" / "posts.txt")]
    assert go(tmp_path / "run", "semeval2015", "--set", f"sources.tweets={both}") == 2
    said = capsys.readouterr().err
    assert f"two sources are called 'posts' ({both[0]} and {both[1]})" in said
    assert 'give one of them another, such as name = "forum" in the settings file' in said
    assert not (tmp_path / "run").exists()


def test_misspelt_key_of_a_source_is_named(tmp_path, capsys):
    config = settings_file(tmp_path / "s.toml", ['path = "a.csv"', 'license = "MIT"'])
    assert go(tmp_path / "run", "semeval2015", "--config", config) == 2
    assert "unknown key 'sources.tweets.license'" in capsys.readouterr().err


def test_run_that_keeps_no_text_says_so_and_names_no_next_command(tmp_path, capsys):
    (tmp_path / "posts.txt").write_text("Too short.\n")
    run = tmp_path / "run"
    assert go(run, "semeval2015", "--set", f"sources.tweets={tmp_path / 'posts.txt'}") == 0
    said = capsys.readouterr().out
    assert f"nothing is left to judge; {run / 'dropped.jsonl'} says why each text went" in said
    assert "next:" not in said


def test_demo_task_takes_no_more_than_a_share_of_a_small_corpus(tmp_path, capsys):
    objects = ("pride", "pill", "grief", "bone", "doubt", "tree", "hope", "chair")
    rows = [(str(at), f"my sister swallowed the {word} today") for at, word in enumerate(objects)]
    table = write_table(tmp_path / "posts.csv", rows, ("id", "text"))
    common = [f"sources.emotional={table}:text", "sources.political=", "inventory.moh=false",
              "inventory.vua=[]", "cleaning.near=2"]  # fmt: skip
    for size, share, demo, message in (
        (120, 0.2, 1, "demo task: 1 of the 8 different expressions (20%), not 120"),
        (120, 0.1, 0, "demo task: 0 of the 8 different expressions (10%), not 120"),
        (4, 0.5, 4, ""),
        (0, 0.2, 0, ""),
    ):
        run = tmp_path / f"run{size}-{share}"
        chosen = (*common, f"compiling.demo={size}", f"compiling.demo_share={share}")
        assert go(run, "tweets2019", *(word for one in chosen for word in ("--set", one))) == 0
        said = capsys.readouterr()
        assert message in said.err
        assert bool(message) == ("compiling.demo_share for more" in said.err)
        items = (run / "project" / "items.jsonl").read_text().splitlines()
        assert len(items) == 8 - demo
        assert ("project/demo.jsonl --demo" in said.out) == bool(demo)
        plan = open_project(run / "project").plan
        assert bool(plan.demo.items) == bool(plan.selection.by) == bool(demo)


def test_next_command_can_be_copied_where_a_folder_has_blanks(tmp_path, capsys):
    table = write_table(tmp_path / "posts.csv", tweets(8), ("id", "text", "day"))
    run = tmp_path / "my run"
    assert go(run, "semeval2015", "--set", f"sources.tweets={table}:text") == 0
    project = run / "project"
    wanted = f"next: trope annotate import '{project}' '{project / 'items.jsonl'}'"
    assert wanted in capsys.readouterr().out


def test_duplicates_of_a_source_are_counted_in_the_funnel(tmp_path, capsys):
    every = tweets(100)
    doubled = [*every, *((f"{8_000_000_000 + at}", *row[1:]) for at, row in enumerate(every[:43]))]
    table = write_table(tmp_path / "posts.csv", doubled, ("id", "text", "day"))
    arguments = ["--set", f"sources.tweets={table}:text", "--set", "near=2.0"]
    assert go(tmp_path / "run", "semeval2015", *arguments, "--json") == 0
    steps = {step["name"]: step for step in json.loads(capsys.readouterr().out)["funnel"]["steps"]}
    assert (steps["collect"]["out"], steps["harvest"]["out"]) == (143, 100)
    assert steps["harvest"]["dropped"] == {"exact": 43}


@given(st.lists(st.text("0123456789abc-", min_size=1, max_size=3), min_size=1, max_size=8))
def test_ids_come_back_as_they_are_or_the_double_one_is_named(ids):
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.jsonl"
        rows = [json.dumps({"ref": own, "words": f"text {own}"}) + "\n" for own in ids]
        path.write_text("".join(rows), encoding="utf-8")
        source = OwnSource(str(path), "a", columns=SourceColumns("words", "ref"))
        try:
            found = [(text.id, text.text) for text in read_own_texts(source)]
        except BadRecord as error:
            assert error.line is not None
            assert ids[error.line - 1] in ids[: error.line - 1]
        else:
            assert found == [(own, f"text {own}") for own in ids]
            assert len(set(ids)) == len(ids)


@pytest.mark.parametrize(("end", "told"), [("000", True), ("001", False)])
def test_ids_that_a_spreadsheet_rounded_are_told(end, told, tmp_path, capsys):
    texts = [row[1] for row in tweets(12)]
    ids = [f"{451234567890123 + at}000" for at in range(12)]
    ids[5] = ids[5][:-3] + end
    table = write_table(tmp_path / "p.csv", list(zip(ids, texts, strict=True)), ("id", "text"))
    assert go(tmp_path / "run", "semeval2015", "--set", f"sources.tweets={table}") == 0
    assert ("p.csv: all ids have zeros after 15 digits" in capsys.readouterr().err) is told


def test_wrong_encoding_is_refused_with_the_setting_to_change(tmp_path):
    table = write_table(tmp_path / "a.csv", [("1", "Café", "d")], encoding="cp1252")
    source = OwnSource(str(table), "a", columns=SourceColumns("what they wrote"), encoding="utf-8")
    wanted = r'a\.csv:2: is not UTF-8 .* its encoding in the settings file: encoding = "cp1252"$'
    with pytest.raises(BadRecord, match=wanted):
        list(read_own_texts(source))
