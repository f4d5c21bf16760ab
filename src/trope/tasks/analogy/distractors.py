"""Proposals for items: wrong choices of each kind for a metaphor with role mappings.

Same domain, other attribute: roles and nouns of the vehicle's own frame. Other domain, same
attribute: what plays a role of that name in frames that are not akin. Other and other: nouns of
frames that are not akin, of another class than the right choice. A person accepts or rejects.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from trope.corpora.conceptual_metaphors import ConceptualFrame, ConceptualMetaphor, RoleMapping
from trope.corpora.mean import CODES, Analogy, spoken
from trope.lexicon.vectors import Vectors
from trope.lexicon.wordnet import semantic_classes
from trope.tasks.analogy.similarity import Array, look_up

WRONG = CODES[1:]
_POOL = 400  # candidates of a kind that are compared by their vectors
_FAR = 20  # nouns of which the farthest are proposed
_PART_OF_SPEECH = re.compile(r"\.[a-z]+\b")  # of each word of a lexical unit


@dataclass(frozen=True, slots=True)
class Distractor:
    """A wrong choice that is proposed, and where it comes from."""

    text: str
    origin: str


@dataclass(frozen=True, slots=True)
class AnalogyProposal:
    """An item without its wrong choices, and candidates for each kind of them, the best first."""

    metaphor: str
    first_domain: str
    second_domain: str
    element: str
    gold: str
    candidates: dict[str, tuple[Distractor, ...]]

    def item(self, identifier: str, picks: Sequence[int] = (0, 0, 0)) -> Analogy:
        """The item with the picked candidate of each kind."""
        wrong = (self.candidates[code][pick].text for code, pick in zip(WRONG, picks, strict=True))
        choices = (self.gold, *wrong)
        return Analogy(identifier, self.first_domain, self.second_domain, self.element, choices, 0)


@dataclass(slots=True)
class FrameInventory:
    """All metaphors and frames, with what proposals look up in them."""

    metaphors: Sequence[ConceptualMetaphor]
    frames: dict[str, ConceptualFrame]
    vectors: Vectors
    _by_head: dict[str, list[tuple[str, Distractor]]] = field(default_factory=dict)
    _nouns: list[tuple[str, Distractor]] = field(default_factory=list)
    _apart: dict[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    _units: dict[str, Array | None] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        metaphors: Iterable[ConceptualMetaphor],
        frames: Iterable[ConceptualFrame],
        vectors: Vectors,
    ) -> FrameInventory:
        """The inventory of what was read."""
        made = cls(list(metaphors), {frame.name: frame for frame in frames}, vectors)
        made._index()
        return made

    def _index(self) -> None:
        for frame in self.frames.values():
            for role in frame.roles:
                entry = frame.name, Distractor(role, f"role of the frame {frame.name}")
                self._by_head.setdefault(head(role), []).append(entry)
            for noun in nouns(frame):
                self._nouns.append(
                    (frame.name, Distractor(noun, f"noun of the frame {frame.name}"))
                )
        for metaphor in self.metaphors:
            for pair in metaphor.mappings:
                origin = f"what {pair.topic_role} maps to in {metaphor.name}"
                entry = metaphor.vehicle_frame, Distractor(pair.vehicle_role, origin)
                self._by_head.setdefault(f"topic {pair.topic_role}", []).append(entry)

    def akin(self, one: str, other: str) -> bool:
        """Whether two frames are the same, of one family, or share a noun."""
        if one == other:
            return True
        first, second = self.frames.get(one), self.frames.get(other)
        if first is None or second is None:
            return False
        return bool(
            set(first.families) & set(second.families) or set(nouns(first)) & set(nouns(second))
        )

    def apart(self, metaphor: ConceptualMetaphor) -> frozenset[str]:
        """Frames that are akin to neither side of a metaphor."""
        sides = (metaphor.vehicle_frame, metaphor.topic_frame)
        if sides not in self._apart:
            self._apart[sides] = frozenset(
                frame for frame in self.frames if not any(self.akin(frame, one) for one in sides)
            )
        return self._apart[sides]

    def find(self, first_domain: str, second_domain: str) -> ConceptualMetaphor | None:
        """The metaphor of two domains, None where there is none."""
        wanted = spoken(first_domain), spoken(second_domain)
        return next(
            (m for m in self.metaphors if m.domains and tuple(map(spoken, m.domains)) == wanted),
            None,
        )

    def same_attribute(self, mapping: RoleMapping) -> list[tuple[str, Distractor]]:
        """Roles called like the right choice, and what the same topic role maps to elsewhere."""
        called_alike = self._by_head.get(head(mapping.vehicle_role), [])
        mapped = self._by_head.get(f"topic {mapping.topic_role}", [])
        return [*called_alike, *mapped]

    def unit_vector(self, text: str) -> Array | None:
        """The vector of an expression, of length 1; None where it has none."""
        if text not in self._units:
            vector = look_up(text, self.vectors).vector
            self._units[text] = None if vector is None else vector / np.linalg.norm(vector)
        return self._units[text]

    def all_nouns(self) -> list[tuple[str, Distractor]]:
        """The nouns of all frames."""
        return self._nouns


def nouns(frame: ConceptualFrame) -> tuple[str, ...]:
    """The nouns among the lexical units."""
    return tuple(
        _PART_OF_SPEECH.sub("", unit) for unit in frame.lexical_units if unit.endswith(".n")
    )


def head(role: str) -> str:
    """The word of a role name that says what it is: "level" of heat_level, "cause" of cause_of_x.

    >>> head("heat_level"), head("cause_of_fire"), head("fighter_2")
    ('level', 'cause', 'fighter')
    """
    words = [word for word in spoken(role).split() if not word.isdigit()]
    for link in ("of", "for", "to", "in"):
        if link in words[1:]:
            words = words[: words.index(link, 1)]
    return words[-1] if words else spoken(role)


def eligible(metaphors: Iterable[ConceptualMetaphor]) -> list[ConceptualMetaphor]:
    """The paper's choice: a name of the shape A is (or are) B, and at least one mapping."""
    return [metaphor for metaphor in metaphors if metaphor.domains and metaphor.mappings]


def propose(
    metaphor: ConceptualMetaphor, mapping: RoleMapping, inventory: FrameInventory, *, count: int = 5
) -> AnalogyProposal | None:
    """Up to `count` candidates of each kind; None where the name is not of the shape A is B."""
    if metaphor.domains is None:
        return None
    first, second = metaphor.domains
    gold = mapping.vehicle_role
    taken = {spoken(text) for text in (gold, second, first, mapping.topic_role)}
    taken |= {
        spoken(pair.vehicle_role)
        for pair in metaphor.mappings
        if pair.topic_role == mapping.topic_role
    }
    candidates = {}
    for code in WRONG:
        pool = _POOLS[code](metaphor, mapping, inventory)
        fresh = {spoken(c.text): c for c in reversed(pool) if spoken(c.text) not in taken}
        ranked = _ranked(code, list(fresh.values()), gold, second, inventory)
        candidates[code] = tuple(ranked[:count])
        taken |= {spoken(candidate.text) for candidate in candidates[code]}
    return AnalogyProposal(metaphor.name, first, second, mapping.topic_role, gold, candidates)


def _same_domain(
    metaphor: ConceptualMetaphor, mapping: RoleMapping, inventory: FrameInventory
) -> list[Distractor]:
    frame = inventory.frames.get(metaphor.vehicle_frame)
    if frame is None:
        return []
    here = f"of the frame {frame.name}"
    found = [Distractor(noun, f"noun {here}") for noun in nouns(frame)]
    return found + [Distractor(role, f"role {here}") for role in frame.roles]


def _same_attribute(
    metaphor: ConceptualMetaphor, mapping: RoleMapping, inventory: FrameInventory
) -> list[Distractor]:
    apart = inventory.apart(metaphor)
    found = [c for frame, c in inventory.same_attribute(mapping) if frame in apart]
    if len(found) >= len(CODES):
        return found
    kind = _class(mapping.vehicle_role)
    alike = [
        Distractor(c.text, f"{c.origin}, {kind}")
        for frame, c in inventory.all_nouns()
        if kind and frame in apart and _class(c.text) == kind
    ]
    return found + alike


def _all_different(
    metaphor: ConceptualMetaphor, mapping: RoleMapping, inventory: FrameInventory
) -> list[Distractor]:
    apart, kind = inventory.apart(metaphor), _class(mapping.vehicle_role)
    return [
        c
        for frame, c in inventory.all_nouns()
        if frame in apart and (not kind or _class(c.text) not in ("", kind))
    ]


_POOLS = {"sDdA": _same_domain, "dDsA": _same_attribute, "dDdA": _all_different}


def find_distractors(
    item: Analogy, code: str, inventory: FrameInventory, *, count: int
) -> tuple[Distractor, ...]:
    """Candidates of one kind for an item that is there; none where its metaphor is unknown."""
    metaphor = inventory.find(item.first_domain, item.second_domain)
    if metaphor is None:
        return ()
    mapping = RoleMapping(spoken(item.element).replace(" ", "_"), item.gold)
    pool = _POOLS[code](metaphor, mapping, inventory)
    fresh = {spoken(candidate.text): candidate for candidate in reversed(pool)}
    return tuple(list(fresh.values())[:count])


@cache
def _class(text: str) -> str:
    """WordNet's class of the first sense of a noun, empty where it is unknown."""
    word = head(text)
    found = semantic_classes(word, "NOUN") or semantic_classes(word.removesuffix("s"), "NOUN")
    return found[0] if found else ""


def _ranked(
    code: str, pool: list[Distractor], gold: str, domain: str, inventory: FrameInventory
) -> list[Distractor]:
    """The most tempting of their kind first, by likeness to the domain and to the right choice."""
    wanted = {"sDdA": (1.0, -0.5), "dDsA": (-0.5, 1.0), "dDdA": (-1.0, -1.0)}[code]
    if code == "dDdA":  # most nouns will do, and the farthest are the same few for every item
        pool = sorted(pool, key=lambda candidate: zlib.crc32(f"{gold} {candidate.text}".encode()))
        pool = pool[:_FAR]
    near = [inventory.unit_vector(text) for text in (domain, gold)]

    def fit(candidate: Distractor) -> float:
        vector = inventory.unit_vector(candidate.text)
        if vector is None:
            return -10.0
        return sum(
            weight * float(vector @ other)
            for weight, other in zip(wanted, near, strict=True)
            if other is not None
        )

    return sorted(pool[:_POOL], key=lambda candidate: (-fit(candidate), candidate.text))
