"""Owners change items that nobody judged and questions, invite many, and see who changed what."""

# ruff: noqa: F401, F811 - fixtures are taken by importing them

import csv
import io
import json
import re

from bookkeeping import check_books
from forms import form_of
from projects import START
from test_setup_pages import owner, served, toml
from test_web import browser, form_token

from trope.annotate.project import Project
from trope.annotate.store.models import Item, ItemVersion
from trope.annotate.store.people import invite


def test_items_that_nobody_judged_are_replaced_or_deleted_and_kept(served: Project) -> None:
    olga, ann = owner(), browser(invite("Ann", now=START))
    ann.post("/judge", {"token": form_token(ann), "metaphor": "yes"})  # i1; has i2 and i3 in hand
    numbers = dict(Item.objects.values_list("external_id", "pk"))
    chosen = {"action": "delete", "item": [numbers[name] for name in ("i1", "i2", "i4")]}
    assert "1 item deleted" in olga.post("/project/items", chosen).content.decode()
    assert set(Item.objects.values_list("external_id", flat=True)) == {"i1", "i2", "i3", "i5", "i6"}
    form = {"text": "Prices climb.", "field-0": "climb", "field-1": ""}
    assert olga.post(f"/project/items/{numbers['i5']}", form).status_code == 302
    new = Item.objects.get(external_id="i5")
    assert (new.text, new.payload, new.open_slots) == ("Prices climb.", {"highlight": [[7, 12]]}, 2)
    refused = olga.post(f"/project/items/{numbers['i1']}", form)
    assert refused.status_code == 422
    assert Item.objects.get(external_id="i1").text == "Sentence number 1."
    wrong = olga.post(f"/project/items/{numbers['i5']}", form | {"field-0": "fall"})
    assert "is not in the text" in wrong.content.decode()
    kept = set(ItemVersion.objects.values_list("item", "became", "text"))
    assert kept == {
        ("i4", "deleted", "Sentence number 4."),
        ("i5", "replaced", "Sentence number 5."),
    }
    assert "Sentence number 4." in olga.get("/project/history").content.decode()
    check_books(served)
    assert "check the box" in olga.post("/project/items", {"action": "delete-all"}).content.decode()
    olga.post("/project/items", {"action": "delete-all", "sure": "1"})
    assert set(Item.objects.values_list("external_id", flat=True)) == {"i1", "i2", "i3"}


def test_highlighted_words_are_shown_as_words_and_found_again(served: Project) -> None:
    olga, number = owner(), Item.objects.get(external_id="i5").pk

    def change(text: str, words: str) -> tuple[int, list[list[int]], str]:
        """What is highlighted then, and what the form says about it."""
        address = f"/project/items/{number}"
        answer = olga.post(address, {"text": text, "field-0": words, "field-1": ""})
        spans = Item.objects.get(pk=number).payload.get("highlight", [])
        return answer.status_code, spans, form_of(olga, address)["field-0"][0]

    assert change("The art of the party.", "art") == (302, [[4, 7]], "art")
    assert change("Once more the art of the party.", "art") == (302, [[14, 17]], "art")
    assert change("Art for art, apart.", "art") == (302, [[8, 11]], "art")
    both = "The art of the art."
    assert change(both, "art")[0] == 422, "nobody knows which of them"
    assert change(both, "[[15, 18]]") == (302, [[15, 18]], "[[15, 18]]")
    assert change(both, "[[4, 7], [15, 18]]") == (302, [[4, 7], [15, 18]], "[[4, 7], [15, 18]]")


def test_faults_of_questions_name_them_as_the_form_does(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/questions")
    form["q"] = ["0", "1"]
    form |= {"q0.text": [" "], "q0.options": ["no\n| Yes"]}
    form |= {"q1.text": ["Sure?"], "q1.kind": ["scale"], "q1.low": ["1"], "q1.high": ["5"]}
    form |= {"q1.when": ["metaphor"], "q1.when_values": ["yes"]}
    answer = olga.post("/project/questions", form | {"action": "save"})
    assert answer.status_code == 422
    page = answer.content.decode().split('role="alert"')[1]
    told = re.findall(r'<li dir="auto">(.*?)</li>', page.split("</ul>")[0])
    assert told == [
        "question 1: has no text",
        "question 1: an option has no value",
        "question 2: question 1 can never be &#x27;yes&#x27;",
    ]
    assert len(toml(served)["questions"]) == 1


def test_links_for_many_are_made_at_once_or_not_at_all(served: Project) -> None:
    olga = owner()
    names = "Ann\nBob \n\nAnn\nCy\n"
    answer = olga.post("/project/links", {"names": names, "action": "csv"})
    text = b"".join(answer.streaming_content).decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [row["name"] for row in rows] == ["Ann", "Bob", "Cy"]
    for row in rows:
        assert browser().post(row["link"].removeprefix("http://localhost")).status_code == 302
    page = olga.post("/project/links", {"names": "Dora\nBob", "action": "show"})
    assert page.status_code == 422
    assert "&#x27;Bob&#x27; is already taken" in page.content.decode()
    page = olga.post("/project/links", {"names": "Dora", "action": "show"}).content.decode()
    assert len(set(re.findall(r"http://localhost/join/[\w-]{43}", page))) == 1


def test_history_says_who_changed_what(served: Project) -> None:
    olga = owner()
    form = form_of(olga, "/project/settings") | {"caps.day": ["20"]}
    olga.post("/project/settings", form)
    olga.post("/project/links", {"names": "Ann", "action": "show"})
    page = olga.get("/project/history").content.decode()
    for word in ("Olga", "caps.day", "invite", "Ann"):
        assert word in page, word
    olga.post("/project/links/open", {"places": "3", "days": "2"})
    times = re.findall(
        r"<small>until</small> (\S+ \S+?)</span>", olga.get("/project/history").content.decode()
    )
    assert [len(one) for one in times] == [len("2026-11-21 09:00")], "no seconds"
    rows = list(
        csv.DictReader(
            io.StringIO(b"".join(olga.get("/project/history.csv").streaming_content).decode())
        )
    )
    assert [row["what"] for row in rows] == ["import", "invite", "plan", "invite", "open link"]
    assert json.loads(rows[2]["detail"]) == {"version": 2, "changed": ["caps.day"]}


def test_address_that_does_not_exist_is_told_in_words(served: Project) -> None:
    olga = owner()
    for way_on in (True, False):
        page = olga.get("/project/nothing")
        assert page.status_code == 404
        assert "There is no such page" in page.content.decode()
        assert ('<a href="/">Continue</a>' in page.content.decode()) == way_on
        olga.post("/leave")
