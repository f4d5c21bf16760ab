"""Similes of a sentence: topic, vehicle and ground, by the tree.

"Her voice (topic) was as clear (ground) as a bell (vehicle)"; "he swims (ground) like a fish".
Comparisons are found with *like* and with *as … as* before a common noun. Most of them are no
similes: "like last year", "as long as a bus", "cities like ports". Where no head of the model
tells, a comparison counts as a simile if what is compared is of another kind than the vehicle, and
the vehicle is something one can see or touch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from trope.core.records import ROOT, Parse
from trope.lexicon.wordnet import semantic_classes
from trope.tasks.figures.idioms import check_scores

THRESHOLD = 0.5
"""The lowest score of a simile where no other threshold is given."""

_COMPARATORS = frozenset({"like", "as"})
_CONCRETE = frozenset(
    {
        "noun.animal",
        "noun.artifact",
        "noun.body",
        "noun.food",
        "noun.object",
        "noun.phenomenon",
        "noun.plant",
        "noun.substance",
        "noun.person",
    }
)
_PERSON = "noun.person"
_PEOPLE = frozenset({"i", "you", "he", "she", "we", "they", "who", "him", "me", "us", "them"})
_SENSES = frozenset({"feel", "look", "seem", "smell", "sound", "taste"})
_DEGREES = frozenset(
    {"early", "far", "few", "frequent", "good", "important", "late", "likely", "little"}
    | {"many", "much", "often", "possible", "recent", "soon", "well"}
)
_SIZES = frozenset(
    {"big", "broad", "deep", "great", "heavy", "high", "large", "long", "low"}
    | {"old", "short", "small", "tall", "thick", "thin", "wide"}
)
_VAGUE_TOPICS = frozenset({"it", "this", "that", "these", "those", "there", "which"})
_VAGUE = frozenset({"kind", "one", "other", "sort", "stuff", "thing", "way"})
_POINTING = frozenset(
    {"this", "that", "these", "those", "any", "every", "last", "next", "other", "same", "some"}
)
_SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer")
_PHRASE = frozenset({"det", "amod", "compound", "nummod", "nmod", "nmod:poss", "case", "flat"})


@dataclass(frozen=True, slots=True)
class FoundSimile:
    """A simile in a sentence; all parts are positions of words, and may be empty but the vehicle.

    `tokens` are the words that make it, from the comparator to the end of the vehicle; `score` is
    the head's, or 1 where the rule decides.
    """

    tokens: tuple[int, ...]
    topic: tuple[int, ...]
    vehicle: tuple[int, ...]
    ground: tuple[int, ...]
    score: float


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The heads of a comparison's parts; `comparator` are "like", or one or two "as"."""

    comparator: tuple[int, ...]
    vehicle: int
    topic: int | None
    ground: int | None


def find_similes(
    parse: Parse, scores: Sequence[float] = (), *, threshold: float = THRESHOLD
) -> tuple[FoundSimile, ...]:
    """The similes of a sentence in their order; none without a tree.

    `scores` has for every word the probability that it introduces a simile (`parse.simile`); the
    comparator's decides, but for comparisons that liken nothing. Without scores the kinds of topic
    and vehicle decide.

    Raises:
        BadInput: if there are scores, but not one per word.
    """
    check_scores(scores, parse)
    if not parse.heads or not any(word.lower() in _COMPARATORS for word in parse.words):
        return ()
    tree = _Tree(parse)
    found = []
    for comparison in tree.comparisons():
        if not tree.may_be_simile(comparison):
            continue
        if scores:
            score = max(scores[at] for at in comparison.comparator)
        else:
            score = float(tree.kinds_differ(comparison))
        if score >= threshold:
            found.append(tree.simile(comparison, score))
    return tuple(found)


class _Tree:
    """The comparisons of one sentence."""

    def __init__(self, parse: Parse) -> None:
        self._parse = parse
        self._forms = [word.lower() for word in parse.words]
        self._children: list[list[int]] = [[] for _ in parse.words]
        for word, head in enumerate(parse.heads):
            if head != ROOT:
                self._children[head].append(word)

    def comparisons(self) -> Iterator[_Comparison]:
        """Every "like" and "as … as" before a common noun, whatever it means."""
        for at, form in enumerate(self._forms):
            if form not in _COMPARATORS or self._parse.deprels[at] not in ("case", "mark"):
                continue
            vehicle = self._parse.heads[at]
            if vehicle <= at or self._parse.upos[vehicle] != "NOUN":
                continue
            if form == "like":
                yield self._with_like(at, vehicle)
            elif (found := self._with_as(at, vehicle)) is not None:
                yield found

    def _with_like(self, at: int, vehicle: int) -> _Comparison:
        governor = self._parse.heads[vehicle]
        subject = self._subject(vehicle)
        if subject is not None or governor == ROOT or self._child(vehicle, ("cop",)) is not None:
            return _Comparison((at,), vehicle, subject, None)
        if self._parse.upos[governor] in ("NOUN", "PROPN", "PRON"):
            return _Comparison((at,), vehicle, governor, None)
        return _Comparison((at,), vehicle, self._topic_of(governor), governor)

    def _with_as(self, at: int, vehicle: int) -> _Comparison | None:
        """The comparison with an adjective or adverb before the second "as", None without one."""
        ground = at - 1
        while ground >= 0 and self._parse.upos[ground] not in ("ADJ", "ADV"):
            if at - ground > 2:
                return None
            ground -= 1
        if ground < 0 or self._forms[ground] == "as":
            return None
        first = [at for at in self._children[ground] if at < ground and self._forms[at] == "as"]
        if not first and (ground != at - 1 or self._parse.upos[ground] != "ADJ"):
            return None
        return _Comparison((*first[:1], at), vehicle, self._topic_of(ground), ground)

    def may_be_simile(self, comparison: _Comparison) -> bool:
        """Whether the vehicle is something that others are likened to."""
        vehicle = comparison.vehicle
        if self._parse.lemmas[vehicle].lower() in _VAGUE or self._points(vehicle):
            return False
        with_as = self._forms[comparison.comparator[-1]] == "as"
        return not (self._is_wish(comparison) or (with_as and self._ground(comparison) in _DEGREES))

    def _ground(self, comparison: _Comparison) -> str:
        return "" if comparison.ground is None else self._parse.lemmas[comparison.ground].lower()

    def _is_wish(self, comparison: _Comparison) -> bool:
        """Whether a verb of the senses likens nothing: "feel like a coffee", "looks like rain"."""
        ground, topic = comparison.ground, comparison.topic
        if ground is None or self._parse.lemmas[ground].lower() not in _SENSES:
            return False
        if self._parse.lemmas[ground].lower() == "feel":
            return self._kind(comparison.vehicle) in ("noun.food", "noun.act")
        return topic is not None and self._forms[topic] == "it"

    def _points(self, vehicle: int) -> bool:
        """Whether the vehicle is a certain one: "like that day", "like his father"."""
        for child in self._children[vehicle]:
            if self._forms[child] in _POINTING or self._parse.deprels[child] == "nmod:poss":
                return True
            if self._parse.deprels[child] == "nummod":
                return True
        return False

    def kinds_differ(self, comparison: _Comparison) -> bool:
        """Whether topic and vehicle are of different kinds, so that the likeness is figurative."""
        kind = self._kind(comparison.vehicle)
        if kind not in _CONCRETE:
            return False
        topic = comparison.topic
        if topic is None:
            return kind != _PERSON
        if self._forms[topic] in _VAGUE_TOPICS and comparison.ground is None:
            return False  # "it is like a top hat" describes more often than it likens
        if self._forms[topic] in _PEOPLE:
            return kind != _PERSON
        same = self._kind(topic) == kind
        with_as = self._forms[comparison.comparator[-1]] == "as"
        if same and with_as and kind != _PERSON:
            return (
                self._ground(comparison) not in _SIZES
            )  # "as cold as a tomb", but not "as long as a train"
        return not same

    def _kind(self, word: int) -> str:
        classes = semantic_classes(self._parse.lemmas[word], self._parse.upos[word])
        return classes[0] if classes else ""

    def simile(self, comparison: _Comparison, score: float) -> FoundSimile:
        """The comparison with the whole phrases of topic and vehicle."""
        last = comparison.comparator[-1]
        vehicle = tuple(at for at in self._phrase(comparison.vehicle) if at > last)
        ground = () if comparison.ground is None else (comparison.ground,)
        spoken = ground if self._forms[last] == "as" else ()
        tokens = tuple(sorted({*comparison.comparator, *vehicle, *spoken}))
        topic = () if comparison.topic is None else self._phrase(comparison.topic)
        apart = tuple(at for at in topic if at not in tokens and at not in ground)
        return FoundSimile(tokens, apart, vehicle, ground, score)

    def _phrase(self, head: int) -> tuple[int, ...]:
        """A noun with its modifiers, without clauses that hang from it."""
        found = [head]
        for word in found:
            found += [c for c in self._children[word] if self._parse.deprels[c] in _PHRASE]
        return tuple(sorted(found))

    def _topic_of(self, predicate: int) -> int | None:
        """The subject of a predicate, its own or handed down; the noun that it modifies."""
        heads, deprels = self._parse.heads, self._parse.deprels
        for _ in range(3):
            subject = self._subject(predicate)
            if subject is not None:
                return subject
            if deprels[predicate] in ("amod", "acl", "acl:relcl"):
                return heads[predicate]
            if heads[predicate] == ROOT:
                return None
            if deprels[predicate] == "xcomp":
                found = self._child(heads[predicate], ("obj",))
                if found is not None:
                    return found
            predicate = heads[predicate]
        return None

    def _subject(self, word: int) -> int | None:
        return self._child(word, _SUBJECTS)

    def _child(self, word: int, relations: Sequence[str]) -> int | None:
        for child in self._children[word]:
            if self._parse.deprels[child] in relations:
                return child
        return None
