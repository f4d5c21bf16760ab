"""The way in: training, the demo task, and the selection of applicants."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from page_text import text_of
from projects import START, Clock
from visitors import (
    DEMO,
    PROFILE,
    TRAINING,
    annotator,
    do_demo,
    field,
    owner,
    staged_project,
    ticking_clock,
    where,
)

from trope.annotate.project import Project, open_project
from trope.annotate.store.database import connect
from trope.annotate.store.models import Person, Standing, StoredJudgment, Trial
from trope.annotate.store.practice import import_demo
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadInput, BadRecord

Serve = Callable[[str], Project]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


@pytest.fixture
def serve(tmp_path: Path, clock: Clock) -> Serve:
    """Makes a project with these settings, six items and a demo task of four."""
    return lambda more: staged_project(tmp_path / "p", more)


# training


def test_message_comes_only_after_the_answer_and_the_answer_is_locked(serve: Serve) -> None:
    serve(TRAINING)
    ann = annotator("Ann")
    before = ann.get("/training").content.decode()
    assert "no feet" not in before
    assert "<mark>climb</mark>" in before
    assert ann.get("/training/1").status_code == 404
    assert ann.post("/training", {"token": "training-1"}).status_code == 422
    answer = ann.post("/training", {"token": "training-1", "metaphor": "no"})
    assert answer.headers["Location"] == "/training/1"
    page = ann.get("/training/1").content.decode()
    assert "Prices have no feet." in page
    assert "Not quite" in page
    ann.post("/training", {"token": "training-1", "metaphor": "yes"})
    assert Trial.objects.get().answers == {"metaphor": "no"}
    assert "Goats have feet" not in ann.get("/training").content.decode()
    ann.post("/training", {"token": "training-2", "metaphor": "no"})
    assert "That is right" in ann.get("/training/2").content.decode()
    assert where(ann) == "/judge"
    assert not StoredJudgment.objects.exists()


def test_too_few_right_in_training_ends_the_way(serve: Serve) -> None:
    serve("[training]\npass_mark = 1.0\n" + TRAINING)
    ann = annotator("Ann")
    ann.post("/training", {"token": "training-1", "metaphor": "yes"})
    ann.post("/training", {"token": "training-2", "metaphor": "yes"})
    assert where(ann) == "/waiting"
    assert "training answers" in ann.get("/waiting").content.decode()


# demo task and selection


def test_demo_is_as_long_as_it_should_be_with_as_many_known_answers(serve: Serve) -> None:
    serve(DEMO + 'by = "owner"')
    ann, bob = annotator("Ann"), annotator("Bob")
    for client in (ann, bob):
        do_demo(client)
    mine, theirs = (
        set(Trial.objects.filter(person__name=name).values_list("item", flat=True))
        for name in ("Ann", "Bob")
    )
    assert mine == theirs, "everyone gets the same items"
    assert len(mine) == 4
    assert mine == {"d1", "d2", "k1", "k4"}, "known answers of each kind in turn"
    result = Standing.objects.get(person__name="Ann").demo_result
    assert (result["shown"], result["gold"], result["right"]) == (4, 2, 2)


def test_demo_counts_nowhere_but_in_pay(serve: Serve) -> None:
    project = serve(DEMO + 'by = "owner"')
    ann = annotator("Ann")
    do_demo(ann)
    assert not StoredJudgment.objects.exists()
    check_books(project)
    person = Person.objects.get(name="Ann")
    assert (person.judged, person.gold_seen) == (0, 0)
    assert "0.80 USD" in ann.get("/waiting").content.decode()  # 4 items of pages of 3
    page = owner().get("/project").content.decode()
    assert 'data-head="Earned">0.80</td>' in page
    assert "<dt>Judgments</dt><dd>0 <small>of 12</small>" in page


def test_demo_form_sent_twice_is_one_answer(serve: Serve) -> None:
    serve(DEMO + 'by = "owner"')
    ann = annotator("Ann")
    sent = {"token": field(ann, "/demo", "token"), "metaphor": "no"}
    for _ in range(3):
        assert ann.post("/demo", sent).status_code == 302
    assert Trial.objects.count() == 1
    assert Standing.objects.get(person__name="Ann").demo_done == 1


def test_demo_draft_is_there_after_a_reload(serve: Serve) -> None:
    serve(DEMO + 'by = "owner"')
    ann = annotator("Ann")
    sent = {"token": field(ann, "/demo", "token"), "metaphor": "no"}
    assert ann.post("/practice/draft", sent).status_code == 204
    assert re.search(r'value="no"[^>]* checked', ann.get("/demo").content.decode())


def test_known_answers_of_the_demo_reach_nobody(serve: Serve) -> None:
    serve(DEMO + 'by = "owner"')
    ann = annotator("Ann")
    while where(ann) == "/demo":
        assert "gold" not in text_of(ann.get("/demo")).lower()
        ann.post("/demo", {"token": field(ann, "/demo", "token"), "metaphor": "no"})
        assert "right" not in text_of(ann.get("/way", follow=True))


def test_too_many_skips_in_the_demo_are_refused(serve: Serve) -> None:
    serve(DEMO.replace("items = 4", "items = 7").replace("limit = 0.5", "limit = 0.1"))
    ann = annotator("Ann")
    statuses = []
    for _ in range(4):
        sent = {"token": field(ann, "/demo", "token"), "action": "skip"}
        statuses.append(ann.post("/demo", sent).status_code)
    assert statuses == [302, 302, 302, 409]


def test_demo_without_items_says_so_to_both_sides(serve: Serve, tmp_path: Path) -> None:
    from trope.annotate.store.models import DemoItem

    serve(DEMO + 'by = "owner"')
    DemoItem.objects.all().delete()
    ann = annotator("Ann")
    assert "not ready yet" in ann.get("/demo").content.decode()
    assert "there are 0 and 0" in " ".join(
        owner().get("/project/applicants").content.decode().split()
    )


def test_demo_that_was_shortened_meanwhile_ends(serve: Serve) -> None:
    project = serve(DEMO + 'by = "owner"')
    ann = annotator("Ann")
    while not Trial.objects.filter(item="d1").exists():
        ann.post("/demo", {"token": field(ann, "/demo", "token"), "metaphor": "no"})
    path = project.folder / "project.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("items = 4\ngold = 2", "items = 1\ngold = 0"), encoding="utf-8")
    connect(open_project(project.folder), **web_settings())
    assert ann.get("/demo").status_code == 302
    assert where(ann) == "/waiting"
    done = Trial.objects.count()
    assert Standing.objects.get(person__name="Ann").demo_result["shown"] == done


def apply(name: str, known: str) -> Any:
    client = annotator(name)
    do_demo(client, known=known)
    return client


def test_owner_sees_the_ranking_with_its_parts_and_takes_the_best(serve: Serve) -> None:
    serve(DEMO + 'by = "owner"\nbest = 2')
    clients = {
        name: apply(name, how)
        for name, how in (("Ann", "wrong"), ("Bob", "right"), ("Cy", "skipped"), ("Di", "right"))
    }
    boss = owner()
    page = boss.get("/project/applicants").content.decode()
    assert re.findall(r'<th scope="row"[^>]*>(\w+)</th>', page) == ["Bob", "Di", "Ann", "Cy"]
    assert "2 of 2" in page
    assert "2 of 4 skipped" in page
    assert "0.8 · known" in page, "the formula is on the page"
    boss.post("/project/applicants/best")
    assert {name: where(c) for name, c in clients.items()} == {
        "Ann": "/waiting",
        "Bob": "/judge",
        "Cy": "/waiting",
        "Di": "/judge",
    }
    boss.post("/project/applicants/best")
    assert Standing.objects.filter(verdict="accepted").count() == 2, "no more than the places"
    number = Person.objects.get(name="Cy").pk
    boss.post(f"/project/applicants/{number}", {"verdict": "decline"})
    assert "cannot take part" in clients["Cy"].get("/waiting").content.decode()
    assert boss.post(f"/project/applicants/{number}", {"verdict": "decline"}).status_code == 404
    assert boss.post("/project/applicants/999", {"verdict": "accept"}).status_code == 404


def test_test_questions_let_in_at_once_who_passes(serve: Serve) -> None:
    serve(DEMO + 'by = "pass"\npass_mark = 0.7')
    assert where(apply("Ann", "right")) == "/judge"
    bob = apply("Bob", "wrong")
    assert where(bob) == "/waiting"
    assert "cannot take part" in bob.get("/waiting").content.decode()


def test_best_are_taken_as_soon_as_enough_have_finished(serve: Serve) -> None:
    serve(DEMO + 'by = "best"\nbest = 1\nafter = 3')
    ann, bob = apply("Ann", "wrong"), apply("Bob", "right")
    assert (where(ann), where(bob)) == ("/waiting", "/waiting")
    assert "selects some" in bob.get("/waiting").content.decode()
    cy = apply("Cy", "skipped")
    assert [where(c) for c in (ann, bob, cy)] == ["/waiting", "/judge", "/waiting"]
    assert "cannot take part" in ann.get("/waiting").content.decode()
    late = apply("Di", "right")
    assert "cannot take part" in late.get("/waiting").content.decode(), "the place is taken"


def test_demo_without_selection_leads_to_work(serve: Serve) -> None:
    serve(DEMO + 'by = ""')
    assert where(apply("Ann", "wrong")) == "/judge"


def test_answers_of_training_and_demo_are_exported_apart(serve: Serve) -> None:
    project = serve(TRAINING + DEMO + 'by = ""')
    ann = annotator("Ann")
    for number, answer in ((1, "yes"), (2, "no")):
        ann.post("/training", {"token": f"training-{number}", "metaphor": answer})
    do_demo(ann)
    lines = b"".join(owner().get("/project/trials.jsonl").streaming_content).decode().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["part"] for row in rows] == ["training"] * 2 + ["demo"] * 4
    assert rows[0]["annotator"] == "Ann"
    folder = str(project.folder)
    result = CliRunner().invoke(main, ["annotate", "export", folder, "--what", "trials"])
    assert len(result.output.splitlines()) == 6
    assert CliRunner().invoke(main, ["annotate", "export", folder]).output == ""


def test_demo_items_come_all_or_none(serve: Serve, tmp_path: Path) -> None:
    from trope.annotate.store.models import DemoItem

    project = serve("")
    path = tmp_path / "more.jsonl"
    path.write_text('{"id": "n1", "text": "Fine."}\n{"id": "n2", "text": " "}\n', encoding="utf-8")
    with pytest.raises(BadRecord, match="no text"):
        import_demo(project, path, now=START)
    path.write_text('{"id": "n1", "text": "Fine."}\n{"id": "d1", "text": "Twice."}\n')
    with pytest.raises(BadInput, match="already has an item 'd1'"):
        import_demo(project, path, now=START)
    assert not DemoItem.objects.filter(external_id="n1").exists()


def test_markup_in_names_stays_text_in_the_ranking(serve: Serve) -> None:
    serve(DEMO + 'by = "owner"')
    apply("<img src=x onerror=alert(1)>", "right")
    page = owner().get("/project/applicants").content.decode()
    assert "<img" not in page
    assert "&lt;img src=x" in page


def test_owner_sees_what_applicants_say_about_themselves(serve: Serve) -> None:
    serve(PROFILE + DEMO + 'by = "owner"')
    ann = annotator("Ann")
    ann.post("/profile", {"native": "yes"})
    do_demo(ann)
    assert "native: yes" in owner().get("/project/applicants").content.decode()
