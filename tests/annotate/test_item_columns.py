"""Sheets and columns of a file of items, as the page of columns offers them."""

import re
from pathlib import Path

import pytest
from projects import make_project
from test_setup_pages import owner
from test_uploads import refusal, send, served, workbook  # noqa: F401 - a fixture

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.models import DemoItem, Item
from trope.annotate.web.service import web_settings

# ruff: noqa: F811 - fixtures are taken by importing them


def test_sheet_of_a_workbook_is_chosen_on_the_page(served: Project) -> None:
    olga = owner()
    content = workbook([["satz"], ["Ein Meer."]], Märchen=[["satz"], ["Es war."], ["Ein Wald."]])
    address = send(olga, content, "two.xlsx")
    page = olga.get(address).content.decode()
    assert "Ein Meer." in page
    assert "--sheet" not in page, "nobody gives an option to a page"
    (other,) = re.findall(r'<a href="(\?sheet=[^"]+)"><bdi>Märchen', page)
    page = olga.get(address + other).content.decode()
    assert "Ein Wald." in page
    assert "Ein Meer." not in page
    olga.post(address + other, {"use-0": "text"})
    ids = {"two-Märchen-1": "Es war.", "two-Märchen-2": "Ein Wald."}
    assert dict(Item.objects.values_list("external_id", "text")) == ids
    olga.post(send(olga, content, "two.xlsx"), {"use-0": "text"})
    assert Item.objects.get(external_id="two-1").text == "Ein Meer.", "the other sheet, later"


def test_first_sheet_with_rows_is_read(served: Project) -> None:
    olga, content = owner(), workbook([], Texte=[["satz"], ["Ein Meer."]])
    assert "holds no header" in refusal(olga, workbook([]), "empty.xlsx")
    none = workbook([["Collected by hand"]], Leer=[["x"]])
    assert "has no rows; send a file with items" in refusal(olga, none, "none.xlsx")
    assert "Ein Meer." in olga.get(send(olga, content, "b.xlsx")).content.decode()
    content = workbook([["Collected by hand"]], Texte=[["satz"], ["Ein Meer."]], Leer=[["x"]])
    address = send(olga, content, "c.xlsx")
    assert "Ein Meer." in olga.get(address).content.decode(), "a line of words is no table"
    answer = olga.get(f"{address}?sheet=Leer")
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "the sheet &#x27;Leer&#x27; has no rows" in page
    assert "Ein Meer." in page, "the owner can go on with the other sheet"
    answer = olga.post(f"{address}?sheet=Leer", {"use-0": "text"})
    assert answer.status_code == 422
    assert not Item.objects.exists(), "a sheet that nobody chose is not imported"


def guessed(page: str) -> list[str]:
    return re.findall(r'<option value="(\S*)" selected', page)


def test_columns_without_known_names_are_guessed_by_what_they_hold(served: Project) -> None:
    olga = owner()
    table = "Nr.;Satz (Original);Wort\n1;Der Plan ging baden.;baden\n2;Er hielt Wort.;Wort\n"
    assert guessed(olga.get(send(olga, table)).content.decode()) == ["id", "text", "highlight"]
    same = table.replace("\n2;", "\n1;").replace(";baden\n", ";bade\n")
    used = guessed(olga.get(send(olga, same)).content.decode())
    assert used == ["field", "text", "field"], "numbers that repeat, and a word that is not there"


@pytest.mark.parametrize(
    ("column", "values", "use"),
    [
        ("Lfd. Nr", ("A-001", "A-002"), "id"),
        ("Kennung", ("BNC:A1/17", "BNC:A1/18"), "id"),
        ("Kennung", ("A-001", "A-001"), "field"),
        ("Kennung", ("A 1", "A 2"), "field"),
        ("Jahr", ("1999", "2004"), "field"),
        ("Tag", ("2024-03-01", "2024-03-02"), "field"),
        ("Wert", ("0.53", "0,7"), "field"),
        ("Art", ("alt", "neu"), "field"),
        ("gold.metaphor", ("a1", "b2"), "gold.metaphor"),
    ],
)
def test_first_column_with_a_code_in_every_row_has_the_ids(
    column: str, values: tuple[str, str], use: str, served: Project
) -> None:
    olga = owner()
    table = f"{column};Satz\n{values[0]};Der Plan ging baden.\n{values[1]};Er hielt Wort.\n"
    address = send(olga, table)
    assert guessed(olga.get(address).content.decode()) == [use, "text"]
    if use == "id":
        answer = olga.post(address, {"use-0": "", "use-1": "text"})
        assert "you do not use as ids" in answer.content.decode()
        assert not Item.objects.exists()


def test_word_that_a_later_row_does_not_hold_leaves_a_way_on(served: Project) -> None:
    olga = owner()
    rows = [f"r{n};Plan {n} ging baden.;baden" for n in range(30)]
    table = "\n".join(["id;satz;wort", *rows, "r30;Er ging.;baden"])
    address = send(olga, table)
    uses = guessed(olga.get(address).content.decode())
    assert uses == ["id", "text", "highlight"]
    answer = olga.post(address, {f"use-{n}": use for n, use in enumerate(uses)})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "csv:32: highlight &#x27;baden&#x27; is not in the text" in page
    assert "Nothing was added. Choose other uses of the columns" in page
    olga.post(address, {"use-0": "id", "use-1": "text", "use-2": "field"})
    assert Item.objects.filter(external_id__startswith="r").count() == 31


def test_notes_of_a_page_name_no_option_of_a_command(served: Project) -> None:
    olga = owner()
    page = olga.get(send(olga, "One line.\nAnother line.\n", "lines.txt")).content.decode()
    assert "read as a list, one text per line</p>" in page
    assert "--" not in page.split("<main")[1]


def test_known_answers_of_a_template_come_through_the_page(served: Project) -> None:
    olga = owner()
    rows = '{"id": "k1", "text": "Ideas bloom.", "gold": {"metaphor": "yes"}}\n'
    rows += '{"id": "k2", "text": "Roses bloom.", "page": 3}\n'
    address = send(olga, rows, "items.jsonl")
    page = olga.get(address).content.decode()
    assert guessed(page) == ["id", "text", "gold", "field"]
    olga.post(address, {f"use-{n}": use for n, use in enumerate(guessed(page))})
    known, plain = Item.objects.get(external_id="k1"), Item.objects.get(external_id="k2")
    assert (known.gold, known.is_gold, known.payload) == ({"metaphor": "yes"}, True, {})
    assert (plain.is_gold, plain.payload) == (False, {"page": "3"})
    table = "id,text,gold\nk3,Snow melts.,yes\n"
    assert guessed(olga.get(send(olga, table)).content.decode()) == ["id", "text", "field"]


def test_column_without_a_name_is_left_out(served: Project) -> None:
    olga = owner()
    address = send(olga, "id,text,\na1,The sea sings.,x\na2,A wall.,\n")
    page = olga.get(address).content.decode()
    assert guessed(page) == ["id", "text", ""]
    assert 'aria-label="Use of the column without a name"' in page
    form = {"use-0": "id", "use-1": "text"}
    answer = olga.post(address, form | {"use-2": "field"})
    assert answer.status_code == 422
    assert "a column has no name; name it in the file, or leave it out" in answer.content.decode()
    olga.post(address, form | {"use-2": ""})
    assert Item.objects.get(external_id="a1").payload == {}


def test_file_becomes_the_demo_task(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", more="[demo]\nitems = 2\ngold = 1\n")
    connect(project, **web_settings())
    olga = owner()
    form = {"use-0": "id", "use-1": "text", "use-2": "gold.metaphor", "action": "demo"}
    table = "id,text,gold.metaphor\nd1,The sea sings.,yes\nd2,The wall is white.,\n"
    assert "Send them on the page Items" in olga.get("/project/applicants").content.decode()
    answer = olga.post(send(olga, table), form)
    assert answer.headers["Location"] == "/project/items"
    assert "2 items added to the demo task" in olga.get("/project/items").content.decode()
    assert not Item.objects.exists()
    assert dict(DemoItem.objects.values_list("external_id", "gold")) == {
        "d1": {"metaphor": "yes"},
        "d2": None,
    }
    assert "Send them" not in olga.get("/project/applicants").content.decode()
    again = olga.post(send(olga, table), form)
    assert "table.csv: the demo task already has an item" in again.content.decode()
