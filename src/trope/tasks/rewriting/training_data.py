"""What rewriting learns from: NewsMet's judged candidates, and sets of lexical substitution.

Everything that `trope evaluate rewriting` measures on is left out: the files of CoInCo that the
test split of SWORDS is taken from, and MUNCH's items from the test documents of the VU corpus.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from trope.corpora.metadata import load_corpora
from trope.corpora.newsmet import Headline
from trope.corpora.substitution import (
    SubstitutionTarget,
    read_coinco,
    read_lexsub2007,
    read_munch,
    read_swords,
)
from trope.corpora.vua import read_vua_words
from trope.tasks.rewriting.task import TREES, Direction, TaskParser, WordPlace, verb_base
from trope.text.tokenise import tokenise

_CHUNK = re.compile(r"\S+")
_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class JudgedHeadline:
    """A headline, the place of its focus verb, and people's judgments of each candidate."""

    id: str
    place: WordPlace
    direction: Direction
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    accepted: tuple[bool, ...]

    @property
    def right(self) -> frozenset[str]:
        """The base forms that were accepted."""
        pairs = zip(self.lemmas, self.accepted, strict=True)
        return frozenset(lemma for lemma, accepted in pairs if accepted)


def judged_headlines(headlines: Iterable[Headline], parser: TaskParser) -> list[JudgedHeadline]:
    """The headlines that have judged candidates, with their trees, in the order of the file."""
    originals: dict[str, Headline] = {}
    candidates: dict[str, list[Headline]] = {}
    for headline in headlines:
        if headline.gold:
            originals[headline.id] = headline
        else:
            candidates.setdefault(headline.group, []).append(headline)
    with_candidates = [(originals[group], found) for group, found in candidates.items()]
    cuts = [_cut(headline.text, found[0].target) for headline, found in with_candidates]
    parses = parser.parse([words for words, _ in cuts], TREES)
    judged = []
    for (headline, found), (_, at), parse in zip(with_candidates, cuts, parses, strict=True):
        forms = tuple(_replaced(candidate) for candidate in found)
        judged.append(
            JudgedHeadline(
                id=headline.id,
                place=WordPlace(parse, at, "VERB", verb_base(parse.words[at])),
                direction="literal" if headline.metaphor else "metaphorical",
                forms=forms,
                lemmas=tuple(verb_base(form) for form in forms),
                accepted=tuple(bool(candidate.accepted) for candidate in found),
            )
        )
    return judged


def _cut(text: str, target: int | None) -> tuple[list[str], int]:
    """The words of a headline, and which of them is the blank-separated word `target`."""
    spans = tokenise(text)
    start, end = [found.span() for found in _CHUNK.finditer(text)][target or 0]
    inside = [at for at, (a, b) in enumerate(spans) if a < end and b > start]
    longest = max(inside, key=lambda at: spans[at][1] - spans[at][0], default=0)
    return [text[a:b] for a, b in spans], longest


def _replaced(candidate: Headline) -> str:
    """The word that a candidate puts in the place, without marks around it."""
    chunk = candidate.text.split()[candidate.target or 0]
    return _EDGES.sub("", chunk) or chunk


def shuffled(headline: JudgedHeadline, order: Sequence[int]) -> JudgedHeadline:
    """The headline with its candidates in another order."""
    return JudgedHeadline(
        headline.id,
        headline.place,
        headline.direction,
        tuple(headline.forms[at] for at in order),
        tuple(headline.lemmas[at] for at in order),
        tuple(headline.accepted[at] for at in order),
    )


Targets = list[SubstitutionTarget]


def _swords_dev(data: Path) -> Targets:
    """SWORDS dev, where every substitute was judged."""
    return list(read_swords(load_corpora()["swords"].find("swords-v1.1_dev.json.gz", data)))


def _coinco_without_swords(data: Path) -> Targets:
    """CoInCo without the files of SWORDS test."""
    test = read_swords(load_corpora()["swords"].find("swords-v1.1_test.json.gz", data))
    banned = {target.document for target in test}
    path = load_corpora()["coinco"].find("coinco_patched.xml.gz", data)
    return [target for target in read_coinco(path) if target.document not in banned]


def _lexsub_targets(data: Path) -> Targets:
    """SemEval-2007 Task 10, trial and test."""
    corpus = load_corpora()["semeval2007-lexsub"]
    sentences = corpus.find("lst_all.xml", data)
    return [
        target
        for part in ("trial", "test")
        for target in read_lexsub2007(sentences, corpus.find(f"lst_{part}.gold", data))
    ]


def split_munch(data: Path) -> tuple[Targets, Targets]:
    """MUNCH's items from train documents of the VU corpus, and those from its test documents."""
    path = load_corpora()["munch"].find("correct_answers/for_generation.csv", data)
    test = load_corpora()["vua18"].find("VUA_seq_formatted_test.csv", data)
    documents = {sentence.id.rpartition("_")[0] for sentence in read_vua_words(test)}
    items = list(read_munch(path))
    return (
        [item for item in items if item.document not in documents],
        [item for item in items if item.document in documents],
    )


SUBSTITUTION_SETS: dict[str, Callable[[Path], Targets]] = {
    "swords": _swords_dev,
    "coinco": _coinco_without_swords,
    "semeval2007-lexsub": _lexsub_targets,
    "munch": lambda data: split_munch(data)[0],
}
"""The sets that can be left out with `--without`."""
