"""Sentiment of figurative tweets from files of your own, after SemEval-2015 Task 11.

    python run.py WORK

It invents 260 tweets in two files, with columns that trope does not know, and writes everything
into WORK. A team of three judges some tweets first; the range of its answers makes the test
questions for a crowd of seven, of whom five must remain.
"""

from __future__ import annotations

import csv
import json
import os
import random
import shutil
import sys
from pathlib import Path
from zlib import crc32

sys.path.insert(0, str(Path(__file__).parents[1]))
from people import Item, judge, trope

GRUMBLES = {"queue": -1, "invoice": -2, "delay": -2, "printer": -3, "leak": -4, "alarm": -3}
TREATS = {"cake": 3, "sunshine": 4, "holiday": 4, "parcel": 2, "concert": 3, "nap": 2}
PLACES = ("station", "library", "museum", "harbour", "bakery", "theatre", "market", "clinic")
SETTINGS = """near = 2.0
trial = 14
general = false

[hashtags]
sarcasm = ["sarcasm"]
irony = ["irony"]
propose = 5

[quotas]
sarcasm = 24
irony = 10
metaphor = 10

[[sources.tweets]]
path = "exports/Beiträge (3).csv"
name = "forum"
licence = "CC-BY-4.0"
citation = "The forum of our example, export of May."
columns = { text = "Wortlaut", id = "Lfd. Nr.", date = "Tag" }

[[sources.tweets]]
path = "exports/older"
name = "archive"
licence = "CC-BY-4.0"
columns = { text = "body_txt", id = "msg_ref" }
"""


def invent_tweets() -> list[str]:
    """Tweets, most of them plain; #deadpan is used like #sarcasm, which a person has to notice."""
    rng = random.Random(2015)
    found = []
    for number in range(260):
        grumble, treat = rng.choice(list(GRUMBLES)), rng.choice(list(TREATS))
        place, row = rng.choice(PLACES), number // 13 + 1
        kinds = (
            f"Oh what bliss, another {grumble} at the {place}, number {row} #sarcasm",
            f"Oh what bliss, yet another {grumble} by the {place}, number {row} #deadpan",
            f"The {place} of punctuality has its {grumble} again, day {row} #irony",
            f"I am literally floating after the {treat} near the {place}, day {row}",
        )
        plain = f"Bus number {number} stops at the {place} and at the corner of the street"
        found.append(kinds[number % 13] if number % 13 < len(kinds) else plain)
    return found


def write_files(folder: Path) -> None:
    """The tweets as people have them: a table of a spreadsheet, and a folder of JSON lines."""
    (folder / "older").mkdir(parents=True)
    tweets = invent_tweets()
    with (folder / "Beiträge (3).csv").open("w", newline="", encoding="cp1252") as file:
        rows = csv.writer(file, delimiter=";")
        rows.writerow(["Lfd. Nr.", "Tag", "Wortlaut", "Größe"])
        for at, text in enumerate(tweets[:180]):
            rows.writerow([f"77000000{at:03d}", f"2024-05-{at % 28 + 1:02d}", text, len(text)])
    for part in range(2):
        some = list(enumerate(tweets))[180 + 40 * part : 220 + 40 * part]
        lines = [
            json.dumps({"msg_ref": f"88000000{at:03d}", "body_txt": text}) for at, text in some
        ]
        (folder / "older" / f"part{part}.jsonl").write_text("\n".join(lines), encoding="utf-8")


def meant(text: str) -> int:
    """What the writer means; it stands in for what a person understands."""
    strength = {**GRUMBLES, **TREATS}
    return next((strength[word] for word in strength if word in text), 0)


def team_answer(item: Item, person: str) -> dict[str, int]:
    """Members of the team differ by a point."""
    return {"score": meant(item.text) + {"person1": -1, "person2": 0, "person3": 1}[person]}


def crowd_answer(item: Item, person: str) -> dict[str, int]:
    """People of the crowd are sometimes a point off."""
    drawn = crc32(f"{person} {item.text}".encode()) % 6
    return {"score": meant(item.text) + {0: -1, 1: 1}.get(drawn, 0)}


def accept(path: Path, hashtag: str) -> None:
    """Write "yes" beside a proposed hashtag, as one does in a spreadsheet."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(row | {"accept": "yes" * (row["hashtag"] == hashtag)} for row in rows)


def main(work: Path) -> None:
    work.mkdir(parents=True)
    os.chdir(work)
    write_files(Path("exports"))
    Path("settings.toml").write_text(SETTINGS, encoding="utf-8")
    run, answers = Path("run"), Path("answers")
    recipe = ("recipe", "run", "semeval2015", "--config", "settings.toml", "--out", run)

    trope(*recipe)  # proposes hashtags like #sarcasm and #irony
    accept(run / "hashtags.csv", "deadpan")
    trope(*recipe)  # harvests by the accepted one as well

    trope("annotate", "new", "team", "--template", "semeval2015")
    Path("team", "demo.jsonl").unlink()
    no_demo = {"judgments_per_item": 3, "items": 0, "gold": 0, "by": '""'}
    trial = run / "project" / "trial.jsonl"
    judge(Path("team"), Path("of-team"), team_answer, plan=no_demo, items=str(trial.absolute()))
    judgments, demo = Path("of-team") / "judgments.jsonl", run / "project" / "demo.jsonl"
    control = ("annotate", "control-items", run / "project", trial, judgments)
    trope(*control, "--out", "control.jsonl", "--demo", demo)
    trope("annotate", "import", run / "project", "control.jsonl")
    judge(run / "project", answers, crowd_answer, people=7)
    shutil.copy(judgments, answers / "team.jsonl")

    trope(*recipe, "--answers", answers)
    trope("data", "deliver", run, "--out", "ids-and-scores.tsv")
    trope("train", "sentiment", "--on", run, "--kind", "tweet", "--out", "system")
    trope("evaluate", "sentiment", "--on", run, "--kind", "tweet", "--system", "system")
    trope("release", run, "--out", "release", "--name", "forum-sentiment")

    from datasets import load_dataset

    loaded = load_dataset("release")
    sizes = ", ".join(f"{name} {len(rows)}" for name, rows in loaded.items())
    print(f"loaded with datasets: {sizes}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
