"""Settings of `trope train heads`, as its TOML file has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LowerHeadSettings:
    """How many layers the heads read, and how they learn.

    `passes` are those over texts that teachers judged, `gold_passes` those over VUA's answers; of
    the seeds, the best on development data ships.
    """

    layers: int
    seeds: tuple[int, ...]
    texts: tuple[str, ...]
    passes: int
    gold_passes: int
    rate: float
    dropout: float
    words_a_batch: int
