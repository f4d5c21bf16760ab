"""Words and sentences measured against the development parts of two treebanks."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from trope.core.files import read_lines
from trope.text import read

Spans = set[tuple[int, int]]


@dataclass
class Document:
    """Raw text and where its gold words and sentences stand."""

    text: str = ""
    words: Spans = field(default_factory=set)
    sentences: Spans = field(default_factory=set)

    def add(self, rows: list[list[str]]) -> None:
        start = len(self.text)
        covered = 0
        for row in rows:
            first, _, last = row[0].partition("-")
            if last:
                covered = int(last)
                forms = [
                    r[1] for r in rows if r[0].isdigit() and int(first) <= int(r[0]) <= covered
                ]
                assert "".join(forms) == row[1]
            elif int(first) <= covered:
                continue
            else:
                forms = [row[1]]
            for form in forms:
                self.words.add((len(self.text), len(self.text) + len(form)))
                self.text += form
            end = len(self.text)
            self.text += "" if "SpaceAfter=No" in row[9] else " "
        self.sentences.add((start, end))


def documents(path, tweets: bool = False) -> Iterator[Document]:
    document = Document()
    rows: list[list[str]] = []
    for _, line in read_lines(path):
        if line.startswith("# newdoc") or (tweets and line.startswith("# tweet_id")):
            if document.words:
                yield document
            document = Document()
        elif line.startswith("# newpar") and document.text:
            document.text = document.text.rstrip() + "\n\n"
        elif line and not line.startswith("#"):
            row = line.split("\t")
            rows += [row] if "." not in row[0] else []
        elif not line and rows:
            document.add(rows)
            rows = []
    yield document


def f1(pairs: list[tuple[Spans, Spans]]) -> float:
    common = sum(len(gold & found) for gold, found in pairs)
    return 2 * common / sum(len(gold) + len(found) for gold, found in pairs)


def word_f1(gold: list[Document]) -> float:
    found = [
        {(w.start, w.end) for s in read(document.text).sentences for w in s.words}
        for document in gold
    ]
    return f1([(document.words, spans) for document, spans in zip(gold, found, strict=True)])


@pytest.mark.shared
def test_words_and_sentences_of_running_text(shared):
    gold = list(documents(shared / "data/ewt/en_ewt-ud-dev.conllu"))
    assert sum(len(document.sentences) for document in gold) == 2_001
    found = [{(s.start, s.end) for s in read(document.text).sentences} for document in gold]
    assert word_f1(gold) >= 0.992
    pairs = [(d.sentences, spans) for d, spans in zip(gold, found, strict=True)]
    assert f1(pairs) >= 0.868


@pytest.mark.shared
def test_words_of_tweets(shared):
    path = shared / "data/tweebank/en-ud-tweet-dev.fixed.conllu"
    gold = list(documents(path, tweets=True))
    assert len(gold) == 710
    assert word_f1(gold) >= 0.986
