"""NewsMet's judged candidates: headlines, their focus verbs, six candidates each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from trope.corpora.newsmet import Headline
from trope.lexicon.inflection import lemma
from trope.lexicon.wordlists import shipped_words
from trope.tasks.rewriting.task import TREES, Direction, Parser, Place
from trope.text.tokenise import tokenise

_CHUNK = re.compile(r"\S+")
_EDGES = re.compile(r"^\W+|\W+$")


@dataclass(frozen=True, slots=True)
class JudgedHeadline:
    """A headline, where its focus verb stands, and what people said of each candidate."""

    id: str
    place: Place
    direction: Direction
    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    accepted: tuple[bool, ...]

    @property
    def right(self) -> frozenset[str]:
        """The base forms that were accepted."""
        pairs = zip(self.lemmas, self.accepted, strict=True)
        return frozenset(lemma for lemma, accepted in pairs if accepted)


def judged_headlines(headlines: Iterable[Headline], parser: Parser) -> list[JudgedHeadline]:
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
                place=Place(parse, at, "VERB", verb_base(parse.words[at])),
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


def verb_base(form: str) -> str:
    """The base form of a word that is taken for a verb, whatever form it has."""
    small = form.lower()
    known = shipped_words()
    if small in known.verbs:
        return small
    irregular = known.past.get(small) or known.participle.get(small)
    if irregular:
        return irregular
    endings = {"ing": "VBG", "ed": "VBD", "s": "VBZ"}
    tag = next((tag for ending, tag in endings.items() if small.endswith(ending)), "VB")
    return lemma(small, "VERB", tag) or small


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
