"""CoInCo: substitutes that people offered for all content words of 2,474 sentences."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from trope.core.errors import BadRecord
from trope.corpora.fields import read_bytes
from trope.corpora.sources import Source, source_name
from trope.corpora.substitution import Substitute, SubstitutionTarget

NO_TARGET = "XXX"
"""The id of words that nobody was asked about."""

_PARTS = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}


def read_coinco(source: Source) -> Iterator[SubstitutionTarget]:
    """The targets in order, problematic ones left out; weights count annotators.

    Raises:
        BadRecord: for a file that is no XML, and for words that their sentence has not.
    """
    name = source_name(source)
    try:
        root = ElementTree.fromstring(read_bytes(source).getvalue())
    except ElementTree.ParseError as error:
        raise BadRecord(name, error.position[0], f"is no XML ({error}); get it again") from None
    for sentence in root.iter("sent"):
        yield from _targets(sentence, name)


def _targets(sentence: ElementTree.Element, name: str) -> Iterator[SubstitutionTarget]:
    text = (sentence.findtext("targetsentence") or "").strip()
    after = 0
    for token in sentence.iter("token"):
        form = token.get("wordform", "")
        start = text.find(form, after)
        wanted = token.get("id", NO_TARGET) != NO_TARGET
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
            upos=_PARTS.get(token.get("posMASC", "")[:1], ""),
            substitutes=tuple(
                Substitute(found.get("lemma", ""), float(found.get("freq", "1")))
                for found in token.iter("subst")
            ),
            document=sentence.get("MASCfile", ""),
        )
