"""What rewriting is learnt from beside NewsMet: sets of lexical substitution.

Everything that `trope evaluate rewriting` measures on is kept out: the files of CoInCo that the
test part of SWORDS is taken from, and MUNCH's items from the test documents of the VU corpus.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from trope.corpora.metadata import load_corpora
from trope.corpora.substitution import (
    SubstitutionTarget,
    read_coinco,
    read_lexsub2007,
    read_munch,
    read_swords,
)
from trope.corpora.vua import read_vua_words

Targets = list[SubstitutionTarget]


def swords_dev(data: Path) -> Targets:
    """SWORDS dev, where every substitute was judged."""
    return list(read_swords(load_corpora()["swords"].find("swords-v1.1_dev.json.gz", data)))


def coinco(data: Path) -> Targets:
    """CoInCo without the files of SWORDS test."""
    test = read_swords(load_corpora()["swords"].find("swords-v1.1_test.json.gz", data))
    banned = {target.document for target in test}
    path = load_corpora()["coinco"].find("coinco_patched.xml.gz", data)
    return [target for target in read_coinco(path) if target.document not in banned]


def lexsub2007(data: Path) -> Targets:
    """SemEval-2007 Task 10, trial and test."""
    corpus = load_corpora()["semeval2007-lexsub"]
    sentences = corpus.find("lst_all.xml", data)
    return [
        target
        for part in ("trial", "test")
        for target in read_lexsub2007(sentences, corpus.find(f"lst_{part}.gold", data))
    ]


def munch_parts(data: Path) -> tuple[Targets, Targets]:
    """MUNCH's items from train documents of the VU corpus, and those from its test documents."""
    path = load_corpora()["munch"].find("correct_answers/for_generation.csv", data)
    test = load_corpora()["vua18"].find("VUA_seq_formatted_test.csv", data)
    documents = {sentence.id.rpartition("_")[0] for sentence in read_vua_words(test)}
    items = list(read_munch(path))
    return (
        [item for item in items if item.document not in documents],
        [item for item in items if item.document in documents],
    )


SETS: dict[str, Callable[[Path], Targets]] = {
    "swords": swords_dev,
    "coinco": coinco,
    "semeval2007-lexsub": lexsub2007,
    "munch": lambda data: munch_parts(data)[0],
}
"""The sets that can be left out with `--without`."""
