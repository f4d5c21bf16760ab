"""Which audits belong to a data set, in the order they are printed."""

from __future__ import annotations

from trope.audit import metaphor_sets as metaphor
from trope.audit import other_sets as other

VUA18 = (metaphor.audit_vua_words, metaphor.audit_vua_verbs)
MOH = (metaphor.audit_moh,)
TSV = (metaphor.audit_adjective_nouns, metaphor.audit_svo)
LCC = (metaphor.audit_lcc,)
NEWSMET = (metaphor.audit_newsmet, metaphor.audit_newsmet_verbs)
MEAN = (other.audit_mean,)
SEMEVAL2015 = (other.audit_semeval2015,)
