"""Any question to a corpus, answered by the view that it asks for."""

from __future__ import annotations

from trope.workbench.corpus.concordance import concordance
from trope.workbench.corpus.corpus import Corpus
from trope.workbench.corpus.keyness import keyness
from trope.workbench.corpus.queries import (
    AnyQuery,
    ConcordanceQuery,
    KeynessQuery,
    RatesQuery,
    VerbsQuery,
)
from trope.workbench.corpus.rates import rates
from trope.workbench.corpus.table import Table
from trope.workbench.corpus.texts import text
from trope.workbench.corpus.verbs import verbs


def answer(corpus: Corpus, query: AnyQuery) -> Table:
    """The table that a query asks for.

    Raises:
        TropeError: for a column that there is not, a value that cannot be used, or words that the
            corpus lacks.
    """
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
