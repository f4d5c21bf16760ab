"""Sets that teach figures and names: what is read, what is left out, which part is for choices."""

import gzip
import json
from pathlib import Path

import pytest
import tiny

from small_tasks import write_semeval2015
from trope.core.errors import BadRecord, MissingData
from trope.corpora.records import LabelledSentence
from trope.corpora.semeval2015 import read_split
from trope.corpora.sources import NamedBytes
from trope.corpora.vua import read_novelty
from trope.encoder.pieces import Vocabulary
from trope.train.encoder.corpus import UNKNOWN, ZERO
from trope.train.encoder.figure_sets import (
    FigureSentence,
    encode_figures,
    read_figure_set,
    split_clitics,
)
from trope.train.encoder.name_sets import (
    LABELS,
    PLACE,
    TAGS,
    encode_tags,
    read_name_set,
    read_tag_set,
)
from trope.train.encoder.own_sentences import in_dev
from trope.train.encoder.sentiment_sets import read_sentiment_set
from trope.train.encoder.text_sets import make_sentences, read_texts


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())


def scores(*rows: str) -> NamedBytes:
    header = '"text id","sentence id","token id","score"\n'
    return NamedBytes((header + "".join(f"{row}\n" for row in rows)).encode(), "scores.csv")


CORPUS = [
    LabelledSentence("b-text_1", ("Prices", "leap", "."), (False, True, False), 2),
    LabelledSentence("a-text_1", ("Time", "flies", "."), (False, True, False), 3),
    LabelledSentence("a-text_2", ("We", "ate", "."), (False, False, False), 4),
]


def test_novelty_is_counted_over_texts_in_the_order_of_their_names() -> None:
    found = list(read_novelty(scores("0,0,1,-0.5", "1,0,1,0.75", "0,1,1,0.2"), CORPUS))
    assert [(s.id, s.text, s.novelty) for s in found] == [
        ("a-text_1", "a-text", (None, -0.5, None)),
        ("b-text_1", "b-text", (None, 0.75, None)),
    ], "the score of a word that is no metaphor is left out"


@pytest.mark.parametrize("row", ["0,0,one,0.5", "0,0,1,much", "0,0,1,1.5", "-1,0,1,0", "0,0,1,nan"])
def test_faults_of_scores_are_named(row: str) -> None:
    with pytest.raises(BadRecord, match=r"scores\.csv:2"):
        list(read_novelty(scores(row), CORPUS))


def test_copies_of_test_tweets_are_left_out(tmp_path: Path) -> None:
    write_semeval2015(tmp_path)
    tested = read_split(tmp_path / "semeval2015", "test").tweets[0].text
    folder = tmp_path / "tweets-emotion"
    copy = f"@user {tested.replace('#irony', '').replace('#sarcasm', '')} https://t.co/ab"
    write(folder / "tweeteval/sentiment/val_text.txt", "a plain day\n")
    write(folder / "tweeteval/sentiment/val_labels.txt", "1\n")
    write(folder / "tweeteval/irony/train_text.txt", f"{copy}\nsomething new, how lovely\n")
    write(folder / "tweeteval/irony/train_labels.txt", "1\n0\n")
    for kind, part in (("sentiment", "test"), ("irony", "val"), ("irony", "test")):
        write(folder / f"tweeteval/{kind}/{part}_text.txt", "")
        write(folder / f"tweeteval/{kind}/{part}_labels.txt", "")
    emotions = "anger anticipation disgust fear joy love optimism pessimism sadness surprise trust"
    for part in ("train", "dev", "test"):
        header = "\t".join(["ID", "Tweet", *emotions.split()])
        write(folder / f"semeval2018-ec/2018-E-c-En-{part}.txt", header + "\n")
    found = [
        tweet.text.strip() for tweet in read_sentiment_set(tmp_path, "tweets-emotion", "train")
    ]
    assert found == ["a plain day", "something new, how lovely"]
    assert copy not in list(read_texts(tmp_path, "tweets-emotion"))


def test_documents_that_swords_tests_on_are_left_out(tmp_path: Path) -> None:
    sentence = (
        '<sent MASCfile="{0}.txt"><precontext>Before {0}.</precontext>'
        "<targetsentence>Here is {0}.</targetsentence></sent>"
    )
    both = "".join(sentence.format(name) for name in ("tested", "other"))
    write(tmp_path / "coinco" / "coinco_patched.xml.gz", f"<document>{both}</document>")
    every = ["Before tested.", "Here is tested.", "Before other.", "Here is other."]
    assert list(read_texts(tmp_path, "coinco")) == every
    target = {"context_id": "c", "target": "is", "offset": 5, "pos": "VERB", "extra": {}}
    context = {"context": "Here is tested.", "extra": {"coinco_ids": ["tested.txt:s-r1"]}}
    target["extra"] = {"coinco_ids": ["1"], "coinco_lemma": "be"}
    swords = {"contexts": {"c": context}, "targets": {"t": target}}
    swords |= {"substitutes": {}, "substitute_labels": {}}
    write(tmp_path / "swords" / "swords-v1.1_test.json.gz", json.dumps(swords))
    assert list(read_texts(tmp_path, "coinco")) == every[2:]


def test_groups_are_in_one_split_and_leaked_rows_in_none(tmp_path: Path) -> None:
    folder = tmp_path / "meta4xnli"
    rows = [f"# id = m-{n}\nTime\tO\nflies,\tB-METAPHOR\n\n" for n in range(60)]
    write(folder / "train.tsv.gz", "".join(rows))
    write(folder / "leaks.tsv", "file\tid\tagainst\ntrain\tm-7\theld\ndev\tm-8\theld\n")
    train, dev = (read_figure_set(tmp_path, "meta4xnli", split) for split in ("train", "dev"))
    assert len(train) + len(dev) == 59
    assert {s.group for s in dev} == {f"m-{n}" for n in range(60) if in_dev(f"m-{n}")} - {"m-7"}
    assert dev
    assert {s.words for s in (*train, *dev)} == {("Time", "flies", ",")}
    assert {s.noticed for s in train} == {(0, 1, 0)}


def test_punctuation_becomes_words_of_its_own() -> None:
    told = FigureSentence(('("No,', "n't", "..."), noticed=(1, 0, 0))
    split = split_clitics(told)
    assert split.words == ("(", '"', "No", ",", "n't", "...")
    assert split.noticed == (0, 0, 1, 0, 0, 0)


def test_idioms_are_marked_where_they_are_used_as_such(tmp_path: Path) -> None:
    folder = tmp_path / "idiom-sentences"
    head = "id\tidiom\tlabel\tspan\twords\n"
    used = "m-1\tbreak the ice\tidiomatic\t1:4\tShe broke the ice .\n"
    literal = "m-2\tbreak the ice\tliteral\t1:4\tShe broke the ice .\n"
    write(folder / "magpie-typebased-dev.tsv.gz", head + used + literal)
    write(folder / "epie-formal.tsv.gz", "id\tidiom\tlabel\twords\ttags\n")
    write(folder / "leaks.tsv", "file\tid\tagainst\n")
    split = "dev" if in_dev("break the ice") else "train"
    found = read_figure_set(tmp_path, "idiom-sentences", split)
    assert [s.idiom for s in found] == [(0, 1, 1, 1, 0), (0, 0, 0, 0, 0)]


def test_only_comparators_are_judged_in_similes(tmp_path: Path) -> None:
    for part, label in (("similes", "simile"), ("literals", "literal")):
        around = {"before": "", "after": "", "label": label}
        texts = (f"he runs like a {label}", f"no {label} here")
        rows = [{"id": f"{label}-{text}", "text": text, **around} for text in texts]
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        write(tmp_path / "figures" / f"msd23-{part}.jsonl.gz", lines)
    found = [s for split in ("train", "dev") for s in read_figure_set(tmp_path, "similes", split)]
    nobody = (UNKNOWN, UNKNOWN)
    assert {s.simile for s in found} == {(*nobody, 1, *nobody), (*nobody, 0, *nobody)}


def test_labels_that_nobody_gave_are_unknown() -> None:
    sentences = [
        FigureSentence(("Time", "flies"), noticed=(0, 1)),
        FigureSentence(("Fog", "sleeps"), novelty=(UNKNOWN, ZERO + 900)),
    ]
    labels = encode_figures(sentences, Vocabulary(tiny.VOCABULARY)).labels
    assert {name: values.tolist() for name, values in labels.items()} == {
        "noticed": [0, 1, UNKNOWN, UNKNOWN],
        "novelty": [UNKNOWN, UNKNOWN, UNKNOWN, ZERO + 900],
    }


def test_names_of_all_schemes_are_three_classes(tmp_path: Path) -> None:
    folder = tmp_path / "names"
    rows = "# id = w-1\nAda\tB-person\nof\tO\nCity\tB-group\nUnited\tI-group\nMay\tB-product\n\n"
    write(folder / "wnut17-train.tsv.gz", rows)
    write(
        folder / "wnut17-dev.tsv", "# id = w-2\n@\tO\nada\tB-person\nin\tO\n@Oslo\tB-location\n\n"
    )
    write(folder / "leaks.tsv", "file\tid\tagainst\n")
    first, second = read_tag_set(tmp_path, "wnut17", "train")
    assert [TAGS[tag] for tag in first.tags] == ["B-PER", "O", "B-ORG", "I-ORG", "O"]
    assert second.tags == (UNKNOWN, UNKNOWN, 0, UNKNOWN), "sets disagree on user names"
    corpus = encode_tags([first, second], Vocabulary(tiny.VOCABULARY))
    assert corpus.labels["tag"].tolist() == [*first.tags, *second.tags]
    with pytest.raises(MissingData, match=r"btc-train.*holds names/ with --from"):
        read_tag_set(tmp_path, "btc", "train")


def test_place_names_known_as_literal_or_not(tmp_path: Path) -> None:
    samples = "".join(
        f'<sample number="{n}">Talks in <loc reading="{reading}">Oslo</loc> ended.</sample>'
        for n, reading in enumerate(("lit", "met"), start=1)
    )
    write(tmp_path / "metonymy" / "ReLocaR_Train.xml", f"<root>{samples}</root>")
    write(tmp_path / "metonymy" / "leaks.tsv", "file\tid\tagainst\n")
    split = "dev" if in_dev("Oslo") else "train"
    found = read_name_set(tmp_path, "relocar", split)
    assert {(s.name_class, LABELS[s.reading]) for s in found} == {
        (PLACE, "place:literal"), (PLACE, "place:metonymic"),
    }  # fmt: skip
    assert all(s.last == s.first + 1 for s in found)


def test_made_sentences_are_the_same_for_the_same_seed() -> None:
    first, again = (list(make_sentences(200, 7)) for _ in range(2))
    assert first == again
    assert len(set(first)) > 150
    assert all(words[0][0].isupper() and words[-1] == "." for words in first)
