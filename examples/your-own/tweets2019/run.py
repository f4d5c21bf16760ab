"""Metaphor in tweets, from two files of your own to a data set that others can load.

    python examples/your-own/tweets2019/run.py WORK

The procedure of Zayed, McCrae and Buitelaar (2019): verbs with their objects are found in the
tweets, people say which are metaphors, and the data set is trained on, evaluated and released.
"""

from __future__ import annotations

import csv
import json
import random
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from people import Item, judge, trope

# verb: objects with which it is a metaphor | objects with which it is not
EXPRESSIONS = {
    "broke": "promise silence habit heart record | window bottle chair pencil cup",
    "swallowed": "pride anger doubt insult defeat | pill olive sandwich noodle grape",
    "carried": "blame guilt hope grudge secret | ladder suitcase basket bicycle crate",
    "killed": "mood rumour conversation joy dream | spider wasp weed mosquito snail",
    "planted": "idea suspicion fear lie thought | tomato tree rose potato hedge",
    "buried": "grief memory argument shame feeling | bone cable coin pipe key",
    "drained": "energy patience courage budget morale | bathtub pond pasta tank sink",
    "built": "trust friendship career confidence reputation | shed fence cabin wall kennel",
    "threw": "tantrum insult glance shadow party | ball stone plate towel shoe",
    "lifted": "spirit ban curse gloom burden | lid crate stone sofa barbell",
    "opened": "discussion possibility debate wound mind | door jar umbrella envelope drawer",
    "burned": "hope savings goodwill reserve talent | toast candle letter log pancake",
}
METAPHORS = {word for words in EXPRESSIONS.values() for word in words.split("|")[0].split()}

OPENINGS = ("so", "honestly", "today", "once again", "no joke", "this morning", "guess what",
            "last night", "update", "true story", "well", "at the bus stop")  # fmt: skip
EMOTIONAL = ("I", "my sister", "my best friend", "our neighbour", "my boss", "the kid next door")
POLITICAL = ("the mayor", "the council", "our minister", "the new party", "a senator", "the union")
ENDINGS = ("and nobody noticed", "while we waited for the rain to stop", "before breakfast",
           "which says it all", "and then went home without a word", "again, third time this week",
           "right after the long meeting", "what a start to the weekend", "can you believe it",
           "in front of everybody", "but the cat slept through it", "sigh")  # fmt: skip


def tweets(subjects: tuple[str, ...], half: int) -> list[str]:
    """Every other expression in a tweet, some tweets without one, and some twice."""
    rng = random.Random(half)
    pairs = [
        (verb, word)
        for verb, words in EXPRESSIONS.items()
        for word in words.replace("|", " ").split()
    ]
    texts = [
        f"{rng.choice(OPENINGS)}: {rng.choice(subjects)} {verb} the {word} {rng.choice(ENDINGS)}"
        for verb, word in pairs[half::2]
    ]
    texts += [f"{opening}, {ending} #{n}" for n, opening in enumerate(OPENINGS)
              for ending in rng.sample(ENDINGS, 4)]  # fmt: skip
    texts += [f"RT @someone: {text}" for text in rng.sample(texts, 8)] + rng.sample(texts, 20)
    rng.shuffle(texts)
    return texts


def write_files(folder: Path) -> None:
    """Two files as people have them: another delimiter and encoding, other names of columns."""
    folder.mkdir(parents=True)
    with (folder / "Gefühle (final).csv").open("w", encoding="cp1252", newline="") as file:
        rows = csv.writer(file, delimiter=";")
        rows.writerow(["Nr", "Wann", "Tweet im Wortlaut"])
        for number, text in enumerate(tweets(EMOTIONAL, 0)):
            rows.writerow([f"g{number}", "2026-03-02", text])
    with (folder / "town hall.jsonl").open("w", encoding="utf-8") as file:
        for number, text in enumerate(tweets(POLITICAL, 1)):
            file.write(json.dumps({"key": 9000 + number, "day": "2026-03-03", "post": text}) + "\n")


SETTINGS = """
[sources.emotional]
path = "{folder}/Gefühle (final).csv"
name = "feelings"
licence = "CC BY 4.0"
citation = "Invented for this example."
columns = {{ text = "Tweet im Wortlaut", id = "Nr", date = "Wann" }}

[sources.political]
path = "{folder}/town hall.jsonl"
name = "town-hall"
licence = "CC0 1.0"
columns = {{ text = "post", id = "key", date = "day" }}

[inventory]
moh = false
vua = []

[compiling]
demo = 9
demo_gold = 0
emotional = 60
political = 60
"""


def answer(item: Item, person: str) -> dict[str, str]:
    """What a person answers: the object decides, and the third person errs now and then."""
    metaphor = item.marked[0].split()[-1] in METAPHORS
    if person == "person3" and zlib.crc32(item.text.encode()) % 9 == 0:
        metaphor = not metaphor
    said = "yes" if metaphor else "no"
    return {"understood": "yes", "metaphorical": said, "certainty": "certain"}


def main(work: Path) -> None:
    """The whole procedure; all files are in the folder."""
    write_files(work / "mine")
    settings = work / "settings.toml"
    settings.write_text(SETTINGS.format(folder=(work / "mine").resolve()), encoding="utf-8")
    run, recipe = work / "run", ("recipe", "run", "tweets2019", "--config", settings)

    trope(*recipe, "--out", run, "--quiet")
    answers = judge(run / "project", work / "answers", answer, people=3)
    trope(*recipe, "--out", run, "--answers", answers, "--quiet")

    trope("train", "metaphor", "--on", run, "--kind", "tweet", "--out", work / "system")
    trope("evaluate", "metaphor", "--on", run, "--kind", "tweet", "--system", work / "system")

    trope("release", run, "--out", work / "release", "--name", "verbs-in-my-tweets")
    from datasets import load_dataset

    loaded = load_dataset(str(work / "release"), cache_dir=str(work / "cache"))
    sizes = {split: len(rows) for split, rows in loaded.items()}
    print("loaded with datasets:", sizes, "columns:", ", ".join(loaded["train"].column_names[:4]))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "work"))
