"""Names in a corpus of your own, after SemEval-2007 Task 8: from a table of notes to a leaderboard.

The notes, the companies and the villages are invented. Three people judge what each name stands
for; two of the names are homonyms, which a reviewer removes first.

    python examples/your-own/semeval2007/run.py WORK
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from datasets import load_dataset
from people import Item, judge, trope

from trope import Pipeline
from trope.corpora.semeval2007 import read_samples
from trope.corpora.semeval2007_answers import write_submission
from trope.corpora.semeval2007_layers import read_roles, roles_of
from trope.tasks.metonymy.task import decide, parse_samples
from trope.tasks.own_systems import open_system

COMPANIES = (
    "Brightmoor", "Halden Foods", "Quillon", "Ostrava Glass", "Ferndale Tools", "Microsoft",
    "Nettlebank", "Volvo", "Larkspur Air", "Toyota",
)  # fmt: skip
PLACES = (
    "Reading", "Peru", "Little Marrow", "Norway", "Upper Tane", "Kenya", "Vessel Bay", "Canada",
    "Portugal", "Old Harrow",
)  # fmt: skip
# what people answer: a reading, and a pattern where it is metonymic
ABOUT_COMPANIES = {
    "{0} was founded by two sisters above a bakery": ("literal", ""),
    "They bought {0} for less than the price of its furniture": ("literal", ""),
    "{0} apologised to everybody on the platform": ("metonymic", "organisation-for-members"),
    "Yesterday {0} denied the story of the cat": ("metonymic", "organisation-for-members"),
    "He drives an old {0} with one blue door": ("metonymic", "organisation-for-product"),
    "They met in front of {0} and waited for the rain to end": (
        "metonymic", "organisation-for-facility"
    ),
}  # fmt: skip
ABOUT_PLACES = {
    "We spent the whole winter in {0} without a stove": ("literal", ""),
    "The road to {0} is closed on Sundays": ("literal", ""),
    "A train from {0} brought the post": ("literal", ""),
    "{0} lies behind the second hill": ("literal", ""),
    "{0} voted against the new bridge": ("metonymic", "place-for-people"),
    "Nobody was surprised when {0} refused to sign": ("metonymic", "place-for-people"),
    "{0} beat them by three goals": ("metonymic", "place-for-people"),
}
DETAILS = (" that spring", " in the end")
BEFORE = ("The week began quietly.", "It was cold.", "Somebody had left a note on the door.")
AFTER = ("Nothing else was said.", "The tea had gone cold.", "That was on a Tuesday.")
HOMONYM = "Reading aloud helps, her aunt used to say."


def write_files(folder: Path, number: int = 240) -> None:
    """A table with the columns of somebody's notebook, and two lists of names."""
    rng = random.Random(7)
    rows = []
    for at in range(number):
        names, lines = (COMPANIES, ABOUT_COMPANIES) if at % 2 else (PLACES, ABOUT_PLACES)
        other, line = divmod(at // 2, len(lines))
        detail, name = divmod(other, len(names))
        text = f"{list(lines)[line].format(names[name])}{DETAILS[detail]}."
        rows.append((f"N{at:04}", f"{rng.choice(BEFORE)} {text} {rng.choice(AFTER)}"))
    rows += [(f"H{at}", f"{HOMONYM} {text}") for at, text in enumerate(AFTER)]
    with (folder / "field notes (2).csv").open("w", newline="", encoding="utf-16") as file:
        csv.writer(file, delimiter=";").writerows([("Note no.", "Wording"), *rows])
    (folder / "firms of note.txt").write_text("\n".join(COMPANIES) + "\n", encoding="utf-8")
    with (folder / "gazetteer.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("Place name", "km"), *((name, 7) for name in PLACES)])


def answer(item: Item, person: str) -> dict[str, str]:
    """What a person answers; one of them is careless about what a team or a government is."""
    name = item.marked[0]
    kind = "organisation" if name in COMPANIES else "location"
    lines = ABOUT_COMPANIES if kind == "organisation" else ABOUT_PLACES
    reading, pattern = next(
        given for line, given in lines.items() if line.format(name) in item.text
    )
    if person == "person3" and "beat them" in item.text:
        reading, pattern = "literal", ""
    answers = {"class": kind, "reading": reading, "sure": "yes", "notes": ""}
    return answers | ({f"{kind}_pattern": pattern} if pattern else {})


def review(sheet: Path) -> None:
    """Decide on the samples of the sheet, as a reviewer does in a spreadsheet."""
    with sheet.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        row["decision"] = "homonym" if HOMONYM in row["text"] else "keep"
    with sheet.open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


def write_table(task: Path, path: Path) -> None:
    """The samples of the task's files as one table, with the split of the recipe."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["text", "name", "class", "reading", "split"])
        for name_class in ("location", "organisation"):
            for split in ("train", "test"):
                for one in read_samples(task / f"{name_class}-{split}.xml"):
                    table.writerow([one.sentence, one.name, name_class, one.reading, split])


def submit(task: Path, folder: Path, system: Path) -> list[Path]:
    """Two submissions about companies: of the trained system, and by the name's role alone."""
    samples = list(read_samples(task / "organisation-test.xml"))
    names = parse_samples(samples, Pipeline())
    learned = open_system(system, "metonymy").system.predict(names)
    chosen = [decide(scores, "organisation", "fine") for scores in learned]
    roles = roles_of(samples, read_roles(task / "organisation-test.roles"))
    answers = {
        "light": {sample.id: label for sample, label in zip(samples, chosen, strict=True)},
        "subjects": {
            name: "organisation-for-members" if "subj" in dict(pairs) else "literal"
            for name, pairs in roles.items()
        },
    }
    for name, labels in answers.items():
        write_submission(folder / f"{name}.txt", name, "organisation", "fine", labels)
    return [folder / f"{name}.txt" for name in answers]


def main(work: Path) -> None:
    """The whole procedure."""
    work.mkdir(parents=True, exist_ok=True)
    write_files(work)
    settings = work / "settings.toml"
    settings.write_text(
        f"""
companies = "{(work / "firms of note.txt").as_posix()}"
places = "{(work / "gazetteer.csv").as_posix()}:Place name"
location = {{ train = 36, test = 20 }}
organisation = {{ train = 36, test = 20 }}

[sources.texts]
path = "{(work / "field notes (2).csv").as_posix()}"
name = "field-notes"
licence = "CC-BY-4.0"
citation = "Somebody (2024), Field notes."
columns = {{ text = "Wording", id = "Note no." }}
""",
        encoding="utf-8",
    )
    run = work / "run"
    recipe = ("recipe", "run", "semeval2007", "--config", settings, "--out", run)
    trope(*recipe)
    review(run / "review.csv")
    trope(*recipe)
    answers = judge(run / "project", work / "answers", answer, plan={"judgments_per_item": 2})
    trope(*recipe, "--answers", answers)
    task, table = work / "task", work / "names.csv"
    trope("recipe", "layers", run, "--out", task)
    write_table(task, table)
    trope("train", "metonymy", "--on", table, "--out", work / "system")
    trope("evaluate", "metonymy", "--on", table, "--system", work / "system")
    first, second = submit(task, work, work / "system")
    gold = task / "organisation-test.xml"
    trope("score", "metonymy", gold, first, "--granularity", "fine")
    trope("leaderboard", gold, first, second)
    trope("release", run, "--out", work / "release")
    found = load_dataset(str(work / "release"))
    print("loaded with datasets:", {name: split.num_rows for name, split in found.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
