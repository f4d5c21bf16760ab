"""Projects that readers of fixed seeds have judged."""

import json
import re
from pathlib import Path
from random import Random
from typing import Any

from projects import START, Clock

from trope.annotate.project import Project, new_project, open_project
from trope.annotate.store import judgments, people, queue
from trope.annotate.store.database import connect
from trope.annotate.store.imports import import_items
from trope.annotate.web.service import web_settings

VERBS = ("swallowed", "started", "took", "breaks", "needs", "drain", "stop", "carry")


def tweets(folder: Path, *, number: int = 24, gold: int = 6) -> Project:
    """A project after the tweet study, with items of two subsets."""
    new_project(folder, "tweets2019")
    project = open_project(folder)
    connect(project, **web_settings())
    rows: list[dict[str, Any]] = []
    for n in range(number):
        verb = VERBS[n % len(VERBS)]
        text = f"Somebody {verb} the thing{n} today"
        part = "emotional" if n % 3 else "political"
        rows.append(
            {"id": f"t{n}", "text": text, "highlight": f"{verb} the thing{n}", "subset": part}
        )
    for n in range(gold):
        known = {"understood": "yes", "metaphorical": "yes" if n % 2 else "no"}
        rows.append({"id": f"g{n}", "text": f"Control number {n}", "gold": known})
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)
    return project


def answer(item: Any, reader: int) -> dict[str, str]:
    """What a reader says: mostly the item's own truth, by a fixed seed; control items right."""
    rng = Random(f"{item.external_id} {reader}")
    if rng.random() < 0.04 and not item.is_gold:
        return {"understood": "no"}
    truth = int(re.sub(r"\D", "", item.external_id)) % 2 == 1
    says = truth if item.is_gold or rng.random() < 0.85 else not truth
    return {
        "understood": "yes",
        "metaphorical": "yes" if says else "no",
        "certainty": rng.choice(["certain", "mostly_sure"]),
    }


def collect(project: Project, readers: int = 5) -> None:
    """Everyone judges all that they are given."""
    clock = Clock()
    for reader in range(readers):
        found = people.person_by_token(people.invite(f"Reader {reader}", now=START))
        assert found is not None
        while True:
            page = queue.next_page(found.pk, project.plan, now=clock.now, rng=Random(reader))
            if not page.leases:
                break
            for lease in page.leases:
                clock.forward(seconds=9 + reader)
                said = answer(lease.item, reader)
                judgments.submit(found.pk, lease.token, said, project.plan, now=clock.now)


def scores(folder: Path) -> Project:
    new_project(folder, "semeval2015")
    project = open_project(folder)
    connect(project, **web_settings())
    rows: list[dict[str, Any]] = [{"id": f"s{n}", "text": f"Tweet {n}"} for n in range(12)]
    rows += [
        {"id": f"g{n}", "text": f"Test {n}", "gold": {"score": {"from": -1, "to": 2}}}
        for n in range(6)
    ]
    path = folder / "made.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    import_items(project, path, now=START)
    clock = Clock()
    for reader in range(7):
        found = people.person_by_token(people.invite(f"Reader {reader}", now=START))
        assert found is not None
        while leases := queue.next_page(
            found.pk, project.plan, now=clock.now, rng=Random(reader)
        ).leases:
            for lease in leases:
                rng = Random(f"{lease.item_id} {reader}")
                score = rng.randint(-1, 2) + (0 if lease.item.is_gold else lease.item_id % 3)
                clock.forward(seconds=8)
                judgments.submit(
                    found.pk, lease.token, {"score": score}, project.plan, now=clock.now
                )
    return project
