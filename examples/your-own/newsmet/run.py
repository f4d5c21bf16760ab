"""Metaphors in headlines, from a file of your own to a data set that others can load.

    python examples/your-own/newsmet/run.py WORK

The procedure of Joseph, Liu, Ng, See and Rai (2023): headlines with one subject, verb and object
get silver labels and candidates for their verb, people judge both, and gold, gold+ and the labels
of verbs are released.
"""

from __future__ import annotations

import csv
import random
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from people import Item, judge, trope

METAPHORICAL = ("swallows", "strangles", "buries", "devours", "hammers", "chokes", "slashes",
                "torpedoes", "squeezes", "fuels")  # fmt: skip
LITERAL = ("repairs", "cancels", "rejects", "visits", "delays", "publishes", "approves", "closes",
           "inspects", "buys")  # fmt: skip
SUBJECTS = ("Council", "Ministry", "Drought", "Harbour company", "Rail operator", "Water board",
            "City museum", "Energy giant", "Farm union", "Ferry line")  # fmt: skip
OBJECTS = ("budget", "bridge", "timetable", "library", "contract", "harvest", "report", "market",
           "stadium", "service")  # fmt: skip
TAILS = ("in northern valley after long debate", "for third time since last autumn",
         "despite protest of village residents", "before summer season begins in June",
         "as winter storm reaches the coast", "while mayor waits for new figures")  # fmt: skip


def write_file(folder: Path) -> None:
    """Headlines as an archive gives them: tabs, other names of columns, some of them twice."""
    rng = random.Random(7)
    headlines = []
    for number in range(240):
        verb = (METAPHORICAL + LITERAL)[number % 20]
        words = rng.choice(SUBJECTS), verb, rng.choice(OBJECTS), rng.choice(TAILS)
        headlines.append(" ".join(words))
    headlines += rng.sample(headlines, 20) + [f"Weather on page {n}" for n in range(2, 12)]
    folder.mkdir(parents=True)
    with (folder / "morgue 1998-2003.tab").open("w", encoding="utf-16", newline="") as file:
        rows = csv.writer(file, delimiter="\t")
        rows.writerow(["shelfmark", "printed on", "headline as set"])
        for number, headline in enumerate(headlines):
            rows.writerow([f"M/{number:04d}", f"2001-{number % 12 + 1:02d}-11", headline])


SETTINGS = """
[sources.headlines]
path = "{folder}/morgue 1998-2003.tab"
name = "morgue"
licence = "CC BY 4.0"
citation = "Invented for this example."
delimiter = "tab"
columns = {{ text = "headline as set", id = "shelfmark", date = "printed on" }}

[classes]
metaphorical = 40
literal = 40
"""


def answer(item: Item, person: str) -> dict[str, object]:
    """What a person answers: the verb decides; half of the candidates fit, and the third errs."""
    said = "metaphorical" if item.marked[0] in METAPHORICAL else "literal"
    if person == "person3" and zlib.crc32(item.text.encode()) % 11 == 0:
        said = "invalid"
    found: dict[str, object] = {"sentence": said, "verb": said}
    for question, words in item.offered.items():
        if question not in found:
            found[question] = [word for word in words if zlib.crc32(word.encode()) % 2]
    return found


def main(work: Path) -> None:
    """The whole procedure; all files are in the folder."""
    write_file(work / "mine")
    settings = work / "settings.toml"
    settings.write_text(SETTINGS.format(folder=(work / "mine").resolve()), encoding="utf-8")
    run, recipe = work / "run", ("recipe", "run", "newsmet", "--config", settings)

    trope(*recipe, "--out", run, "--quiet")
    # nobody is selected by a demo task here; `trope annotate control-items` would make one
    plan = {"judgments_per_item": 3, "items": 0, "gold": 0, "by": '""'}
    answers = judge(run / "project", work / "answers", answer, people=3, plan=plan)
    trope(*recipe, "--out", run, "--answers", answers, "--quiet")
    trope("recipe", "tables", run)

    trope("train", "metaphor", "--on", run, "--kind", "headline", "--out", work / "system")
    trope("evaluate", "metaphor", "--on", run, "--kind", "headline", "--system", work / "system")

    trope("release", run, "--out", work / "release", "--name", "verbs-in-my-headlines")
    from datasets import load_dataset

    folder, cache = str(work / "release"), str(work / "cache")
    loaded = {
        name: load_dataset(folder, name, cache_dir=cache) for name in ("default", "gold_plus")
    }
    sizes = {name: {split: len(data[split]) for split in data} for name, data in loaded.items()}
    print("loaded with datasets:", sizes)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "work"))
