"""The way in: consent, profile, reading, training, demo task, selection, reading again."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from projects import START, Clock, add_items, make_project

from trope.annotate.project import Project, open_project, read_plan
from trope.annotate.starting import new_project
from trope.annotate.store.connect import connect
from trope.annotate.store.demo_items import import_demo
from trope.annotate.store.models import ConsentText, Event, Judgment, Lease, Person, Standing, Trial
from trope.annotate.store.people import invite
from trope.annotate.web import views
from trope.annotate.web.settings import web_settings
from trope.cli.main import main
from trope.core.errors import BadConfig, BadInput, BadRecord

PROFILE = """
[[profile.questions]]
id = "native"
kind = "choice"
text = "First language?"
options = [{ value = "yes" }, { value = "no" }]
[[profile.eligible]]
question = "native"
values = ["yes"]
"""
TRAINING = """
[[training.items]]
text = "Prices climb."
highlight = "climb"
answers = { metaphor = "yes" }
message = "Prices have no feet."
[[training.items]]
text = "Goats climb."
answers = { metaphor = "no" }
message = "Goats have feet."
"""
DEMO = """
[demo]
items = 4
gold = 2
paid = true
[skip]
allowed = true
limit = 0.5
[pay]
amount = "0.60"
[selection]
"""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The time that every page goes by; each look at it takes a second."""
    time = Clock()

    class Ticking:
        fromisoformat = None

        @staticmethod
        def now(_: Any) -> Any:
            return time.forward(seconds=1)

    monkeypatch.setattr(views, "datetime", Ticking)
    return time


Serve = Callable[..., Project]


@pytest.fixture
def serve(tmp_path: Path, clock: Clock) -> Serve:
    """Makes a project with these settings, six items and a demo task of four."""

    def start(more: str, **options: Any) -> Project:
        project = make_project(tmp_path / "p", more=more, **options)
        connect(project, **web_settings())
        add_items(project, 6)
        rows: list[dict[str, Any]] = [{"id": f"d{n}", "text": f"Demo {n}."} for n in range(1, 6)]
        for n, answer in enumerate(["yes", "yes", "yes", "no"], start=1):
            rows.append({"id": f"k{n}", "text": f"Known {n}.", "gold": {"metaphor": answer}})
        path = tmp_path / "demo.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        import_demo(project, path, now=START)
        return project

    return start


def browser(token: str = "") -> Any:
    """A browser, signed in with that link if there is one."""
    from django.test import Client

    client = Client(HTTP_HOST="localhost")
    if token:
        assert client.post(f"/join/{token}").status_code == 302
    return client


def annotator(name: str, **options: Any) -> Any:
    return browser(invite(name, now=START, **options))


def owner() -> Any:
    return browser(invite("Olga", role="owner", now=START))


def where(client: Any) -> str:
    """The page to which someone is led who wants to judge."""
    answer = client.get("/judge", follow=True)
    return str(answer.request["PATH_INFO"])


def field(client: Any, address: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]+)"', client.get(address).content.decode())
    assert found, address
    return found[1]


def judge(client: Any, answer: str = "yes") -> Any:
    return client.post("/judge", {"token": field(client, "/judge", "token"), "metaphor": answer})


def confirm(client: Any) -> Any:
    opened = field(client, "/guidelines", "opened")
    return client.post("/guidelines/read", {"opened": opened})


def do_demo(client: Any, *, known: str = "right") -> None:
    """The whole demo task; control items are answered right, wrong or skipped."""
    while where(client) == "/demo":
        page = client.get("/demo").content.decode()
        key = field(client, "/demo", "token")
        right = "no" if "Known 4" in page else "yes"
        sent = {"token": key, "metaphor": right}
        if "Known" in page and known == "wrong":
            sent["metaphor"] = "yes" if right == "no" else "no"
        if "Known" in page and known == "skipped":
            sent = {"token": key, "action": "skip"}
        assert client.post("/demo", sent).status_code == 302


# the stages


def test_all_stages_in_their_order(serve: Serve) -> None:
    serve(PROFILE + "[reading]\nfirst = true\n" + TRAINING + DEMO + 'by = "owner"')
    ann = annotator("Ann")
    assert where(ann) == "/profile"
    ann.post("/profile", {"native": "yes"})
    assert where(ann) == "/guidelines"
    confirm(ann)
    assert where(ann) == "/training"
    ann.post("/training", {"token": "training-1", "metaphor": "yes"})
    ann.post("/training", {"token": "training-2", "metaphor": "no"})
    assert where(ann) == "/demo"
    do_demo(ann)
    assert where(ann) == "/waiting"
    assert not Lease.objects.exists()
    owner().post(f"/project/applicants/{Person.objects.get(name='Ann').pk}", {"verdict": "accept"})
    assert where(ann) == "/judge"
    assert judge(ann).status_code == 302
    assert Judgment.objects.count() == 1


def test_no_stage_can_be_passed_by(serve: Serve) -> None:
    serve(PROFILE + "[reading]\nfirst = true\n" + TRAINING + DEMO + 'by = "owner"')
    ann = annotator("Ann")
    for address, sent in (
        ("/training", {"token": "training-2", "metaphor": "yes"}),
        ("/demo", {"token": "demo-d1", "metaphor": "yes"}),
        ("/judge", {"token": "x", "metaphor": "yes"}),
        ("/judge", {"token": "x", "action": "skip"}),
    ):
        assert ann.post(address, sent).status_code in (302, 409)
        assert where(ann) == "/profile"
    assert not Trial.objects.exists()
    assert ann.get("/training/1").status_code == 404


def test_training_does_not_begin_before_its_stage(serve: Serve) -> None:
    serve(PROFILE + TRAINING)
    ann = annotator("Ann")
    ann.post("/training", {"token": "training-1", "metaphor": "yes"})
    assert not Trial.objects.exists(), "the profile comes first"


def test_whom_the_owner_trusts_goes_straight_to_work(serve: Serve) -> None:
    serve(PROFILE + "[reading]\nfirst = true\n" + TRAINING + DEMO + 'by = "owner"')
    owner_page = owner()
    page = owner_page.post("/project/invite", {"name": "Ann", "trusted": "1"}).content.decode()
    link = re.search(r"http://localhost(/join/[\w-]+)<", page)
    assert link
    ann = browser()
    assert ann.post(link[1]).headers["Location"] == "/guidelines"
    assert where(ann) == "/judge"


def test_project_without_stages_has_none(serve: Serve) -> None:
    serve("")
    ann = annotator("Ann")
    assert where(ann) == "/judge"
    for address in ("/profile", "/training", "/demo", "/waiting"):
        assert ann.get(address, follow=True).request["PATH_INFO"] == "/judge"


@pytest.mark.parametrize("role", ["annotator", "adjudicator", "owner"])
def test_every_role_can_be_invited(role: str, serve: Serve) -> None:
    serve("")
    page = owner().post("/project/invite", {"name": "New", "role": role}).content.decode()
    assert Person.objects.get(name="New").role == role
    link = re.search(r"http://localhost(/join/[\w-]+)<", page)
    assert link
    assert browser().post(link[1]).status_code == 302


def test_unknown_role_is_refused(serve: Serve) -> None:
    serve("")
    answer = owner().post("/project/invite", {"name": "New", "role": "king"})
    assert answer.status_code == 422
    assert not Person.objects.filter(name="New").exists()


def test_owner_sees_everyones_stage(serve: Serve) -> None:
    serve(PROFILE + DEMO + 'by = "owner"')
    annotator("Ann")
    annotator("Bob").post("/profile", {"native": "yes"})
    annotator("Cy").post("/profile", {"native": "no"})
    page = owner().get("/project").content.decode()
    rows = dict(re.findall(r'<th scope="row">(\w+)</th>.*?<summary>(\w+)<', page, re.S))
    assert rows == {"Ann": "profile", "Bob": "demo", "Cy": "declined"}


def queries(client: Any, address: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as found:
        assert client.get(address).status_code == 200
    return len(found)


def test_stages_cost_the_page_of_an_item_no_query(serve: Serve, tmp_path: Path) -> None:
    serve("")
    ann = annotator("Ann")
    ann.get("/judge")
    plain = queries(ann, "/judge")
    staged = make_project(
        tmp_path / "staged",
        more="[reading]\nfirst = true\npause_hours = 1\nafter_cap = true\n" + PROFILE + TRAINING,
    )
    connect(staged, **web_settings())
    add_items(staged, 6)
    bob = annotator("Bob")
    bob.post("/profile", {"native": "yes"})
    confirm(bob)
    for number, answer in ((1, "yes"), (2, "no")):
        bob.post("/training", {"token": f"training-{number}", "metaphor": answer})
    bob.get("/judge")
    assert queries(bob, "/judge") == plain


# consent


def test_consent_is_kept_with_its_words_and_asked_again_when_they_change(
    serve: Serve, clock: Clock
) -> None:
    project = serve('consent = "We keep your answers."')
    ann = annotator("Ann")
    assert where(ann) == "/judge"
    (text,) = ConsentText.objects.all()
    person = Person.objects.get(name="Ann")
    assert "We keep your answers." in text.text
    assert "are kept without your name" in text.text, "what withdrawal does is part of it"
    assert person.standing.consent_version == text.version
    assert person.consented is not None

    path = project.folder / "project.toml"
    changed = path.read_text(encoding="utf-8").replace("We keep", "We publish")
    path.write_text(changed, encoding="utf-8")
    connect(open_project(project.folder), **web_settings())
    assert where(ann) == "/agree"
    assert "We publish your answers." in ann.get("/agree").content.decode()
    ann.post("/agree")
    assert where(ann) == "/judge"
    assert ConsentText.objects.count() == 2
    versions = [e.detail["version"] for e in Event.objects.filter(what="consent")]
    assert versions == [text.version, Standing.objects.get(person=person).consent_version]


# profile, eligibility, weights


def test_profile_is_answered_once(serve: Serve) -> None:
    serve(PROFILE)
    ann = annotator("Ann")
    assert ann.post("/profile", {}).status_code == 422
    ann.post("/profile", {"native": "no"})
    assert where(ann) == "/waiting"
    ann.post("/profile", {"native": "yes"})
    assert Standing.objects.get(person__name="Ann").profile == {"native": "no"}
    assert where(ann) == "/waiting", "nobody tries out what lets them in"
    number = Person.objects.get(name="Ann").pk
    owner().post(f"/project/applicants/{number}", {"verdict": "accept", "to": "project"})
    assert where(ann) == "/judge"


def test_weights_of_the_profile_reach_the_weighted_mean(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "p"
    new_project(folder, "semeval2015")
    text = (folder / "project.toml").read_text(encoding="utf-8")
    text = text.replace("[demo]\nitems = 10", "[demo]\nitems = 0").replace("gold = 10", "gold = 0")
    text = text.replace('by = "pass"', 'by = ""').replace("first = true", "first = false")
    (folder / "project.toml").write_text(text.replace("share = 0.1", "share = 0"), encoding="utf-8")
    project = open_project(folder)
    connect(project, **web_settings())
    items = folder / "one.jsonl"
    items.write_text('{"id": "t", "text": "Sure, great day."}\n', encoding="utf-8")
    run = CliRunner().invoke
    assert run(main, ["annotate", "import", str(folder), str(items)]).exit_code == 0
    connect(project, **web_settings())
    for number in range(7):  # three native speakers, four others
        client = annotator(f"P{number}")
        client.post("/profile", {"native": "yes" if number < 3 else "no"})
        score = "-5" if number < 3 else "0"
        client.post("/judge", {"token": field(client, "/judge", "token"), "score": score})
    table = folder / "judgments.csv"
    assert (
        run(
            main, ["annotate", "export", str(folder), "--format", "csv", "--out", str(table)]
        ).exit_code
        == 0
    )
    assert table.read_text(encoding="utf-8").count(",True,2.0,") == 3
    columns = ["--item", "item", "--annotator", "annotator", "--label", "score"]
    result = run(
        main, ["aggregate", str(table), "--method", "mean", *columns, "--weight", "weight"]
    )
    assert result.exit_code == 0, result.output
    assert "-3.0" in result.output, result.output  # (3·2·−5 + 4·1·0) / 10


# reading


def test_guidelines_are_confirmed_by_who_has_opened_them(serve: Serve, clock: Clock) -> None:
    serve("[reading]\nfirst = true\nleast_seconds = 10")
    ann, bob = annotator("Ann"), annotator("Bob")
    assert ann.post("/guidelines/read").status_code == 409
    assert ann.post("/guidelines/read", {"opened": "made-up"}).status_code == 409
    assert (
        ann.post("/guidelines/read", {"opened": field(bob, "/guidelines", "opened")}).status_code
        == 409
    )
    opened = field(ann, "/guidelines", "opened")
    assert ann.post("/guidelines/read", {"opened": opened}).status_code == 409, "too soon"
    assert where(ann) == "/guidelines"
    clock.forward(seconds=10)
    assert ann.post("/guidelines/read", {"opened": opened}).status_code == 302
    assert where(ann) == "/judge"


def test_guidelines_come_again_after_the_limit_of_a_day(serve: Serve, clock: Clock) -> None:
    serve("[reading]\nafter_cap = true\n[caps]\nday = 2")
    ann = annotator("Ann")
    judge(ann)
    judge(ann)
    assert "all that may be done in a day" in ann.get("/judge").content.decode()
    clock.forward(days=1)
    assert where(ann) == "/guidelines"
    assert "read the guidelines again" in ann.get("/guidelines").content.decode()
    assert Lease.objects.count() == 0, "no item before they were read"
    confirm(ann)
    assert where(ann) == "/judge"
    judge(ann)
    assert where(ann) == "/judge", "once a day is enough"


def test_form_sent_after_a_pause_is_kept_until_guidelines_were_read(
    serve: Serve, clock: Clock
) -> None:
    serve("[reading]\npause_hours = 12")
    ann = annotator("Ann")
    judge(ann)
    token = field(ann, "/judge", "token")
    clock.forward(hours=12)
    answer = ann.post("/judge", {"token": token, "metaphor": "no"}, HTTP_X_TROPE="next")
    assert answer.headers["Location"] == "/way"
    assert Judgment.objects.count() == 1
    confirm(ann)
    page = ann.get("/judge").content.decode()
    assert re.search(r'value="no"[^>]* checked', page), "what was filled in is there"
    judge(ann, "no")
    assert Judgment.objects.count() == 2


def test_page_of_guidelines_opened_before_the_pause_does_not_count(
    serve: Serve, clock: Clock
) -> None:
    serve("[reading]\nfirst = true\npause_hours = 12")
    ann = annotator("Ann")
    old = field(ann, "/guidelines", "opened")
    confirm(ann)
    judge(ann)
    clock.forward(hours=13)
    assert ann.post("/guidelines/read", {"opened": old}).status_code == 409
    assert where(ann) == "/guidelines"


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
    assert not Judgment.objects.exists()


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
    assert not Judgment.objects.exists()
    check_books(project)
    person = Person.objects.get(name="Ann")
    assert (person.judged, person.gold_seen) == (0, 0)
    assert "0.80 USD" in ann.get("/waiting").content.decode()  # 4 items of pages of 3
    page = owner().get("/project").content.decode()
    assert "<td>0.80</td>" in page
    assert "0</strong> of 12 judgments" in page


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
        page = ann.get("/demo").content.decode()
        assert "gold" not in page.lower()
        ann.post("/demo", {"token": field(ann, "/demo", "token"), "metaphor": "no"})
        assert "right" not in ann.get("/way", follow=True).content.decode()


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
    assert re.findall(r'<th scope="row">(\w+)</th>', page) == ["Bob", "Di", "Ann", "Cy"]
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
    assert "cannot go on" in clients["Cy"].get("/waiting").content.decode()
    assert boss.post(f"/project/applicants/{number}", {"verdict": "decline"}).status_code == 404
    assert boss.post("/project/applicants/999", {"verdict": "accept"}).status_code == 404


def test_test_questions_let_in_at_once_who_passes(serve: Serve) -> None:
    serve(DEMO + 'by = "pass"\npass_mark = 0.7')
    assert where(apply("Ann", "right")) == "/judge"
    bob = apply("Bob", "wrong")
    assert where(bob) == "/waiting"
    assert "cannot go on" in bob.get("/waiting").content.decode()


def test_best_are_taken_as_soon_as_enough_have_finished(serve: Serve) -> None:
    serve(DEMO + 'by = "best"\nbest = 1\nafter = 3')
    ann, bob = apply("Ann", "wrong"), apply("Bob", "right")
    assert (where(ann), where(bob)) == ("/waiting", "/waiting")
    assert "choose" in bob.get("/waiting").content.decode()
    cy = apply("Cy", "skipped")
    assert [where(c) for c in (ann, bob, cy)] == ["/waiting", "/judge", "/waiting"]
    assert "cannot go on" in ann.get("/waiting").content.decode()
    late = apply("Di", "right")
    assert "cannot go on" in late.get("/waiting").content.decode(), "the place is taken"


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
    result = CliRunner().invoke(main, ["annotate", "export", folder, "--trials"])
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
    with pytest.raises(BadInput, match="'d1' already"):
        import_demo(project, path, now=START)
    assert not DemoItem.objects.filter(external_id="n1").exists()


# the plan


FAULTY = """
title = "x"
guidelines = "y"
[[questions]]
id = "a"
kind = "choice"
text = "?"
options = [{ value = "yes" }, { value = "no" }]
[profile]
eligible = [{ question = "native", values = ["yes"] }]
[[profile.questions]]
id = "country"
kind = "choice"
text = "?"
options = [{ value = "ie" }]
[[profile.weights]]
question = "country"
values = ["uk"]
weight = 0
[training]
pass_mark = 2.0
[[training.items]]
text = "A"
highlight = "B"
answers = { a = "perhaps" }
message = " "
[demo]
items = 5
gold = 6
[selection]
by = "best"
best = 3
after = 1
pass_mark = -1.0
weights = { gold = 0, skips = 0, time = 0 }
pace = { expected = 1, too_fast = 2 }
[outside]
completion_code = "<b>"
return_url = "javascript:alert(1)"
places = -1
[reading]
pause_hours = -1
"""


def test_all_faults_of_the_way_in_come_at_once(tmp_path: Path) -> None:
    path = tmp_path / "project.toml"
    path.write_text(FAULTY, encoding="utf-8")
    with pytest.raises(BadConfig) as caught:
        read_plan(path)
    text = str(caught.value)
    for words in (
        "'native' is no question of the profile",
        "'country' can never be 'uk'",
        "a weight must be above 0",
        "training.pass_mark",
        "highlights 'B'",
        "needs text, answers and a message",
        "'perhaps', which is not offered",
        "demo.gold",
        "selection.after",
        "selection.pass_mark",
        "selection.weights",
        "selection.pace",
        "outside.completion_code",
        "outside.return_url",
        "outside.places",
        "reading:",
    ):
        assert words in text, words
    assert len(caught.value.faults) == 16


def test_highlight_scheme_marks_what_it_calls_a_metaphor(tmp_path: Path, clock: Clock) -> None:
    folder = tmp_path / "p"
    new_project(folder, "tweets2019-highlight")
    project = open_project(folder)
    connect(project, **web_settings())
    items = folder / "one.jsonl"
    items.write_text('{"id": "x", "text": "Hope drained away 😀"}\n', encoding="utf-8")
    assert CliRunner().invoke(main, ["annotate", "import", str(folder), str(items)]).exit_code == 0
    connect(project, **web_settings())
    ann = annotator("Ann")
    assert where(ann) == "/profile"
    ann.post("/profile", {"native": "yes", "country": "Ireland"})
    confirm(ann)
    sent = {"token": field(ann, "/judge", "token"), "label": "metaphor"}
    refused = ann.post("/judge", sent)
    assert refused.status_code == 422
    assert "needs 1 or more" in refused.content.decode()
    ann.post("/judge", sent | {"words": ["5-12", "13-17"]})
    assert Judgment.objects.get().answers == {"label": "metaphor", "words": [[5, 17]]}
