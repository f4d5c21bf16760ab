"""Settings of fine-tuning an encoder on analogies, and those that are chosen between.

Imports nothing that a bare machine with torch and transformers lacks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

Pooling = Literal["mean", "pooler"]


@dataclass(frozen=True, slots=True)
class AnalogySettings:
    """How a multiple-choice model is trained: items a batch, rates that fall to 0, no warm-up."""

    pooling: Pooling
    rate: float
    head_rate: float
    epochs: int = 5
    batch: int = 8
    weight_decay: float = 0.01


PAPER = AnalogySettings("pooler", 2e-5, 2e-5)
"""Pitarch et al. (2023), section 4.1."""

CANDIDATES = {
    "paper": PAPER,
    "mean-2e-5": AnalogySettings("mean", 2e-5, 1e-3),
    "mean-3e-5": AnalogySettings("mean", 3e-5, 1e-3),
    "mean-5e-5": AnalogySettings("mean", 5e-5, 1e-3),
}
"""One of these is chosen, on proposed items of metaphors that no test item is of."""

FIRST_STAGE = AnalogySettings("mean", 2e-5, 1e-3, epochs=3, batch=16)
"""The stage on proposed items."""


def second_stage(chosen: AnalogySettings) -> AnalogySettings:
    """The settings of the stage on MEAN after the first one: its head is trained already."""
    return replace(chosen, pooling=FIRST_STAGE.pooling, head_rate=chosen.rate)
