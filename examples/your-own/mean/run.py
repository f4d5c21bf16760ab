"""Metaphoric analogies from an inventory of your own, to a data set that others can load.

    python examples/your-own/mean/run.py WORK

The procedure of Pitarch, Bernad and Gracia (2023): items with one right and three wrong endings are
made from metaphors with mappings of roles, people say which are sound, and a system is trained on
what they accepted, measured, and asked about items of one's own.
"""

from __future__ import annotations

import json
import sys
import zlib
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from people import Item, judge, trope

# domain: who acts, what is acted on, where | further words of its frame
TOPICS = {
    "argument": "speaker claim debate | opinion proof reply",
    "love": "lover feeling marriage | kiss heart couple",
    "idea": "thinker thought mind | insight theory plan",
    "career": "employee promotion office | salary boss job",
    "illness": "patient symptom hospital | fever doctor cure",
    "money": "banker savings bank | coin loan debt",
    "education": "teacher lesson school | pupil exam book",
    "politics": "minister law parliament | vote party speech",
}
VEHICLES = {
    "war": "soldier weapon battlefield | army attack enemy",
    "journey": "traveller luggage road | map train ticket",
    "garden": "gardener plant soil | seed flower spade",
    "cooking": "cook recipe kitchen | oven spoon pan",
    "building": "builder brick foundation | roof wall crane",
    "theatre": "actor role stage | curtain audience costume",
    "fishing": "fisherman net river | boat hook bait",
    "weather": "sailor storm sky | cloud rain wind",
    "sport": "athlete ball stadium | goal referee whistle",
}
PARTS = ("who acts", "what is acted on", "where it happens")


def frame(domain: str, words: str) -> dict[str, object]:
    """A frame with its roles and lexical units."""
    roles, units = (part.split() for part in words.split("|"))
    return {
        "name": f"{domain}_frame",
        "roles": [{"name": role} for role in roles],
        "lexical_units": [f"{unit}.n" for unit in [*units, domain]],
    }


def write_files(folder: Path) -> int:
    """The inventory as two files (JSON is YAML, too); gives the number of mappings."""
    folder.mkdir(parents=True)
    metaphors = [
        {
            "name": f"{topic.upper()}_IS_{vehicle.upper()}",
            "target_frame": f"{topic}_frame",
            "source_frame": f"{vehicle}_frame",
            "mappings": [
                {"target_role": one, "source_role": other}
                for one, other in zip(
                    TOPICS[topic].split()[:3], VEHICLES[vehicle].split()[:3], strict=True
                )
            ],
            "examples": [f"Their {topic} is a {vehicle}."],
        }
        for topic, vehicle in product(TOPICS, VEHICLES)
    ]
    frames = [frame(domain, words) for domain, words in {**TOPICS, **VEHICLES}.items()]
    for name, content in (("our metaphors.yaml", {"metaphors": metaphors}),
                          ("Rahmen.yml", {"frames": frames})):  # fmt: skip
        (folder / name).write_text(json.dumps(content, indent=1), encoding="utf-8")
    return len(PARTS) * len(metaphors)


SETTINGS = """
items = 60
items_per_metaphor = 1

[sources.metaphors]
path = "{folder}/our metaphors.yaml"
name = "our-metaphors"
licence = "CC BY 4.0"
citation = "Invented for this example."

[sources.frames]
path = "{folder}/Rahmen.yml"
name = "our-frames"
licence = "CC BY 4.0"
"""
# items without a right choice: every column after the third holds a choice
QUESTION = """MetSource,MetTarget,SourceRole,one,two,three
friendship,garden,friend,gardener,river,curtain
science,journey,researcher,soup,traveller,crane
"""


def right_ending(text: str) -> str:
    """The ending that the inventory maps to: "love is to war what lover is to …"."""
    first, rest = text.split(" is to ", 1)
    second, element = rest.split(" what ", 1)
    role = TOPICS[first].split()[:3].index(element.split(" is to ")[0])
    return VEHICLES[second].split()[role]


def answer(item: Item, person: str) -> dict[str, str]:
    """What a person answers: the right ending; the second finds some items unsound."""
    unsound = zlib.crc32(item.text.encode()) % 8 == 0 and person != "person1"
    return {"ending": right_ending(item.text), "sound": "no" if unsound else "yes"}


def main(work: Path) -> None:
    """The whole procedure; all files are in the folder."""
    mine = work / "mine"
    print(write_files(mine), "mappings of roles")
    settings = work / "settings.toml"
    settings.write_text(SETTINGS.format(folder=mine.resolve()), encoding="utf-8")
    run, recipe = work / "run", ("recipe", "run", "mean", "--config", settings)

    trope(*recipe, "--out", run, "--quiet")
    answers = judge(run / "project", work / "answers", answer, people=3)
    trope(*recipe, "--out", run, "--answers", answers, "--quiet")

    trope("train", "analogy", "--on", run, "--out", work / "system")
    trope("evaluate", "analogy", "--on", run, "--system", work / "system")
    trope("evaluate", "analogy", "--on", run, "--folds", 5)
    question = work / "new items.csv"
    question.write_text(QUESTION, encoding="utf-8")
    trope("analogy", "answer", question, "--system", work / "system")

    trope("release", run, "--out", work / "release", "--name", "our-analogies")
    from datasets import load_dataset

    loaded = load_dataset(str(work / "release"), cache_dir=str(work / "cache"))
    sizes = {split: len(rows) for split, rows in loaded.items()}
    print("loaded with datasets:", sizes, "columns:", ", ".join(loaded["train"].column_names[:4]))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "work"))
