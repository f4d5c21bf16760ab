"""Original text in, sentences of words out, every word with its place in the original."""

from __future__ import annotations

from trope.core.records import Sentence, Text, TextKind, Word
from trope.text import normalise, sentences, tokenise

__all__ = ["read"]


def read(original: str, kind: TextKind = "plain") -> Text:
    """The text with its sentences: cleaned as its kind asks, cut into words, mapped back."""
    mapped = normalise.normalise(original, normalise.STEPS[kind])
    text, starts, ends = mapped.text, mapped.starts, mapped.ends
    spans = tokenise.tokenise(text)
    words = []
    for first, last in spans:
        start, end = starts[first], ends[last - 1]
        words.append(Word(original[start:end], start, end, text[first:last]))
    ranges = sentences.split_sentences(text, spans, kind)
    return Text(original, tuple(Sentence(tuple(words[a:b])) for a, b in ranges))
