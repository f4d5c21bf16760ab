"""Files as `trope annotate export` writes them, of our own or of a simulated crowd."""

import json
from collections import defaultdict
from pathlib import Path

AT = "2026-03-02T09:00:00+00:00"
SEVERAL = ("more_literal", "literal_same_meaning", "more_metaphorical", "metaphorical_same_meaning")


def form(item, annotator, answers, *, state="counted", weight=1.0, number=1, seconds=4.0):
    """A line of an export of judgments."""
    return {
        "judgment": number,
        "item": item,
        "annotator": annotator,
        "answers": answers,
        "state": state,
        "seconds": seconds,
        "at": AT,
        "current": True,
        "replaces": None,
        "gold_right": None,
        "weight": weight,
    }


def decision(item, answers, *, excluded=False):
    """A line of an export of decisions."""
    return {
        "item": item,
        "adjudicator": "Judge",
        "answers": answers,
        "excluded": excluded,
        "note": "",
        "at": AT,
        "current": True,
    }


def write_rows(path: Path, rows) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read_rows(path: Path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def export_simulated(name: str, run: Path, out: Path) -> Path:
    """The judgments of a simulated run as if people had given them in the service."""
    filled: dict[tuple[str, str], dict[str, object]] = defaultdict(dict)
    seconds = {}
    for row in read_rows(run / "judgments.jsonl"):
        place = row["item"], row["annotator"]
        several = row["question"] in SEVERAL
        answer = [word for word in row["label"].split("|") if word] if several else row["label"]
        filled[place][row["question"]] = int(answer) if row["question"] == "score" else answer
        seconds[place] = row["seconds"]
    items = {item["id"]: item["fields"] for item in read_rows(run / "items.jsonl")}
    files = _OTHERS.get(name, _plain)(filled, items, run)
    for what, rows in files.items():
        for number, row in enumerate(rows, start=1):
            row["judgment"], row["seconds"] = (
                number,
                seconds.get((row["item"], row.get("annotator"))),
            )
        write_rows(out / f"{what}.jsonl", rows)
    return out


def _plain(filled, items, run):
    return {"judgments": [form(*place, answers) for place, answers in filled.items()]}  # type: ignore[call-arg]


def _tweets(filled, items, run):
    demo = {place for place in filled if items[place[0]]["subset"] == "demo"}
    rows = {place: answers for place, answers in filled.items() if place not in demo}
    trials = [
        {"item": item, "annotator": who, "part": "demo", "answers": filled[item, who],
         "skipped": False, "right": None, "at": AT}
        for item, who in filled if (item, who) in demo
    ]  # fmt: skip
    return {**_plain(rows, items, run), "trials": trials}


def _scores(filled, items, run):
    team, others = [], []
    for (item, who), answers in filled.items():
        if who.startswith("t"):
            weight = 2.0 if who in ("t01", "t02", "t03") else 1.0
            team.append(form(item, who, answers, weight=weight))
        else:
            state = "gold" if items[item]["subset"] == "trial" else "counted"
            others.append(form(item, who, answers, state=state))
    return {"judgments": others, "team": team}


def _names(filled, items, run):
    labels = {row["item"]: row["label"] for row in read_rows(run / "labels.jsonl")}
    said = defaultdict(dict)
    for (item, who), answers in filled.items():
        said[item][who] = answers["reading"]
    rows, decisions = [], []
    for (item, who), answers in filled.items():
        train = items[item]["subset"].endswith("-train")
        checked = not train and len(said[item]) == 2
        sure = "no" if checked and who == "a01" else "yes"
        rows.append(form(item, who, _name_form(answers["reading"], items[item]) | {"sure": sure}))
        if train and who == "a01" and len(set(said[item].values())) == 2 and labels[item]:
            settled = _name_form(labels[item], items[item]) | {"sure": "yes"}
            decisions.append(decision(item, settled))
    return {"judgments": rows, "decisions": decisions}


def _name_form(reading, fields):
    kind = fields["name_class"]
    if reading in ("literal", "mixed"):
        return {"class": kind, "reading": reading}
    return {"class": kind, "reading": "metonymic", f"{kind}_pattern": reading}


_OTHERS = {"tweets2019": _tweets, "semeval2015": _scores, "semeval2007": _names}
