"""Audits of the sets of ordinary English: figures, idioms, names, readings and valence.

No test rows are read but those of the shared task's texts: what is audited is development data, or
training data in folds.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from trope.audit.audit import Audit, Rival, rivals_by_score
from trope.audit.controls import AuditItem, BinarySet, audit_figures
from trope.core.files import sha256
from trope.corpora.emobank import read_emobank
from trope.corpora.idioms import read_epie, read_magpie
from trope.corpora.tagged_tokens import TaggedSentence, read_tagged_tokens, read_uner
from trope.lexicon.readings import LITERAL
from trope.metrics.figures import DataRef
from trope.text.tokenise import tokenise
from trope.train.encoder.corpus import UNKNOWN
from trope.train.encoder.figure_sets import FigureSentence, novelty_sentences
from trope.train.encoder.name_sets import (
    TAGS,
    NameTags,
    coarse_samples,
    named_sentence,
    read_tag_set,
)

_TOP = 0.9
_NAME_SETS = ("btc", "wnut17", "crossner", "wikigold")


def audit_novelty(data: Path, seed: int) -> Audit:
    """The most novel tenth of the metaphors of the shared task's test texts."""
    train, test = (novelty_sentences(data, split) for split in ("train", "test"))
    limit = float(np.quantile([v for s in train for v in s.novelty if v != UNKNOWN], _TOP))
    ref = _ref("novelty", "test", data / "novelty" / "vuamc_novelty.csv")
    questions = BinarySet("novelty.top", _novel(train, limit), _novel(test, limit), ref)
    return Audit(questions.name, audit_figures(questions, seed), {})


def _novel(sentences: Iterable[FigureSentence], limit: float) -> list[AuditItem]:
    return [
        AuditItem(s.words, value > limit, s.group, at, at + 1, s.words[at].lower())
        for s in sentences
        for at, value in enumerate(s.novelty)
        if value != UNKNOWN
    ]


def audit_meta4xnli(data: Path, seed: int) -> Audit:
    """Every word of Meta4XNLI."""
    folder = data / "meta4xnli"
    train, dev = (_tagged(read_tagged_tokens(folder / f"{s}.tsv.gz")) for s in ("train", "dev"))
    questions = BinarySet("meta4xnli", train, dev, _ref("meta4xnli", "dev", folder / "dev.tsv.gz"))
    figures = audit_figures(questions, seed)
    rivals = rivals_by_score(figures, "metaphor.meta4xnli.dev.noticed", {}, "")
    return Audit(questions.name, figures, rivals)


def _tagged(sentences: Iterable[TaggedSentence]) -> list[AuditItem]:
    return [
        AuditItem(s.tokens, tag != "O", s.id, at, at + 1, s.tokens[at].lower())
        for s in sentences
        for at, tag in enumerate(s.tags)
    ]


def audit_emobank(data: Path, seed: int) -> Audit:
    """Sentences of EmoBank that people rated below neutral."""
    path = data / "emobank" / "emobank-train-dev.csv.gz"
    items: dict[str, list[AuditItem]] = {"train": [], "dev": []}
    for row in read_emobank(path):
        words = tuple(row.text[start:end] for start, end in tokenise(row.text))
        if words and row.split in items:
            items[row.split].append(AuditItem(words, row.sentiment < 0, row.id))
    questions = BinarySet(
        "emobank.negative", items["train"], items["dev"], _ref("emobank", "dev", path)
    )
    return Audit(questions.name, audit_figures(questions, seed), {})


def audit_idioms(data: Path, seed: int) -> Audit:
    """Possible idioms of MAGPIE and EPIE: used as idioms, or literally; in folds by idiom."""
    folder = data / "idiom-sentences"
    paths = [folder / f"{name}.tsv.gz" for name in ("magpie-typebased-dev", "epie-formal")]
    items = [
        AuditItem(s.words, s.idiomatic, s.id, *s.spans[0], s.idiom.lower())
        for read, path in zip((read_magpie, read_epie), paths, strict=True)
        for s in read(path)
        if s.idiomatic is not None
    ]
    questions = BinarySet("idioms", (), items, _ref("idiom-sentences", "all", *paths))
    return Audit(questions.name, audit_figures(questions, seed), {})


def audit_names(data: Path, seed: int) -> Audit:
    """Words in names of places, organisations and people."""
    train = [_in_names(s, str(n)) for n, s in enumerate(_name_sentences(data))]
    path = data / "names" / "uner-ewt-dev.iob2.gz"
    dev = [
        AuditItem(s.tokens, tag[2:] in ("LOC", "ORG", "PER"), s.id, at, at + 1, word.lower())
        for s in read_uner(path)
        for at, (word, tag) in enumerate(zip(s.tokens, s.tags, strict=True))
    ]
    questions = BinarySet(
        "names", [item for own in train for item in own], dev, _ref("uner-ewt", "dev", path)
    )
    return Audit(questions.name, audit_figures(questions, seed), {})


def _name_sentences(data: Path) -> list[NameTags]:
    return [s for name in _NAME_SETS for s in read_tag_set(data, name, "train")]


def _in_names(sentence: NameTags, group: str) -> list[AuditItem]:
    inside = range(1, len(TAGS))
    return [
        AuditItem(sentence.words, tag in inside, group, at, at + 1, sentence.words[at].lower())
        for at, tag in enumerate(sentence.tags)
        if tag != UNKNOWN
    ]


def audit_relocar(data: Path, seed: int) -> Audit:
    """Place names of ReLocaR, literal or not, in folds by name."""
    items = []
    for sample in coarse_samples(data, "relocar"):
        s = named_sentence(sample)
        literal = sample.label("coarse") == LITERAL
        items.append(AuditItem(s.words, literal, sample.id, s.first, s.last, sample.name.lower()))
    path = data / "metonymy" / "ReLocaR_Train.xml"
    questions = BinarySet("relocar", (), items, _ref("relocar", "train", path))
    figures = audit_figures(questions, seed)
    rivals = {
        figure.name: Rival("metonymy.relocar.cv_accuracy")
        for figure in figures
        if figure.name.endswith(".accuracy")
    }
    return Audit(questions.name, figures, rivals)


def _ref(name: str, split: str, *paths: Path) -> DataRef:
    return DataRef(name, split, ",".join(sha256(path) for path in paths))


NOVELTY = (audit_novelty,)
META4XNLI = (audit_meta4xnli,)
EMOBANK = (audit_emobank,)
IDIOMS = (audit_idioms,)
NAMES = (audit_names,)
RELOCAR = (audit_relocar,)
