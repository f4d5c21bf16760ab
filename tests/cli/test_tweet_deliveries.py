"""`trope data deliver` and `trope data rejoin`."""

import json

import pytest

from trope.cli.main import run


def trope(*words):
    with pytest.raises(SystemExit) as leave:
        run([*map(str, words)])
    return leave.value.code


def test_scores_of_a_table_are_delivered_and_joined_with_the_texts_that_are_left(tmp_path, capsys):
    table = tmp_path / "scores.csv"
    table.write_text(
        "tweet_id,mean\n900000000000000001,-2.5\n900000000000000002,1.25\n900000000000000003,\n"
    )
    out = tmp_path / "delivery.tsv"
    assert trope("data", "deliver", table, "--out", out, "--score", "mean") == 0
    assert out.read_text() == "900000000000000001\t-2.50\n900000000000000002\t1.25\n"
    assert "2 tweets; 1 without a score are left out" in capsys.readouterr().out
    texts = tmp_path / "fetched.jsonl"
    texts.write_text('{"id_str": "900000000000000002", "full_text": "Oh, great"}\n')
    joined = tmp_path / "tweets.csv"
    assert trope("data", "rejoin", out, texts, "--out", joined, "--json") == 0
    assert json.loads(capsys.readouterr().out)["perished"] == ["900000000000000001"]
    assert joined.read_text() == 'id,text,score,integer\n900000000000000002,"Oh, great",1.25,1\n'


def test_posts_of_any_service_are_delivered_and_joined(tmp_path):
    (tmp_path / "s.csv").write_text("id,score\nt3_x9,-2.5\nM/0007,2\n")
    assert trope("data", "deliver", tmp_path / "s.csv", "--out", tmp_path / "d") == 0
    assert (tmp_path / "d").read_text() == "t3_x9\t-2.50\nM/0007\t2.00\n"
    (tmp_path / "posts.csv").write_text("post,words\nM/0007,So it goes\n")
    options = ("--id", "post", "--column", "words", "--out", tmp_path / "back.csv")
    assert trope("data", "rejoin", tmp_path / "d", tmp_path / "posts.csv", *options) == 0
    assert (tmp_path / "back.csv").read_text().splitlines()[1:] == ["M/0007,So it goes,2.0,2"]


def test_integers_are_rounded_half_up(tmp_path):
    (tmp_path / "s.csv").write_text("id,score\n1,-2.5\n2,2.5\n")
    assert trope("data", "deliver", tmp_path / "s.csv", "--out", tmp_path / "d", "--integer") == 0
    assert (tmp_path / "d").read_text() == "1\t-2\n2\t3\n"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("nr,score\n1,2\n", "s.csv:2: has no column 'id'; it has nr, score"),
        ("id,mark\n1,2\n", "s.csv:2: has no column 'score'; it has id, mark"),
        ("id,score\n1,good\n", "s.csv:2: score 'good' is not a number"),
        ("id,score\n1,2\n1,3\n", "id 1 occurs twice"),
        ("id,score\n1,9\n", "a score outside the scale (9.0)"),
        ("id,score\n9.1E+17,2\n", "id '9.1E+17' was turned into a number"),
        ('id,score\n"4,5E+17",2\n', "id '4,5E+17' was turned into a number"),
        ("id,score\nx 7,2\n", "'x 7' is not an id; an id has digits, and no blanks"),
    ],
)
def test_bad_scores_are_refused_and_nothing_is_written(content, said, tmp_path, capsys):
    (tmp_path / "s.csv").write_text(content)
    assert trope("data", "deliver", tmp_path / "s.csv", "--out", tmp_path / "d") == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


def test_fetched_texts_may_be_in_any_encoding_that_is_named(tmp_path, capsys):
    (tmp_path / "d").write_text("1\t2.00\n")
    (tmp_path / "t.csv").write_bytes("id;text\n1;Ça va – non\n".encode("mac-roman"))
    out = tmp_path / "back.csv"
    given = ("data", "rejoin", tmp_path / "d", tmp_path / "t.csv", "--out", out)
    assert trope(*given, "--encoding", "mac-roman", "--delimiter", ";") == 0
    assert "1,Ça va – non,2.0,2" in out.read_text("utf-8")
    out.unlink()
    assert trope(*given, "--encoding", "utf-8") == 2
    assert "or name its encoding, such as --encoding cp1252" in capsys.readouterr().err
    assert not out.exists()


def test_fetched_texts_may_be_fields_of_objects(tmp_path):
    (tmp_path / "d").write_text("71\t2.00\n")
    fetched = tmp_path / "dump.jsonl"
    fetched.write_text('{"data": {"id": "71", "text": "So it goes"}}\n')
    given = ("data", "rejoin", tmp_path / "d", fetched, "--out", tmp_path / "back.csv")
    assert trope(*given, "--id", "data.id", "--column", "data.text") == 0
    assert (tmp_path / "back.csv").read_text().splitlines()[1:] == ["71,So it goes,2.0,2"]


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("msg,text\n1,So it goes\n", (), "t.csv:2: has no column 'id'; it has msg, text: name it"),
        ("id,text\n1,So it goes\n", ("--id", "msg"), "has no column 'msg'; it has id, text: name"),
        (
            "id,body\n1,So it goes\n",
            ("--column", "words"),
            "has no column 'words'; it has id, body: name one of these with --id or --column",
        ),
        ("id,text\n9,So it goes\n", (), "t.csv: has no text with an id of"),
        ("id,text\n1,So\n1,it goes\n", (), "t.csv:3: the id '1' is also in line 2"),
        ("id,text\n4.5E+17,So\n", (), "and has lost digits; export the ids as text\n"),
    ],
)
def test_texts_without_the_ids_are_refused(content, options, said, tmp_path, capsys):
    (tmp_path / "d").write_text("1\t2.00\n2\t-1.00\n")  # which could be numbers of lines
    (tmp_path / "t.csv").write_text(content)
    out = tmp_path / "back.csv"
    assert trope("data", "rejoin", tmp_path / "d", tmp_path / "t.csv", "--out", out, *options) == 2
    assert said in capsys.readouterr().err
    assert not out.exists()
