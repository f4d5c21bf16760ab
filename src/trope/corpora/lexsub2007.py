"""SemEval-2007 Task 10: substitutes for 201 words, ten sentences each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trope.core.errors import BadRecord
from trope.corpora.fields import read_bytes
from trope.corpora.sources import Source, numbered_lines, source_name
from trope.corpora.substitution import Substitute, SubstitutionTarget

# two documents glued together, with broken entities: no XML parser takes the file
_INSTANCE = re.compile(r'<instance id="(\d+)">\s*<context>(.*?)</context>', re.DOTALL)
_HEAD = re.compile(r"<head>(.*?)</head>", re.DOTALL)
_ENTITY = re.compile(r"&#(\d+) ?;")
_GOLD = re.compile(r"(?P<lemma>.+)\.(?P<part>[nvar]) (?P<id>\d+) :: ?(?P<substitutes>.*)")
_PARTS = {"n": "NOUN", "v": "VERB", "a": "ADJ", "r": "ADV"}


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
            raise BadRecord(name, line, "is no answer such as 'side.n 303 :: part 4;view 1;'")
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
            upos=_PARTS[row["part"]],
            substitutes=tuple(_substitutes(row["substitutes"], name, line)),
        )


def _plain(marked: str) -> str:
    return _ENTITY.sub(lambda found: chr(int(found[1])), marked).replace("&amp;", "&")


def _substitutes(cell: str, name: str, line: int) -> Iterator[Substitute]:
    for part in filter(None, (part.strip() for part in cell.split(";"))):
        word, _, number = part.rpartition(" ")
        if not word or not number.isdecimal():
            raise BadRecord(name, line, f"{part!r} is no substitute with its number of annotators")
        yield Substitute(word, float(number))
