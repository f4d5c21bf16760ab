"""Forms over project.toml: what nobody changed stays, what is changed is read as it was meant."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from forms import form_of
from projects import START, copy_tables
from test_setup_pages import owner, served, toml
from test_web import browser

from trope.annotate.plan import Plan, ShownField
from trope.annotate.project import BLANK, TEMPLATES, VARIANTS, Project, new_project, open_project
from trope.annotate.store import setup
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.people import invite
from trope.annotate.web.plan_forms import setting_groups
from trope.annotate.web.service import web_settings

TRAINING = "/project/training"


@pytest.mark.parametrize("template", [BLANK, *TEMPLATES, *VARIANTS])
def test_forms_that_nobody_changed_keep_the_plan_of_a_template(
    template: str, tmp_path: Path
) -> None:
    new_project(tmp_path / "p", template)
    project = open_project(tmp_path / "p")
    copy_tables(project)
    connect(project, **web_settings())
    olga = owner()
    for address in ("/project/questions", "/project/settings", TRAINING):
        assert olga.post(address, form_of(olga, address)).status_code == 302, address
    assert open_project(tmp_path / "p").plan == project.plan


def added(olga: Any, *actions: str) -> dict[str, Any]:
    """The form after buttons were pressed that add entries."""
    form = form_of(olga, TRAINING)
    for action in actions:
        page = olga.post(TRAINING, form | {"action": action})
        form = form_of(_Page(page), TRAINING)
    return form


class _Page:
    """A page that is there already, for `form_of`."""

    def __init__(self, page: Any) -> None:
        self.page = page

    def get(self, _: str) -> Any:
        return self.page


def test_examples_and_training_items_are_written_in_a_form(served: Project) -> None:
    olga = owner()
    form = added(olga, "examples.add", "training.add")
    form |= {"examples0.text": ["The sea sang."], "examples0.highlight": ["sang"]}
    form |= {"examples0.answer.metaphor": ["yes"], "examples0.note": ["Seas have no voice."]}
    form |= {"training0.text": ["He drowned in work."], "training0.note": ["No water."]}
    form |= {"training0.answer.metaphor": ["yes | unsure"]}
    assert olga.post(TRAINING, form).status_code == 422, "'unsure' is not offered"
    assert "examples" not in toml(served)
    form["training0.answer.metaphor"] = ["yes | no"]
    assert olga.post(TRAINING, form).headers["Location"] == f"{TRAINING}?saved=1"
    plan = open_project(served.folder).plan
    (example,), (item,) = plan.examples, plan.training.items
    assert (example.highlight, example.answers) == ("sang", {"metaphor": "yes"})
    assert (item.answers, item.message) == ({"metaphor": ["yes", "no"]}, "No water.")
    gone = form_of(olga, TRAINING) | {"action": "examples.remove-0"}
    olga.post(TRAINING, form_of(_Page(olga.post(TRAINING, gone)), TRAINING))
    assert open_project(served.folder).plan.examples == ()
    assert "Seas have no voice" in olga.get("/project/history/2").content.decode()


def test_answers_on_a_scale_and_words_are_read_as_they_are_meant(served: Project) -> None:
    olga = owner()
    path = served.folder / "project.toml"
    more = (
        '[[questions]]\nid = "mood"\nkind = "scale"\ntext = "How sad?"\nlow = -2\nhigh = 2\n'
        '[[questions]]\nid = "words"\nkind = "spans"\ntext = "Which words?"\n'
    )
    path.write_text(path.read_text("utf-8") + more, encoding="utf-8")
    form = added(olga, "examples.add", "training.add")
    form |= {"examples0.text": ["Rain fell on rain."], "examples0.answer.words": ["Rain | fell"]}
    form |= {"examples0.answer.mood": ["-1"]}
    form |= {"training0.text": ["Rain."], "training0.note": ["Wet."]}
    form |= {"training0.answer.mood": ["-2..0"]}
    assert olga.post(TRAINING, form).status_code == 302
    plan = open_project(served.folder).plan
    assert plan.examples[0].answers == {"mood": -1, "words": [[0, 4], [5, 9]]}
    assert plan.training.items[0].answers == {"mood": {"from": -2, "to": 0}}
    again = form_of(olga, TRAINING)
    for words in ("Snow", "[[1]]", "[[0, 99]]", "[[2, 2]]"):
        refused = olga.post(TRAINING, again | {"examples0.answer.words": [words]})
        assert "must be words of its text" in refused.content.decode(), words
    assert olga.post(TRAINING, again | {"training0.fields": ["{"]}).status_code == 302
    again = form_of(olga, TRAINING)
    assert again["examples0.answer.words"] == ["Rain | fell"]
    assert again["training0.answer.mood"] == ["-2..0"]


def test_questions_about_the_person_say_who_takes_part_and_who_weighs_more(
    served: Project,
) -> None:
    olga = owner()
    form = added(olga, "profile.add")
    form |= {"profile0.text": ["Is English your first language?"], "profile0.id": ["native"]}
    form |= {"profile0.eligible": ["yes, no"], "profile0.weight_values": ["yes"]}
    form |= {"profile0.weight": ["two"]}
    assert olga.post(TRAINING, form).status_code == 422, "a weight is a number"
    assert olga.post(TRAINING, form | {"profile0.weight": ["2"]}).status_code == 302
    profile = open_project(served.folder).plan.profile
    assert profile.weight({"native": "yes"}) == 2
    assert profile.admits({"native": "no"})
    assert not profile.admits({})
    ann = browser(invite("Ann", now=START))
    assert "first language" in ann.get("/", follow=True).content.decode()


def test_columns_are_shown_beside_the_text(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/questions") | {"shown": ["genre | Kind of text\r\nyear\r\n"]}
    page = olga.post("/project/questions", form | {"action": "preview"}).content.decode()
    assert "Kind of text" in page.split('id="preview"')[1]
    assert olga.post("/project/questions", form | {"action": "save"}).status_code == 302
    shown = (
        ShownField("genre", "Kind of text", required=False),
        ShownField("year", required=False),
    )
    assert open_project(served.folder).plan.shown == shown
    more = served.folder / "more.csv"
    more.write_text("id,text,genre\nx1,The sea sang.,poem\nx2,It rained.,\n", encoding="utf-8")
    assert import_items(open_project(served.folder), more, now=START) == 2, "one has no genre"
    assert "Kind of text" not in browser(invite("Ann", now=START)).get("/judge").content.decode()
    assert form_of(olga, "/project/questions")["shown"] == ["genre | Kind of text\nyear"]
    olga.post("/project/questions", form_of(olga, "/project/questions") | {"shown": [""]})
    assert open_project(served.folder).plan.shown == ()


def test_settings_that_are_seldom_needed_have_a_form_too(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/settings")
    form |= {"outside.completion_code": ["CODE-17"], "batches.open": ["automatic"]}
    form |= {"doubt.question": ["metaphor"], "doubt.values": ["no, yes"], "doubt.more": ["1"]}
    form |= {"selection.weights.time": ["0.3"], "withdrawal.answers": ["erase"]}
    assert olga.post("/project/settings", form).status_code == 302
    plan = open_project(served.folder).plan
    assert plan.outside.completion_code == "CODE-17"
    assert plan.batches.open == "automatic"
    assert (plan.doubt.question, plan.doubt.values, plan.doubt.more) == (
        "metaphor",
        ("no", "yes"),
        1,
    )
    assert (plan.selection.weights.gold, plan.selection.weights.time) == (0.8, 0.3)
    assert "are erased" in plan.withdrawal.sentence
    form = form_of(olga, "/project/settings") | {"outside.return_url": ["http://a.example"]}
    wrong = olga.post("/project/settings", form)
    assert wrong.status_code == 422
    assert "People from a panel, Address to return to" in wrong.content.decode()
    assert "<details open>" in wrong.content.decode(), "what is wrong is not hidden"


def test_only_sign_on_database_and_tables_are_left_to_the_file() -> None:
    """Every setting of a project has a form, but for those of whoever runs the service."""
    offered = {one.name.split(".")[0] for group in setting_groups() for one in group.settings}
    own_forms = {"title", "guidelines", "questions", "consent", "text_label", "shown", "examples"}
    left = {one.name for one in fields(Plan)} - offered - own_forms
    assert left == {"template", "database", "tables", "profile", "sign_on"}


def test_two_owners_who_change_different_settings_need_not_compare_texts(served: Project) -> None:
    olga, otto = owner(), owner("Otto")
    first, second = form_of(olga, "/project/settings"), form_of(otto, "/project/settings")
    third = form_of(otto, "/project/questions")
    first |= {"pay.amount": ["0.10"], "caps.day": ["50"]}
    second |= {"pay.currency": ["EUR"], "skip.allowed": ["1"]}
    third |= {"guidelines": ["Otto guides."]}
    assert olga.post("/project/settings", first).status_code == 302
    saved = otto.post("/project/settings", second, follow=True).content.decode()
    assert "both changes are kept" in saved
    assert otto.post("/project/questions", third).headers["Location"].endswith("saved=both")
    data = toml(served)
    assert data["pay"] == {"amount": "0.10", "currency": "EUR"}
    assert (data["caps"]["day"], data["skip"]["allowed"]) == (50, True)
    assert data["guidelines"] == "Otto guides."
    assert [one.who for one in setup.versions()] == ["Otto", "Otto", "Olga", ""]
    clash = second | {"caps.day": ["60"]}
    assert otto.post("/project/settings", clash).status_code == 409
    assert toml(served)["caps"]["day"] == 50
