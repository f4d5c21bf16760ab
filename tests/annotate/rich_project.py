"""A project with every kind of question, and a crowd that does all that people do."""

import json
from datetime import timedelta
from pathlib import Path
from random import Random

from projects import START, copy_tables

from trope.annotate.project import Project, new_project, open_project
from trope.annotate.questions import read_answers
from trope.annotate.store import discipline, judgments, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.web.content import form_values

PLAN = """
title = "All kinds"
guidelines = "Read, then answer."
items_per_page = 3
judgments_per_item = 2
order = "given"
{more}
[skip]
allowed = true
limit = 1.0
[gold]
share = 0.3
[[questions]]
id = "metaphor"
kind = "choice"
text = "Is it a metaphor?"
options = [{{ value = "yes" }}, {{ value = "no" }}, {{ value = "=1+1" }}]
[[questions]]
id = "state"
kind = "scale"
text = "How strong?"
low = -5
high = 5
[[questions]]
id = "kept"
kind = "multi"
text = "Which keep the meaning?"
options_from = "candidates"
[[questions]]
id = "words"
kind = "spans"
text = "Which words?"
[[questions]]
id = "notes"
kind = "text"
text = "Notes"
required = false
"""

TEXTS = (
    "The 🌊 of words drowned 𝒃𝒐𝒕𝒉 of them.",
    "=HYPERLINK(0) is what he 'called' it,\nover two lines",
    "הים שר, and the harbour listened.",
    '-5 degrees, "he said", and @all froze',
    "'Quoted' at both ends'",
    "Plain words about a plain day.",
)
NOTES = ("=1+1", "'quoted", "-", "@me", "two\nlines", 'a "b", c', "ä🌊", "\u2028sep", "+49", "a\tb")


def rich_project(folder: Path, *, more: str = "") -> Project:
    """The project without items, its tables made."""
    new_project(folder, "pairs")
    (folder / "project.toml").write_text(PLAN.format(more=more), encoding="utf-8")
    project = open_project(folder)
    copy_tables(project)
    connect(project)
    return project


def add_rich_items(project: Project, copies: int = 1) -> None:
    """Texts with emoji, right-to-left script, quotes and formulas; every third one is known."""
    path = project.folder / "rich.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, text in enumerate(TEXTS * copies):
            row = {"id": f"r{number}", "text": text, "candidates": "one; two,2; =three"}
            row |= {"source": f"+{number}", "highlight": [[0, 3]]}
            if number % 3 == 2:
                row["gold"] = {"metaphor": ["yes", "no"], "state": {"from": -1, "to": 4}}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    import_items(project, path, now=START)


def live(project: Project, seed: int, events: int = 40) -> None:
    """So many random events of four people: pages, answers, changes, skips, drafts, holds,
    dismissal, reinstatement."""
    rng = Random(seed)
    now = START
    names = ("Ann", "=Bob", "C'y", "Déa 🌊")
    for name in names:
        people.invite(name, now=now)
    given: list[tuple[int, int]] = []
    for _ in range(events):
        now += timedelta(seconds=rng.uniform(0.001, 4000))
        person = rng.randint(1, len(names))
        what = rng.choice(
            ("answer",) * 6 + ("skip", "draft", "change", "change", "undo", "dismiss", "hold")
        )
        if what == "dismiss" and rng.random() < 0.3:
            discipline.dismiss(person, "too =fast", now=now)
            continue
        if what == "hold":
            if not discipline.hold(person, "", "a word, =please", now=now, by="O"):
                discipline.reinstate(person, now=now, by="O", reason="@ease")
            continue
        try:
            _do(project, what, person, rng, now, given)
        except people.ActionRefused:
            continue


def _do(project, what, person, rng, now, given):
    if what == "undo":
        judgments.undo(person, project.plan, form_values, now=now)
        return
    if what == "change":
        mine = [number for number, who in given if who == person]
        if mine:
            from trope.annotate.store.models import StoredJudgment

            old = StoredJudgment.objects.get(pk=rng.choice(mine))
            answers = random_answers(project, old.item, rng)
            new = judgments.change(
                person, old.pk, f"{rng.getrandbits(128):032x}", answers, project.plan, now=now
            )
            given.append((new.pk, person))
        return
    leases = queue.next_page(person, project.plan, now=now, rng=rng).leases
    if not leases:
        return
    lease = leases[0]
    if what == "skip":
        judgments.skip(person, lease.token, project.plan, now=now)
    elif what == "draft":
        judgments.save_draft(person, lease.token, {"notes": [rng.choice(NOTES)], "seen": ["notes"]})
    else:
        answers = random_answers(project, lease.item, rng)
        new = judgments.submit(person, lease.token, answers, project.plan, now=now)
        given.append((new.pk, person))


def random_answers(project: Project, item, rng: Random) -> dict:
    """Answers that the form takes."""
    start = rng.randrange(len(item.text) - 1)
    form = {
        "metaphor": [rng.choice(("yes", "no", "=1+1"))],
        "state": [str(rng.randint(-5, 5))],
        "kept": rng.sample(["one", "two,2", "=three"], rng.randint(0, 3)),
        "words": [f"{start}-{rng.randint(start + 1, len(item.text))}"]
        if rng.random() < 0.7
        else [],
        "notes": [rng.choice(NOTES)] if rng.random() < 0.7 else [],
    }
    answers, faults = read_answers(
        project.plan.questions, form, text=item.text, payload=item.payload
    )
    assert not faults
    return answers
