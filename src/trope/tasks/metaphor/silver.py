"""Training sets of sentences from many corpora, as those of NewsMet's silver detector.

`build_silver` is a pure function: labelled texts of each corpus in, two training sets out, every
text that was left out counted with its reason. What is held out stays out in any wording: a text
goes where it equals a held-out one, differs from one in a single word, or holds half of one.
Texts that are alike in the first two ways stay on one side of the split.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trope.core.errors import BadInput

LEAST_WORDS = 3
"""Shorter texts are not informative ("Yes .")."""

_VALIDATION_SHARE = 0.1
_RUN = 4  # words of a run that two texts are compared by
_OVERLAP = 0.5  # share of a held-out text's runs that no training text may have
_LEAST_OVERLAPPING = 7  # words: half of a shorter text may be part of any other
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class SilverText:
    """A text, whether it is metaphorical, and the corpus of that label."""

    text: str
    metaphor: bool
    source: str


@dataclass(frozen=True, slots=True)
class SilverSplits:
    """A training set, split."""

    train: tuple[SilverText, ...]
    validation: tuple[SilverText, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many are metaphorical, how many literal."""
        metaphors = sum(item.metaphor for item in (*self.train, *self.validation))
        total = len(self.train) + len(self.validation)
        return {"metaphorical": metaphors, "literal": total - metaphors, "total": total}


@dataclass(frozen=True, slots=True)
class SilverSets:
    """Both training sets; `drops` counts (corpus, reason), `kept` (corpus, class)."""

    imbalanced: SilverSplits
    balanced: SilverSplits
    kept: Mapping[tuple[str, str], int]
    drops: Mapping[tuple[str, str], int]


def build_silver(
    texts: Iterable[SilverText],
    *,
    stand_in: Iterable[SilverText] = (),
    held_out: Mapping[str, Sequence[str]],
    seed: int,
    validation_share: float = _VALIDATION_SHARE,
) -> SilverSets:
    """D_imbal, all texts, and D_bal, as many metaphorical as literal ones.

    Args:
        texts: of all corpora; a text that comes again with the same label is kept once, one with
            both labels is kept as metaphorical within its corpus (something in it is) and dropped
            where corpora contradict each other.
        stand_in: literal texts that only D_bal has.
        held_out: name of a set → texts that must not be met in training in any wording.
        seed: decides the split and the samples.
        validation_share: of the texts, whole groups of alike ones at a time.
    """
    drops: Counter[tuple[str, str]] = Counter()
    main = _without_doubles(list(texts), drops)
    known = frozenset(words_of(item.text) for item in main)
    extra = _without_doubles(list(stand_in), drops, known)
    guard = HeldOutTexts(held_out)
    main = list(_allowed(main, guard, drops))
    extra = list(_allowed(extra, guard, drops))
    groups = alike_groups([item.text for item in (*main, *extra)])
    main_groups, extra_groups = groups[: len(main)], groups[len(main) :]
    placed = set(main_groups)  # a stand-in that is like one of the texts goes where that goes
    own = [group for group in extra_groups if group not in placed]
    chosen = _validation_groups(main_groups, validation_share, seed)
    chosen |= _validation_groups(own, validation_share, seed)
    imbalanced = _split(main, main_groups, chosen)
    fill = _split(extra, extra_groups, chosen)
    rng = random.Random(seed)
    balanced = SilverSplits(
        _balanced(imbalanced.train, fill.train, rng),
        _balanced(imbalanced.validation, fill.validation, rng),
    )
    kept = Counter((i.source, "metaphorical" if i.metaphor else "literal") for i in (*main, *extra))
    return SilverSets(imbalanced, balanced, dict(kept), dict(drops))


def words_of(text: str) -> tuple[str, ...]:
    """The words by which texts are compared: letters and digits, in lower case."""
    return tuple(_WORD.findall(text.casefold()))


def alike_groups(texts: Sequence[str]) -> list[int]:
    """A number for every text, the same for texts that differ in at most one word."""
    parents = list(range(len(texts)))

    def root(node: int) -> int:
        while parents[node] != node:
            parents[node] = parents[parents[node]]
            node = parents[node]
        return node

    first: dict[tuple[str, ...], int] = {}
    for number, text in enumerate(texts):
        for pattern in _patterns(words_of(text)):
            other = root(first.setdefault(pattern, number))
            mine = root(number)
            parents[max(other, mine)] = min(other, mine)
    return [root(number) for number in range(len(texts))]


@dataclass(slots=True)
class HeldOutTexts:
    """Texts held out of training: `find` returns the set that a text would leak."""

    sets: Mapping[str, Sequence[str]]
    _wordings: dict[tuple[str, ...], str] = field(default_factory=dict)
    _runs: dict[tuple[str, ...], list[int]] = field(default_factory=lambda: defaultdict(list))
    _sizes: list[tuple[int, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name, texts in self.sets.items():
            for text in texts:
                words = words_of(text)
                for pattern in _patterns(words):
                    self._wordings.setdefault(pattern, name)
                runs = set(_runs(words)) if len(words) >= _LEAST_OVERLAPPING else set()
                for run in runs:
                    self._runs[run].append(len(self._sizes))
                self._sizes.append((len(runs), name))

    def find(self, text: str) -> str:
        """The name of the set that holds the text or one like it, else nothing."""
        words = words_of(text)
        for pattern in _patterns(words):
            if pattern in self._wordings:
                return self._wordings[pattern]
        shared = Counter(n for run in set(_runs(words)) for n in self._runs.get(run, ()))
        for number, count in shared.items():
            size, name = self._sizes[number]
            if count >= _OVERLAP * size:
                return name
        return ""


def _patterns(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words, and the words with each of them left open.

    Texts under four words are compared whole: with one of three words open, much is alike.
    """
    yield words
    if len(words) >= _RUN:
        for at in range(len(words)):
            yield (*words[:at], "", *words[at + 1 :])


def _runs(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (words[at : at + _RUN] for at in range(len(words) - _RUN + 1))


def _without_doubles(
    items: Sequence[SilverText],
    drops: Counter[tuple[str, str]],
    known: frozenset[tuple[str, ...]] = frozenset(),
) -> list[SilverText]:
    """Each wording once; see `build_silver` for texts with both labels."""
    verdicts: dict[tuple[str, ...], dict[str, bool]] = defaultdict(dict)
    for item in items:
        by_source = verdicts[words_of(item.text)]
        by_source[item.source] = by_source.get(item.source, False) or item.metaphor
    kept: list[SilverText] = []
    seen: set[tuple[str, ...]] = set(known)
    for item in items:
        words = words_of(item.text)
        if len(words) < LEAST_WORDS:
            drops[item.source, f"under {LEAST_WORDS} words"] += 1
        elif len(set(verdicts[words].values())) > 1:
            drops[item.source, "corpora contradict each other"] += 1
        elif words in seen:
            drops[item.source, "said before"] += 1
        else:
            seen.add(words)
            kept.append(SilverText(item.text, verdicts[words][item.source], item.source))
    return kept


def _allowed(
    items: Iterable[SilverText], guard: HeldOutTexts, drops: Counter[tuple[str, str]]
) -> Iterator[SilverText]:
    for item in items:
        if name := guard.find(item.text):
            drops[item.source, f"like a text of {name}"] += 1
        else:
            yield item


def _validation_groups(groups: Sequence[int], share: float, seed: int) -> set[int]:
    """Groups drawn until they hold the share of the texts."""
    if not 0 <= share < 1:
        raise BadInput(
            f"validation share {share} is not a share; give one of at least 0 and below 1"
        )
    sizes = Counter(groups)
    order = sorted(sizes)
    random.Random(seed).shuffle(order)
    wanted, chosen, held = round(share * len(groups)), set[int](), 0
    for group in order:
        if held + sizes[group] <= wanted:
            chosen.add(group)
            held += sizes[group]
    return chosen


def _split(items: Sequence[SilverText], groups: Sequence[int], chosen: set[int]) -> SilverSplits:
    parts: dict[bool, list[SilverText]] = {True: [], False: []}
    for item, group in zip(items, groups, strict=True):
        parts[group in chosen].append(item)
    return SilverSplits(tuple(parts[False]), tuple(parts[True]))


def _balanced(
    items: Sequence[SilverText], fill: Sequence[SilverText], rng: random.Random
) -> tuple[SilverText, ...]:
    """All literal texts and as much of the fill as is needed; the larger class is sampled down."""
    metaphors = [item for item in items if item.metaphor]
    literal = [item for item in items if not item.metaphor]
    lacking = min(max(0, len(metaphors) - len(literal)), len(fill))
    literal += rng.sample(list(fill), lacking)
    size = min(len(metaphors), len(literal))
    return (*rng.sample(metaphors, size), *rng.sample(literal, size))
