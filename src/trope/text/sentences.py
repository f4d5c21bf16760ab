"""Sentences as ranges of words, by rules over the words and the blanks between them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from trope.core.records import TextKind
from trope.text import patterns
from trope.text.tokenise import Span

_MARK = re.compile(r"[.!?…]+")
_DOTS = re.compile(r"\.{2,}|…[.…]*")
_CLOSER = re.compile(r"[\"'’”)\]}»]|''|>>")
_OPENER = re.compile(r"[\"'‘“(\[{«¿¡*$#@]+")
_FACE = re.compile(rf"(?:{patterns.EMOJI})+|{patterns.EMOTICON}")
_TAG = re.compile(rf"{patterns.HASHTAG}|{patterns.MENTION}|{patterns.LINK}")
_LINK = re.compile(patterns.LINK)
_BULLET = re.compile(r"\d{1,3}|[A-Za-z]|[ivx]{1,4}")
_LINE_END = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")

# Words with a point that never end a sentence.
_INNER_LISTED = """
    mr. mrs. ms. dr. drs. prof. st. gen. lt. col. capt. sgt. cpl. maj. gov. sen. sens. rep. reps.
    rev. hon. pres. messrs. mt. ft. pvt. vs. v. e.g. i.e. eg. ie. cf. no. nos. fig. vol. pp. p. ph.
    attn. al. approx. esp. p.o. p.s. ps.
    jan. feb. mar. apr. jun. jul. aug. sept. sep. oct. nov. dec.
"""
_INNER = frozenset(_INNER_LISTED.split())

# Words that, with a capital, show that an abbreviation before them ended a sentence.
_STARTERS_LISTED = """
    The A An This That These Those There He She It We They You I In On At But And If When While
    Where What Who Why How My His Her Its Our Their Your However For So As Please
"""
_STARTERS = frozenset(_STARTERS_LISTED.split())

WRAPPED_LINE = range(50, 101)
"""Lengths of a line that looks broken by a margin and not by its writer."""

MOST_TAGS = 40
"""Tags looked at after a sentence; a tweet has room for no more."""

LEAST_HEADLINE = 3
"""Words on either side of a mark that splits a headline: "Yahoo! Names New Head" is one."""


def split_sentences(
    text: str, spans: Sequence[Span], kind: TextKind = "plain"
) -> list[tuple[int, int]]:
    """The sentences as ranges of word positions; together they hold every word once."""
    reader = _Reader(text, spans, kind)
    sentences: list[tuple[int, int]] = []
    begin = at = 0
    last = len(spans) - 1
    while at < last:
        end, after = spans[at][1], spans[at + 1][0]
        stop, ends = at + 1, False
        if end != after and text[end:after] != " " and reader.line_ends(at):
            ends = True
        elif _may_end(text, spans[at], kind):
            stop, ends = reader.stop(begin, at)
        if ends:
            sentences.append((begin, stop))
            begin = at = stop
        else:
            at = max(at + 1, stop - 1)  # what closes was looked at; the line may end after it
    if begin <= last:
        sentences.append((begin, last + 1))
    return sentences


def _may_end(text: str, span: Span, kind: TextKind) -> bool:
    """Whether a word may end a sentence: a cheap test, since every word is tested."""
    start, end = span
    return (
        text[end - 1] in ".!?…"
        or (kind != "headline" and (text[start] in ":;=<xXD" or text[start] >= "\u2600"))
        or (kind == "plain" and text[start] in "hw" and end - start > 7)
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """A text with its words: what is true of one word at a time."""

    text: str
    spans: Sequence[Span]
    kind: TextKind

    def word(self, at: int) -> str:
        start, end = self.spans[at]
        return self.text[start:end]

    def gap(self, at: int) -> str:
        """The characters between a word and the next."""
        return self.text[self.spans[at][1] : self.spans[at + 1][0]]

    def line_ends(self, at: int) -> bool:
        """Whether the blanks after a word end a paragraph, or a line that its writer ended."""
        end, after = self.spans[at][1], self.spans[at + 1][0]
        breaks = len(_LINE_END.findall(self.text, end, after))
        if not breaks or self.kind == "headline":
            return False
        if breaks > 1:
            return True
        if self.text[after].islower():
            return False
        if self.text[end - 1] in ".!?:;…" or self.kind == "tweet":
            return True
        window = max(0, end - WRAPPED_LINE.stop)
        line = max(self.text.rfind(mark, window, end) for mark in "\n\r")
        return end - max(line + 1, window) not in WRAPPED_LINE

    def stop(self, begin: int, at: int) -> tuple[int, bool]:
        """The first word after this one and what closes with it; whether a sentence ends there."""
        word = self.word(at)
        stop = self.skip_closers(at + 1)
        if stop >= len(self.spans) or _LINE_END.search(self.gap(stop - 1)):
            return stop, False  # a line end is looked at on its own
        if _MARK.fullmatch(word):
            return stop, self.mark_ends(word, begin, at, stop)
        if word.endswith("."):
            return stop, self.abbreviation_ends(word, begin, at, stop)
        if _FACE.fullmatch(word):
            return stop, self.opens(stop)
        is_link = _LINK.fullmatch(word) is not None
        return stop, is_link and (self.opens(stop) or bool(_LINK.fullmatch(self.word(stop))))

    def skip_closers(self, at: int) -> int:
        """The first word after the closing quotes, faces and tags that belong to what ended."""
        while at < len(self.spans):
            word, gap = self.word(at), self.gap(at - 1)
            if _LINE_END.search(gap):
                break
            closes = _CLOSER.fullmatch(word) and (not gap or word in ")]}")
            if not (closes or _FACE.fullmatch(word)):
                break
            at += 1
        return self.skip_tags(at) if self.kind == "tweet" else at

    def skip_tags(self, at: int) -> int:
        """The first word after a run of tags and faces, if no sentence goes on with the run."""
        stop = at
        end = min(at + MOST_TAGS, len(self.spans))
        while stop < end and not _LINE_END.search(self.gap(stop - 1)):
            if not (_TAG.fullmatch(self.word(stop)) or _FACE.fullmatch(self.word(stop))):
                break
            stop += 1
        return stop if stop == len(self.spans) or self.word(stop)[0].isupper() else at

    def mark_ends(self, mark: str, begin: int, at: int, stop: int) -> bool:
        """Whether a mark ends the sentence that began at `begin`, the next one being at `stop`."""
        if self.kind == "headline":
            return not _DOTS.fullmatch(mark) and self.parts_headline(begin, at, stop)
        if at == begin or (at == begin + 1 and mark == "." and _BULLET.fullmatch(self.word(begin))):
            return False
        follower = self.word(stop)
        if not self.gap(stop - 1):  # "end.Start", but not "J.Smith"
            return follower[0].isupper() and self.text[self.spans[at][0] - 1].islower()
        if follower in ",;:" or (_MARK.fullmatch(follower) and not _DOTS.fullmatch(follower)):
            return False
        if _DOTS.fullmatch(mark):
            return self.opens(stop)
        quoted = stop > at + 1 and _CLOSER.fullmatch(self.word(stop - 1))
        return not (quoted and follower[0].islower())

    def parts_headline(self, begin: int, at: int, stop: int) -> bool:
        """Whether enough words stand before a mark and between it and the next."""
        rest = range(stop, min(stop + LEAST_HEADLINE, len(self.spans)))
        enough = at - begin >= LEAST_HEADLINE == len(rest)
        return enough and self.opens(stop) and not any(map(_MARK.fullmatch, map(self.word, rest)))

    def abbreviation_ends(self, word: str, begin: int, at: int, stop: int) -> bool:
        """Whether the point of an abbreviation is a full stop too."""
        if self.kind == "headline" or word.lower() in _INNER or self.word(stop) not in _STARTERS:
            return False
        is_initial = len(word) == 2
        return not is_initial or (at > begin and self.word(at - 1).islower())

    def opens(self, at: int) -> bool:
        """Whether a word looks like the first of a sentence."""
        while at < len(self.spans) - 1 and _OPENER.fullmatch(self.word(at)):
            at += 1
        first = self.word(at).lstrip("#@")[:1]
        return first.isupper() or first.isdigit()
