"""The service as browsers without scripts see it: who may do what, and what leaves the server."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from logs import no_link_in_logs  # noqa: F401
from projects import START, add_items, make_project

from trope.annotate.project import Project, new_project, open_project
from trope.annotate.store.database import connect
from trope.annotate.store.discipline import dismiss
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Item, Lease, Person, StoredJudgment
from trope.annotate.store.people import invite
from trope.annotate.web.service import check_place, web_settings
from trope.cli.main import main
from trope.core.errors import BadInput


def browser(token: str = "", **options: Any) -> Any:
    """A browser, signed in with that link if there is one."""
    from django.test import Client

    client = Client(HTTP_HOST="localhost", **options)
    if token:
        assert client.post(f"/join/{token}").status_code == 302
    return client


@pytest.fixture
def served(tmp_path: Path) -> Project:
    project = make_project(tmp_path / "p", more="[skip]\nallowed = true\n[gold]\nshare = 0.4")
    connect(project, **web_settings())
    add_items(project, 6, gold=2)
    return project


def form_token(client: Any) -> str:
    found = re.search(r'name="token" value="(\w+)"', client.get("/judge").content.decode())
    assert found
    return found[1]


def test_way_from_invitation_to_export(served: Project) -> None:
    owner = browser(invite("Olga", role="owner", now=START))
    page = owner.post("/project/invite", {"name": "Ann"}).content.decode()
    link = re.search(r"http://localhost(/join/[\w-]+)<", page)
    assert link
    ann = browser()
    assert "invited as <strong>Ann</strong>" in ann.get(link[1]).content.decode()
    assert ann.post(link[1]).headers["Location"] == "/guidelines"
    assert "Read, then choose." in ann.get("/guidelines").content.decode()
    for _ in range(8):
        answer = ann.post("/judge", {"token": form_token(ann), "metaphor": "no"})
        assert answer.headers["Location"] == "/judge"
    assert "no items left for you" in ann.get("/judge").content.decode()

    lines = b"".join(owner.get("/project/judgments.jsonl").streaming_content).decode().splitlines()
    assert len(lines) == 8
    assert {json.loads(line)["annotator"] for line in lines} == {"Ann"}
    table = b"".join(owner.get("/project/judgments.csv").streaming_content).decode().splitlines()
    assert len(table) == 9
    assert table[0].endswith(",metaphor")
    assert "6 <small>of 12</small>" in owner.get("/project").content.decode()


def test_missing_answer_is_asked_for_and_nothing_is_stored(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    answer = ann.post("/judge", {"token": form_token(ann)})
    assert answer.status_code == 422
    assert "needs an answer" in answer.content.decode()
    assert not StoredJudgment.objects.exists()


def test_answer_may_bring_the_next_item_at_once(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    token = form_token(ann)
    answer = ann.post("/judge", {"token": token, "metaphor": "yes"}, HTTP_X_TROPE="next")
    assert answer.status_code == 200
    assert "1 judged" in answer.content.decode()
    assert token not in answer.content.decode()


def test_every_submit_is_one_transaction_also_where_the_page_turns(served: Project) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    ann = browser(invite("Ann", now=START))
    left = []
    for _ in range(4):
        filled = {"token": form_token(ann), "metaphor": "yes"}
        with CaptureQueriesContext(connection) as asked:
            answer = ann.post("/judge", filled, HTTP_X_TROPE="next").content.decode()
        begun = [query for query in asked.captured_queries if query["sql"].startswith("BEGIN")]
        assert len(begun) == 1
        left += re.findall(r"(\d) left on this page", answer)
    assert left == ["2", "1", "3", "2"]


def test_same_form_twice_is_one_judgment(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    filled = {"token": form_token(ann), "metaphor": "yes"}
    assert [ann.post("/judge", filled).status_code for _ in range(2)] == [302, 302]
    assert StoredJudgment.objects.count() == 1


def test_form_of_someone_else_is_refused(served: Project) -> None:
    ann, bob = (browser(invite(name, now=START)) for name in ("Ann", "Bob"))
    filled = {"token": form_token(ann), "metaphor": "yes"}
    assert bob.post("/judge", filled).status_code == 409
    assert bob.post("/judge/draft", filled).status_code == 409
    assert not StoredJudgment.objects.exists()


def test_draft_is_there_after_a_reload(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    filled = {"token": form_token(ann), "metaphor": "no"}
    assert ann.post("/judge/draft", filled).status_code == 204
    assert re.search(r'value="no"[^>]* checked', ann.get("/judge").content.decode())


def test_earlier_judgment_can_be_changed_by_its_giver_only(served: Project) -> None:
    ann, bob = (browser(invite(name, now=START)) for name in ("Ann", "Bob"))
    ann.post("/judge", {"token": form_token(ann), "metaphor": "yes"})
    (given,) = StoredJudgment.objects.all()
    address = f"/judge/change/{given.pk}"
    assert address in ann.get("/judge/earlier").content.decode()
    assert re.search(r'value="yes"[^>]* checked', ann.get(address).content.decode())
    assert bob.get(address).status_code == 404
    assert bob.post(address, {"token": "x" * 32, "metaphor": "no"}).status_code == 404
    assert ann.post(address, {"token": "x" * 32, "metaphor": "no"}).status_code == 302
    assert StoredJudgment.objects.get(current=True).answers == {"metaphor": "no"}
    assert StoredJudgment.objects.count() == 2


def test_dismissed_person_is_told_why_and_gets_nothing(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    token = form_token(ann)
    owner = browser(invite("Olga", role="owner", now=START))
    number = Person.objects.get(name="Ann").pk
    assert owner.post(f"/project/dismiss/{number}", {"reason": " "}).status_code == 422
    assert owner.post(f"/project/dismiss/{number}", {"reason": "Too fast"}).status_code == 302
    assert ann.post("/judge", {"token": token, "metaphor": "yes"}).status_code == 409
    assert "Too fast" in ann.get("/judge").content.decode()


def test_invitation_itself_needs_a_press_of_its_button(served: Project) -> None:
    token = invite("Ann", now=START)
    client = browser()
    client.get(f"/join/{token}")
    assert client.get("/judge").status_code == 401
    assert Person.objects.get(name="Ann").consented is None


def test_new_link_ends_old_link_and_session(served: Project) -> None:
    token = invite("Ann", now=START)
    ann = browser(token)
    owner = browser(invite("Olga", role="owner", now=START))
    owner.post("/project/invite", {"name": "Ann", "again": "1"})
    assert ann.get("/judge").status_code == 401
    assert browser().get(f"/join/{token}").status_code == 404


EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'"


def test_markup_in_texts_names_and_plan_stays_text(tmp_path: Path) -> None:
    new_project(tmp_path, "pairs")
    plan = (tmp_path / "project.toml").read_text(encoding="utf-8")
    plan = plan.replace("Read both texts", "<script>alert(3)</script>").replace(
        'label = "Neither"', 'label = "<script>alert(4)</script>"'
    )
    (tmp_path / "project.toml").write_text(plan, encoding="utf-8")
    project = open_project(tmp_path)
    connect(project, **web_settings())
    items = tmp_path / "evil.jsonl"
    items.write_text(json.dumps({"id": EVIL, "text": EVIL, "second": EVIL}) + "\n")
    import_items(project, items, now=START)
    owner = browser(invite("Olga", role="owner", now=START))
    owner.post("/project/invite", {"name": EVIL})
    ann = browser(invite(EVIL + "2", now=START))
    shown = [ann.get(page).content.decode() for page in ("/judge", "/guidelines", "/judge/earlier")]
    shown.append(owner.get("/project").content.decode())
    for page in shown:
        scripts = re.findall(r"<script[^>]*>", page)
        assert [one for one in scripts if not re.search(r"/static/(keys|setup)\.js", one)] == []
        assert "<img" not in page
    assert "&lt;script&gt;alert(1)" in shown[0]


def test_spans_are_exact_with_emoji_and_right_to_left_text(tmp_path: Path) -> None:
    new_project(tmp_path, "spans")
    project = open_project(tmp_path)
    connect(project, **web_settings())
    text = "👩‍👩‍👧 שלום עולם 😀 prices climb"
    path = tmp_path / "one.jsonl"
    path.write_text(json.dumps({"id": "x", "text": text}) + "\n")
    import_items(project, path, now=START)
    ann = browser(invite("Ann", now=START))
    page = ann.get("/judge").content.decode()
    found = re.findall(r'value="(\d+-\d+)"><span>([^<]+)<', page)
    places = {word: place for place, word in found}
    filled = {"token": form_token(ann), "metaphors": [places["עולם"], places["climb"]]}
    assert ann.post("/judge", filled).status_code == 302
    spans = StoredJudgment.objects.get().answers["metaphors"]
    assert [text[start:end] for start, end in spans] == ["עולם", "climb"]


def test_candidates_taken_out_before_a_reload_stay_out(tmp_path: Path) -> None:
    new_project(tmp_path, "newsmet")
    project = open_project(tmp_path)
    connect(project, **web_settings())
    path = tmp_path / "one.jsonl"
    row = {"id": "x", "text": "Storm eats coast", "literal": ["erodes", "harms"]}
    path.write_text(json.dumps(row) + "\n")
    import_items(project, path, now=START)
    ann = browser(invite("Ann", now=START, trusted=True))
    checked = re.compile(r'name="more_literal" value="(\w+)"[^>]* checked')
    assert checked.findall(ann.get("/judge").content.decode()) == ["erodes", "harms"]
    filled = {"token": form_token(ann), "sentence": "literal", "seen": ["sentence", "verb"]}
    ann.post("/judge/draft", filled)
    assert checked.findall(ann.get("/judge").content.decode()) == ["erodes", "harms"]
    ann.post("/judge/draft", filled | {"seen": ["more_literal"], "more_literal": ["harms"]})
    assert checked.findall(ann.get("/judge").content.decode()) == ["harms"]


@pytest.mark.parametrize(
    ("host", "origin"),
    [("0.0.0.0", ""), ("::", ""), ("192.0.2.1", ""), ("127.0.0.1", "http://judge.example")],
)
def test_public_place_without_encryption_is_refused(host: str, origin: str) -> None:
    with pytest.raises(BadInput):
        check_place(host, origin)


def test_public_place_with_encryption_has_secure_cookies() -> None:
    check_place("0.0.0.0", "https://judge.example")
    settings = web_settings("https://judge.example")
    assert settings["SESSION_COOKIE_SECURE"]
    assert settings["CSRF_COOKIE_SECURE"]
    assert settings["ALLOWED_HOSTS"] == ["judge.example"]
    assert not settings["DEBUG"]


def test_commands_import_and_export(tmp_path: Path) -> None:
    folder = str(tmp_path / "p")
    run = CliRunner().invoke
    assert run(main, ["annotate", "new", folder, "--template", "semeval2015"]).exit_code == 0
    result = run(main, ["annotate", "import", folder, f"{folder}/items.jsonl"])
    assert result.output == "7 items added\n"
    connect(open_project(folder), **web_settings())
    ann = browser(invite("Ann", now=START, trusted=True))
    ann.post("/judge", {"token": form_token(ann), "score": "-3"})
    ann.post("/judge", {"token": form_token(ann), "score": "4"})
    out = tmp_path / "judgments.csv"
    result = run(main, ["annotate", "export", folder, "--format", "csv", "--out", str(out)])
    assert result.exit_code == 0, result.output
    scores = [line.rpartition(",")[2] for line in out.read_text(encoding="utf-8").splitlines()]
    assert scores == ["score", "-3", "4"]
    assert len(run(main, ["annotate", "export", folder]).output.splitlines()) == 2


def test_lease_and_items_are_left_alone_by_looking(served: Project) -> None:
    ann = browser(invite("Ann", now=START))
    for _ in range(3):
        ann.get("/judge")
    assert Lease.objects.count() == 3
    assert (
        sum(Item.objects.values_list("open_slots", flat=True))
        == 12 - Lease.objects.filter(item__is_gold=False).count()
    )
    assert dismiss(Person.objects.get(name="Ann").pk, "test", now=START) == 0
