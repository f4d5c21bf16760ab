"""Disputed and doubtful items: who sees them, what is settled, and that it wins."""

import csv
import io
import json
import re
from pathlib import Path
from random import Random
from typing import Any

import pytest
from bookkeeping import check_books
from click.testing import CliRunner
from page_text import text_of
from projects import START, Clock, make_project
from test_web import browser

from trope.annotate.exchange.records import Losses
from trope.annotate.project import Project, new_project, open_project
from trope.annotate.rules.aggregation import AggregationOptions
from trope.annotate.store import adjudication, judgments, labels, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.store.models import Decision, Event, Item, StoredJudgment
from trope.annotate.web.service import web_settings
from trope.cli.main import main
from trope.core.errors import BadConfig


def fill(project: Project, rows: list[dict[str, Any]]) -> None:
    path = project.folder / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)


def judge(project: Project, name: str, answers: dict[str, dict[str, Any]]) -> int:
    """Someone judges all that they are given, as told by the item's id; gives their number."""
    person = people.person_by_token(people.invite(name, now=START))
    assert person is not None
    clock = Clock()
    while leases := queue.next_page(person.pk, project.plan, now=clock.now, rng=Random(1)).leases:
        for lease in leases:
            said = answers[lease.item.external_id]
            judgments.submit(person.pk, lease.token, said, project.plan, now=clock.now)
    return int(person.pk)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Two judgments an item; they differ on b and on d."""
    project = make_project(tmp_path / "p")
    connect(project, **web_settings())
    fill(project, [{"id": name, "text": f"Text {name}"} for name in "abcd"])
    yes, no = {"metaphor": "yes"}, {"metaphor": "no"}
    judge(project, "Ann", dict.fromkeys("abcd", yes))
    judge(project, "Bob", {"a": yes, "b": no, "c": yes, "d": no})
    return project


def disputed(project: Project) -> list[str]:
    return [one.item.external_id for one in adjudication.next_disputes(project.plan)]


def label_of(project: Project, item: str, **way: Any) -> tuple[str | None, str]:
    found = labels.labelled_items(project.plan, Losses(), options=AggregationOptions(**way))
    return next(
        (one.labels["metaphor"].label, one.labels["metaphor"].note)
        for one in found
        if one.item.id == item
    )


def test_only_complete_items_on_which_people_differ_are_listed(project: Project) -> None:
    assert disputed(project) == ["b", "d"]
    fill(project, [{"id": "e", "text": "Text e"}])
    judge(project, "Cy", {"e": {"metaphor": "no"}})
    assert disputed(project) == ["b", "d"]
    first = Item.objects.get(external_id="b").pk
    later = adjudication.next_disputes(project.plan, after=first)
    assert [one.item.external_id for one in later] == ["d"]
    assert adjudication.count_disputes(project.plan) == 2
    assert adjudication.count_disputes(project.plan, most=1) == 1


def test_adjudicator_decides_without_names(project: Project) -> None:
    token = people.invite("Judy", role="adjudicator", now=START)
    judy = browser()
    assert judy.post(f"/join/{token}").headers["Location"] == "/adjudicate"
    number = Item.objects.get(external_id="b").pk
    assert f"/adjudicate/{number}" in judy.get("/adjudicate").content.decode()
    answer = judy.get(f"/adjudicate/{number}")
    page = answer.content.decode()
    assert "1 × yes" in page
    assert "1 × no" in page
    assert "Ann" not in text_of(answer)
    assert "Bob" not in text_of(answer)
    form = re.search(r'name="token" value="(\w+)"', page)
    assert form
    filled = {"token": form[1], "metaphor": "no", "note": "Literal <b>here</b>"}
    assert judy.post(f"/adjudicate/{number}", {"token": form[1]}).status_code == 422
    for _ in range(2):  # sent twice, stored once
        assert judy.post(f"/adjudicate/{number}", filled).status_code == 302
    (decision,) = Decision.objects.all()
    assert (decision.answers, decision.person.name) == ({"metaphor": "no"}, "Judy")
    assert disputed(project) == ["d"]
    assert "Literal &lt;b&gt;here" in judy.get("/adjudicate/decided").content.decode()
    assert StoredJudgment.objects.count() == 8, "judgments stay as they were given"
    event = Event.objects.get(what="adjudicate")
    assert (event.who, event.detail["item"]) == ("Judy", "b")


@pytest.mark.parametrize("method", ["majority", "dawid-skene", "mace", "glad"])
def test_decision_wins_over_every_method(project: Project, method: str) -> None:
    item = Item.objects.get(external_id="a").pk
    judge_id = people.person_by_token(people.invite("Judy", role="adjudicator", now=START))
    assert judge_id is not None
    adjudication.decide(
        item, judge_id.pk, "t" * 32, {"metaphor": "no"}, note="", excluded=False, now=START
    )
    assert label_of(project, "a", method=method) == ("no", adjudication.DECIDED)
    command = ["annotate", "export", str(project.folder), "--what", "labels", "--format", "csv"]
    result = CliRunner().invoke(main, [*command, "--method", method])
    rows = {row["item"]: row for row in csv.DictReader(io.StringIO(result.stdout))}
    assert (rows["a"]["label"], rows["a"]["confidence"]) == ("no", "1.0")


def test_later_decision_takes_the_place_of_an_earlier_one(project: Project) -> None:
    item = Item.objects.get(external_id="b").pk
    person = people.person_by_token(people.invite("Judy", role="adjudicator", now=START))
    assert person is not None
    for token, answer in (("1" * 32, "no"), ("2" * 32, "yes")):
        given = {"metaphor": answer}
        adjudication.decide(item, person.pk, token, given, note="", excluded=False, now=START)
    assert list(Decision.objects.values_list("current", flat=True)) == [False, True]
    assert label_of(project, "b") == ("yes", adjudication.DECIDED)
    adjudication.decide(item, person.pk, "3" * 32, {}, note="?", excluded=True, now=START)
    assert label_of(project, "b") == (None, adjudication.EXCLUDED)
    assert Decision.objects.count() == 3


def test_tie_has_no_label_unless_asked_for(project: Project) -> None:
    assert label_of(project, "b") == (None, "unresolved: tie of no, yes")
    assert label_of(project, "b", ties="first")[0] == "no"


def test_control_item_is_never_shown_to_an_adjudicator(project: Project) -> None:
    fill(project, [{"id": "g", "text": "Control", "gold": {"metaphor": "yes"}}])
    judy = browser(people.invite("Judy", role="adjudicator", now=START))
    number = Item.objects.get(external_id="g").pk
    assert judy.get(f"/adjudicate/{number}").status_code == 404


def metonymy(folder: Path, *, one_with_a_second: bool) -> Project:
    new_project(folder, "semeval2007")
    plan = (folder / "project.toml").read_text(encoding="utf-8")
    if one_with_a_second:
        plan = plan.replace("judgments_per_item = 2", "judgments_per_item = 1")
        plan = plan.replace("more = 0 ", "more = 1 ")
    (folder / "project.toml").write_text(plan, encoding="utf-8")
    project = open_project(folder)
    connect(project, **web_settings())
    fill(project, [{"id": name, "text": f"Peru {name}", "highlight": "Peru"} for name in "ab"])
    return project


def reading(kind: str, sure: str = "yes") -> dict[str, Any]:
    said = {"class": "location", "reading": kind, "sure": sure}
    return said | ({"location_pattern": "othermet"} if kind == "metonymic" else {})


def label_rows(project: Project) -> dict[tuple[str, str], str]:
    rows = labels.label_rows(labels.labelled_items(project.plan, Losses(), drafts=True))
    return {(row["item"], row["question"]): row["label"] or "" for row in rows}


def test_two_annotators_are_reconciled_and_the_rest_is_left_out(tmp_path: Path) -> None:
    project = metonymy(tmp_path / "p", one_with_a_second=False)
    judge(project, "Ann", dict.fromkeys("ab", reading("literal")))
    judge(project, "Bob", {"a": reading("literal"), "b": reading("metonymic")})
    assert disputed(project) == ["b"]
    found = label_rows(project)
    assert (found["a", "reading"], found["b", "reading"]) == ("literal", "")
    assert found["b", "class"] == "location", "what they agree on stands"
    owner = browser(people.invite("Olga", role="owner", now=START))
    assert "are excluded" in owner.get("/project/labels").content.decode()
    judy = browser(people.invite("Judy", role="adjudicator", now=START))
    number = Item.objects.get(external_id="b").pk
    assert 'name="sure"' not in judy.get(f"/adjudicate/{number}").content.decode()
    filled = reading("metonymic") | {"token": "a" * 32}
    assert judy.post(f"/adjudicate/{number}", filled).status_code == 302
    found = label_rows(project)
    assert (found["b", "reading"], found["b", "location_pattern"]) == ("metonymic", "othermet")


def test_decision_on_what_nobody_was_asked_has_its_label(tmp_path: Path) -> None:
    project = metonymy(tmp_path / "p", one_with_a_second=False)
    for name in ("Ann", "Bob"):
        judge(project, name, dict.fromkeys("ab", reading("literal")))
    assert ("a", "location_pattern") not in label_rows(project)
    judy = browser(people.invite("Judy", role="adjudicator", now=START))
    number = Item.objects.get(external_id="a").pk
    judy.post(f"/adjudicate/{number}", reading("metonymic") | {"token": "a" * 32})
    found = label_rows(project)
    assert (found["a", "reading"], found["a", "location_pattern"]) == ("metonymic", "othermet")


def test_doubtful_item_goes_to_a_second_person(tmp_path: Path) -> None:
    project = metonymy(tmp_path / "p", one_with_a_second=True)
    ann = judge(project, "Ann", {"a": reading("literal"), "b": reading("literal", sure="no")})
    check_books(project)
    assert Item.objects.get(external_id="b").extra == 1
    assert not queue.next_page(ann, project.plan, now=START, rng=Random(1)).leases
    found = label_rows(project)
    assert (found["a", "reading"], found["b", "reading"]) == ("literal", "")
    assert not disputed(project), "a second look comes first"
    judge(project, "Bob", {"b": reading("metonymic", sure="no")})
    check_books(project)
    assert StoredJudgment.objects.filter(state="counted").count() == 3
    assert disputed(project) == ["b"]
    judge(project, "Cy", {})
    assert StoredJudgment.objects.count() == 3, "nobody else is asked"


def test_second_look_that_agrees_settles_an_item(tmp_path: Path) -> None:
    project = metonymy(tmp_path / "p", one_with_a_second=True)
    judge(project, "Ann", {"a": reading("literal"), "b": reading("literal", sure="no")})
    judge(project, "Bob", {"b": reading("literal")})
    assert label_rows(project)["b", "reading"] == "literal"


def test_change_to_doubt_asks_for_a_second_person_once(tmp_path: Path) -> None:
    project = metonymy(tmp_path / "p", one_with_a_second=True)
    ann = judge(project, "Ann", dict.fromkeys("ab", reading("literal")))
    old = StoredJudgment.objects.get(item__external_id="a")
    for token in ("x" * 32, "y" * 32):
        doubt = reading("literal", sure="no")
        old = judgments.change(ann, old.pk, token, doubt, project.plan, now=START)
    assert Item.objects.get(external_id="a").open_slots == 1
    check_books(project)


def test_questions_may_be_called_as_the_database_calls_its_ways(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    plan = (project.folder / "project.toml").read_text(encoding="utf-8")
    plan = plan.replace('id = "metaphor"', 'id = "in__contains"')
    plan += '[doubt]\nquestion = "in__contains"\nvalues = ["maybe"]\n'
    (project.folder / "project.toml").write_text(plan, encoding="utf-8")
    project = open_project(project.folder)
    connect(project, **web_settings())
    fill(project, [{"id": name, "text": f"Text {name}"} for name in "ab"])
    judge(project, "Ann", {name: {"in__contains": "yes"} for name in "ab"})
    judge(project, "Bob", {"a": {"in__contains": "yes"}, "b": {"in__contains": "no"}})
    assert disputed(project) == ["b"]


def test_scale_is_disputed_where_answers_lie_far_apart(tmp_path: Path) -> None:
    new_project(tmp_path / "p", "semeval2015")
    plan = (tmp_path / "p" / "project.toml").read_text(encoding="utf-8")
    plan = plan.replace("judgments_per_item = 7", "judgments_per_item = 2")
    (tmp_path / "p" / "project.toml").write_text(plan, encoding="utf-8")
    project = open_project(tmp_path / "p")
    connect(project, **web_settings())
    fill(project, [{"id": name, "text": f"Text {name}"} for name in "abc"])
    judge(project, "Ann", {name: {"score": -3} for name in "abc"})
    judge(project, "Bob", {"a": {"score": -3}, "b": {"score": 3}, "c": {"score": 4}})
    assert disputed(project) == ["c"], "6 apart is not more than 6"


def test_faults_of_the_plan_are_told(tmp_path: Path) -> None:
    with pytest.raises(BadConfig) as told:
        make_project(
            tmp_path / "p",
            more='[quality]\nquestion = "nothing"\nalpha = 2.0\n'
            '[doubt]\nquestion = "metaphor"\n[adjudication]\nquestions = ["none"]',
        )
    text = str(told.value)
    for part in ("quality.question", "quality.alpha", "doubt: needs", "adjudication.questions"):
        assert part in text


MORE = """
[[questions]]
id = "kinds"
kind = "multi"
text = "Which figures?"
options = [{ value = "m", label = "A metaphor" }, { value = "s", label = "A simile" }]
[[questions]]
id = "words"
kind = "spans"
text = "Which words?"
"""


def test_pages_call_answers_what_people_see(tmp_path: Path) -> None:
    project = make_project(tmp_path / "p")
    with (project.folder / "project.toml").open("a", encoding="utf-8") as plan:
        plan.write(MORE)
    project = open_project(project.folder)
    connect(project, **web_settings())
    fill(project, [{"id": "a", "text": "Hope sank slowly."}, {"id": "b", "text": "It rains."}])
    both: dict[str, Any] = {"metaphor": "yes", "kinds": ["m", "s"], "words": [[0, 4], [5, 9]]}
    none: dict[str, Any] = {"metaphor": "yes", "kinds": [], "words": []}
    judge(project, "Ann", {"a": both, "b": none})
    judge(project, "Bob", {"a": both, "b": both | {"words": [[3, 8]]}})
    boss = browser(people.invite("Boss", role="owner", now=START))

    def words(address: str) -> str:
        return " ".join(re.sub(r"<[^>]*>", " ", text_of(boss.get(address))).split())

    page = words("/project/labels")
    assert "a: m Hope sank slowly. yes" in page, "one label for each of several choices"
    assert "a Hope sank slowly. “Hope”, “sank”" in page
    page = words("/project/quality")
    assert (
        "1 × none, 1 × A metaphor, A simile" in page or "1 × A metaphor, A simile, 1 × none" in page
    )
    assert "It rains." in page
    number, cy = Item.objects.get(external_id="b").pk, judge(project, "Cy", {})
    decided = both | {"words": [[3, 8]]}
    adjudication.decide(number, cy, "t" * 32, decided, note="", excluded=False, now=START)
    assert "A metaphor, A simile, “rains”" in words("/adjudicate/decided")
