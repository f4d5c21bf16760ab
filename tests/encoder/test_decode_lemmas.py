from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from trope.encoder.decode import Stretch, join_stretches

ENCODER: Any = SimpleNamespace(
    labels=SimpleNamespace(
        upos=["NOUN", "VERB"],
        xpos=["NNS", "VBP"],
        lemma_rules=["lower|0|", "lower|1|"],
        deprels=["nsubj", "root"],
    )
)
WORDS = ("Ladies", "sing")


def stretch() -> Stretch:
    return Stretch(0, upos=[0, 1], xpos=[0, 1], lemma=[1, 0], heads=[1, -1], deprels=[0, 1])


def test_rules_of_the_model_stand_where_nobody_else_has_an_opinion():
    assert join_stretches(WORDS, [stretch()], ENCODER).lemmas == ("ladie", "sing")


def test_lemmatiser_sees_form_and_tags_and_wins():
    asked = []

    def lemmatise(form: str, upos: str, xpos: str) -> str | None:
        asked.append((form, upos, xpos))
        return "lady" if upos == "NOUN" else None

    assert join_stretches(WORDS, [stretch()], ENCODER, lemmatise).lemmas == ("lady", "sing")
    assert asked == [("Ladies", "NOUN", "NNS"), ("sing", "VERB", "VBP")]
