"""Tables of judgments: long and wide, and every fault at its line."""

import json

import pytest

from trope.core.errors import BadInput, BadRecord
from trope.corpora.judgment_tables import JudgmentColumns, read_judgments


def write(tmp_path, text, name="judgments.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_long_table_with_everything(tmp_path):
    path = write(
        tmp_path,
        "Item,Worker,Answer,question,weight,seconds,gold,browser\n"
        "t1,ann,-3,feeling,2,4.5,-4..-1,Lynx\n"
        "t1,bob,1,feeling,,,-4..-1,Lynx\n",
    )
    table = read_judgments(path)
    first, second = table.judgments
    assert (first.item, first.annotator, first.label, first.question) == (
        "t1", "ann", "-3", "feeling",
    )  # fmt: skip
    assert (first.weight, first.seconds, first.gold) == (2.0, 4.5, "-4..-1")
    assert (second.weight, second.seconds) == (1.0, None)
    assert (table.layout, table.ignored_columns) == ("long", ("browser",))


def test_wide_table_leaves_gaps_out(tmp_path):
    table = read_judgments(write(tmp_path, "id\tann\tbob\nx\tyes\t\ny\tno\tno\n", "j.tsv"))
    found = [(j.item, j.annotator, j.label) for j in table.judgments]
    assert found == [("x", "ann", "yes"), ("y", "ann", "no"), ("y", "bob", "no")]
    assert (table.layout, table.skipped) == ("wide", 1)


def test_lines_of_json(tmp_path):
    rows = [{"task": 1, "worker": "w", "label": True}, {"label": 2, "task": 1, "worker": "v"}]
    path = write(tmp_path, "\n".join(map(json.dumps, rows)), "j.jsonl")
    found = [(j.item, j.annotator, j.label) for j in read_judgments(path).judgments]
    assert found == [("1", "w", "true"), ("1", "v", "2")]


def test_named_columns_and_missing_labels(tmp_path):
    path = write(tmp_path, "tweet,who,said,text\n1,a,yes,long ago\n1,b,NA,long ago\n")
    columns = JudgmentColumns(item="tweet", annotator="who", label="said")
    table = read_judgments(path, columns=columns, missing=["NA"])
    assert [j.annotator for j in table.judgments] == ["a"]
    assert table.skipped == 1


def test_wide_table_with_a_text_needs_its_annotators_named(tmp_path):
    text = "a sentence that is so long that nobody would take it for a judgment of anybody"
    path = write(tmp_path, f"id,quote,ann,bob\n1,{text},yes,no\n")
    with pytest.raises(BadRecord, match=r":2: column 'quote' holds a text.*--annotators"):
        read_judgments(path)
    table = read_judgments(path, columns=JudgmentColumns(annotators=("ann", "bob")))
    assert [j.label for j in table.judgments] == ["yes", "no"]


def test_a_column_that_is_called_text_holds_no_judgments(tmp_path):
    table = read_judgments(write(tmp_path, "id,text,ann,bob\n1,Rain.,yes,no\n"))
    assert [(j.annotator, j.label) for j in table.judgments] == [("ann", "yes"), ("bob", "no")]
    assert table.ignored_columns == ("text",)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        ("id,text,label\n1,Rain ate roads,met\n2,Sun shone,lit\n", "it has id, text, label"),
        ("id,label,year\n1,met,1999\n2,lit,2001\n3,lit,2001\n", "no value of 'label' is in"),
        ("id,source,title2\n1,a,x\n2,b,y\n3,c,z\n", "no value of 'source' is in"),
        ("id,user,text,score\n1,ann,Rain.,3\n2,bob,Sun.,5\n", "no item has two judgments"),
    ],
)
def test_a_table_of_items_is_recognised_and_refused(tmp_path, content, cause):
    with pytest.raises(BadInput, match=rf"is a table of items, not of judgments \({cause}"):
        read_judgments(write(tmp_path, content))


def test_annotators_who_never_agree_are_annotators(tmp_path):
    content = "id,ann,bob\n1,met,lit\n2,met,lit\n3,met,lit\n4,met,lit\n"
    assert len(read_judgments(write(tmp_path, content)).judgments) == 8


def test_a_verb_belongs_to_its_item(tmp_path):
    good = write(tmp_path, "item,annotator,label,v\n1,a,y,eat\n1,b,n,eat\n")
    assert read_judgments(good, columns=JudgmentColumns(verb="v")).verbs == {"1": "eat"}
    bad = write(tmp_path, "item,annotator,label,v\n1,a,y,eat\n1,b,n,ate\n")
    with pytest.raises(BadRecord, match=r":3: .*one verb"):
        read_judgments(bad, columns=JudgmentColumns(verb="v"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item,annotator,label\n1,a,y\n1,b,y\n1,a,n\n", ":4: 'a' already judged '1' on line 2"),
        ("item,annotator,label\n1,a,y\n2,a,\n", ":3: the label is empty.*--skip-empty"),
        ("item,annotator,label\n1,a,y\n,a,y\n", ":3: the item has no name"),
        ("item,annotator,label\n1,,y\n", ":2: .*answer without an annotator"),
        ("item,annotator,label,weight\n1,a,y,heavy\n", ":2: weight must be a number"),
        ("item,annotator,label,seconds\n1,a,y,-4\n", ":2: seconds must be a number"),
        ("name,annotator,label\n1,a,y\n", ":2: none of the columns names the items.*--item"),
        ("item,answers\n1,y\n", ":2: neither annotator and label columns nor"),
        ("id,ann,bob\n1,y,n\n1,n,n\n", ":3: 'ann' already judged '1' on line 2"),
        ("", ":1: is empty"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path, text, words):
    with pytest.raises(BadRecord, match=words):
        read_judgments(write(tmp_path, text))


def test_an_unknown_column_is_named_with_those_that_are_there(tmp_path):
    path = write(tmp_path, "item,annotator,label\n1,a,y\n")
    with pytest.raises(BadRecord, match="no column 'rating'; it has item, annotator, label"):
        read_judgments(path, columns=JudgmentColumns(label="rating"))


def test_a_new_column_in_wide_json_is_refused(tmp_path):
    path = write(tmp_path, '{"id":1,"a":"y","b":"n"}\n{"id":2,"a":"y","c":"n"}\n', "j.jsonl")
    with pytest.raises(BadRecord, match=":2: has a column 'c' that the first row lacks"):
        read_judgments(path)


def test_nothing_but_gaps_is_no_table(tmp_path):
    with pytest.raises(BadInput, match="holds no judgment"):
        read_judgments(write(tmp_path, "id,ann,bob\n1,,\n"))
