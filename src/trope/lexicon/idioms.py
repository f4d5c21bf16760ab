"""The lexicon of idioms: patterns of words with slots, and where a sentence has them.

A pattern is written as

    pull the rug (out)          a word in brackets may be missing
    take a/the back seat        words between strokes are alternatives
    pull one's leg              a possessive: "my", "his", "the minister 's"
    drop someone a line         one to three words of any kind; so does "something"
    kid oneself                 "myself", "herself" …

The verb stands in its base form and is found by lemma; every other word stands as the idiom has
it and is found by spelling or lemma; case and the shape of apostrophes do not matter.

The file that ships, `idioms.tsv`, says for each idiom what it means, whether its words may be
separated, and how often they are used as the idiom. A list of your own needs the patterns only.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import chain, product
from pathlib import Path
from typing import Literal, cast, get_args

from trope.core.errors import BadModel, BadRecord
from trope.core.files import read_lines, read_text

SHIPPED = Path(__file__).with_name("idioms.tsv")
"""The idioms that are used where no others are given."""

SHIPPED_SHA256 = "d2a8696432d92749b69bf13b5839d8d5c6dcffc3944bd5c2289e3e608f94300f"
"""The checksum of that file; its line ends do not count."""

Use = Literal["always", "usually", "sometimes"]
"""How often the words of an idiom are used as the idiom."""

PRIORS: dict[Use, float] = {"always": 1.0, "usually": 0.75, "sometimes": 0.25}
"""About which share of uses is idiomatic, where nothing is known about the context."""

POSSESSIVE, ANYONE = "one's", "someone"
COLUMNS = ("pattern", "meaning", "form", "use", "source", "paper")
_FORMS = ("fixed", "flexible")
_SOURCES = ("own", "pie", "wordnet")
_SLOT_WORDS = 3
_PRONOUNS = frozenset({"my", "your", "his", "her", "its", "our", "their", "one's", "ur"})
_MARKERS = frozenset({"'s", "'"})
_REFLEXIVE = "oneself"
_REFLEXIVES = frozenset(
    {"myself", "yourself", "himself", "herself", "itself", "ourselves", "yourselves", "themselves"}
)
_BASES = {"is": "be", "are": "be", "was": "be", "has": "have", "something": ANYONE}
_NOT_SPELLED = frozenset({POSSESSIVE, ANYONE, *_BASES})
_STRAIGHT = str.maketrans("’‘ʼ", "'''")


@dataclass(frozen=True, slots=True)
class Idiom:
    """An entry of the lexicon.

    The words of a `flexible` idiom may have others between them and may be separated ("the beans
    were spilled"). `paper` marks the idioms that the filter of the tweets paper counts.
    """

    pattern: str
    meaning: str = ""
    flexible: bool = False
    use: Use = "usually"
    source: str = "own"
    paper: bool = False

    @property
    def prior(self) -> float:
        """The share of uses that are idiomatic, roughly."""
        return PRIORS[self.use]


@dataclass(frozen=True, slots=True)
class IdiomMatch:
    """An idiom and the positions of its words; what fills a slot is not among them."""

    entry: Idiom
    positions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Spelling:
    """One way to spell an idiom: its words and slots in their order."""

    entry: Idiom
    items: tuple[str, ...]


class WordPlaces:
    """The words of a sentence as patterns spell them, and where each form and lemma stands."""

    __slots__ = ("bases", "forms", "places")

    def __init__(self, words: Sequence[str], lemmas: Sequence[str]) -> None:
        self.forms = list(map(_plain, words))
        self.bases = list(map(_plain, lemmas)) or self.forms
        self.places: dict[str, list[int]] = {}
        for place, (form, base) in enumerate(zip(self.forms, self.bases, strict=True)):
            self.places.setdefault(form, []).append(place)
            if base != form:
                self.places.setdefault(base, []).append(place)
            if form in _REFLEXIVES:
                self.places.setdefault(_REFLEXIVE, []).append(place)

    def __len__(self) -> int:
        return len(self.forms)

    def starts(self, item: str) -> Sequence[int]:
        """Where a pattern that begins with that word or slot may begin."""
        if item in (POSSESSIVE, ANYONE):
            return range(len(self.forms))
        return self.places.get(item, ())


class Idioms:
    """A list of idioms, indexed by the word of each that the fewest others have.

    A row is an idiom, a pattern, or the columns of the shipped file with tabs between them. It is
    read when a sentence has its word: most sentences have those of a few rows.
    """

    def __init__(self, rows: Iterable[Idiom | str]) -> None:
        self._rows = tuple(rows)
        patterns = [_pattern(row).lower().split() for row in self._rows]
        counts = Counter(chain.from_iterable(patterns))

        def rarest(words: Iterable[str]) -> str:
            return min(words, key=lambda word: (counts[word], -len(word)))

        self._index: dict[str, list[int | Spelling]] = {}
        for number, items in enumerate(patterns):
            if words := [item for item in items if _is_word(item)]:
                self._index.setdefault(rarest(words), []).append(number)
                continue
            for spelling in self._spell(number):
                word = rarest(_words(spelling.items))
                self._index.setdefault(word, []).append(spelling)
        self._spelled: dict[str, list[tuple[list[str], Spelling]]] = {}

    @cached_property
    def entries(self) -> tuple[Idiom, ...]:
        """All idioms, in the order of the rows."""
        return tuple(map(_idiom, self._rows))

    def spellings(self, present: Set[str]) -> Iterator[Spelling]:
        """Those of which all words are among the words and lemmas of a sentence."""
        for word in self._index.keys() & present:
            if word not in self._spelled:
                self._spelled[word] = [(_words(s.items), s) for s in self._of_word(word)]
            for words, spelling in self._spelled[word]:
                for other in words:
                    if other not in present:
                        break
                else:
                    yield spelling

    def _of_word(self, word: str) -> Iterator[Spelling]:
        for row in self._index[word]:
            yield from (row,) if isinstance(row, Spelling) else self._spell(row)

    def _spell(self, number: int) -> Iterator[Spelling]:
        entry = _idiom(self._rows[number])
        return (Spelling(entry, items) for items in _spellings(entry.pattern))

    def find(self, words: Sequence[str], lemmas: Sequence[str]) -> tuple[IdiomMatch, ...]:
        """The idioms whose words stand together in a sentence, in their order."""
        sentence = WordPlaces(words, lemmas)
        found = []
        for spelling in self.spellings(sentence.places.keys()):
            for start in sentence.starts(spelling.items[0]):
                positions = match_from(spelling.items, start, sentence)
                if positions is not None:
                    found.append(IdiomMatch(spelling.entry, positions))
        return tuple(sorted(found, key=lambda match: match.positions))


def match_from(
    items: Sequence[str],
    start: int,
    sentence: WordPlaces,
    *,
    may_skip: Callable[[int], bool] | None = None,
    may_fill: Callable[[int], bool] | None = None,
    skips: int = 0,
) -> tuple[int, ...] | None:
    """Positions of the words of a pattern that begins at `start`, None where it does not.

    Up to `skips` words that `may_skip` accepts may stand between the words of the pattern; a slot
    takes only words that `may_fill` accepts.
    """
    if not items:
        return ()
    if start >= len(sentence):
        return None
    item, rest = items[0], items[1:]
    if item in (POSSESSIVE, ANYONE):
        for end in _slot_ends(item, start, sentence.forms):
            if may_fill is not None and not all(map(may_fill, range(start, end))):
                continue
            positions = match_from(
                rest, end, sentence, may_skip=may_skip, may_fill=may_fill, skips=skips
            )
            if positions is not None:
                return positions
        return None
    if not _is_item(item, sentence, start):
        return None
    next_word = start + 1
    while True:
        positions = match_from(
            rest, next_word, sentence, may_skip=may_skip, may_fill=may_fill, skips=skips
        )
        if positions is not None:
            return (start, *positions)
        if not rest or skips == 0 or next_word >= len(sentence):
            return None
        if may_skip is None or not may_skip(next_word):
            return None
        next_word, skips = next_word + 1, skips - 1


def read_idioms(path: str | Path) -> Idioms:
    """The idioms of a file with one per line; `#` begins a comment line.

    A line is a pattern, or the columns of the shipped file with tabs between them.

    Raises:
        BadRecord: for a line that is not an idiom, with its number.
    """
    return Idioms(_entries(path, read_lines(path)))


@cache
def shipped_idioms() -> Idioms:
    """The idioms of the package, read once.

    Raises:
        BadModel: if the file is not the one that came with the package.
    """
    return Idioms(_shipped_lines())


@cache
def paper_idioms() -> Idioms:
    """The shipped idioms that the filter of the tweets paper counts: a verb and its object.

    Raises:
        BadModel: if the file is not the one that came with the package.
    """
    return Idioms(line for line in _shipped_lines() if line.endswith("\tyes"))


def _shipped_lines() -> Iterator[str]:
    """The rows of the shipped file, after a look at its checksum instead of every value."""
    text = read_text(SHIPPED).replace("\r\n", "\n").rstrip("\n")
    digest = hashlib.sha256(text.encode()).hexdigest()
    if digest != SHIPPED_SHA256:
        raise BadModel(
            SHIPPED,
            f"was altered or damaged (SHA-256 {digest[:12]}…, expected {SHIPPED_SHA256[:12]}…); "
            "install trope again, and keep idioms of your own in another file",
        )
    header = "\t".join(COLUMNS)
    return (line for line in text.split("\n") if not line.startswith("#") and line != header)


def _entries(path: str | Path, lines: Iterable[tuple[int, str]]) -> Iterator[Idiom]:
    seen: set[str] = set()
    for number, text in lines:
        if not text.strip() or text.startswith("#"):
            continue
        cells = [cell.strip() for cell in text.split("\t")]
        if tuple(cells) == COLUMNS:
            continue
        entry = _entry(path, number, cells)
        if entry.pattern in seen:
            raise BadRecord(path, number, f"{entry.pattern!r} occurs twice; remove one")
        seen.add(entry.pattern)
        yield entry


def _entry(path: str | Path, number: int, cells: list[str]) -> Idiom:
    pattern = cells[0]
    if len(cells) not in (1, len(COLUMNS)):
        raise BadRecord(
            path,
            number,
            f"has {len(cells)} columns; give a pattern alone, or {', '.join(COLUMNS)}",
        )
    if not all(len(_words(items)) > 1 for items in _spellings(pattern)):
        raise BadRecord(path, number, f"{pattern!r} needs two words or more besides its slots")
    if len(cells) == 1:
        return Idiom(pattern, flexible=True)
    _, _, form, use, source, paper = cells
    for name, value, known in (
        ("form", form, _FORMS),
        ("use", use, get_args(Use)),
        ("source", source, _SOURCES),
        ("paper", paper, ("yes", "")),
    ):
        if value not in known:
            allowed = ", ".join(repr(one) for one in known)
            raise BadRecord(path, number, f"{name} is {value!r}; it can be {allowed}")
    return _idiom("\t".join(cells))


def _pattern(row: Idiom | str) -> str:
    return row.partition("\t")[0] if isinstance(row, str) else row.pattern


def _idiom(row: Idiom | str) -> Idiom:
    """The idiom of a row whose values are known to be right."""
    if isinstance(row, Idiom):
        return row
    if "\t" not in row:
        return Idiom(row)
    pattern, meaning, form, use, source, paper = row.split("\t")
    return Idiom(pattern, meaning, form == "flexible", cast(Use, use), source, paper == "yes")


@lru_cache(maxsize=100_000)
def _plain(word: str) -> str:
    small = word.lower()
    return small if small.isascii() else small.translate(_STRAIGHT)


def _is_word(item: str) -> bool:
    """Whether an item of a pattern is the same word in all its spellings."""
    return "/" not in item and "(" not in item and item not in _NOT_SPELLED


def _words(items: Sequence[str]) -> list[str]:
    return [item for item in items if item not in (POSSESSIVE, ANYONE)]


def _spellings(pattern: str) -> Iterator[tuple[str, ...]]:
    """Every way to spell a pattern, without brackets and strokes."""
    if "/" not in pattern and "(" not in pattern:
        yield tuple(_BASES.get(item, item) for item in pattern.lower().split())
        return
    choices = []
    for item in pattern.lower().split():
        if item.startswith("(") and item.endswith(")"):
            choices.append(["", *item[1:-1].split("/")])
        else:
            choices.append(item.split("/"))
    for chosen in product(*choices):
        yield tuple(_BASES.get(item, item) for item in chosen if item)


def _is_item(item: str, sentence: WordPlaces, place: int) -> bool:
    form = sentence.forms[place]
    if item in (form, sentence.bases[place]):
        return True
    return item == _REFLEXIVE and form in _REFLEXIVES


def _slot_ends(slot: str, start: int, forms: list[str]) -> Iterator[int]:
    """Where the filler of a slot may end, nearest first."""
    last = min(start + _SLOT_WORDS, len(forms))
    if slot == ANYONE:
        yield from range(start + 1, last + 1)
        return
    if forms[start] in _PRONOUNS:
        yield start + 1
    for marker in range(start + 1, min(last + 1, len(forms))):
        if forms[marker] in _MARKERS:
            yield marker + 1
