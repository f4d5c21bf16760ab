"""From text to sentences of tokens, each with its offsets in the original."""

from __future__ import annotations

from collections.abc import Iterable

from trope.core.records import TextKind
from trope.core.texts import Sentence, Text, Word
from trope.text import normalise, sentences, tokenise

__all__ = ["read", "read_batch"]


def read_batch(
    originals: Iterable[str], kind: TextKind = "plain"
) -> tuple[list[Text], list[tuple[str, ...]]]:
    """Texts with their sentences, and the words of all sentences as the encoder reads them."""
    texts = [read(original, kind) for original in originals]
    return texts, [sentence.forms for text in texts for sentence in text.sentences]


def read(original: str, kind: TextKind = "plain") -> Text:
    """The text with its sentences: normalised by its kind, tokenised, mapped back."""
    mapped = normalise.normalise(original, normalise.STEPS[kind])
    text, starts, ends = mapped.text, mapped.starts, mapped.ends
    spans = tokenise.tokenise(text)
    if isinstance(starts, range):  # nothing was changed
        words = [Word(form := text[first:last], first, last, form) for first, last in spans]
    else:
        places = [(starts[first], ends[last - 1]) for first, last in spans]
        forms = [text[first:last] for first, last in spans]
        words = [
            Word(original[start:end], start, end, form)
            for (start, end), form in zip(places, forms, strict=True)
        ]
    ranges = sentences.split_sentences(text, spans, kind)
    return Text(original, tuple(Sentence(tuple(words[a:b])) for a, b in ranges))
