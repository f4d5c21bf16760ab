"""Pages on quality show what the commands say about the same answers, to those who may see it."""

import csv
import io
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner
from judged_projects import collect, scores, tweets
from page_text import text_of
from projects import START, make_project
from test_web import EVIL, browser

from trope.annotate.project import Project, open_project
from trope.annotate.store import discipline, judgments, people, queue, rows
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Item, Person, StoredJudgment
from trope.annotate.store.reports import measure_project
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadInput
from trope.metrics.agreement import TITLES


@pytest.fixture
def collected(tmp_path: Path) -> Project:
    project = tweets(tmp_path / "p")
    collect(project)
    return project


def owner() -> Any:
    return browser(people.invite("Olga", role="owner", now=START))


def download(client: Any, address: str) -> str:
    return b"".join(client.get(address).streaming_content).decode()


def numbers_of(page: str, name: str) -> list[str]:
    """The figures of a row of a table, wherever it stands."""
    cells = rf'<th scope="row"[^>]*>{re.escape(name)}</th>\s*((?:<td[^>]*>.*?</td>)+)'
    rows = (re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(cells, page))
    return [" | ".join(row).strip() for row in rows]


def test_agreement_on_the_page_is_that_of_the_command(collected: Project, tmp_path: Path) -> None:
    client = owner()
    page = client.get("/project/quality").content.decode()
    table = tmp_path / "answers.csv"
    table.write_text(download(client, "/project/answers.csv"), encoding="utf-8")
    result = CliRunner().invoke(
        main, ["agree", str(table), "--verb-column", "verb", "--json", "--top", "10"]
    )
    assert result.exit_code == 0, result.output
    told = {question["question"]: question for question in json.loads(result.output)["questions"]}
    assert set(told) == {"understood", "metaphorical", "certainty"}
    main_question = told["metaphorical"]
    assert main_question["judgments"] > 100
    checked = 0
    exclusions = [
        a | {"name": f"{e['name']} exclusion, {TITLES[a['name']]}"}
        for e in main_question["exclusions"]
        for a in e["agreements"]
    ]
    for agreement in [*main_question["agreements"], *main_question["pairs"], *exclusions]:
        if agreement["value"] is None:
            note = agreement["note"].removesuffix("; give it with --order")  # which a page has not
            assert note.replace("'", "&#x27;") in page
            continue
        row = (
            f"{agreement['value']:.3f} | {agreement['low']:.3f} to {agreement['high']:.3f} | "
            f"{agreement['n']} | {agreement['word']}"
        )
        title = TITLES.get(agreement["name"], agreement["name"]).replace("'", "&#x27;")
        assert row.strip() in numbers_of(page, title), (title, row)
        checked += 1
    assert checked == 6 + 10 + 6, "statistics, pairs of five readers, and three times two kappas"
    for item in main_question["disputed"]:
        number = Item.objects.get(external_id=item["item"]).pk
        assert f"/adjudicate/{number}" in page


def figures(table: str) -> dict[tuple[str, str], tuple[Any, ...]]:
    """The labels of a file by item and question; numbers as far as both files write them."""
    return {
        (row["item"], row["question"]): (
            row["label"],
            *(row[name] and round(float(row[name]), 6) for name in ("score", "confidence")),
            row["answers"],
        )
        for row in csv.DictReader(io.StringIO(table))
    }


SHOWN = {"Yes", "No", "Certain", "Mostly sure", "Unsure", "Don&#x27;t have a clue"}


@pytest.mark.parametrize("method", ["majority", "dawid-skene", "mace", "glad"])
def test_labels_are_those_of_the_command(collected: Project, tmp_path: Path, method: str) -> None:
    client = owner()
    table, out = tmp_path / "answers.csv", tmp_path / "labels.csv"
    table.write_text(download(client, "/project/answers.csv"), encoding="utf-8")
    command = ["aggregate", str(table), "--method", method, "--out", str(out)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    ours = download(client, f"/project/labels.csv?method={method}&drafts=1")
    told = figures(ours)
    assert told == figures(out.read_text(encoding="utf-8"))
    page = client.get(f"/project/labels?method={method}").content.decode()
    assert len(told) > 50
    assert "24 items" in page
    assert "Somebody swallowed the thing0 today" in page, "an id alone says nothing"
    shown = {row[1] for row in re.findall(r'data-head="(Label)">([^<]*?)\s*<', page)}
    assert "Yes" in shown
    assert shown <= SHOWN | {"–"}, "labels are called what people see"
    assert client.get("/project/labels?method=coin").status_code == 404


def test_weighted_means_are_those_of_the_command(tmp_path: Path) -> None:
    scores(tmp_path / "p")
    client = owner()
    table, out = tmp_path / "answers.csv", tmp_path / "labels.csv"
    table.write_text(download(client, "/project/answers.csv?gold=1"), encoding="utf-8")
    command = ["aggregate", str(table), "--method", "weighted-mean", "--out", str(out)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    theirs = figures(out.read_text(encoding="utf-8"))
    ours = figures(download(client, "/project/labels.csv?method=weighted-mean"))
    assert ours == {key: row for key, row in theirs.items() if not key[0].startswith("g")}
    assert len(ours) == 12


def test_weighted_mean_without_control_items_is_explained(tmp_path: Path) -> None:
    project = scores(tmp_path / "p")
    StoredJudgment.objects.filter(state="gold").delete()
    client = owner()
    for address in ("labels", "labels.csv"):
        page = client.get(f"/project/{address}?method=weighted-mean")
        assert "nobody has answered control items" in page.content.decode()
    command = ["annotate", "export", str(project.folder), "--what", "labels"]
    with pytest.raises(BadInput, match="score: nobody has answered control items"):
        CliRunner().invoke(main, [*command, "--method", "weighted-mean"], catch_exceptions=False)


def test_words_are_voted_on_where_scales_have_a_mean(collected: Project) -> None:
    client = owner()
    voted, mean = (
        figures(download(client, f"/project/labels.csv?method={method}"))
        for method in ("majority", "mean")
    )
    assert voted == mean


def test_unanimous_answers_are_explained_not_nan(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=2, page=3)
    connect(project, **web_settings())
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps({"text": f"Text {n}"}) + "\n" for n in range(3)))
    import_items(project, path, now=START)
    client = owner()
    assert "Nobody has answered this yet" in client.get("/project/quality").content.decode()
    for name in ("Ann", "Bob"):
        person = people.person_by_token(people.invite(name, now=START))
        assert person is not None
        for lease in queue.next_page(person.pk, project.plan, now=START, rng=Random(1)).leases:
            judgments.submit(person.pk, lease.token, {"metaphor": "yes"}, project.plan, now=START)
    page = text_of(client.get("/project/quality"))
    assert "agreement by chance is perfect too" in page
    assert "nan" not in page.lower().replace("unanimous", "")


def test_large_project_is_sampled_and_says_so(
    collected: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = rows.draw_sample(most=10)
    assert len(sample.ids or ()) == 10
    assert sample == rows.draw_sample(most=10), "the same each time"
    assert "A random 10 of 24 items" in sample.note
    drawn = measure_project(collected.plan, sample=sample)[1].agreement
    assert drawn is not None
    assert drawn.items == 10
    monkeypatch.setattr("trope.annotate.web.quality_pages.draw_sample", lambda: sample)
    client = owner()
    for address in ("/project/quality", "/project/labels", "/project/tables"):
        assert "A random 10 of 24 items" in client.get(address).content.decode()
    for module in ("quality_pages", "downloads"):
        monkeypatch.setattr(f"trope.annotate.web.{module}.MOST_DOWNLOADED", 20)
    assert client.get("/project/labels.csv?method=mace").status_code == 422
    assert download(client, "/project/labels.csv").count("\n") > 24, "some items at a time"
    command = "trope annotate export DIR --what labels --method mace"
    assert command in client.get("/project/labels?method=mace").content.decode()


def test_too_many_people_are_not_taken_two_by_two(collected: Project) -> None:
    many = measure_project(collected.plan, most_paired=4)[1].agreement
    assert many is not None
    assert many.pairs == ()
    cohen = next(one for one in many.agreements if one.name == "cohen")
    assert (cohen.value, cohen.note[:12]) == (None, "not measured")


def test_tables_of_the_paper_on_page_and_command(collected: Project) -> None:
    result = CliRunner().invoke(main, ["annotate", "tables", str(collected.folder), "--json"])
    assert result.exit_code == 0, result.output
    parts = {part["part"]: part for part in json.loads(result.output)["parts"]}
    assert {name: part["tweets"] for name, part in parts.items()} == {
        "political": 8,
        "emotional": 16,
    }
    page = owner().get("/project/tables").content.decode()
    for part in parts.values():
        share = part["positive"]
        percent = 100 * share["count"] / share["base"]
        assert f"{percent:.2f} % <small>({share['count']} of {share['base']})" in page
        for exclusion in part["exclusions"]:
            for agreement in exclusion["agreements"]:
                if agreement["value"] is not None:
                    assert f"{agreement['value']:.3f}" in page
    text = CliRunner().invoke(main, ["annotate", "tables", str(collected.folder)]).output
    assert "Table 6" in text
    assert "partial exclusion, fleiss_complete" in text


def test_project_without_tables_says_so(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    answer = owner().get("/project/tables")
    assert answer.status_code == 404
    assert "no [tables]" in answer.content.decode()
    result = CliRunner().invoke(main, ["annotate", "tables", str(project.folder)])
    assert result.exit_code != 0


def test_person_sees_own_work_but_not_which_items_were_controls(collected: Project) -> None:
    token = people.renew_invitation("Reader 1", now=START)
    page = text_of(browser(token).get("/me"))
    person = Person.objects.get(name="Reader 1")
    assert f"{person.judged} items" in page
    assert "10.0 seconds per item" in page
    told = person.conduct["told_seen"]
    shown = f"{person.conduct['told_right']} of {told} right" if told else "too few so far"
    assert shown in page
    assert "Same answer as others" in page
    assert not re.search(r"\bg\d\b", page)
    assert "gold" not in page.lower()
    assert StoredJudgment.objects.filter(person=person, state="gold").count() == person.gold_seen


def test_own_page_asks_as_much_of_the_database_whatever_there_is(tmp_path: Path) -> None:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    counts = []
    for number in (12, 36):
        project = tweets(tmp_path / str(number), number=number)
        collect(project, readers=3)
        client = browser(people.renew_invitation("Reader 0", now=START))
        with CaptureQueriesContext(connection) as caught:
            assert client.get("/me").status_code == 200
        counts.append(len(caught))
    assert counts[0] == counts[1]


def test_owner_sees_a_person_and_the_pay_sheet(collected: Project) -> None:
    client = owner()
    person = Person.objects.get(name="Reader 2")
    page = client.get(f"/project/person/{person.pk}").content.decode()
    assert f"{person.gold_right} of {person.gold_seen} right" in page
    rows = list(csv.DictReader(io.StringIO(download(client, "/project/pay.csv"))))
    assert [row["name"] for row in rows] == [f"Reader {n}" for n in range(5)]
    row = rows[2]
    assert (row["earned"], row["currency"]) == (f"{person.judged * 0.06:.2f}", "USD")
    assert float(row["hours"]) == pytest.approx(person.seconds / 3600, abs=1e-4)
    assert float(row["hourly"]) == pytest.approx(
        float(row["earned"]) / (person.seconds / 3600), abs=0.01
    )
    assert row["hourly"] in client.get("/project/pay").content.decode()


def test_pay_sheet_holds_no_formula(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    people.invite("=1+1", now=START)
    assert "\n'=1+1," in download(owner(), "/project/pay.csv")


def test_review_lists_and_acts(tmp_path: Path) -> None:
    project = tweets(tmp_path / "p", gold=0)
    plan = (project.folder / "project.toml").read_text(encoding="utf-8")
    plan = plan.replace("[quality]\n", '[quality]\non_speed = "warn"\non_constant = "hold"\n')
    (project.folder / "project.toml").write_text(plan, encoding="utf-8")
    project = open_project(project.folder)
    connect(project, **web_settings())
    collect(project, readers=4)
    clicker = people.person_by_token(people.invite("Clicker", now=START))
    assert clicker is not None
    while leases := queue.next_page(clicker.pk, project.plan, now=START, rng=Random(1)).leases:
        for lease in leases:
            said = {"understood": "yes", "metaphorical": "yes", "certainty": "certain"}
            judgments.submit(clicker.pk, lease.token, said, project.plan, now=START)
    client = owner()
    page = client.get("/project/review").content.decode()
    assert "too fast: 0.0 s per answer" in page
    assert Person.objects.get(name="Clicker").state == "held", "constant answers act at once"
    discipline.reinstate(clicker.pk, now=START, by="Olga")
    result = CliRunner().invoke(main, ["annotate", "review", str(project.folder), "--json"])
    assert {f["rule"] for f in json.loads(result.output)["findings"]} >= {"speed", "constant"}
    assert client.post("/project/review").status_code == 302
    assert Person.objects.get(name="Clicker").state == "active", "who was pardoned is left alone"


def test_warning_appeal_and_answer_through_pages(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps({"text": f"Text {n}"}) + "\n" for n in range(9)))
    import_items(project, path, now=START)
    client, ann = owner(), browser(people.invite("Ann", now=START))
    number = Person.objects.get(name="Ann").pk
    address = f"/project/person/{number}/discipline"
    assert client.post(address, {"action": "warn", "reason": " "}).status_code == 422
    client.post(address, {"action": "warn", "reason": "Please <b>slow</b> down"})
    assert "Please &lt;b&gt;slow&lt;/b&gt; down" in ann.get("/judge").content.decode()
    assert ann.post("/me/warnings").headers["Location"] == "/judge"
    assert "slow" not in text_of(ann.get("/judge"))
    assert "slow" in ann.get("/me").content.decode()
    assert ann.post("/me/appeal", {"text": "Why?"}).status_code == 422
    client.post(address, {"action": "dismiss", "reason": "No answer"})
    assert "right to appeal" in ann.get("/judge").content.decode()
    assert ann.post("/me/appeal", {"text": "I was <i>ill</i>"}).status_code == 302
    assert "Your appeal was sent" in ann.get("/me").content.decode()
    assert "I was &lt;i&gt;ill&lt;/i&gt;" in client.get("/project/review").content.decode()
    page = client.get(f"/project/person/{number}").content.decode()
    appeal = re.search(r"/project/appeal/\d+", page)
    assert appeal
    assert client.post(appeal[0], {"action": "uphold", "answer": ""}).status_code == 422
    assert client.post(appeal[0], {"action": "reinstate", "answer": "Fine"}).status_code == 302
    assert 'name="token"' in ann.get("/judge").content.decode()
    assert "no longer counts" in ann.get("/me").content.decode()


def test_pictures_have_words_and_no_style(collected: Project) -> None:
    client = owner()
    number = Person.objects.get(name="Reader 0").pk
    for address in ("/project/quality", f"/project/person/{number}"):
        page = client.get(address).content.decode()
        assert "style=" not in page
        assert "<style" not in page
        for picture in re.findall(r"<svg viewBox.*?</svg>\s*(?=<figcaption|</figure)", page, re.S):
            names = re.search(r'aria-labelledby="(\S+) (\S+)"', picture)
            assert names
            assert f'<title id="{names[1]}">' in picture
            assert re.search(rf'<desc id="{names[2]}">[^<]+', picture)
    assert client.get("/project/quality").content.decode().count('class="chart heat"') == 3


def test_markup_in_names_texts_and_notes_stays_text(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p", k=2, page=3)
    connect(project, **web_settings())
    path = tmp_path / "evil.jsonl"
    rows = [{"id": f"{EVIL}{n}", "text": f"{EVIL}{n}"} for n in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    import_items(project, path, now=START)
    numbers = []
    for reader, pattern in enumerate((("yes", "no", "yes"), ("yes", "no", "no"))):
        person = people.person_by_token(people.invite(f"{EVIL}{reader}", now=START))
        assert person is not None
        numbers.append(person.pk)
        page = queue.next_page(person.pk, project.plan, now=START, rng=Random(1))
        for lease, said in zip(page.leases, pattern, strict=True):
            judgments.submit(person.pk, lease.token, {"metaphor": said}, project.plan, now=START)
    discipline.hold(numbers[0], "", EVIL, now=START, by="Olga")
    discipline.appeal(numbers[0], EVIL, now=START)
    client = owner()
    item = Item.objects.get(external_id=f"{EVIL}2").pk
    filled = {"token": "a" * 32, "metaphor": "yes", "note": EVIL}
    assert client.post(f"/adjudicate/{item}", filled).status_code == 302
    addresses = ["quality", "labels", "review", "pay", f"person/{numbers[0]}"]
    shown = [client.get(f"/project/{address}").content.decode() for address in addresses]
    shown += [client.get(f"/adjudicate{end}").content.decode() for end in ("", "/decided")]
    shown.append(client.get(f"/adjudicate/{item}").content.decode())
    for page in shown:
        scripts = re.findall(r"<script[^>]*>", page)
        assert all(re.match(r'<script src="/static/(keys|setup)\.js\?', one) for one in scripts)
        assert "<img" not in page
    assert "&lt;script&gt;alert(1)" in shown[0]
