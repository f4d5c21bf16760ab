"""What the owner takes out of a project: labelled items, the agreement, a release."""

import csv
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from projects import START, Clock, add_items, make_project
from visitors import annotator, judge, owner, ticking_clock

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.web.service import web_settings
from trope.cli.release import release_from_page


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


@pytest.fixture
def judged(tmp_path: Path, clock: Clock) -> Project:
    """Six items; Ann and Ben have judged all, and differ on the first."""
    project = make_project(tmp_path / "p", page=10)
    connect(project, **web_settings(), TROPE_RELEASE=release_from_page)
    add_items(project, 6)
    for name, first in (("Ann", "yes"), ("Ben", "no")):
        client = annotator(name)
        client.post("/agree", {"agreed": "1"})
        judge(client, first)
        while 'id="item"' in client.get("/judge").content.decode():
            judge(client)
    return project


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_labelled_items_have_texts_fields_and_labels(judged: Project) -> None:
    client = owner()
    table = list(csv.DictReader(io.StringIO(body(client.get("/project/labelled.csv")).decode())))
    assert [row["id"] for row in table] == [f"i{n}" for n in range(1, 7)]
    assert (table[1]["text"], table[1]["metaphor"]) == ("Sentence number 2.", "yes")
    assert (table[0]["metaphor"], "tie" in table[0]["note"]) == ("", True)
    assert (table[1]["metaphor_share"], table[1]["judgments"]) == ("1.0", "2")
    lines = body(client.get("/project/labelled.jsonl")).decode().splitlines()
    assert json.loads(lines[1])["metaphor"] == "yes"


def test_labelled_items_as_parquet(judged: Project, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    path = tmp_path / "labelled.parquet"
    path.write_bytes(body(owner().get("/project/labelled.parquet")))
    assert parquet.read_table(path).column("metaphor").to_pylist() == [None, *["yes"] * 5]


def test_a_field_that_is_called_like_a_question_keeps_its_value(judged: Project) -> None:
    from trope.annotate.store.imports import import_items

    path = judged.folder / "more.jsonl"
    path.write_text('{"id": "x", "text": "One more.", "metaphor": "old", "page": "7"}\n')
    import_items(judged, path, now=START)
    client = annotator("Cleo")
    client.post("/agree", {"agreed": "1"})
    judge(client, "no")
    lines = body(owner().get("/project/labelled.jsonl?drafts=1")).decode().splitlines()
    last = json.loads(lines[-1])
    assert (last["field_metaphor"], last["metaphor"], last["page"]) == ("old", "no", "7")
    assert last["complete"] is False


def test_the_agreement_is_a_file(judged: Project) -> None:
    client = owner()
    document = json.loads(body(client.get("/project/agreement.json")))
    question = document["questions"][0]
    assert (question["id"], question["judgments"], question["items"]) == ("metaphor", 12, 6)
    percent = next(one for one in question["agreements"] if one["name"] == "percent")
    assert percent["value"] == pytest.approx(5 / 6)
    text = body(client.get("/project/agreement.md")).decode()
    assert text.startswith("# Agreement: Test")
    assert "| share of equal answers | 0.833 |" in text
    assert "| Ann and Ben |" in text
    command = [sys.executable, "-m", "trope", "annotate", "agreement", str(judged.folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == text


def test_the_owner_downloads_a_release(judged: Project, tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    client = owner()
    page = client.get("/project/release").content.decode()
    assert 'value="1,0,0"' in page  # six items are too few for three splits
    wanted = {"licence": "CC-BY-4.0", "name": "Small", "creator": "A. B.", "shares": "1,0,0"}
    response = client.post("/project/release", wanted)
    assert response["Content-Disposition"] == 'attachment; filename="p-release.zip"'
    whole = body(response)
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        names = set(archive.namelist())
        card = archive.read("README.md").decode()
        table = archive.read("csv/train.csv").decode()
    assert {"data/train.parquet", "croissant.json", "agreement.json", "SHA256SUMS"} <= names
    assert 'pretty_name: "Small"' in card
    assert "Sentence number 2." in table
    assert "Ann" not in card + table
    assert body(client.post("/project/release", wanted)) == whole
    from trope.annotate.store.models import Event

    event = Event.objects.filter(what="release").first()
    assert event is not None
    assert (event.who, event.detail) == ("Olga", {"licence": "CC-BY-4.0"})


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({"licence": " "}, "Say under which licence"),
        ({"licence": "MIT", "shares": "0.8,0.1,0.1"}, "give other shares, for"),
        ({"licence": "MIT", "shares": "all"}, "shares &#x27;all&#x27; are not numbers"),
        ({"licence": "MIT", "question": "<b>"}, "no question with labels"),
        ({"licence": "MIT", "group_by": "colour", "shares": "1,0,0"}, "has no field"),
    ],
)
def test_what_is_in_the_way_is_said_on_the_page(
    judged: Project, form: dict[str, str], told: str
) -> None:
    response = owner().post("/project/release", form)
    assert response.status_code == 422
    text = response.content.decode()
    assert told in text
    assert "--" not in text.split('role="alert"')[1].split("</p>")[0]
    assert "<b>" not in text
    assert form["licence"].strip() in text  # the form keeps what was typed


def test_a_service_without_releases_names_the_command(judged: Project) -> None:
    connect(judged, **web_settings(), TROPE_RELEASE=None)
    response = owner().post("/project/release", {"licence": "MIT"})
    assert response.status_code == 422
    assert "trope release DIR" in response.content.decode()


def test_texts_that_a_spreadsheet_or_a_page_would_run(tmp_path: Path) -> None:
    pytest.importorskip("mlcroissant", reason="mlcroissant is not installed")
    from trope.annotate.store.imports import import_items

    project = make_project(tmp_path / "p", k=1, page=10)
    connect(project, **web_settings(), TROPE_RELEASE=release_from_page)
    texts = {
        "f": "=1+1 is a formula",
        "s": "<script>alert(1)</script> said",
        "b": "\u202eevil\u202c",
    }
    path = project.folder / "made.jsonl"
    lines = (json.dumps({"id": name, "text": text, "@cmd": text}) for name, text in texts.items())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    import_items(project, path, now=START)
    client = annotator("Ann")
    for _ in texts:
        judge(client)
    olga = owner()
    table = body(olga.get("/project/labelled.csv")).decode()
    assert "'=1+1 is a formula" in table
    assert "'@cmd" in table.splitlines()[0]
    page = olga.get("/project/release").content.decode()
    assert "<script>alert" not in page + olga.get("/project").content.decode()
    wanted = {"licence": "MIT\n---\nx: 1", "shares": "1,0,0", "with_text": "1"}
    response = olga.post("/project/release", wanted)
    with zipfile.ZipFile(io.BytesIO(body(response))) as archive:
        assert "'=1+1 is a formula" in archive.read("csv/train.csv").decode()
        head = archive.read("README.md").decode().split("---")[1]
        assert "\nx: 1" not in head
        parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
        kept = parquet.read_table(io.BytesIO(archive.read("data/train.parquet"))).to_pylist()
    assert {row["text"] for row in kept} == set(texts.values())


def test_opening_a_project_leaves_log_handlers_of_others_open() -> None:
    code = """
import logging
from trope.annotate.store.database import set_up

class Handler(logging.NullHandler):
    def close(self):
        print("closed")

logging.getLogger().addHandler(kept := Handler())
set_up()
print("set up")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "set up"  # they are closed when the process ends
