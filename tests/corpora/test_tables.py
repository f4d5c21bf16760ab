import csv
import gzip
import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trope.core.errors import BadInput, BadRecord
from trope.corpora.tables import read_rows, read_texts


def texts(content, **options):
    content = content if isinstance(content, bytes) else content.encode()
    return list(read_texts(io.BytesIO(content), **options))


def rows(content, **options):
    return list(read_rows(io.BytesIO(content.encode()), **options))


def test_text_and_id_columns_are_found_and_the_others_kept():
    (record,) = texts("tweet_id,date,Tweet\n512345678901234567,2031-05-06,Prices explode\n")
    assert (record.id, record.text, record.line) == ("512345678901234567", "Prices explode", 2)
    assert record.fields == {"date": "2031-05-06"}


@pytest.mark.parametrize("column", ["text", "tweet", "Headline", "SENTENCE", " full_text "])
def test_usual_names_of_text_columns_are_known(column):
    assert texts(f"n\t{column}\n1\tTaxes bite.\n")[0].text == "Taxes bite."


def test_text_goes_before_sentence_and_title():
    record = texts("title,sentence,text\nt,s,x\n")[0]
    assert (record.text, record.fields) == ("x", {"title": "t", "sentence": "s"})


def test_rows_without_ids_are_counted():
    assert [record.id for record in texts("text\na\nb\n")] == ["1", "2"]


def test_columns_can_be_named():
    record = texts("id,key,premise\n1,k7,A\n", text_column="premise", id_column="key")[0]
    assert (record.id, record.text, record.fields) == ("k7", "A", {"id": "1"})


def test_a_named_column_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(BadRecord, match="input:2: has no column 'premise'; it has id, text"):
        texts("id,text\n1,A\n", text_column="premise")


def test_a_table_without_a_text_column_is_refused_with_the_remedy():
    with pytest.raises(BadRecord, match=r"no column is called 'text' \(found: id, label\); rename"):
        texts("id,label\n1,0\n")


@pytest.mark.parametrize(
    "identifier",
    ["5.12345678901235E+17", "5.123e17", "7e+17", "7E17", "512345678901234567.0", "512345678.5"],
)
def test_ids_that_a_spreadsheet_has_damaged_are_refused(identifier):
    with pytest.raises(BadRecord) as caught:
        texts(f"id,text\n1,fine\n{identifier},A\n")
    assert caught.value.line == 3
    assert identifier in caught.value.problem
    assert "export the ids as text" in caught.value.problem


@pytest.mark.parametrize("identifier", ["007", "3.1", "12345e67", "a1h-fragment06_117_32", "-5"])
def test_other_ids_are_kept_as_they_are_spelt(identifier):
    assert texts(f"id,text\n{identifier},A\n")[0].id == identifier


def test_long_ids_of_json_numbers_lose_no_digit_and_floats_are_refused():
    assert texts('{"id": 512345678901234569, "text": "A"}')[0].id == "512345678901234569"
    with pytest.raises(BadRecord, match=r"6\.83e17"):
        texts('{"id": 6.83e17, "text": "A"}')


def test_json_values_become_strings():
    line = '{"text": "A", "n": 3, "x": 0.50, "none": null, "yes": true, "list": [1, 0.5, "é"]}'
    assert texts(line)[0].fields == {
        "n": "3",
        "x": "0.50",
        "none": "",
        "yes": "true",
        "list": '[1, 0.5, "é"]',
    }


def test_json_objects_may_differ_in_their_keys():
    records = texts('{"tweet": "A", "id": 1}\n\n{"text": "B"}\n')
    assert [(record.id, record.text, record.line) for record in records] == [
        ("1", "A", 1),
        ("2", "B", 3),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{broken", "cannot be read as JSON"),
        ("[1, 2]", "is a JSON list"),
        ('{"text": "\\ud83d"}', "half of a surrogate pair"),
        ("[" * 100_000, "cannot be read as JSON"),
        ('{"n": ' + "9" * 5000 + "}", "cannot be read as JSON"),
    ],
)
def test_bad_json_is_refused_at_its_line(line, problem):
    with pytest.raises(BadRecord) as caught:
        texts('{"text": "fine"}\n' + line)
    assert caught.value.line == 2
    assert problem in caught.value.problem


def test_paired_surrogates_are_one_character():
    assert texts('{"text": "\\ud83d\\ude00"}')[0].text == "😀"


def test_quoted_fields_may_hold_line_breaks_and_rows_keep_their_first_line():
    found = rows('id,text\n1,"two\nlines"\n2,"say ""hi"""\n')
    assert found == [
        (2, {"id": "1", "text": "two\nlines"}),
        (4, {"id": "2", "text": 'say "hi"'}),
    ]


def test_tsv_has_no_quoting_unless_it_is_asked_for():
    content = 'id\ttext\n1\t"Open\n'
    assert texts(content)[0].text == '"Open'
    assert rows('id\ttext\n1\t"a\tb"\n', quoting=True)[0][1]["text"] == "a\tb"
    assert rows('id,text\n1,"a\n', quoting=False)[0][1]["text"] == '"a'


def test_a_quote_that_is_never_closed_is_refused_where_it_opens():
    with pytest.raises(BadRecord, match="input:3: cannot be split into fields"):
        rows('id,text\n1,fine\n2,"open\n3,more\n', skip_lines=0)


def test_skipped_lines_count_in_the_line_numbers():
    content = "about this table\nid;text\n1;A\n2\n"
    with pytest.raises(
        BadRecord, match="input:4: the number of fields is 1, but the table has 2 columns"
    ):
        rows(content, format="csv", delimiter=";", skip_lines=1)


def test_tables_without_a_header_get_their_columns_named():
    assert rows("1\tA\n", columns=("id", "text")) == [(1, {"id": "1", "text": "A"})]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("", "is empty"),
        ("id,text,id\n1,A,2\n", "'id' more than once"),
        ("id,text\n1,A,x\n", "fields is 3"),
        ("id,text\n1,A\0\n", "NUL"),
    ],
)
def test_broken_tables_are_refused(content, problem):
    with pytest.raises(BadRecord, match=problem):
        rows(content)


def test_nothing_after_the_skipped_lines_is_refused():
    with pytest.raises(BadRecord, match="has no rows"):
        rows("only this\n", skip_lines=1)


def test_mixed_encodings_are_refused_at_their_line():
    with pytest.raises(BadRecord, match="input:3: is not UTF-8"):
        texts("id,text\n1,Café\n".encode() + "2,schön\n".encode("latin-1"))


def test_a_delimiter_of_two_characters_needs_reading_without_quotes():
    with pytest.raises(BadInput, match="one character"):
        rows("a||b\n1||2\n", format="csv", delimiter="||")
    assert rows("a||b\n1||2\n", delimiter="||", quoting=False)[0][1] == {"a": "1", "b": "2"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.csv", "text\na\tb\n"),
        ("t.tsv", "n\ttext\n1\ta\tb\n".replace("\ta\tb", "\ta b")),
        ("t.jsonl", '{"text": "a"}\n'),
        ("t.tsv.gz", "n\ttext\n1\ta\n"),
        ("t.unknown", "n\ttext\n1\ta\n"),
    ],
)
def test_the_format_follows_from_the_name_or_the_first_line(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith(".gz") else content.encode())
    assert next(read_texts(path)).text.startswith("a")


def test_a_field_of_one_megabyte_is_read():
    assert len(texts(f'text\n"{"x" * 1_000_000}"\n')[0].text) == 1_000_000


def test_memory_does_not_grow_with_the_table(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,text\n" + "1,some words of a tweet that nobody wrote\n" * 30_000)
    tracemalloc.start()
    assert sum(1 for _ in read_texts(path)) == 30_000
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000 < path.stat().st_size


characters = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
fields = st.text(characters, max_size=10)
tables = st.lists(st.tuples(fields, fields), min_size=1, max_size=5)


@given(tables)
def test_any_field_comes_back_from_quoted_csv(table):
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("key", "text"), *table])
    found = rows(file.getvalue(), format="csv")
    assert [(row["key"], row["text"]) for _, row in found] == table


@given(tables)
def test_any_field_without_delimiters_comes_back_from_tsv(table):
    clean = [tuple("".join(c for c in f if c not in "\t\r\n") for f in row) for row in table]
    content = "key\ttext\n" + "".join(f"{a}\t{b}\n" for a, b in clean)
    found = rows(content, format="tsv")
    assert [(row["key"], row["text"]) for _, row in found] == clean
    assert [line for line, _ in found] == list(range(2, len(clean) + 2))


@given(tables, st.booleans())
def test_any_field_comes_back_from_json_lines(table, ascii_only):
    content = "".join(
        json.dumps({"key": a, "text": b}, ensure_ascii=ascii_only) + "\n" for a, b in table
    )
    assert [(row["key"], row["text"]) for _, row in rows(content)] == table


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused_by_name(content):
    try:
        texts(content)
    except BadRecord as error:
        assert error.path == "input"
        assert error.line is not None
