"""Sheets and columns of a file of items, as the page of columns offers them."""

import re
from pathlib import Path

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
    assert "Ein Meer." in olga.get(send(olga, content, "b.xlsx")).content.decode()


def test_columns_without_known_names_are_guessed_by_what_they_hold(served: Project) -> None:
    olga = owner()
    table = "Nr.;Satz (Original);Wort\n1;Der Plan ging baden.;baden\n2;Er hielt Wort.;Wort\n"
    page = olga.get(send(olga, table)).content.decode()
    used = re.findall(r'<option value="(\S*)" selected', page)
    assert used == ["id", "text", "field"]
    same = table.replace("\n2;", "\n1;")
    used = re.findall(r'value="(\S*)" selected', olga.get(send(olga, same)).content.decode())
    assert used == ["field", "text", "field"], "numbers that repeat are no ids"


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
