"""The paper's pipeline for candidates: a filler by hand, and a tiny masked language model."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from hub_folder import WORDS, write_encoder
from trope.core.errors import BadInput, BadModel
from trope.core.records import Parse
from trope.encoder.base import SentenceVerdict
from trope.tasks.rewriting.masked_lm import EACH, MaskedModel, silver_candidates

HEADLINE = ("Mayor", "opens", "the", "new", "window")
PLAIN = ["names", "sees", "finds", "plans", "wants", "buys", "sells"]
PICTURES = ["swallows", "devours", "chokes", "torches", "buries", "smothers"]


class ByHand:
    """Fills, tags and judges by lists."""

    def __init__(self, fillers: Sequence[str]) -> None:
        self.fillers = list(fillers)
        self.masked: list[tuple[tuple[str, ...], int]] = []

    def fill(self, words: Sequence[str], at: int, number: int) -> list[str]:
        self.masked.append((tuple(words), at))
        return self.fillers[:number]

    def parse(self, sentences: Sequence[Sequence[str]]) -> list[Parse]:
        tagged = []
        for words in sentences:
            upos = tuple("NOUN" if word == "door" else "VERB" for word in words)
            tagged.append(Parse(tuple(words), upos, upos, tuple(words), (), ()))
        return tagged

    def verdicts(self, sentences: Sequence[Sequence[str]]) -> list[SentenceVerdict]:
        return [SentenceVerdict((), float(bool({*words} & {*PICTURES}))) for words in sentences]


def candidates(fillers: Sequence[str], **options: bool):  # type: ignore[no-untyped-def]
    hand = ByHand(fillers)
    return silver_candidates(HEADLINE, 1, hand, hand, hand, **options)


def test_six_of_each_in_the_order_of_the_model() -> None:
    found = candidates([*PLAIN, *PICTURES])
    assert found.kept
    assert found.literal_cands == tuple(PLAIN[:EACH])
    assert found.metaphorical_cands == tuple(PICTURES)
    assert found.candidates == (*PLAIN, *PICTURES)  # nothing is dropped from what was proposed


def test_every_drop_is_counted_with_its_reason() -> None:
    found = candidates([*PLAIN, "1944", "--", "door", "seeing", "opened", *PICTURES])
    assert found.dropped == {
        "not alphabetic": 2, "no verb": 1, "repeated lemma": 1, "focus verb": 1,
    }  # fmt: skip


def test_the_focus_verb_may_stay_where_that_is_asked_for() -> None:
    assert "opened" in candidates(["opened", *PLAIN], focus_verb_may_stay=True).literal_cands


def test_headlines_with_too_few_candidates_are_dropped_with_a_reason() -> None:
    found = candidates(PLAIN)
    assert not found.kept
    assert found.reason == "fewer than 6 candidates"


def test_a_place_that_is_not_there_is_refused() -> None:
    with pytest.raises(BadInput, match="no place 7"):
        silver_candidates(HEADLINE, 7, ByHand([]), ByHand([]), ByHand([]))


def test_a_tiny_model_fills_by_place_not_by_spelling(tmp_path: Path) -> None:
    import transformers

    folder = write_encoder(tmp_path)
    config = transformers.AutoConfig.from_pretrained(folder)
    transformers.BertForMaskedLM(config).save_pretrained(folder)
    model = MaskedModel(folder)
    found = model.fill(["hope", "melts", "hope"], 2, 5)
    assert len(found) == len(set(found)) == 5
    assert {word.removeprefix("##") for word in found} <= {
        *(word.removeprefix("##") for word in WORDS), "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
    }  # fmt: skip
    assert model.fill(["hope", "melts", "hope"], 0, 5) != []


def test_an_encoder_without_a_head_for_words_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadModel, match=r"no masked language model, because it has no cls\."):
        MaskedModel(write_encoder(tmp_path))


def test_a_model_without_a_mask_token_is_refused(tmp_path: Path) -> None:
    import transformers

    folder = write_encoder(tmp_path)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    tokenizer.mask_token = None
    tokenizer.save_pretrained(folder)
    with pytest.raises(BadInput, match="no mask token"):
        MaskedModel(folder)
