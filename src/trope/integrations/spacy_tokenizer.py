"""Our words as a tokenizer of spaCy."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from trope.text.tokenise import tokenise

_SURROGATE = re.compile("[\ud800-\udfff]")


class TropeTokenizer:
    """Cuts texts into the words that `trope.analyze` sees; blanks become tokens as in spaCy."""

    def __init__(self, vocab: Vocab) -> None:
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """The text as a document of words and blanks."""
        text = _SURROGATE.sub("\ufffd", text)  # spaCy stores UTF-8, which has no halves
        words: list[str] = []
        spaces: list[bool] = []
        done = 0
        for start, end in [*tokenise(text), (len(text), len(text))]:
            gap = text[done:start]
            if words and gap.startswith(" "):
                spaces[-1], gap = True, gap[1:]
            for word in (gap, text[start:end]):
                if word:
                    words.append(word)
                    spaces.append(False)
            done = end
        return Doc(self.vocab, words=words, spaces=spaces)

    def to_bytes(self, **_: Any) -> bytes:
        """Nothing: the rules are those of the installed version."""
        return b""

    def from_bytes(self, data: bytes, **_: Any) -> TropeTokenizer:
        """The same tokenizer."""
        return self

    def to_disk(self, path: Any, **_: Any) -> None:
        """Writes nothing: the rules are those of the installed version."""

    def from_disk(self, path: Any, **_: Any) -> TropeTokenizer:
        """The same tokenizer."""
        return self


def create_tokenizer() -> Callable[[Language], TropeTokenizer]:
    """What spaCy calls for the tokenizer "trope.Tokenizer.v1" of a configuration."""
    return lambda nlp: TropeTokenizer(nlp.vocab)
