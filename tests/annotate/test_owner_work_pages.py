"""What owners had to do in a shell: rounds, corrected rates, a platform's list, a HIT."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from page_text import text_of
from projects import START, add_items, answer_all, make_project
from test_external_workers import address, study_link
from test_model_answers import judge_all, person_of
from test_platforms import PAID, prolific, work
from test_web import browser
from visitors import ticking_clock

from trope.annotate.project import Project
from trope.annotate.store.database import connect
from trope.annotate.store.models import Event
from trope.annotate.store.people import invite
from trope.annotate.store.slots import all_batches
from trope.annotate.web.service import web_settings

ROUNDS = "/project/batches"


def served(folder: Path, **settings: Any) -> tuple[Project, Any]:
    """A project and the browser of its owner."""
    project = make_project(folder, **settings)
    connect(project, **web_settings())
    return project, browser(invite("Olga", role="owner", now=START))


def test_owner_chooses_a_round_on_a_page(tmp_path: Path) -> None:
    project, olga = served(tmp_path / "p", k=1)
    add_items(project, 6)
    said = olga.post(ROUNDS, {"action": "round", "by": "novelty", "size": "2"})
    assert "round 1: novelty: 2 items opened, after 0 labels; 4 left." in said.content.decode()
    connect(project)  # the process that chose it has written
    assert [one.opened is not None for one in all_batches()] == [True, False]
    event = Event.objects.get(what="round")
    assert (event.who, event.detail["items"]) == ("Olga", 2)
    again = olga.post(ROUNDS, {"action": "round", "by": "uncertainty", "size": "2"})
    assert "so this round is random" in again.content.decode(), "what could not be done is said"
    assert "chose a round" in olga.get("/project/history").content.decode()


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"by": "luck", "size": "2"}, "choose an order"),
        ({"by": "random", "size": "0"}, "1 or more"),
        ({"by": "random", "size": "²"}, "1 or more"),
        ({"by": "random", "size": "5"}, "no items are left"),
    ],
)
def test_round_that_cannot_be_chosen_says_why(
    form: dict[str, str], said: str, tmp_path: Path
) -> None:
    _, olga = served(tmp_path / "p", k=1)
    page = olga.post(ROUNDS, {"action": "round", **form})
    assert page.status_code == 422
    assert said in page.content.decode()


def test_corrected_rates_are_on_the_page_of_models(tmp_path: Path) -> None:
    project, olga = served(tmp_path / "p", k=1, page=60)
    add_items(project, 60)
    answer_all("m", "yes")
    before = text_of(olga.get("/project/models"))
    assert "no item that" in before, "nobody has judged yet"
    judge_all(project, person_of("Ann"), "no")
    page = text_of(olga.get("/project/models"))
    table = page.split('id="rates"')[1].split("</table>")[0]
    assert "60 <small>of 60" in table
    wanted = text_of(olga.get("/project/models", {"width": "0,05", "by": "nothing"}))
    assert "an interval 0.05 wide" in wanted
    assert "an interval half as wide" in text_of(olga.get("/project/models", {"width": "wide"}))


def test_answers_of_models_and_decisions_are_downloads(tmp_path: Path) -> None:
    project, olga = served(tmp_path / "p", k=1)
    add_items(project, 2)
    answer_all("m", "yes")
    answers = b"".join(olga.get("/project/models.csv").streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(answers)))
    given = [(row["run"], row["item"], json.loads(row["answers"])) for row in rows]
    assert given == [("m", "i1", {"metaphor": "yes"}), ("m", "i2", {"metaphor": "yes"})]
    decisions = b"".join(olga.get("/project/decisions.csv").streaming_content).decode()
    assert decisions.startswith("item,adjudicator,answers")


def test_list_of_a_platform_becomes_its_files_on_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticking_clock(monkeypatch)
    project, olga = served(tmp_path / "p", k=9, more=PAID)
    add_items(project, 3)
    client = browser()
    client.post(address(study_link(), "done", "s-done"))
    rows = [prolific("done", work(client)), prolific("stranger", "GUESSED123")]
    made = olga.post("/project/pay/settle", {"submissions": listed(rows), "reward": "0.25"})
    with zipfile.ZipFile(io.BytesIO(b"".join(made.streaming_content))) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert files["approve.csv"] == "s-done\n"
    assert files["bonus.csv"] == "done,1.25\n"
    assert "nobody with this id has come" in files["review.csv"]
    assert files["summary.txt"].startswith("prolific: 1 to approve, 1 to review")


def listed(rows: list[dict[str, str]]) -> SimpleUploadedFile:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return SimpleUploadedFile("list.csv", text.getvalue().encode())


def test_list_that_no_platform_wrote_is_refused_by_its_name(tmp_path: Path) -> None:
    _, olga = served(tmp_path / "p", more=PAID)
    for sent, reward, said in (
        ({}, "", "choose the list"),
        ({"submissions": listed([{"id": "1"}])}, "", "list.csv: is no list of submissions"),
        ({"submissions": listed([prolific("a", "")] * 2)}, "", "list.csv, line 3: has the id"),
        ({"submissions": listed([prolific("a", "")])}, "-1", "is not an amount"),
    ):
        page = olga.post("/project/pay/settle", {**sent, "reward": reward})
        assert page.status_code == 422
        text = page.content.decode()
        assert said in text.replace("&#x27;", "'")
        assert str(tmp_path) not in text, "no path of the machine"


def test_hit_for_mechanical_turk_is_made_on_the_page(tmp_path: Path) -> None:
    _, olga = served(tmp_path / "p")
    form = {"days": "3", "places": "5", "study": "", "worker": ""}
    page = olga.post("/project/link", form | {"platform": "mturk"})
    assert "&lt;HTMLQuestion" in page.content.decode()
    refused = olga.post("/project/link", form | {"platform": "mturk", "worker": "w1"})
    assert "leave the worker id out" in refused.content.decode()
    assert (
        "HTMLQuestion"
        not in olga.post("/project/link", form).content.decode().split('id="link"')[1][:300]
    )
