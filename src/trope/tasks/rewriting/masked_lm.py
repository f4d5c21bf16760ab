"""The NewsMet paper's pipeline for candidates, with any masked language model.

Paper: Joseph, Liu, Ng, See and Rai (Findings of ACL 2023), section 3.1.2.
Needs: a masked language model (`--model NAME@COMMIT`) and the extra `hub`.
Gives: for every headline its 200 likeliest fillers, and of these six literal and six metaphorical
    ones; everything that was dropped is counted with its reason.
Differs: the verb is masked by its place, not by its spelling; fillers are tagged before repeated
    lemmas are dropped; whether the focus verb itself may be a candidate is an option.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from trope.core.errors import BadInput, BadModel, MissingExtra
from trope.tasks.rewriting.task import MetaphorJudge, TaskParser, verb_base

INITIAL, EACH = 200, 6


class Filler(Protocol):
    """What fills a masked place."""

    def fill(self, words: Sequence[str], at: int, number: int) -> list[str]:
        """The likeliest words for the place, the likeliest first."""


@dataclass(frozen=True, slots=True)
class SilverCandidates:
    """A headline with its candidates; columns are named as in the release.

    `dropped` counts fillers by reason; `meaning_preserved_cands` is for people to fill.
    """

    headline: str
    focus_verb: str
    candidates: tuple[str, ...]
    literal_cands: tuple[str, ...]
    metaphorical_cands: tuple[str, ...]
    dropped: dict[str, int]
    meaning_preserved_cands: tuple[str, ...] = ()
    kept: bool = True
    reason: str = ""


@dataclass(slots=True)
class _Sorted:
    """Fillers of one headline on their way."""

    kept: list[str] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)


class MaskedModel:
    """A masked language model of the Hugging Face Hub, or of a folder."""

    def __init__(self, model: str | Path) -> None:
        try:
            import torch  # noqa: F401
            import transformers
        except ModuleNotFoundError:
            raise MissingExtra("a masked language model", "hub") from None
        from trope.tasks.hub_folder import load_tokenizer, model_path, quiet

        folder = model_path(model)
        self._tokenizer: Any = load_tokenizer(folder, "sentences")
        if self._tokenizer.mask_token is None:
            raise BadInput(f"{model} has no mask token; give a masked language model")
        with quiet():
            found, loaded = transformers.AutoModelForMaskedLM.from_pretrained(
                folder,
                use_safetensors=True,
                local_files_only=True,
                trust_remote_code=False,
                output_loading_info=True,
            )
        lacking = sorted(key for key in loaded["missing_keys"] if key.endswith("weight"))
        if lacking:  # the library has filled them with random numbers
            problem = f"is no masked language model, because it has no {lacking[0]}; give one"
            raise BadModel(folder, f"{problem}, such as albert/albert-base-v2")
        self._model: Any = found.eval()

    def fill(self, words: Sequence[str], at: int, number: int) -> list[str]:
        """The likeliest words for the place, the likeliest first."""
        import torch

        masked = [*words[:at], self._tokenizer.mask_token, *words[at + 1 :]]
        batch = self._tokenizer(" ".join(masked), return_tensors="pt", truncation=True)
        places = (batch["input_ids"][0] == self._tokenizer.mask_token_id).nonzero()
        if not len(places):
            raise BadInput("the headline is too long for the model: its mask was cut off")
        with torch.inference_mode():
            logits = self._model(**batch).logits[0, int(places[0])]
        ids = logits.topk(min(number, len(logits))).indices.tolist()
        return [self._tokenizer.decode([piece]).strip() for piece in ids]


def silver_candidates(
    words: Sequence[str],
    at: int,
    filler: Filler,
    parser: TaskParser,
    detector: MetaphorJudge,
    *,
    threshold: float = 0.5,
    each: int = EACH,
    focus_verb_may_stay: bool = False,
) -> SilverCandidates:
    """The paper's candidates for the verb `words[at]`.

    Raises:
        BadInput: where the headline has no such place.
    """
    if not 0 <= at < len(words):
        raise BadInput(f"a headline of {len(words)} words has no place {at}")
    fillers = filler.fill(words, at, INITIAL)
    found = _filtered(fillers, words, at, parser, focus_verb_may_stay)
    verdicts = detector.verdicts([_swapped(words, at, word) for word in found.kept])
    figurative = [verdict.figurative >= threshold for verdict in verdicts]
    metaphorical = [w for w, yes in zip(found.kept, figurative, strict=True) if yes][:each]
    literal = [w for w, yes in zip(found.kept, figurative, strict=True) if not yes][:each]
    few = len(metaphorical) < each or len(literal) < each
    return SilverCandidates(
        headline=" ".join(words),
        focus_verb=words[at],
        candidates=tuple(fillers),
        literal_cands=tuple(literal),
        metaphorical_cands=tuple(metaphorical),
        dropped=dict(found.dropped),
        kept=not few,
        reason=f"fewer than {each} candidates" if few else "",
    )


def _filtered(
    fillers: Sequence[str], words: Sequence[str], at: int, parser: TaskParser, focus_may_stay: bool
) -> _Sorted:
    """Fillers that are words, verbs in the place, and of different lemmas; the rest is counted."""
    found = _Sorted()
    alphabetic = [word for word in fillers if any(letter.isalpha() for letter in word)]
    found.dropped["not alphabetic"] = len(fillers) - len(alphabetic)
    parses = parser.parse([_swapped(words, at, word) for word in alphabetic])
    seen = set() if focus_may_stay else {verb_base(words[at])}
    for word, parse in zip(alphabetic, parses, strict=True):
        lemma = verb_base(word)
        if parse.upos[at] != "VERB":
            found.dropped["no verb"] += 1
        elif lemma in seen:
            own = lemma == verb_base(words[at]) and not focus_may_stay
            found.dropped["focus verb" if own else "repeated lemma"] += 1
        else:
            seen.add(lemma)
            found.kept.append(word)
    return found


def _swapped(words: Sequence[str], at: int, word: str) -> tuple[str, ...]:
    return (*words[:at], word, *words[at + 1 :])
