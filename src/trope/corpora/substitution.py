"""Lexical substitution: words in context and words that could replace them.

CoInCo has substitutes for all content words of 2,474 sentences; SemEval-2007 Task 10 for 201 words
with ten sentences each; SWORDS has substitutes that three or ten people judged; MUNCH has
paraphrases of metaphorical words of the VU Amsterdam corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from xml.etree import ElementTree

import msgspec

from trope.core.errors import BadRecord
from trope.corpora.rows import CheckedRow
from trope.corpora.sources import Source, numbered_lines, read_bytes, source_name
from trope.corpora.tables import read_rows


@dataclass(frozen=True, slots=True)
class Substitute:
    """A word for a place, and how many, or which share, of the annotators stood behind it."""

    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class SubstitutionTarget:
    """The word `text[start:end]` and substitutes for it.

    `upos` is VERB, NOUN, ADJ or ADV, empty where the source does not tell; `document` names the
    text that the sentence was taken from.
    """

    id: str
    text: str
    start: int
    end: int
    lemma: str
    upos: str
    substitutes: tuple[Substitute, ...]
    document: str = ""

    @property
    def word(self) -> str:
        """The word as it stands in the text."""
        return self.text[self.start : self.end]


_NO_TARGET = "XXX"
"""The id of words that nobody was asked about."""

_COINCO_PARTS = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}


def read_coinco(source: Source) -> Iterator[SubstitutionTarget]:
    """The targets in order, problematic ones left out; weights count annotators.

    Raises:
        BadRecord: for a file that is not XML, and for words that their sentence has not.
    """
    name = source_name(source)
    try:
        root = ElementTree.fromstring(read_bytes(source).getvalue())
    except ElementTree.ParseError as error:
        raise BadRecord(name, error.position[0], f"is not XML ({error}); get it again") from None
    for sentence in root.iter("sent"):
        yield from _targets(sentence, name)


def _targets(sentence: ElementTree.Element, name: str) -> Iterator[SubstitutionTarget]:
    text = (sentence.findtext("targetsentence") or "").strip()
    after = 0
    for token in sentence.iter("token"):
        form = token.get("wordform", "")
        start = text.find(form, after)
        wanted = token.get("id", _NO_TARGET) != _NO_TARGET
        if start < 0:
            if wanted:
                problem = f"word {form!r} of token {token.get('id')} is not in its sentence"
                raise BadRecord(name, None, f"{problem}; get the file again")
            continue  # marks are written differently in some sentences
        after = start + len(form)
        if not wanted or token.get("problematic") == "yes":
            continue
        yield SubstitutionTarget(
            id=token.get("id", ""),
            text=text,
            start=start,
            end=after,
            lemma=token.get("lemma", form.lower()),
            upos=_COINCO_PARTS.get(token.get("posMASC", "")[:1], ""),
            substitutes=tuple(_coinco_substitute(one, name) for one in token.iter("subst")),
            document=sentence.get("MASCfile", ""),
        )


def _coinco_substitute(given: ElementTree.Element, name: str) -> Substitute:
    times = given.get("freq", "1")
    if not times.isascii() or not times.isdecimal():
        raise BadRecord(name, None, f"has freq {times!r}, which is no number; get the file again")
    return Substitute(given.get("lemma", ""), float(times))


# two documents glued together, with broken entities: no XML parser takes the file
_INSTANCE = re.compile(r'<instance id="(\d+)">\s*<context>(.*?)</context>', re.DOTALL)
_HEAD = re.compile(r"<head>(.*?)</head>", re.DOTALL)
_ENTITY = re.compile(r"&#(\d+) ?;")
_GOLD = re.compile(r"(?P<lemma>.+)\.(?P<part>[nvar]) (?P<id>\d+) :: ?(?P<substitutes>.*)")
_LEXSUB_PARTS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}


def read_lexsub2007(sentences: Source, gold: Source) -> Iterator[SubstitutionTarget]:
    """The targets that a gold file has answers to, in its order; weights count annotators.

    Raises:
        BadRecord: for lines of another shape and answers to sentences that are not there.
    """
    content = read_bytes(sentences).getvalue().decode("utf-8", errors="replace")
    contexts = {found[1]: found[2] for found in _INSTANCE.finditer(content)}
    name = source_name(gold)
    for line, text in numbered_lines(gold):
        if not text.strip():
            continue
        row = _GOLD.fullmatch(text.strip())
        if row is None:
            raise BadRecord(name, line, "is not an answer such as 'side.n 303 :: part 4;view 1;'")
        marked = contexts.get(row["id"])
        if marked is None or (head := _HEAD.search(marked)) is None:
            problem = f"answers to {row['id']}, which {source_name(sentences)} has not"
            raise BadRecord(name, line, problem)
        before, word, rest = (
            _plain(part) for part in (marked[: head.start()], head[1], marked[head.end() :])
        )
        yield SubstitutionTarget(
            id=row["id"],
            text=before + word + rest,
            start=len(before),
            end=len(before) + len(word),
            lemma=row["lemma"],
            upos=_LEXSUB_PARTS[row["part"]],
            substitutes=tuple(_lexsub_substitutes(row["substitutes"], name, line)),
        )


def _plain(marked: str) -> str:
    return _ENTITY.sub(lambda found: chr(int(found[1])), marked).replace("&amp;", "&")


def _lexsub_substitutes(cell: str, name: str, line: int) -> Iterator[Substitute]:
    for part in filter(None, (part.strip() for part in cell.split(";"))):
        word, _, number = part.rpartition(" ")
        if not word or not number.isdecimal():
            raise BadRecord(
                name, line, f"{part!r} is not a substitute with its number of annotators"
            )
        yield Substitute(word, float(number))


ACCEPTABLE = 0.5
"""A substitute is acceptable where more than this share of its judges agreed."""


class _Origin(msgspec.Struct):
    coinco_ids: list[str]
    coinco_lemma: str = ""


class _Context(msgspec.Struct):
    context: str
    extra: _Origin


class _Target(msgspec.Struct):
    context_id: str
    target: str
    offset: int
    pos: str
    extra: _Origin


class _Substitute(msgspec.Struct):
    target_id: str
    substitute: str


class _File(msgspec.Struct):
    contexts: dict[str, _Context]
    targets: dict[str, _Target]
    substitutes: dict[str, _Substitute]
    substitute_labels: dict[str, list[str]]


def read_swords(source: Source) -> Iterator[SubstitutionTarget]:
    """The targets of a file; the weight of a substitute is the share of judges who answered TRUE.

    Raises:
        BadRecord: for a file of another shape, and for targets that do not stand where it says.
    """
    name = source_name(source)
    try:
        file = msgspec.json.decode(read_bytes(source).getvalue(), type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadRecord(name, None, f"is not a file of SWORDS ({error}); get it again") from None
    substitutes: dict[str, list[Substitute]] = {}
    for key, substitute in file.substitutes.items():
        labels = file.substitute_labels.get(key)
        if not labels:
            raise BadRecord(name, None, f"substitute {key!r} has no labels; get the file again")
        share = labels.count("TRUE") / len(labels)
        found = substitutes.setdefault(substitute.target_id, [])
        found.append(Substitute(substitute.substitute, share))
    for key, target in file.targets.items():
        context = file.contexts.get(target.context_id)
        end = target.offset + len(target.target)
        if context is None or context.context[target.offset : end] != target.target:
            problem = f"target {key!r} is not where its offset says"
            raise BadRecord(name, None, f"{problem}; get the file again")
        yield SubstitutionTarget(
            id=key,
            text=context.context,
            start=target.offset,
            end=end,
            lemma=target.extra.coinco_lemma or target.target.lower(),
            upos=target.pos,
            substitutes=tuple(substitutes.get(key, ())),
            document="".join(context.extra.coinco_ids[:1]).split(":")[0],
        )


_BOLD = re.compile(r"<b>(.*?)</b>")


@dataclass(frozen=True, slots=True)
class AptPair:
    """Two rewritings of a sentence, one apt and one not; `item` is the id of the sentence's word.

    The files always have the apt one first.
    """

    id: str
    item: str
    apt: str
    inapt: str


def read_munch(source: Source) -> Iterator[SubstitutionTarget]:
    """The metaphorical words with people's paraphrases; `document` is the VUA fragment.

    Raises:
        BadRecord: for rows that mark no word.
    """
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        marked = row.text("s0")
        found = _BOLD.search(marked)
        if found is None or not found[1]:
            raise row.fault("marks no word; put it between <b> and </b>")
        yield SubstitutionTarget(
            id=row.text("idx"),
            text=_BOLD.sub(r"\1", marked),
            start=found.start(),
            end=found.start() + len(found[1]),
            lemma="",
            upos="",
            substitutes=tuple(Substitute(word, 1.0) for word in row.words("human_ans")),
            document=row.text("sid").rpartition("-")[0],
        )


def read_munch_pairs(source: Source) -> Iterator[AptPair]:
    """The pairs of which one is apt and the other is not; others are no choice and left out."""
    name = source_name(source)
    for line, fields in read_rows(source, format="csv"):
        row = CheckedRow(name, line, fields)
        options = {row.text("s1_label"): row.text("s1"), row.text("s2_label"): row.text("s2")}
        if unknown := options.keys() - {"apt", "inapt"}:
            raise row.fault(f"unknown label {min(unknown)!r}; known: apt, inapt")
        if len(options) == 2:
            item = row.text("s0_idx")
            yield AptPair(row.text("i0"), item, options["apt"], options["inapt"])
