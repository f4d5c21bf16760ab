"""Where the silver detector's texts come from: each corpus as sentences with one label.

A sentence of VUA is metaphorical where any of its words is; a text of LCC where any of its spans
is; the sentence of a verb (MOH, TSV, TroFi) where the verb is; the examples of conceptual
metaphors all are. A user's own gold and gold+ come in three splits.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from trope.core.errors import MissingData, UnknownName
from trope.core.files import sha256
from trope.corpora.conceptual_metaphors import read_master_list, read_metanet_examples
from trope.corpora.conllu import read_conllu
from trope.corpora.labelled_texts import LabelledSet
from trope.corpora.newsmet import GoldPlusRows, Headline, read_newsmet, read_newsmet_test
from trope.corpora.verb_corpora import read_lcc, read_moh, read_svo_sentences, read_trofi
from trope.corpora.vua import read_vua_words, read_vuamc
from trope.tasks.metaphor.silver import SilverText

ABSENT = {
    "trofi": "used where its example base is given (--trofi FILE)",
    "mind-is-a-metaphor": "The Mind is a Metaphor: not available as a file",
    "grothe": "Grothe: not available as a file",
    "wikiqa": "WikiQA: a literal stand-in takes its place",
}
"""Sets of the paper that are not in the research data, and what that means."""

STAND_IN = (
    "sentences of EWT's training part in which no noun, verb, adjective or adverb is a word form "
    "that VUA-18's training part marks as metaphorical in more than 5 % of its occurrences"
)
"""The rule of the literal stand-in for WikiQA."""

GOLD_PLUS_ROWS: tuple[GoldPlusRows, ...] = ("all_six", "accepted_only")
TEST_SETS = {"test_1": "test_1", "test_2": "test_2", "newsmet_val": "val", "newsmet_test": "test"}
"""What is predicted → the split of NewsMet that it is."""

_STAND_IN_RATE = 0.05
_STAND_IN_LEAST_WORDS = 5
_CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV"})


@dataclass(frozen=True, slots=True)
class LabelledTexts:
    """Texts of several corpora, and the checksums of the files that they were read from."""

    texts: tuple[SilverText, ...]
    files: Mapping[str, str]


def gather_texts(
    data: Path,
    names: Sequence[str] | None = None,
    *,
    trofi: Path | None = None,
    further: Sequence[LabelledSet] = (),
) -> LabelledTexts:
    """The labelled texts of the named corpora (none: all that the paper had and we have).

    `further` are sets of a user's own, named by their files.

    Raises:
        UnknownName: for a corpus that there is no rule for.
        MissingData: for one whose files are absent.
    """
    wanted = list(SENTENCE_SETS) if names is None else list(names)
    for name in wanted:
        if name not in SENTENCE_SETS and not (name == "trofi" and trofi):
            raise UnknownName("set of labelled sentences", name, tuple(SENTENCE_SETS))
    texts: list[SilverText] = []
    files: dict[str, str] = {}
    for name in wanted:
        if name == "trofi":
            continue
        paths, read = SENTENCE_SETS[name]
        for path in (data / place for place in paths):
            if not path.is_file():
                raise MissingData(path, f"give the directory that holds {name} with --from")
            files[path.relative_to(data).as_posix()] = sha256(path)
            texts += (SilverText(text, metaphor, name) for text, metaphor in read(path))
    if trofi is not None:
        files[trofi.name] = sha256(trofi)
        texts += (
            SilverText(running_text(s.words), s.label, "trofi")
            for s in read_trofi(trofi, annotated_only=True)
        )
    for own in further:
        files[own.path.name] = own.sha256
        texts += (SilverText(item.text, item.answer, own.path.name) for item in own.items)
    return LabelledTexts(tuple(texts), files)


def literal_stand_in(data: Path) -> LabelledTexts:
    """Plain sentences that take WikiQA's place; `STAND_IN` says which."""
    vua = data / "vua18" / "VUA_seq_formatted_train.csv"
    ewt = data / "ewt" / "en_ewt-ud-train.conllu.gz"
    seen: Counter[str] = Counter()
    metaphors: Counter[str] = Counter()
    for sentence in read_vua_words(vua):
        for word, label in zip(sentence.words, sentence.labels, strict=True):
            seen[word.lower()] += 1
            metaphors[word.lower()] += label
    texts = [
        SilverText(running_text([w.form for w in sentence.words]), False, "ewt")
        for sentence in read_conllu(ewt)
        if len(sentence.words) >= _STAND_IN_LEAST_WORDS
        and all(
            metaphors[w.form.lower()] <= _STAND_IN_RATE * seen[w.form.lower()]
            for w in sentence.words
            if w.upos in _CONTENT
        )
    ]
    paths = (vua, ewt)
    return LabelledTexts(tuple(texts), {p.relative_to(data).as_posix(): sha256(p) for p in paths})


def newsmet_headlines(
    data: Path, split: str, *, reading: GoldPlusRows = "all_six"
) -> tuple[list[Headline], dict[str, str]]:
    """The headlines of a split, or of `test_1` or `test_2`, and the checksum of the file."""
    custom = split in ("test_1", "test_2")
    name = f"test_set_{split[-1]}.csv" if custom else f"{split}_goldplus.csv"
    path = data / "newsmet" / name
    found = list(read_newsmet_test(path) if custom else read_newsmet(path, reading=reading))
    return found, {path.relative_to(data).as_posix(): sha256(path)}


def gold_plus_run(reading: GoldPlusRows) -> str:
    """The name of the run with gold+ read in this way."""
    return f"d_imbal_gold_plus_{reading}"


def lines_to_predict(data: Path) -> str:
    """What is to be predicted, as JSON lines: set, id and text, no label."""
    rows = [
        {"set": name, "id": headline.id, "text": headline.text}
        for name, split in TEST_SETS.items()
        for headline in newsmet_headlines(data, split)[0]
    ]
    return json_lines(rows)


def json_lines(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows as JSON lines."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


_TIGHT_BEFORE = re.compile(r" (?=[,.;:!?%)\]}]|n't\b|'(?:s|re|ve|ll|d|m)\b|’)")
_TIGHT_AFTER = re.compile(r"(?<=[(\[{$£]) ")


def running_text(words: Sequence[str]) -> str:
    """Words put together as people write them: no blank before a comma, "do n't" in one."""
    return _TIGHT_AFTER.sub("", _TIGHT_BEFORE.sub("", " ".join(words)))


Labelled = Iterator[tuple[str, bool]]


def _lcc(path: Path) -> Labelled:
    return ((running_text(span.words), span.metaphor) for span in read_lcc(path))


def _moh(path: Path) -> Labelled:
    return ((sense.text, sense.metaphor) for sense in read_moh(path))


def _tsv(path: Path) -> Labelled:
    return ((triplet.sentence, triplet.metaphor) for triplet in read_svo_sentences(path))


def _vuamc(path: Path) -> Labelled:
    return ((running_text(s.words), any(s.labels)) for s in read_vuamc(path) if s.words)


def _metanet(path: Path) -> Labelled:
    return ((record.text, True) for record in read_metanet_examples(path))


def _master_list(path: Path) -> Labelled:
    return ((record.text, True) for record in read_master_list(path))


SENTENCE_SETS: Mapping[str, tuple[tuple[str, ...], Callable[[Path], Labelled]]] = {
    "tsv": (("tsv/Yulia_formatted_svo.csv",), _tsv),
    "lcc": (("lcc/train.csv", "lcc/dev.csv"), _lcc),
    "master-metaphor-list": (
        (
            "conceptual/master_metaphor_list_examples.json",
            "conceptual/master_metaphor_list_subtypes.json",
        ),
        _master_list,
    ),
    "metanet": (("conceptual/metanet_examples.tsv",), _metanet),
    "moh": (("moh/Data-metaphoric-or-literal.txt",), _moh),
    "vuamc": (("naacl2018/vuamc_corpus_train.csv",), _vuamc),
}
"""Corpus → its files and how they are read. Test parts of LCC and VUA stay test parts."""


Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = ("train", "validation", "test")
SIMULATED = "simulated"
"""What stands in the name of everything that a simulated crowd has to do with."""


@dataclass(frozen=True, slots=True)
class UserGold:
    """Headlines with their transformations, by part, and the checksums of their files."""

    parts: Mapping[Part, tuple[Headline, ...]]
    simulated: bool
    files: Mapping[str, str]

    @property
    def crowd(self) -> str:
        """Whose labels they are."""
        return SIMULATED if self.simulated else "own"

    @property
    def test_set(self) -> str:
        """The name of what is predicted."""
        return f"{self.crowd}_test"

    def run(self, reading: GoldPlusRows) -> str:
        """The name of the training with gold+ read in this way."""
        return f"{gold_plus_run(reading)}_{self.crowd}"

    def read(self, part: Part, reading: GoldPlusRows = "all_six") -> list[Headline]:
        """The headlines of a part, with or without rejected candidates."""
        return [h for h in self.parts[part] if reading == "all_six" or h.accepted is not False]

    def texts(self) -> dict[str, list[str]]:
        """Part → its texts, under names that tell them from NewsMet's."""
        return {f"{self.crowd} {part}": [h.text for h in self.parts[part]] for part in PARTS}

    def lines_to_predict(self) -> str:
        """The test part as JSON lines: set, id and text, no label."""
        rows = ({"set": self.test_set, "id": h.id, "text": h.text} for h in self.parts["test"])
        return json_lines(rows)
