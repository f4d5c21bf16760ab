"""Files that owners send: who may, how large, what their columns become, what is refused."""

import io
import json
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from projects import START, Clock, make_project
from test_setup_pages import new_served, owner
from test_web import browser, form_token

from trope.annotate.exchange.items import read_items
from trope.annotate.project import Project
from trope.annotate.store import imports
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event, Item, ItemVersion, Lease, Upload
from trope.annotate.store.people import invite
from trope.annotate.web import context, item_pages
from trope.annotate.web.service import web_settings
from trope.cli.main import main

TABLE = (
    "id,tweet,span,genre,gold.metaphor\na1,Prices climb.,climb,news,yes\na2,Goats climb.,,nature,\n"
)


@pytest.fixture
def served(tmp_path: Path) -> Project:
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    return project


def sent(content: str | bytes, name: str = "table.csv") -> dict[str, Any]:
    file = io.BytesIO(content.encode() if isinstance(content, str) else content)
    file.name = name
    return {"items": file, "action": "send"}


def send(client: Any, content: str | bytes, name: str = "table.csv") -> str:
    """The address of the page of columns."""
    answer = client.post("/project/items", sent(content, name))
    assert answer.status_code == 302, answer.content.decode()
    return str(answer.headers["Location"])


def refusal(client: Any, content: str | bytes, name: str) -> str:
    answer = client.post("/project/items", sent(content, name))
    assert answer.status_code == 422
    assert not Upload.objects.exists()
    return str(answer.content.decode())


def folder_of(project: Project) -> list[Path]:
    return sorted((project.folder / "uploads").iterdir())


def test_table_is_sent_looked_at_and_added(served: Project) -> None:
    olga = owner()
    address = send(olga, TABLE, "../../My table.csv")
    (path,) = folder_of(served)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.name == f"{Upload.objects.get().token}.csv", "no path is made from the name"
    page = olga.get(address).content.decode()
    assert "My table.csv" in page
    assert "Goats climb." in page
    for use in ("text", "id", "highlight", "gold.metaphor", "field"):
        assert f'value="{use}" selected' in page, use
    form = {"use-0": "id", "use-1": "text", "use-2": "highlight", "use-3": "field"}
    answer = olga.post(address, form | {"use-4": "gold.metaphor", "action": "import"})
    assert answer.headers["Location"] == "/project/links"
    first, second = Item.objects.order_by("external_id")
    assert (first.external_id, first.text) == ("a1", "Prices climb.")
    assert first.payload == {"highlight": [[7, 12]], "genre": "news"}
    assert first.gold == {"metaphor": "yes"}
    assert second.payload == {"highlight": [], "genre": "nature"}
    assert second.open_slots == 2
    assert folder_of(served) == []
    assert "2 items added" in olga.get("/project/items").content.decode()
    detail = Event.objects.get(what="import").detail
    assert detail == {"file": "My table.csv", "items": 2}
    assert olga.get(address).headers["Location"] == "/project/items", "it is not added twice"


def workbook(rows: list[list[Any]], **further: list[list[Any]]) -> bytes:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book, content = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    for name, own in further.items():
        sheet = book.create_sheet(name)
        for row in own:
            sheet.append(row)
    book.save(content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("t.tsv", "id\ttext\nb1\tIdeas bloom.\n"),
        ("t.jsonl", json.dumps({"id": "b1", "text": "Ideas bloom."}) + "\n"),
        ("t.xlsx", workbook([["id", "text"], ["b1", "Ideas bloom."]])),
    ],
)
def test_other_formats_are_read_too(name: str, content: str | bytes, served: Project) -> None:
    olga = owner()
    address = send(olga, content, name)
    assert "Ideas bloom." in olga.get(address).content.decode()
    olga.post(address, {"use-0": "id", "use-1": "text"})
    assert Item.objects.get().external_id == "b1"


def test_ids_are_made_where_there_are_none(served: Project) -> None:
    olga = owner()
    address = send(olga, "verse\nThe sea sings.\nThe wall is white.\n", "my poems (1).csv")
    page = olga.get(address).content.decode()
    assert "No column is used as id, so that ids are made" in page
    olga.post(address, {"use-0": "text"})
    names = set(Item.objects.values_list("external_id", flat=True))
    assert names == {"my-poems-1-1", "my-poems-1-2"}
    address = send(olga, "verse\nThe sea sings.\n", "my poems (1).csv")
    answer = olga.post(address, {"use-0": "text"})
    assert answer.status_code == 422, "the same file again would double the items"
    assert "already has an item" in answer.content.decode()


def test_mapping_that_drops_ids_asks_first(served: Project) -> None:
    olga = owner()
    address = send(olga, TABLE)
    form = {f"use-{n}": "field" for n in range(5)} | {"use-1": "text"}
    answer = olga.post(address, form)
    assert answer.status_code == 422
    assert (
        "Without them you cannot match the labels with your file later" in answer.content.decode()
    )
    assert not Item.objects.exists()
    assert olga.post(address, form | {"new_ids": "1"}).status_code == 302
    assert Item.objects.get(external_id="table-1").payload["id_"] == "a1"


@pytest.mark.parametrize(
    ("uses", "problem"),
    [
        (["id", "field", "", "", ""], "choose the column that holds the texts"),
        (["text", "text", "", "", ""], "2 columns are used as text"),
        (["id", "text", "gold.nothing", "", ""], "cannot be used as"),
        (["id", "text", "", "highlight", ""], "is not in the text"),
    ],
)
def test_mapping_that_does_not_fit_is_told(uses: list[str], problem: str, served: Project) -> None:
    olga = owner()
    answer = olga.post(send(olga, TABLE), {f"use-{n}": use for n, use in enumerate(uses)})
    assert answer.status_code == 422
    assert problem in answer.content.decode()
    assert not Item.objects.exists()


def test_fault_in_a_row_is_told_with_its_line_and_the_file_stays(served: Project) -> None:
    olga = owner()
    address = send(olga, "id,text\nc1,One.\nc1,Two.\n", "twice.csv")
    answer = olga.post(address, {"use-0": "id", "use-1": "text"})
    assert "twice.csv:3: id &#x27;c1&#x27; is already in line 2" in answer.content.decode()
    assert not Item.objects.exists()
    assert olga.get(address).status_code == 200
    olga.post(address, {"action": "discard"})
    assert not Upload.objects.exists()
    assert folder_of(served) == []


def test_workbook_with_formulas_is_read_as_values_and_said(served: Project) -> None:
    olga = owner()
    content = workbook([["id", "text"], ["d1", "Hope sprang up."], ["d2", '=HYPERLINK("x")']])
    address = send(olga, content, "book.xlsx")
    page = olga.get(address).content.decode()
    assert "The workbook has formulas. Their last values are read; nothing is computed." in page
    assert "HYPERLINK" not in page
    answer = olga.post(address, {"use-0": "id", "use-1": "text"})
    assert "has no text" in answer.content.decode(), "a formula without a value is no text"


def with_entry(content: bytes, name: str, inner: bytes) -> bytes:
    whole = io.BytesIO(content)
    with zipfile.ZipFile(whole, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, inner)
    return whole.getvalue()


def test_workbook_with_macros_is_refused(served: Project) -> None:
    content = with_entry(workbook([["text"], ["One."]]), "xl/vbaProject.bin", b"Sub Auto_Open()")
    for name in ("macros.xlsm", "macros.xlsx"):
        assert "has macros; save it as .xlsx" in refusal(owner(name), content, name)


def test_bombs_are_refused(served: Project) -> None:
    olga = owner()
    packed = with_entry(workbook([["text"], ["One."]]), "xl/media/a.bin", bytes(60_000_000))
    assert len(packed) < 100_000
    assert "more than a table needs" in refusal(olga, packed, "bomb.xlsx")
    wide = ",".join(f"c{n}" for n in range(50_000)) + "\n" + "," * 49_999 + "\n"
    assert "columns, more than 200" in refusal(olga, wide, "wide.csv")
    long = "text\n" + "x" * 5_000_000 + "\n"
    assert "longer than" in refusal(olga, long, "long.csv") or "bytes" in refusal(
        olga, long, "long.csv"
    )
    deep = "[" * 100_000 + "]" * 100_000
    assert "cannot be read" in refusal(olga, deep, "deep.jsonl")
    assert "send CSV, TSV, XLSX" in refusal(olga, b"MZ\x90", "program.exe")
    assert "send CSV, TSV, XLSX" in refusal(olga, b"PK\x03\x04", "archive.zip")
    assert folder_of(served) == []


def test_texts_with_scripts_and_bidirectional_marks_are_shown_inert(served: Project) -> None:
    olga = owner()
    evil = '<script>alert(1)</script>\u202egnp.exe\u202c "quoted" {{ 7|add:7 }}'
    line = json.dumps({"id": evil[:60], "text": evil, evil[:30]: evil})
    address = send(olga, line + "\n", "<img src=x onerror=alert(1)>\u202e.jsonl")
    pages = [olga.get(address).content.decode()]
    olga.post(address, {"use-0": "id", "use-1": "text", "use-2": "field"})
    number = Item.objects.get().pk
    pages += [
        olga.get(path).content.decode()
        for path in ("/project/items", f"/project/items/{number}", "/project/history")
    ]
    pages.append(browser(invite("Ann", now=START)).get("/judge").content.decode())
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page
        if "\u202e" in page:  # what follows keeps its direction: the mark ends with its element
            for piece in page.split("\u202e")[:-1]:
                opened = piece.rsplit("<", 1)[1]
                assert (
                    "dir=" in opened
                    or opened.startswith(("bdi", "/", "option", "pre"))
                    or ("aria-label" in opened or "value=" in opened)
                ), opened
    assert Item.objects.get().text == evil, "and yet it is kept as it was"


def test_only_owners_may_send_files(served: Project) -> None:
    for role in ("annotator", "adjudicator"):
        client = browser(invite(role, role=role, now=START))
        assert client.post("/project/items", sent(TABLE)).status_code == 403
    assert browser().post("/project/items", sent(TABLE)).status_code == 401
    assert not (served.folder / "uploads").exists()
    olga = owner()
    answer = olga.post("/project/links", sent(TABLE) | {"names": "Ann"})
    assert answer.status_code == 200, "a form that takes no file ignores it"
    assert not (served.folder / "uploads").exists()
    strict = browser(invite("Otto", role="owner", now=START), enforce_csrf_checks=False)
    strict.handler.enforce_csrf_checks = True
    assert strict.post("/project/items", sent(TABLE)).status_code == 403
    assert folder_of(served) == []


def test_new_project_takes_its_items_along(tmp_path: Path) -> None:
    project, olga = new_served(tmp_path / "new"), owner()
    answer = olga.post("/project/new", sent("x", "what.pdf") | {"template": "blank"})
    assert answer.status_code == 422
    assert olga.get("/").headers["Location"] == "/project/new"
    answer = olga.post("/project/new", sent(TABLE) | {"template": "blank"})
    address = answer.headers["Location"]
    form = {"use-0": "id", "use-1": "text", "use-2": "", "use-3": "", "use-4": ""}
    assert olga.post(address, form).headers["Location"] == "/project/links"
    assert Item.objects.count() == 2
    assert project.folder.joinpath("project.toml").stat().st_mode & 0o777 == 0o600


def test_import_that_takes_long_goes_on_behind_the_page(
    served: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold, begun = threading.Event(), threading.Event()

    def slow(*args: Any, **kwargs: Any) -> Any:
        begun.set()
        hold.wait(60)
        return read_items(*args, **kwargs)

    monkeypatch.setattr(imports, "read_items", slow)
    monkeypatch.setattr(item_pages, "_WAIT_S", 0.0)
    olga = owner()
    address = send(olga, TABLE)
    form = {"use-0": "id", "use-1": "text", "use-2": "", "use-3": "", "use-4": ""}
    before = set(threading.enumerate())
    assert olga.post(address, form).status_code == 302
    assert begun.wait(60)
    assert "0 items so far" in olga.get("/project/items").content.decode()
    assert olga.post(address, form).status_code == 302, "a second press begins nothing"
    hold.set()
    for work in set(threading.enumerate()) - before:
        work.join(60)
    assert "2 items added" in olga.get("/project/items").content.decode()
    assert Item.objects.count() == 2


def test_import_whose_process_ended_can_be_started_again(
    served: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    olga = owner()
    address = send(olga, TABLE)
    Upload.objects.update(state="running", at=START)
    time = Clock()
    time.forward(hours=1)
    monkeypatch.setattr(context, "datetime", type("T", (), {"now": lambda _: time.now}))
    assert "was interrupted" in olga.get("/project/items").content.decode()
    form = {"use-0": "id", "use-1": "text", "use-2": "", "use-3": "", "use-4": ""}
    assert olga.post(address, form).status_code == 302
    assert Item.objects.count() == 2


def test_file_replaces_the_items_that_nobody_judged_all_or_none(served: Project) -> None:
    olga, table = owner(), "id,text,span\nb1,Hopes rise.,rise\nb2,Bread rises.,\nb3,Doubts grow.,\n"
    uses = {"use-0": "id", "use-1": "text", "use-2": "highlight"}
    first = send(olga, table)
    assert "Replace items with these ids" not in olga.get(first).content.decode(), "there are none"
    olga.post(first, uses | {"action": "import"})
    ann = browser(invite("Ann", now=START))
    token = form_token(ann)
    judged = str(Lease.objects.get(token=token).item.external_id)
    ann.post("/judge", {"token": token, "metaphor": "yes"})
    Lease.objects.all().delete()  # the rest of the page is nobody's any more
    free = sorted({"b1", "b2", "b3"} - {judged})
    places = dict(Item.objects.values_list("external_id", "place"))

    def replaced(changed: dict[str, str], **more: str) -> Any:
        lines = table.splitlines()[1:]
        rows = [line for line in lines if line[:2] not in changed]
        rows += [f"{name},{text},{text[:5]}" for name, text in changed.items()]
        address = send(olga, "\n".join(["id,text,span", *rows]))
        assert "Replace items with these ids" in olga.get(address).content.decode()
        return olga.post(address, uses | more | {"action": "replace"})

    for changed, problem in (
        ({free[0]: "Costs soar.", judged: "Other words."}, f"has judged the item &#x27;{judged}"),
        ({free[0]: "Costs soar.", "b9": "Other words."}, "has no item &#x27;b9"),
        ({free[0]: "Costs soar.", free[1]: ""}, "table.csv:4"),
    ):
        answer = replaced(changed)
        assert (answer.status_code, problem in answer.content.decode()) == (422, True), problem
    assert (
        "holds the ids" in replaced({free[0]: "Costs soar."}, **{"use-0": "field"}).content.decode()
    )
    assert not ItemVersion.objects.exists(), "nothing was replaced in part"
    assert replaced({free[0]: "Costs soar."}).status_code == 302
    new = Item.objects.get(external_id=free[0])
    assert (new.text, new.payload["highlight"]) == ("Costs soar.", [[0, 5]])
    assert dict(Item.objects.values_list("external_id", "place")) == places
    assert ItemVersion.objects.get().item == free[0], "rows that change nothing are no versions"
    assert Event.objects.get(what="replace items").detail == {"file": "table.csv", "items": 1}
    assert "1 item replaced" in olga.get("/project/items").content.decode()


def test_command_replaces_items_by_a_file_and_names_what_it_refuses(served: Project) -> None:
    path = served.folder / "items.csv"

    def imported(text: str, *more: str) -> str:
        path.write_text(text, encoding="utf-8")
        command = ["annotate", "import", str(served.folder), str(path), *more]
        result = CliRunner().invoke(main, command)
        return result.output if not result.exception else str(result.exception)

    assert imported("id,text\nb1,Hopes rise.\nb2,Bread rises.\n") == "2 items added\n"
    assert imported("id,text\nb2,Dough rises.\n", "--replace") == "1 item replaced\n"
    assert Item.objects.get(external_id="b2").text == "Dough rises."
    assert "has no item 'b3'" in imported("id,text\nb1,X.\nb3,Y.\n", "--replace")
    assert Item.objects.get(external_id="b1").text == "Hopes rise."
