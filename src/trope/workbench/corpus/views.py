"""The views of a corpus: runs any query."""

from __future__ import annotations

from dataclasses import replace

from trope.workbench.corpus.concordance import concordance
from trope.workbench.corpus.corpus import IndexedCorpus
from trope.workbench.corpus.keyness import keyness
from trope.workbench.corpus.queries import (
    AnyQuery,
    ConcordanceQuery,
    KeynessQuery,
    RatesQuery,
    VerbsQuery,
)
from trope.workbench.corpus.rates import rates
from trope.workbench.corpus.table import CorpusTable
from trope.workbench.corpus.text import text
from trope.workbench.corpus.verbs import verbs


def answer(corpus: IndexedCorpus, query: AnyQuery) -> CorpusTable:
    """The table of a query.

    Raises:
        TropeError: a column is unknown, a value cannot be used, or the corpus has no words.
    """
    table = _table(corpus, query)
    asked = "" if corpus.view == corpus.source.words else f" --words {corpus.view}"
    about = {**table.about, "word_view": corpus.facts.word_view}
    return replace(table, command=table.command + asked, about=about)


def _table(corpus: IndexedCorpus, query: AnyQuery) -> CorpusTable:
    match query:
        case RatesQuery():
            return rates(corpus, query)
        case VerbsQuery():
            return verbs(corpus, query)
        case KeynessQuery():
            return keyness(corpus, query)
        case ConcordanceQuery():
            return concordance(corpus, query)
        case _:
            return text(corpus, query)
