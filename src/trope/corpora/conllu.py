"""CoNLL-U, with every fault at its line.

Words are counted from 0 and the head of a root is -1, as everywhere in trope. Multiword tokens
("don't" = "do" + "n't") keep their spelling and the words they cover, so that what was read from
raw text can be aligned; empty nodes are only counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import dropwhile

from trope.core.errors import BadInput, BadRecord
from trope.core.records import ROOT, Parse
from trope.corpora.sources import Source, numbered_lines, source_name

_COMMENT = re.compile(r"#\s*([^=]*?)\s*=\s?(.*)", re.DOTALL)
_NO_SPACE = "SpaceAfter=No"


@dataclass(frozen=True, slots=True)
class ConlluWord:
    """A syntactic word; columns that say nothing are "_"."""

    form: str
    lemma: str
    upos: str
    xpos: str
    head: int
    deprel: str
    feats: str = "_"
    deps: str = "_"
    misc: str = "_"

    @property
    def space_after(self) -> bool:
        """Whether a space follows in the raw text."""
        return _NO_SPACE not in self.misc.split("|")


@dataclass(frozen=True, slots=True)
class SurfaceToken:
    """What stands in the raw text for the words `start` to `end` (exclusive)."""

    form: str
    start: int
    end: int
    misc: str = "_"

    @property
    def space_after(self) -> bool:
        """Whether a space follows in the raw text."""
        return _NO_SPACE not in self.misc.split("|")


@dataclass(frozen=True, slots=True)
class ConlluSentence:
    """A sentence of a treebank; `line` is that of its first word or comment."""

    id: str
    text: str
    words: tuple[ConlluWord, ...]
    multiword: tuple[SurfaceToken, ...] = ()
    comments: tuple[str, ...] = ()
    empty_nodes: int = 0
    line: int = 0

    @property
    def tokens(self) -> tuple[SurfaceToken, ...]:
        """What stands in the raw text, in order: multiword tokens, and words outside of them."""
        covering = {token.start: token for token in self.multiword}
        tokens: list[SurfaceToken] = []
        at = 0
        while at < len(self.words):
            word = self.words[at]
            tokens.append(covering.get(at) or SurfaceToken(word.form, at, at + 1, word.misc))
            at = tokens[-1].end
        return tuple(tokens)

    @property
    def surface(self) -> str:
        """The raw text put together from the tokens; equals `text` in a sound treebank."""
        return "".join(t.form + " " * t.space_after for t in self.tokens).removesuffix(" ")

    def token_spans(self) -> tuple[tuple[int, int], ...]:
        """Where each of `tokens` stands in `text`, in code points.

        Raises:
            BadInput: if the tokens are not those of the text.
        """
        spans: list[tuple[int, int]] = []
        at = 0
        for token in self.tokens:
            while at < len(self.text) and self.text[at].isspace() and not token.form[0].isspace():
                at += 1
            if not self.text.startswith(token.form, at):
                problem = f"token {token.form!r} is not at character {at} of its text"
                raise BadInput(f"sentence {self.id!r}: {problem}")
            spans.append((at, at + len(token.form)))
            at += len(token.form)
        return tuple(spans)

    def to_parse(self) -> Parse:
        """The tree alone, as the rest of trope knows it."""
        return Parse(
            words=tuple(word.form for word in self.words),
            upos=tuple(word.upos for word in self.words),
            xpos=tuple(word.xpos for word in self.words),
            lemmas=tuple(word.lemma for word in self.words),
            heads=tuple(word.head for word in self.words),
            deprels=tuple(word.deprel for word in self.words),
        )


def read_conllu(source: Source, *, single_root: bool = False) -> Iterator[ConlluSentence]:
    """The sentences of a CoNLL-U file, packed or not, one at a time.

    Args:
        single_root: also refuse sentences with more than one root.

    Raises:
        BadRecord: at the first line that breaks the format or its tree.
    """
    name = source_name(source)
    block: list[tuple[int, str]] = []
    found = False
    for number, line in numbered_lines(source):
        if line.strip():
            block.append((number, line))
        elif block:
            found = True
            yield _sentence(block, name, single_root)
            block = []
    if block:
        found = True
        yield _sentence(block, name, single_root)
    if not found:
        raise BadRecord(name, 1, "holds no sentence; give a CoNLL-U file")


def _sentence(block: list[tuple[int, str]], name: str, single_root: bool) -> ConlluSentence:
    rows = list(dropwhile(lambda numbered: numbered[1].startswith("#"), block))
    if not rows:
        raise BadRecord(name, block[0][0], "comments without a sentence; remove them")
    values, comments = _comments([line for _, line in block[: len(block) - len(rows)]])
    words, multiword, empty, lines = _rows(rows, name)
    _check_tree(words, lines, name, single_root)
    return ConlluSentence(
        id=values.get("sent_id", values.get("tweet_id", "")),
        text=values.get("text", ""),
        words=tuple(words),
        multiword=tuple(multiword),
        comments=comments,
        empty_nodes=empty,
        line=block[0][0],
    )


def _comments(lines: list[str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The values that become fields of a sentence, and the comments that stay comments."""
    values: dict[str, str] = {}
    others: list[str] = []
    for line in lines:
        match = _COMMENT.fullmatch(line)
        if match and match[1] in ("sent_id", "tweet_id", "text"):
            values.setdefault(match[1], match[2])
        if not match or match[1] not in ("sent_id", "text"):
            others.append(line)
    return values, tuple(others)


def _rows(
    rows: list[tuple[int, str]], name: str
) -> tuple[list[ConlluWord], list[SurfaceToken], int, list[int]]:
    """Words, multiword tokens, the number of empty nodes, and the line of every word."""
    words: list[ConlluWord] = []
    multiword: list[SurfaceToken] = []
    lines: list[int] = []
    empty = 0
    for number, line in rows:
        columns = line.split("\t")
        if len(columns) != 10:
            problem = f"the number of columns is {len(columns)}, not 10; separate them by tabs"
            raise BadRecord(name, number, problem)
        if "" in columns:
            column = columns.index("") + 1
            raise BadRecord(name, number, f"column {column} is empty; write _ for no value")
        if "-" in columns[0]:
            multiword.append(_multiword(columns, len(words), multiword, name, number))
        elif "." in columns[0]:
            empty += 1
        else:
            words.append(_word(columns, len(words) + 1, name, number))
            lines.append(number)
    if not words:
        raise BadRecord(name, rows[0][0], "begins a sentence without words")
    if multiword and multiword[-1].end > len(words):
        problem = f"multiword token {multiword[-1].form!r} covers words that do not follow"
        raise BadRecord(name, lines[-1], problem)
    return words, multiword, empty, lines


def _word(columns: list[str], position: int, name: str, number: int) -> ConlluWord:
    identifier, form, lemma, upos, xpos, feats, head, deprel, deps, misc = columns
    if identifier != str(position):
        problem = f"word id is {identifier!r} where {position} follows; number words from 1"
        raise BadRecord(name, number, problem)
    if not (head.isascii() and head.isdigit()):
        raise BadRecord(name, number, f"head is {head!r}; give the id of a word, or 0")
    return ConlluWord(form, lemma, upos, xpos, int(head) - 1, deprel, feats, deps, misc)


def _multiword(
    columns: list[str], seen: int, before: list[SurfaceToken], name: str, number: int
) -> SurfaceToken:
    first, _, last = columns[0].partition("-")
    numbers = first.isascii() and first.isdigit() and last.isascii() and last.isdigit()
    if not numbers or int(first) != seen + 1 or int(last) < int(first):
        problem = f"multiword range is {columns[0]!r}; it must begin with the next word, {seen + 1}"
        raise BadRecord(name, number, problem)
    if before and before[-1].end > seen:
        raise BadRecord(name, number, f"multiword range {columns[0]} overlaps the one before it")
    return SurfaceToken(columns[1], seen, int(last), columns[9])


def _check_tree(words: list[ConlluWord], lines: list[int], name: str, single_root: bool) -> None:
    for word, number in zip(words, lines, strict=True):
        if word.head >= len(words):
            problem = f"head is {word.head + 1}, but the sentence has {len(words)} words"
            raise BadRecord(name, number, problem)
    settled: set[int] = {ROOT}
    for start in range(len(words)):
        path: list[int] = []
        on_path: set[int] = set()
        at = start
        while at not in settled:
            if at in on_path:
                raise BadRecord(name, lines[at], f"word {at + 1} is its own ancestor: a cycle")
            path.append(at)
            on_path.add(at)
            at = words[at].head
        settled.update(path)
    roots = [index for index, word in enumerate(words) if word.head == ROOT]
    if single_root and len(roots) > 1:
        raise BadRecord(
            name, lines[roots[1]], f"the sentence has {len(roots)} roots; one is wanted"
        )
