"""Owners set a project up and change it in the browser: plan, versions, pause, items, links."""

import io
import re
import threading
import tomllib
from pathlib import Path
from typing import Any

import pytest
from bookkeeping import check_books
from forms import form_of
from projects import START, add_items, make_project
from test_web import browser, form_token

from trope.annotate.project import (
    BLANK,
    Project,
    new_project,
    open_project,
    settings_text,
)
from trope.annotate.store import setup
from trope.annotate.store.database import connect
from trope.annotate.store.models import (
    Event,
    Item,
    Lease,
    PlanVersion,
    State,
    StoredJudgment,
)
from trope.annotate.store.people import invite
from trope.annotate.store.setup import save_plan
from trope.annotate.web.service import web_settings
from trope.core.errors import BadConfig


@pytest.mark.parametrize("template", ["tweets2019", "newsmet", "semeval2015", "words", BLANK])
def test_templates_survive_the_form(template: str, tmp_path: Path) -> None:
    new_project(tmp_path / "p", template)
    path = tmp_path / "p" / "project.toml"
    before = open_project(tmp_path / "p").plan
    path.write_text(settings_text(tomllib.loads(path.read_text("utf-8"))), encoding="utf-8")
    assert open_project(tmp_path / "p").plan == before


def test_form_keeps_the_comments_of_the_file(served: Project) -> None:
    olga, path = owner(), served.folder / "project.toml"
    path.write_text(f"# by hand\n{path.read_text('utf-8')}# to the end\n", encoding="utf-8")
    form = form_of(olga, "/project/settings") | {"pay.amount": ["0.10"]}
    assert olga.post("/project/settings", form).status_code == 302
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# by hand\n")
    assert "# to the end\n" in text
    assert toml(served)["pay"]["amount"] == "0.10"


@pytest.fixture
def served(tmp_path: Path) -> Project:
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    add_items(project, 6)
    return project


def owner(name: str = "Olga") -> Any:
    return browser(invite(name, role="owner", now=START))


def toml(project: Project) -> dict[str, Any]:
    return tomllib.loads((project.folder / "project.toml").read_text(encoding="utf-8"))


def test_form_that_nobody_changed_changes_nothing(served: Project) -> None:
    olga, before = owner(), open_project(served.folder).plan
    for address in ("/project/questions", "/project/settings"):
        assert olga.post(address, form_of(olga, address)).status_code == 302, address
    assert open_project(served.folder).plan == before


def test_questions_change_without_a_restart_and_without_ending_a_session(served: Project) -> None:
    olga, ann = owner(), browser(invite("Ann", now=START))
    token = form_token(ann)
    form = form_of(olga, "/project/questions")
    form |= {"q0.text": ["Is this sentence figurative?"], "guidelines": ["Read twice."]}
    form["q0.options"] = ["yes | Yes, it is | y\nno\nunsure | Not sure | u | when in doubt"]
    assert olga.post("/project/questions", form).headers["Location"] == "/project/questions?saved=1"
    page = ann.get("/judge").content.decode()
    assert "Is this sentence figurative?" in page
    assert "Yes, it is" in page
    assert 'data-key="u"' in page
    assert "Read twice." in page
    ann.post("/judge", {"token": token, "metaphor": "unsure"})
    (stored,) = StoredJudgment.objects.all()
    assert stored.answers == {"metaphor": "unsure"}
    assert [version.who for version in setup.versions()] == ["Olga", ""]
    assert setup.versions()[0].changed == ["guidelines", "questions"]
    assert "Is it a metaphor?" in (setup.version_text(1) or "")
    olga.get("/project/history/2")
    assert "figurative" in olga.get("/project/history/2").content.decode()


def test_another_process_reads_the_plan_again(served: Project) -> None:
    from django.conf import settings

    ann = browser(invite("Ann", now=START))
    text = setup.plan_file(served).replace("Is it a metaphor?", "Is it an idiom?")
    save_plan(served, text, seen=setup.plan_mark(served), now=START, by="Olga")
    assert settings.TROPE_PROJECT.plan.questions[0].text == "Is it a metaphor?"
    assert "Is it an idiom?" in ann.get("/judge").content.decode()
    text = setup.plan_file(served).replace('title = "Test"', 'title = "Second"')
    save_plan(served, text, seen=setup.plan_mark(served), now=START, by="Olga")
    assert "<title>Second" in browser().get("/").content.decode().replace("\n", "")


def test_questions_are_added_moved_and_removed_without_scripts(served: Project) -> None:
    olga = owner()
    page = olga.post("/project/questions", form_of(olga, "/project/questions") | {"action": "add"})
    assert "Question 2" in page.content.decode()
    assert "faults" not in page.content.decode().split('id="preview"')[1], (
        "it has answers to change"
    )
    form = form_of(olga, "/project/questions")
    form["q"] = ["0", "1"]
    form |= {"q1.text": ["How sure are you?"], "q1.kind": ["scale"], "q1.required": ["1"]}
    form |= {"q1.low": ["1"], "q1.high": ["5"], "q1.when": ["metaphor"], "q1.when_values": ["yes"]}
    preview = olga.post("/project/questions", form | {"action": "preview"}).content.decode()
    assert "How sure are you?" in preview.split('id="preview"')[1]
    assert len(toml(served)["questions"]) == 1
    olga.post("/project/questions", form | {"action": "save"})
    (_, second) = toml(served)["questions"]
    assert second["id"] == "how_sure_are_you"
    assert (second["low"], second["high"], second["kind"]) == (1, 5, "scale")
    assert "options" not in second
    assert second["when"] == [{"question": "metaphor", "values": ["yes"]}]
    moved = olga.post(
        "/project/questions", form_of(olga, "/project/questions") | {"action": "up-1"}
    )
    assert "not an earlier question" in moved.content.decode(), "the preview says what is wrong"
    form = form_of(olga, "/project/questions") | {"action": "remove-1"}
    left = olga.post("/project/questions", form).content.decode()
    assert "Question 2" not in left


def test_preview_by_script_is_a_part_of_the_page(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/questions") | {"q0.text": ["<b>Bold</b>?"], "action": "preview"}
    answer = olga.post("/project/questions", form, HTTP_X_TROPE="preview").content.decode()
    assert answer.lstrip().startswith("<h2>Preview")
    assert "&lt;b&gt;Bold&lt;/b&gt;?" in answer
    assert not PlanVersion.objects.exists()


def test_settings_are_changed_and_their_faults_told(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/settings")
    assert form["judgments_per_item"] == ["2"]
    form |= {"pay.amount": ["0.60"], "caps.day": ["20"], "skip.allowed": ["1"], "order": ["random"]}
    assert olga.post("/project/settings", form).status_code == 302
    assert toml(served)["pay"] == {"amount": "0.60"}
    assert toml(served)["caps"] == {"day": 20}
    assert toml(served)["skip"] == {"allowed": True}
    form = form_of(olga, "/project/settings") | {"gold.share": ["lots"], "items_per_page": ["0"]}
    answer = olga.post("/project/settings", form)
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Control items, Share of a page: must be a number, not text" in page
    wrong = re.findall(r'name="([^"]+)"[^>]* aria-invalid="true"', page)
    assert wrong == ["gold.share"], "the field is marked"
    assert toml(served)["items_per_page"] == 3


def test_demo_task_selection_and_rules_about_people_have_a_form(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/settings")
    assert (form["selection.by"], form["quality.on_gold"]) == ([""], ["dismiss"])
    form |= {"demo.items": ["10"], "demo.gold": ["4"], "demo.paid": ["1"]}
    form |= {"selection.by": ["pass"], "selection.pass_mark": ["0.7"], "reading.first": ["1"]}
    form |= {"quality.on_speed": ["warn"], "quality.on_gold": ["hold"]}
    form |= {"adjudication.unresolved": ["exclude"]}
    assert olga.post("/project/settings", form).status_code == 302
    plan = open_project(served.folder).plan
    assert (plan.demo.items, plan.demo.gold, plan.demo.paid) == (10, 4, True)
    assert (plan.selection.by, plan.selection.pass_mark, plan.reading.first) == ("pass", 0.7, True)
    assert toml(served)["quality"] == {"on_gold": "hold", "on_speed": "warn"}
    assert toml(served)["adjudication"] == {"unresolved": "exclude"}
    form = form_of(olga, "/project/settings") | {"quality.on_speed": ["x"]}
    refused = olga.post("/project/settings", form)
    assert refused.status_code == 422
    assert "quality.on_speed" in refused.content.decode()
    assert open_project(served.folder).plan == plan


@pytest.mark.parametrize("template", ["tweets2019", "newsmet", "semeval2015", "semeval2007"])
def test_settings_of_a_template_survive_their_form(template: str, tmp_path: Path) -> None:
    new_project(tmp_path / "p", template)
    connect(project := open_project(tmp_path / "p"), **web_settings())
    olga, before = owner(), open_project(project.folder).plan
    assert olga.post("/project/settings", form_of(olga, "/project/settings")).status_code == 302
    assert open_project(project.folder).plan == before


def test_more_judgments_per_item_reopen_items_and_keep_the_books(served: Project) -> None:
    olga, ann, bob = owner(), *(browser(invite(name, now=START)) for name in ("Ann", "Bob"))
    for client in (ann, bob):
        for _ in range(6):
            client.post("/judge", {"token": form_token(client), "metaphor": "yes"})
        assert "no items left" in client.get("/judge").content.decode()
    cy = browser(invite("Cy", now=START))
    assert "no items left" in cy.get("/judge").content.decode()
    form = form_of(olga, "/project/settings") | {"judgments_per_item": ["3"]}
    assert olga.post("/project/settings", form).status_code == 302
    for _ in range(6):
        cy.post("/judge", {"token": form_token(cy), "metaphor": "no"})
    assert StoredJudgment.objects.filter(state="counted").count() == 18
    check_books(open_project(served.folder))
    form = form_of(olga, "/project/settings") | {"judgments_per_item": ["2"]}
    answer = olga.post("/project/settings", form)
    assert "have got more judgments than that" in answer.content.decode()
    assert toml(served)["judgments_per_item"] == 3


def test_fewer_judgments_per_item_complete_the_items_of_two_people(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/settings") | {"judgments_per_item": ["3"]}
    assert olga.post("/project/settings", form).status_code == 302
    for name in ("Ann", "Bob"):
        client = browser(invite(name, now=START))
        for _ in range(6):
            client.post("/judge", {"token": form_token(client), "metaphor": "yes"})
    assert set(Item.objects.values_list("open_slots", flat=True)) == {1}
    form = form_of(olga, "/project/settings") | {"judgments_per_item": ["2"]}
    assert olga.post("/project/settings", form).status_code == 302
    assert set(Item.objects.values_list("open_slots", flat=True)) == {0}
    check_books(open_project(served.folder))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (('value = "yes"', 'value = "aye"'), "the answer 'yes' has been given and stays"),
        (('kind = "choice"', 'kind = "multi"'), "its kind stays 'choice'"),
        (('id = "metaphor"', 'id = "idiom"'), "has been answered and stays"),
        (('order = "given"', 'database = "postgresql://h/d"'), "trope annotate move"),
    ],
)
def test_what_was_answered_stays(change: tuple[str, str], why: str, served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    text = setup.plan_file(served)
    if "database" not in change[1]:  # before anyone answers, it may change
        changed = text.replace(*change)
        number = save_plan(served, changed, seen=setup.plan_mark(served), now=START, by="O")
        save_plan(served, text, seen=setup.plan_mark(served), now=START, by="O")
        assert number == 2
    ann.post("/judge", {"token": form_token(ann), "metaphor": "yes"})
    with pytest.raises(BadConfig, match=why):
        mark = setup.plan_mark(served)
        save_plan(served, text.replace(*change), seen=mark, now=START, by="O")
    assert (served.folder / "project.toml").read_text(encoding="utf-8") == text
    other = text.replace('value = "no"', 'value = "never"')  # which nobody answered
    save_plan(served, other, seen=setup.plan_mark(served), now=START, by="O")


def test_two_owners_at_once_lose_nothing_of_each_other(served: Project) -> None:
    olga, otto = owner(), owner("Otto")
    first, second = form_of(olga, "/project/questions"), form_of(otto, "/project/questions")
    first["q0.text"], second["q0.text"] = ["Olga asks?"], ["Otto asks?"]
    assert olga.post("/project/questions", first).status_code == 302
    answer = otto.post("/project/questions", second)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Olga asks?" in page.split("Your text")[0]
    assert "Otto asks?" in page.split("Your text")[1]
    assert toml(served)["questions"][0]["text"] == "Olga asks?"
    mark = re.search(r'name="seen" value="(\w+)"', page)
    assert mark
    both = setup.plan_file(served).replace("Read, then choose.", "Otto guides.")
    assert otto.post("/project/file", {"text": both, "seen": mark[1]}).status_code == 302
    assert toml(served)["guidelines"] == "Otto guides."
    assert toml(served)["questions"][0]["text"] == "Olga asks?"


def test_saving_at_once_is_saving_one_after_the_other(served: Project) -> None:
    mark, done = setup.plan_mark(served), []

    def save(number: int) -> None:
        from django.db import connection

        text = setup.plan_file(served).replace("Test", f"Test {number}")
        try:
            save_plan(served, text, seen=mark, now=START, by=f"Owner {number}")
            done.append(number)
        except setup.PlanConflict:
            pass
        finally:
            connection.close()

    work = [threading.Thread(target=save, args=(n,)) for n in range(5)]
    for one in work:
        one.start()
    for one in work:
        one.join()
    assert len(done) == 1
    assert toml(served)["title"] == f"Test {done[0]}"


def test_plan_that_cannot_be_stored_stays_as_it_was(
    served: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = setup.plan_file(served)

    def fail(**_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Event.objects, "create", fail)
    with pytest.raises(OSError, match="No space"):
        changed = text.replace("Test", "Other")
        save_plan(served, changed, seen=setup.plan_mark(served), now=START, by="Olga")
    assert setup.plan_file(served) == text
    assert not PlanVersion.objects.exists()


def test_password_of_the_database_is_on_no_page_and_in_no_version(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    path = project.folder / "project.toml"
    address = "postgresql://ann:s3cret-word@db.example/trope"
    path.write_text(f'database = "{address}"\n' + path.read_text("utf-8"), encoding="utf-8")
    shown = setup.plan_file(project)
    assert "s3cret-word" not in shown
    save_plan(project, shown.replace("Test", "X"), seen=setup.plan_mark(project), now=START, by="O")
    assert address in path.read_text("utf-8")
    assert not PlanVersion.objects.filter(text__contains="s3cret-word").exists()


def test_pause_keeps_what_people_have_begun(served: Project) -> None:
    olga, ann = owner(), browser(invite("Ann", now=START))
    token = form_token(ann)
    olga.post("/project/pause", {"pause": "1"})
    page = ann.get("/judge").content.decode()
    assert "The owner has paused the work" in page
    assert "paused" in olga.get("/project/settings").content.decode()
    ann.post("/judge", {"token": token, "metaphor": "yes"})
    assert not StoredJudgment.objects.exists()
    assert Lease.objects.get(token=token).draft["metaphor"] == ["yes"]
    olga.post("/project/pause", {})
    page = ann.get("/judge").content.decode()
    assert re.search(r'value="yes"[^>]*checked', page)
    assert list(Event.objects.filter(who="Olga").values_list("what", flat=True)) == [
        "pause",
        "go on",
    ]


def new_served(folder: Path) -> Project:
    new_project(folder, BLANK)
    project = open_project(folder)
    connect(project, **web_settings())
    return project


def test_new_project_begins_with_a_template_and_its_samples(tmp_path: Path) -> None:
    project = new_served(tmp_path / "p")
    token = invite("Olga", role="owner", now=START)
    olga = browser()
    assert olga.post(f"/join/{token}").headers["Location"] == "/project/new"
    assert olga.get("/").headers["Location"] == "/project/new"
    form = {"template": "pairs", "title": 'Pairs "of" ours', "action": "samples"}
    assert olga.post("/project/new", form).headers["Location"] == "/project"
    assert toml(project)["title"] == 'Pairs "of" ours'
    assert Item.objects.count() == 2
    assert State.objects.get().plan == 2
    assert olga.get("/project/new").headers["Location"] == "/project"
    assert olga.get("/").headers["Location"] == "/project"


def test_new_project_begins_with_a_plan_of_ones_own(tmp_path: Path) -> None:
    project, olga = new_served(tmp_path / "p"), owner()
    bad = io.BytesIO(b'title = "Mine"')
    bad.name = "mine.toml"
    answer = olga.post("/project/new", {"template": BLANK, "plan": bad})
    assert answer.status_code == 422
    assert "guidelines" in answer.content.decode()
    good = io.BytesIO((project.folder / "project.toml").read_bytes().replace(b"My pro", b"Our pro"))
    good.name = "mine.toml"
    assert olga.post("/project/new", {"template": BLANK, "plan": good}).status_code == 302
    assert toml(project)["title"] == "Our project"
