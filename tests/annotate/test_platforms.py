"""Round trips: from a platform's link through the work to files to approve, reject and pay."""

# ruff: noqa: F811 - fixtures are taken by importing them

import csv
import json
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from browsers import chromium  # noqa: F401
from click.testing import CliRunner, Result
from logs import no_link_in_logs  # noqa: F401
from projects import START, add_items, make_project
from test_external_workers import address, browser, code_on, judge, study_link
from visitors import ticking_clock

from chromium import new_page
from trope.annotate.exchange.platforms import (
    Submission,
    WorkerRecord,
    hit_question,
    read_submissions,
    settle,
)
from trope.annotate.project import Project
from trope.annotate.store import discipline, membership
from trope.annotate.store.database import connect
from trope.annotate.store.models import Person, StoredJudgment
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadInput, BadRecord

PAID = (
    '[pay]\namount = "0.50"\nper = "item"\n[outside]\nreturn_url = "https://p.example/?cc={code}"'
)
XML = (
    "{http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2011-11-11/HTMLQuestion.xsd}"
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    ticking_clock(monkeypatch)
    project = make_project(tmp_path / "p", k=9, more=PAID)
    connect(project, **web_settings())
    add_items(project, 3)
    return project


def work(client: Any, number: int = 3) -> str:
    """Judge so many items; gives the code, if there is one."""
    for _ in range(number):
        judge(client)
    return code_on(client.get("/judge").content.decode()) if number == 3 else ""


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def run(project: Project, file: Path, *options: str) -> Result:
    command = ["annotate", "settle", str(project.folder), str(file), *options]
    return CliRunner().invoke(main, command)


def prolific(worker: str, code: str, status: str = "AWAITING REVIEW") -> dict[str, str]:
    ids = {"Submission id": f"s-{worker}", "Participant id": worker}
    return {**ids, "Status": status, "Completion code": code, "Total approvals": "7"}


def test_prolific_from_link_to_approval_and_bonus(project: Project, tmp_path: Path) -> None:
    token, codes = study_link(), {}
    for worker, number in (("done", 3), ("part", 2), ("bad", 1), ("left", 2), ("early", 3)):
        client = browser()
        client.post(address(token, worker, f"s-{worker}"))
        codes[worker] = work(client, number)
        if number == 3:
            end = client.get("/judge").content.decode()
            assert f"https://p.example/?cc={codes[worker]}" in end
    found = {person.name: person.pk for person in Person.objects.all()}
    discipline.dismiss(found["bad"], "=All answers were the same.", now=START, by="Olga")
    membership.withdraw(found["left"], project.plan, now=START)
    rows = [
        prolific("done", codes["done"]),
        prolific("part", ""),
        prolific("bad", "NOCODE"),
        prolific("left", ""),
        prolific("stranger", "GUESSED123"),
        prolific("early", codes["early"], "APPROVED"),
    ]
    out = tmp_path / "out"
    result = run(project, table(tmp_path / "list.csv", rows), "--out", str(out), "--reward", "0.25")
    assert result.exit_code == 0, result.output
    first = result.output.splitlines()[0]
    counts = "1 to approve, 1 to reject, 3 to review, 1 decided before"
    assert first == f"prolific: {counts}, 2.50 USD of bonuses for 2"
    assert (out / "approve.csv").read_text() == "s-done\n"
    assert (out / "bonus.csv").read_text() == "done,1.25\nearly,1.25\n"
    assert (
        out / "reject.csv"
    ).read_text() == "submission,reason\ns-bad,'=All answers were the same.\n"
    with (out / "review.csv").open(encoding="utf-8") as file:
        why = {row["worker"]: row["why"] for row in csv.DictReader(file)}
    assert why == {
        "part": "has not finished; has earned 1.00",
        "left": "is withdrawn; has earned 1.00",
        "stranger": "nobody with this id has come to trope",
    }
    assert [path for path in out.iterdir() if path.stat().st_mode & 0o077] == []
    assert StoredJudgment.objects.filter(person__name="done").count() == 3
    again = run(project, tmp_path / "list.csv", "--out", str(out), "--reward", "0.25")
    assert "already exists" in str(again.exception), "nobody is paid twice by mistake"


def hit_page(project: Project) -> str:
    """The page of a HIT, out of the XML that the command prints."""
    origin = ["--platform", "mturk", "--origin", "https://judge.example"]
    result = CliRunner().invoke(main, ["annotate", "link", str(project.folder), *origin])
    assert result.exit_code == 0, result.output
    assert len(result.output.encode()) < 65_535, "the limit of the API"
    root = ET.fromstring(result.output)
    assert (root.tag, root[1].tag) == (f"{XML}HTMLQuestion", f"{XML}FrameHeight")
    connect(project, **web_settings())
    return str(root[0].text)


def test_mturk_from_question_to_approval(project: Project, tmp_path: Path) -> None:
    page = hit_page(project)
    token = page.partition("https://judge.example/outside/")[2].partition('"')[0]
    rows = []
    for worker, number in (("A1DONE", 3), ("A2WRONG", 3), ("A3PART", 1)):
        client = browser()
        query = f"workerId={worker}&assignmentId=as-{worker}&hitId=H1"
        assert client.post(f"/outside/{token}?{query}").status_code == 302
        code = work(client, number) if worker != "A2WRONG" else f"{work(client, number)}X"
        row = {"HITId": "H1", "AssignmentId": f"as-{worker}", "WorkerId": worker}
        row |= {"AssignmentStatus": "Submitted", "Answer.code": code, "Approve": "", "Reject": ""}
        rows.append(row)
    rows.append(rows[0] | {"AssignmentId": "as-again"})
    assert Person.objects.get(name="A1DONE").standing.study == "H1"
    out = tmp_path / "out"
    options = ("--out", str(out), "--reward", "1", "--json")
    document = json.loads(run(project, table(tmp_path / "batch.csv", rows), *options).output)
    assert [one["verdict"] for one in document["submissions"]] == ["approve", *["review"] * 3]
    assert document["files"] == ["bonus.csv", "results.csv", "review.csv"]
    with (out / "results.csv").open(encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert [(row["AssignmentId"], row["Approve"], row["Reject"]) for row in written] == [
        ("as-A1DONE", "x", ""),
        ("as-A2WRONG", "", ""),
        ("as-A3PART", "", ""),
        ("as-again", "", ""),
    ]
    with (out / "bonus.csv").open(encoding="utf-8") as file:
        (bonus,) = csv.DictReader(file)
    assert (bonus["WorkerId"], bonus["BonusAmount"]) == ("A1DONE", "0.50")
    why = (out / "review.csv").read_text()
    assert "gave another completion code than theirs" in why
    assert "has another submission that is approved" in why


def test_preview_of_a_hit_brings_nobody(project: Project) -> None:
    query = "assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1"
    assert browser().post(f"/outside/{study_link()}?{query}").status_code == 404
    assert not Person.objects.exists()


def test_question_of_a_hit_is_well_formed_whatever_the_title() -> None:
    for title in ("A & B", "]]>", '"<script>alert(1)</script>', "{{link}}", "Ümläut ✓"):
        root = ET.fromstring(hit_question(title, "https://judge.example/outside/x:y-_"))
        page = str(root[0].text)
        assert page.count("<script>") == 1
        assert page.endswith("</html>")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "is empty; give a table"),
        ("a,b\n1,2\n", "is no list of submissions"),
        ("Submission id,Participant id,Status\n", "has no submissions"),
        ("Submission id,Participant id,Status\n,W1,x\n", r"list\.csv:2: has no id"),
        (
            "AssignmentId,WorkerId\nA1,W1\nA1,W2\n",
            r"list\.csv:3: has the id 'A1' of another row",
        ),
    ],
)
def test_list_that_no_platform_wrote_is_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((BadInput, BadRecord), match=words):
        read_submissions(path)


@pytest.mark.parametrize("reward", ["-1", "x", "NaN", "Infinity"])
def test_reward_that_is_no_amount_is_refused(reward: str, project: Project, tmp_path: Path) -> None:
    file = table(tmp_path / "list.csv", [prolific("w", "")])
    result = run(project, file, "--out", str(tmp_path / "out"), "--reward", reward)
    assert "is not an amount" in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_nobody_is_paid_twice_or_below_zero() -> None:
    worker = WorkerRecord("active", "CODE", "", Decimal("0.40"))
    sent = [Submission(f"s{n}", "w", "CODE", waits, {}) for n, waits in enumerate([False, True])]
    for reward, bonus in (("0.10", "0.30"), ("0.40", "0"), ("9", "0")):
        settled = settle(sent, {"w": worker}, Decimal(reward))
        assert [one.verdict for one in settled] == ["done", "review"]
        assert [one.bonus for one in settled] == [Decimal(bonus), 0]


@pytest.mark.browser
def test_page_of_a_hit_opens_the_task_and_sends_the_code(chromium: Any) -> None:
    page = new_page(chromium)
    sent: list[tuple[str, str | None]] = []

    def answer(route: Any) -> None:
        sent.append((route.request.url, route.request.post_data))
        route.fulfill(body="thank you")

    question = ET.fromstring(hit_question("Metaphors & more", "https://judge.example/outside/T0"))
    shown = {"body": str(question[0].text), "content_type": "text/html"}
    page.route("https://frame.example/**", lambda route: route.fulfill(**shown))
    page.route("https://*.mturk.com/**", answer)
    site = "turkSubmitTo=https://evil.example"
    page.goto(f"https://frame.example/?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&{site}")
    assert page.locator("#link").get_attribute("href") is None
    assert page.get_by_role("button").is_disabled()
    given = "assignmentId=A%261&workerId=W1&hitId=H1"
    for named, place in (
        ("https://evil.example", "https://www.mturk.com"),
        ("https://workersandbox.mturk.com", "https://workersandbox.mturk.com"),
    ):
        page.goto(f"https://frame.example/?{given}&turkSubmitTo={named}")
        link = str(page.locator("#link").get_attribute("href"))
        assert link == "https://judge.example/outside/T0?workerId=W1&assignmentId=A%261&hitId=H1"
        page.get_by_label("Enter the code here").fill("CODE123")
        page.get_by_role("button").click()
        page.get_by_text("thank you").wait_for()
        body = "assignmentId=A%261&code=CODE123"
        assert sent.pop() == (f"{place}/mturk/externalSubmit", body)
    page.close()
