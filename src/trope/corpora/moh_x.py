"""MOH-X: the part of MOH whose verbs have a subject or an object."""

from __future__ import annotations

from collections.abc import Iterator

from trope.corpora.records import LabelledTarget
from trope.corpora.sources import Source
from trope.corpora.verbs_in_sentences import read_verb_table


def read_moh_x(source: Source) -> Iterator[LabelledTarget]:
    """Verbs with their arguments, `arg1,arg2,verb,sentence,verb_idx,label`."""
    return read_verb_table(source, arguments=True)
