"""The way in: stages, consent, profile, guidelines read and read again."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from projects import Clock, add_items, make_project
from visitors import (
    DEMO,
    PROFILE,
    TRAINING,
    annotator,
    browser,
    confirm,
    do_demo,
    field,
    judge,
    owner,
    staged_project,
    ticking_clock,
    where,
)

from trope.annotate.project import Project, new_project, open_project
from trope.annotate.store.database import connect
from trope.annotate.store.models import (
    ConsentText,
    Event,
    Lease,
    Person,
    Standing,
    StoredJudgment,
    Trial,
)
from trope.annotate.web.service import web_settings
from trope.cli.main import main

Serve = Callable[[str], Project]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return ticking_clock(monkeypatch)


@pytest.fixture
def serve(tmp_path: Path, clock: Clock) -> Serve:
    """Makes a project with these settings, six items and a demo task of four."""
    return lambda more: staged_project(tmp_path / "p", more)


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
    assert StoredJudgment.objects.count() == 1


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
    rows = dict(
        re.findall(r'<th scope="row"[^>]*><a [^>]+>(\w+)</a></th>.*?<summary>(\w+)<', page, re.S)
    )
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
    assert table.read_text(encoding="utf-8").count(",True,,,2.0,") == 3
    columns = ["--item", "item", "--annotator", "annotator", "--label", "score"]
    result = run(
        main, ["aggregate", str(table), "--method", "mean", *columns, "--weight", "weight"]
    )
    assert result.exit_code == 0, result.output
    assert "-3.0" in result.output, result.output  # (3·2·−5 + 4·1·0) / 10
    command = ["annotate", "export", str(folder), "--what", "labels", "--method", "mean"]
    (label,) = map(json.loads, run(main, command).stdout.splitlines())
    assert (label["label"], label["score"]) == ("-3", -3.0), "the project's own labels weigh, too"


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
    assert "reached the limit for today" in ann.get("/judge").content.decode()
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
    assert StoredJudgment.objects.count() == 1
    confirm(ann)
    page = ann.get("/judge").content.decode()
    assert re.search(r'value="no"[^>]* checked', page), "what was filled in is there"
    judge(ann, "no")
    assert StoredJudgment.objects.count() == 2


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
