"""Idioms of a sentence: found by the lexicon and the tree, decided by the words' scores.

Words are compared by lemma. The words of a flexible idiom may have others between them ("broke the
proverbial ice") and may be separated by the passive ("the beans were spilled"), a relative clause
("the bullet that he had to bite") or a question ("which strings did she pull").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby

from trope.core.errors import BadInput
from trope.core.records import ROOT, Parse, is_word
from trope.lexicon.idioms import (
    ANYONE,
    Idiom,
    IdiomMatch,
    Idioms,
    Spelling,
    WordPlaces,
    match_from,
    shipped_idioms,
)
from trope.lexicon.inflection import lemma

SKIPS = 3
"""The most words that may stand between the words of an idiom."""

THRESHOLD = 0.5
"""The lowest score of an idiom where no other threshold is given."""

SURE = 0.6
"""The lowest score of the words of an idiom that is not in the lexicon."""

_FEWEST_CONTENT = 2
"""Content words of such an idiom."""

_REACH = 8
"""How far before its noun the separated object of an idiom may begin."""

_CLIMB = 3
"""How many verbs may stand between a verb and the one that its object belongs to."""

_CONTENT = frozenset({"NOUN", "VERB", "ADJ", "ADV", "PROPN", "NUM"})
_INSIDE = frozenset({"ADV", "ADJ", "DET", "NUM", "PART", "INTJ"})
_SHORT = 3
"""Idioms of so few words take no pronoun inside: "let me fly" is not "let fly"."""

_PARTICLES = frozenset({"away", "back", "down", "in", "off", "out", "over", "up"})
_MODIFIERS = frozenset({"compound", "nmod:poss", "amod", "aux", "aux:pass"})
_NO_FILLER = frozenset({"PUNCT", "SCONJ", "AUX"})
_MARKS = frozenset({"-", "‐", "‑", '"', "'", "“", "”", "‘", "’"})
_PARTICIPLE = ("ed", "en", "n", "t")
_LINKS = frozenset({"xcomp", "ccomp", "conj", "advcl"})


@dataclass(frozen=True, slots=True)
class FoundIdiom:
    """An idiom in a sentence: its entry, the positions of its words and how sure it is.

    The positions rise and may have gaps; what fills a slot is not among them.
    """

    entry: Idiom
    tokens: tuple[int, ...]
    score: float


def find_idioms(
    parse: Parse,
    scores: Sequence[float] = (),
    *,
    threshold: float = THRESHOLD,
    idioms: Idioms | None = None,
) -> tuple[FoundIdiom, ...]:
    """The idioms of a sentence in their order, none sharing a word with another.

    `scores` has for every word the probability that it is part of an idiom (`parse.idiom`). The
    score of an idiom is made of their mean over its content words, which counts twice, and of the
    share of uses that the lexicon gives; without scores it is that share. Idioms below the
    threshold are left out; of those that overlap, the longest stays. Neighbouring words that are
    surely part of an idiom are one too, without a meaning, where the lexicon has none.

    Raises:
        BadInput: if there are scores, but not one per word.
    """
    check_scores(scores, parse)
    candidates = (
        FoundIdiom(match.entry, match.positions, _score(match, parse, scores))
        for match in match_idioms(parse, idioms)
    )
    found = _without_overlaps(one for one in candidates if one.score >= threshold)
    found += _unlisted(
        parse, scores, max(threshold, SURE), {at for one in found for at in one.tokens}
    )
    return tuple(sorted(found, key=lambda one: one.tokens))


def check_scores(scores: Sequence[float], parse: Parse) -> None:
    """Raises BadInput if there are scores, but not one per word."""
    if scores and len(scores) != len(parse):
        raise BadInput(
            f"the number of scores is {len(scores)}, that of words {len(parse)}; give one per word"
        )


def match_idioms(parse: Parse, idioms: Idioms | None = None) -> list[IdiomMatch]:
    """All places where the words of an idiom stand, literal uses and overlaps among them."""
    sentence = WordPlaces(parse.words, _lemmas(parse))
    spellings = (idioms or shipped_idioms()).spellings(sentence.places.keys())
    return [
        IdiomMatch(spelling.entry, positions)
        for spelling in spellings
        for positions in _Matcher(parse, sentence, spelling).matches()
    ]


class _Matcher:
    """One spelling of an idiom in one sentence."""

    def __init__(self, parse: Parse, sentence: WordPlaces, spelling: Spelling) -> None:
        self._parse = parse
        self._sentence = sentence
        self._items = spelling.items
        self._flexible = spelling.entry.flexible

    def matches(self) -> Iterator[tuple[int, ...]]:
        found = False
        for items in self._orders():
            for start in self._sentence.starts(items[0]):
                positions = self._match(items, start)
                if positions is not None:
                    found = True
                    yield positions
        if self._flexible and not found and self._parse.heads:
            yield from self._separated()

    def _orders(self) -> Iterator[tuple[str, ...]]:
        """The words in their order, and with a particle on the other side of the object."""
        verb, *rest = items = self._items
        yield items
        if self._flexible and len(rest) > 1:
            if rest[0] in _PARTICLES:
                yield (verb, *rest[1:], rest[0])
            elif rest[-1] in _PARTICLES:
                yield (verb, rest[-1], *rest[:-1])

    def _match(self, items: Sequence[str], start: int) -> tuple[int, ...] | None:
        return match_from(
            items,
            start,
            self._sentence,
            may_skip=self._may_skip,
            may_fill=self._may_fill,
            skips=SKIPS,
        )

    def _may_skip(self, place: int) -> bool:
        """Whether a word may stand inside the idiom: a quotation mark, or what modifies it."""
        if self._parse.words[place] in _MARKS:
            return True
        if not self._flexible or not self._parse.upos:
            return False
        tag = self._parse.upos[place]
        if tag in _INSIDE or (tag == "PRON" and len(self._items) > _SHORT):
            return True
        return bool(self._parse.deprels) and self._parse.deprels[place] in _MODIFIERS

    def _may_fill(self, place: int) -> bool:
        return not self._parse.upos or self._parse.upos[place] not in _NO_FILLER

    def _separated(self) -> Iterator[tuple[int, ...]]:
        """The verb after its object: passives, relative clauses, questions.

        A slot for the object is then filled by the subject: "they were left in the lurch".
        """
        for verb in self._sentence.starts(self._items[0]):
            if self._parse.upos[verb] not in ("VERB", "ADJ"):
                continue
            if self._items[1] == ANYONE:
                tail = self._after(verb, self._items[2:]) if self._is_participle(verb) else None
                if tail:
                    yield (verb, *tail)
                continue
            for before, after in self._cuts():
                positions = self._around(verb, before, after)
                if positions is not None:
                    yield positions
                    break

    def _cuts(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """What may be the object before the verb, and what then stands behind the verb."""
        items = self._items
        for cut in range(len(items), 1, -1):
            yield items[1:cut], items[cut:]
        if items[1] in _PARTICLES and len(items) > 2:  # "the gauntlet was thrown down"
            yield items[2:], items[1:2]

    def _around(
        self, verb: int, before: Sequence[str], after: Sequence[str]
    ) -> tuple[int, ...] | None:
        """The object's words before the verb and the rest behind it."""
        tail = self._after(verb, after)
        if tail is None:
            return None
        for noun in self._sentence.places.get(before[-1], ()):
            if noun >= verb or not self._is_object(noun, verb):
                continue
            for start in range(noun, max(-1, noun - _REACH), -1):
                positions = self._match(before, start)
                if positions is not None and positions[-1] == noun:
                    return (*positions, verb, *tail)
        return None

    def _after(self, verb: int, items: Sequence[str]) -> tuple[int, ...] | None:
        """The words behind the verb, which may have words between them and it."""
        if not items:
            return ()
        for start in range(verb + 1, min(verb + 2 + SKIPS, len(self._sentence))):
            positions = self._match(items, start)
            if positions is not None:
                return positions
            if not self._may_skip(start):
                return None
        return None

    def _is_object(self, noun: int, verb: int) -> bool:
        """Whether a noun before a verb is what the verb acts on, also by way of other verbs."""
        heads, deprels = self._parse.heads, self._parse.deprels
        if heads[noun] == verb and deprels[noun] == "obj":
            return True
        above = verb
        for _ in range(_CLIMB):
            if heads[noun] == above and deprels[noun].startswith("nsubj"):
                return self._is_participle(verb)
            if deprels[above] in ("acl:relcl", "acl") and heads[above] == noun:
                return True
            if deprels[above] not in _LINKS or heads[above] == ROOT:
                return False
            if deprels[above] == "conj" and self._has_subject(above):
                return False
            above = heads[above]
        return False

    def _has_subject(self, verb: int) -> bool:
        pairs = zip(self._parse.heads, self._parse.deprels, strict=True)
        return any(head == verb and deprel.startswith("nsubj") for head, deprel in pairs)

    def _is_participle(self, verb: int) -> bool:
        """Whether a verb may be a passive."""
        if self._parse.xpos:
            return self._parse.xpos[verb] in ("VBN", "VBD", "JJ")
        return self._sentence.forms[verb] != self._sentence.bases[verb]


def _unlisted(
    parse: Parse, scores: Sequence[float], threshold: float, taken: Set[int]
) -> list[FoundIdiom]:
    """Neighbours with these scores at least, two content words or more, that no other idiom has.

    A subject with its predicate ("my heart is a stone") is a sentence, and no idiom unless listed.
    """
    found = []
    sure = [s >= threshold and at not in taken for at, s in enumerate(scores)]
    if not any(sure):
        return []
    for inside, run in groupby(range(len(sure)), lambda at: sure[at] and is_word(parse.words[at])):
        places = tuple(run)
        content = [at for at in places if parse.upos and parse.upos[at] in _CONTENT]
        if inside and len(content) >= _FEWEST_CONTENT and not _has_clause(places, parse):
            entry = Idiom(" ".join(parse.words[at].lower() for at in places), source="head")
            found.append(
                FoundIdiom(entry, places, sum(scores[at] for at in content) / len(content))
            )
    return found


def _has_clause(places: Sequence[int], parse: Parse) -> bool:
    """Whether one of these words is the subject of another."""
    return bool(parse.heads) and any(
        parse.deprels[at].startswith("nsubj") and parse.heads[at] in places for at in places
    )


def _lemmas(parse: Parse) -> Sequence[str]:
    """The lemmas; a participle that is tagged as an adjective has that of its verb."""
    if "ADJ" not in parse.upos:
        return parse.lemmas
    return [
        (lemma(word, "VERB", "VBN") or base)
        if tag == "ADJ" and word.lower().endswith(_PARTICIPLE)
        else base
        for word, base, tag in zip(parse.words, parse.lemmas, parse.upos, strict=True)
    ]


def _score(match: IdiomMatch, parse: Parse, scores: Sequence[float]) -> float:
    """How surely the words of a match are the idiom here.

    The words of the sentence tell more than the lexicon, but what is always an idiom is one also
    where they leave doubts: both together found more idioms and fewer literal uses than either.
    """
    prior = match.entry.prior
    if not scores:
        return prior
    content = [at for at in match.positions if parse.upos and parse.upos[at] in _CONTENT]
    places = content or match.positions
    return (2 * sum(scores[at] for at in places) / len(places) + prior) / 3


def _without_overlaps(candidates: Iterable[FoundIdiom]) -> list[FoundIdiom]:
    """The longest first, then the tightest and the surest; in the order of the sentence."""
    ranked = sorted(
        candidates,
        key=lambda one: (-len(one.tokens), one.tokens[-1] - one.tokens[0], -one.score, one.tokens),
    )
    taken: set[int] = set()
    kept = []
    for one in ranked:
        if taken.isdisjoint(one.tokens):
            taken.update(one.tokens)
            kept.append(one)
    return sorted(kept, key=lambda one: one.tokens)
