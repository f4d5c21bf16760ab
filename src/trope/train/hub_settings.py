"""Settings of fine-tuning a Hugging Face encoder, and the presets that ship.

Imports nothing that a bare machine with torch and transformers lacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from trope.core.errors import UnknownName

_FOLDER = Path(__file__).with_name("presets")
PRESETS = ("newsmet", "words", "sentiment", "metonymy")


@dataclass(frozen=True, slots=True)
class HubSettings:
    """How an encoder is fine-tuned; `best_by` is measured on validation data after every epoch."""

    level: Literal["words", "sentences"]
    model: str
    epochs: int
    rate: float
    dropout: float
    batch: int
    max_length: int
    clip: float
    seed: int
    best_by: Literal["accuracy", "f1", "cosine"]
    weight_decay: float = 0.0
    warm_up: float = 0.0


def read_preset(name: str) -> HubSettings:
    """A preset by name.

    Raises:
        UnknownName: for a name that no file has.
    """
    if name not in PRESETS:
        raise UnknownName("preset", name, PRESETS)
    return read_hub_settings(_FOLDER / f"{name}.toml")


def read_hub_settings(path: Path) -> HubSettings:
    """The settings of a TOML file, all its faults reported at once."""
    from trope.core.config import read_config  # needs msgspec, which fitting does without

    return read_config(path, HubSettings)
