"""Small corpora of our own in the places where the catalogue has the real ones."""

import csv
from pathlib import Path

from analogies import write_data as write_frames

VERBS = ("plant", "break", "grasp", "carry", "throw", "build", "cut", "catch")
OBJECTS = ("hope", "cup", "idea", "rope", "trust", "box", "peace", "chair", "fear", "ball")
PLAIN = {"cup", "rope", "box", "chair", "ball"}

SMALL = {
    "tweets2019": [
        'sources.emotional=["semeval2018-ec/2018-E-c-En-train.txt"]',
        'inventory.vua=["val"]',
        "cleaning.near=2.0",
        "compiling.demo=12",
        "compiling.demo_gold=4",
        "compiling.emotional=20",
        "compiling.political=24",
    ],
    "newsmet": ["sample=12", "classes.metaphorical=6", "classes.literal=6"],
    "semeval2015": [
        'sources.tweets=["semeval2018-ec/2018-E-c-En-train.txt", "brexit-tweets.tsv.gz"]',
        "near=2.0",
        "trial=20",
        "quotas.other=60",
    ],
    "semeval2007": [
        'sources.texts=["en_ewt-ud-train.conllu.gz"]',
        "location.train=3",
        "location.test=1",
    ],
    "mean": ["items=4"],
}
"""Settings with which each recipe runs on these corpora."""

NEEDS = {"mean": "yaml"}
"""What a recipe cannot be loaded without."""


def write_data(root: Path) -> Path:
    """The folder with tweets, headlines, sentences of metaphor corpora, a treebank and frames."""
    _tweets(root)
    _metaphor_corpora(root)
    _headlines(root)
    _treebank(root)
    write_frames(root)
    return root


def _tweets(root: Path) -> None:
    lines = ["tweet_id\tdate\tstance_auto\tsentiment_auto\ttext"]
    number = 1000
    for verb in VERBS:
        for at, noun in enumerate(OBJECTS):
            number += 1
            text = f"They will {verb} the {noun} before the vote number {at} http://x.example/{at}"
            lines.append(f"{number}\t2016-06-23\tother\tneutral\t{text}")
    lines += [
        "1\t2016-06-23\tother\tneutral\tRT @someone: They will plant the hope before the vote",
        "2\t2016-06-23\tother\tneutral\tThey will plant the hope before the vote number 0",
        "3\t2016-06-24\tother\tneutral\thttp://x.example/only",
        "4\t2016-06-24\tother\tneutral\tSomeone should fumigate the kitchen tomorrow morning",
        "5\t2016-06-24\tother\tneutral\tWhat a great delay again, I love waiting #sarcasm",
        "6\t2016-06-24\tother\tneutral\tThe fire station burned down last night, oh my #irony",
        "7\t2016-06-24\tother\tneutral\tI am literally drowning in forms and letters today",
    ]
    _write(root / "tweets-brexit" / "brexit-tweets.tsv", "\n".join(lines) + "\n")
    rows = ["ID\tTweet\tanger"]
    for verb in VERBS:
        for at, noun in enumerate(OBJECTS):
            rows.append(
                f"e-{verb}-{at}\tToday I {verb} a {noun} with my sister, day {at} sooo #happy\t0"
            )
    _write(root / "tweets-emotion" / "semeval2018-ec" / "2018-E-c-En-train.txt", "\n".join(rows))


def _metaphor_corpora(root: Path) -> None:
    columns = ["txt_id", "sen_ix", "sentence", "label_seq", "pos_seq", "labeled_sentence", "genre"]
    rows = []
    for verb in VERBS:
        for noun in OBJECTS:
            metaphor = int(noun not in PLAIN)
            marked = f"We {'M_' if metaphor else ''}{verb} the {noun} ."
            tags = "['PRON', 'VERB', 'DET', 'NOUN', 'PUNCT']"
            labels = f"[0, {metaphor}, 0, 0, 0]"
            sentence = f"We {verb} the {noun} ."
            rows.append(["t", len(rows), sentence, labels, tags, marked, "news"])
    _table(root / "vua18" / "VUA_seq_formatted_val.csv", [columns, *rows])
    moh = [["verb", "sentence", "verb_idx", "label"], ["plant", "He plants the idea", 1, 1]]
    _table(root / "moh" / "MOH_formatted.csv", moh)


def _headlines(root: Path) -> None:
    lines = ["id\theadline\tsource\tlabel\turl_or_date"]
    subjects = ("Mayor", "Minister", "Coach", "Bank", "Union", "Judge")
    tail = "before the long summer of {} in the north"
    for at, subject in enumerate(subjects):
        for verb, noun in (("attacks", "plan"), ("opens", "library"), ("kills", "hope")):
            text = f"{subject} {verb} {noun} {tail.format(1990 + at)}"
            date = "2017-05-01" if at % 2 else f"http://news.example/2019/03/{subject}"
            lines.append(f"h{len(lines)}\t{text}\town\treliable\t{date}")
    lines += [
        "x1\tMayor opens library\town\tfake\t2017-01-01",
        "x2\tMayor attacks plan before the long summer of 1990 in the north\town\tfake\t2017-01-01",
        "x3\tA very quiet weekend in the old town by the river\town\tfake\t",
    ]
    _write(root / "headlines" / "headlines.tsv", "\n".join(lines) + "\n")


def _treebank(root: Path) -> None:
    blocks = []
    texts = [
        ("France won again .", "Nobody slept .", "He flew to Peru .", "Toyota denied it ."),
        ("Rain fell .", "Canada and Kenya signed .", "He drives a Volvo ."),
        ("Nothing happened .",),
    ]
    for number, sentences in enumerate(texts, start=1):
        for at, sentence in enumerate(sentences, start=1):
            head = [f"# newdoc id = doc{number}"] if at == 1 else []
            words = sentence.split()
            lines = [
                f"{place}\t{word}\t{word}\tX\tX\t_\t{int(place > 1)}\t"
                f"{'dep' if place > 1 else 'root'}\t_\t_"
                for place, word in enumerate(words, start=1)
            ]
            meta = [f"# sent_id = doc{number}-{at}", f"# text = {sentence}"]
            blocks.append("\n".join([*head, *meta, *lines]))
    _write(root / "ewt" / "en_ewt-ud-train.conllu", "\n\n".join(blocks) + "\n\n")


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def _table(path: Path, rows: list[list[object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
