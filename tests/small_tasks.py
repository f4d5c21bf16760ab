"""The files of SemEval-2007 Task 8 and SemEval-2015 Task 11 in small, of our own making."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

ENDS = ("#sarcasm", "#irony", "so I literally left", "and so to speak")


def tweets(first: int, count: int) -> list[tuple[str, int, str]]:
    found = []
    for at in range(count):
        good = at % 3 == 0
        end = ENDS[at % 4]
        score = (3 if good else -3) if not end.startswith("#") else -2
        text = f"what a {'lovely' if good else 'awful'} ride number {first + at} {end}"
        found.append((str(first + at), score, text))
    return found


def packed(rows: list[str]) -> bytes:
    return gzip.compress("".join(f"{row}\n" for row in rows).encode())


def write_semeval2015(home: Path) -> None:
    """Sixty tweets to learn from, 24 to be tested on."""
    folder = home / "semeval2015"
    folder.mkdir(parents=True)
    train, test = tweets(100, 60), tweets(500, 24)
    test[1] = (test[1][0], test[1][1], test[5][2])  # two rows share a text
    lost = ("999", -1)
    ids = [(i, s) for i, s, _ in train] + [lost]
    (folder / "newid_weightedtweetdata.tsv").write_text(
        "".join(f"{i}\t{i}9\t{s + 0.2}\n" for i, s in ids)
    )
    (folder / "weightedtweetdata_int.tsv").write_text("".join(f"{i}\t{s}\n" for i, s in ids))
    (folder / "testTweetId").write_text("100  -1\n700 -2\n")
    (folder / "testData").write_text("700\t-2\tquite an awful end #irony\n")
    (folder / "tagged-train.tsv.gz").write_bytes(packed([f"{i}\t{s}\t{t}\tx" for i, s, t in train]))
    (folder / "oldTrainign.gz").write_bytes(packed([f"{i}\t{s}\tolder" for i, s, _ in train]))
    (folder / "trainingText.gz").write_bytes(packed([f"{i}\t{i}9\tother" for i, _, _ in train]))
    (folder / "figurative_clean.tsv.gz").write_bytes(packed([f"{i}\tcut" for i, _, _ in train]))
    (folder / "tagged-GoldTest.tsv.gz").write_bytes(
        packed([f"{i}\t{s}\t{t}\tx" for i, s, t in test])
    )


PEOPLE = 'metonymic" metotype="place-for-people'
MEMBERS = 'metonymic" metotype="organisation-for-members'


def sample(number: int, tag: str, reading: str, text: str) -> str:
    marked = f'<annot><{tag} reading="{reading}"> Peru </{tag}></annot>'
    return f'<sample id="samp{number}">\n<par>\n{text.format(marked)}\n</par>\n</sample>\n'


def write_names(path: Path, tag: str, metonymic: str, *, known: bool = True) -> None:
    """Twelve names: six first words that are metonymic, six last ones that are literal."""
    verbs = ("denied", "refused", "agreed", "warned", "insisted", "wept")
    rows = []
    for number, verb in enumerate(verbs, start=1):
        readings = (metonymic, "literal") if known else ("unknown", "unknown")
        rows.append(sample(number, tag, readings[0], f"{{}} {verb} it"))
        rows.append(sample(number + 6, tag, readings[1], f"they {verb} things in {{}}"))
    path.write_text(f"<sampletexts>\n{''.join(rows)}</sampletexts>\n")


def write_semeval2007(home: Path) -> None:
    """Twelve names of each class in train and in test."""
    folder = home / "semeval2007"
    (folder / "grammannot").mkdir(parents=True)
    write_names(folder / "SemEval.train.xml", "location", PEOPLE)
    write_names(folder / "SemEval.test.xml", "location", PEOPLE)
    write_names(folder / "comp_toparse.train", "org", MEMBERS)
    write_names(folder / "companies.test", "org", "", known=False)
    labels = [{"sentence": ["Peru"], "pos": [0, 1], "label": int(n % 2 == 0)} for n in range(12)]
    (folder / "companies_test.json").write_text(json.dumps(labels))
    roles = "".join(
        f"samp{n}|{'deny' if n < 7 else 'in'}|Peru|{'subj' if n < 7 else 'pp'}|unknown\n"
        for n in range(1, 13)
    )
    for name in ("countries", "companies"):
        (folder / "grammannot" / f"{name}.test.grammannot").write_text(roles)
